"""PrefixWatch: whether a turn's prompt only grew, and if not, why, in plain words.

Compares what the model reused with what it had evaluated for the conversation before. Knows nothing of how it reuses.
"""

from dataclasses import dataclass

from munin_app.domain.inference import Usage

COMPACTED = "The chat outgrew the model's context; its oldest part was replaced by a summary."
FORGOTTEN = "Something was forgotten, so the chat was read again without it."
MEMORY_SWITCHED = "Memory was switched on or off, so the chat was read again."
OTHER_MODEL = "Another model was chosen, so the chat was read by it from the beginning."
OTHER_CHAT = "Another chat was open in between, so this one was read again."
REOPENED = "The chat was opened again, so it was read from the beginning."

LAST_TOKEN = 1
"""The last sampled token of a reply is not evaluated before the next prompt."""


@dataclass(frozen=True, slots=True)
class Circumstances:
    """What a turn was sent under."""

    conversation_id: str
    model_id: str
    with_memory: bool
    forgettings: int
    """How often something had been forgotten in this process."""
    earlier_turns: int


class PrefixWatch:
    def __init__(self) -> None:
        self._last: dict[str, tuple[Circumstances, int]] = {}

    def reason(self, now: Circumstances, usage: Usage, *, compacted: bool) -> str:
        """Empty when only new tokens were evaluated. Remembers the turn for the next one."""
        before = self._last.get(now.conversation_id)
        if usage.context_used:
            self._last[now.conversation_id] = (now, usage.context_used)
        if compacted:
            return COMPACTED
        if before is None:
            cold = now.earlier_turns > 0 and usage.evaluated > usage.reused
            return REOPENED if cold else ""
        earlier, held = before
        if usage.reused >= held - LAST_TOKEN:
            return ""
        if earlier.model_id != now.model_id:
            return OTHER_MODEL
        if earlier.forgettings != now.forgettings:
            return FORGOTTEN
        return MEMORY_SWITCHED if earlier.with_memory != now.with_memory else OTHER_CHAT
