"""What was measured, pair by pair, and what follows from it. Pure values; seconds throughout."""

from dataclasses import dataclass

SHORTEST_DECODE = 8
"""Tokens: a shorter reply says nothing about speed."""


@dataclass(frozen=True, slots=True)
class FollowUp:
    """One turn, by Munin and by bare llama.cpp, on the same cached prefix."""

    munin_first: float
    """From the call of `send` to the first text."""
    bare_first: float
    """Munin's prompt, to the first sampled token."""
    plain_first: float
    """The same without memory's own tokens."""
    evaluated: int
    reused: int
    bare_evaluated: int
    bare_reused: int
    memory_tokens: int
    """Facts and snippets in the newest turn, their frame included."""
    recall: float
    """Embedding the question and searching."""
    munin_decode: float | None
    """Tokens a second; None for a reply too short to tell."""
    bare_decode: float | None

    @property
    def ratio(self) -> float:
        return self.munin_first / self.bare_first

    @property
    def decode_ratio(self) -> float | None:
        return self.munin_decode / self.bare_decode if self.munin_decode and self.bare_decode else None

    @property
    def memory_seconds(self) -> float:
        """What evaluating memory's tokens costs, measured on the bare side."""
        return self.bare_first - self.plain_first


@dataclass(frozen=True, slots=True)
class StopSample:
    phase: str
    """`prefill` or `decode`: where it was when Stop was pressed."""
    latency: float
    """From Stop to the end of the turn."""


@dataclass(frozen=True, slots=True)
class Reopening:
    """First texts of one conversation, from the call of `send`."""

    cold: float
    """After a restart, its saved state gone."""
    restored: float
    """After a restart."""
    warm: float
    """The turn after that one."""

    @property
    def restored_to_warm(self) -> float:
        return self.restored / self.warm

    @property
    def cold_to_restored(self) -> float:
        return self.cold / self.restored


@dataclass(frozen=True, slots=True)
class Samples:
    follow_ups: dict[int, tuple[FollowUp, ...]]
    """By the number of the turn in its conversation."""
    added_waits: tuple[float, ...]
    stops: tuple[StopSample, ...]
    reopenings: tuple[Reopening, ...]
    seconds: float
    """The whole run."""


def added_wait(idle_first: float, idle_tokens: int, learning_first: float, learning_tokens: int) -> float:
    """How much later the first text came while learning ran, after the idle turn is scaled to as many new tokens."""
    return learning_first - idle_first * learning_tokens / idle_tokens


def munin_decode(first_delta: float, last_delta: float, first_text: str, generated: int, limit: int) -> float | None:
    """Tokens a second between the first and the last text that was shown."""
    tokens = generated - _tokens_before(first_text) - (1 if generated >= limit else 0)
    seconds = last_delta - first_delta
    return tokens / seconds if tokens >= SHORTEST_DECODE and seconds > 0 else None


def _tokens_before(first_text: str) -> int:
    """Text is shown up to its last character, which may still change. So a first token of one letter is shown with the
    second token only: one decode more had passed."""
    return 1 if len(first_text) > 1 and first_text[0].isalnum() and not first_text[1].isalnum() else 0


def bare_decode(moments: tuple[float, ...]) -> float | None:
    """Tokens a second between the first and the last sampled token."""
    tokens = len(moments) - 1
    return tokens / (moments[-1] - moments[0]) if tokens >= SHORTEST_DECODE else None
