"""What vector memory returns, and how it says what works."""

from dataclasses import dataclass, field
from enum import StrEnum

from munin_app.domain.messages import Role

SHARED = "shared"


def persona_scope(persona_id: str) -> str:
    return f"persona:{persona_id}"


def conversation_scope(conversation_id: str) -> str:
    return f"conversation:{conversation_id}"


@dataclass(frozen=True, slots=True)
class Memory:
    """A remembered message, or the part of it that was found."""

    message_id: str
    conversation_id: str
    role: Role
    text: str
    created_at: int
    scope: str = SHARED


@dataclass(frozen=True, slots=True)
class MemoryFilter:
    """Which memories are meant; all of them unless it says otherwise. Times in Unix ms, of when something was said."""

    conversation_id: str | None = None
    since: int | None = None
    """Inclusive."""
    before: int | None = None
    """Exclusive."""


EVERYTHING = MemoryFilter()


@dataclass(frozen=True, slots=True)
class Signal:
    """What one signal said of a result: `words`, `meaning`, `time` …"""

    name: str
    rank: int
    """Among all candidates, 1 for the best; equals share a rank."""
    points: float
    """What it added to the score."""


@dataclass(frozen=True, slots=True)
class SearchResult:
    memory: Memory
    score: float
    """Fused and only comparable within one result list; higher is better."""
    similarity: float | None
    """Cosine, -1 to 1; None where no vector took part."""
    why: str
    """In plain words: "Close in meaning; shares “walk”"."""
    sureness: float = 0.0
    """How far above the calibrated bar, in units of similarity; below 0 it is only found with a threshold of one's own."""
    signals: tuple[Signal, ...] = ()


@dataclass(frozen=True, slots=True)
class RecallOutcome:
    results: tuple[SearchResult, ...] = ()
    embed_ms: float = 0.0
    search_ms: float = 0.0
    left_out: tuple[SearchResult, ...] = ()
    """The best of what was not let through; `why` says why not."""


class ArmState(StrEnum):
    READY = "ready"
    NOT_LOADED = "not loaded"  # lazy: nothing was asked of it yet
    BEHIND = "behind"  # works, but has not seen everything
    OFF = "off"


@dataclass(frozen=True, slots=True)
class ArmStatus:
    """One of `encoder`, `vectors`, `words`, `database`."""

    name: str
    state: ArmState
    detail: str
    """What works or does not, and what that costs, in one sentence."""
    remedy: str = ""


@dataclass(frozen=True, slots=True)
class ForgetReport:
    removed: int = 0
    failures: tuple[str, ...] = field(default=())
    """What could not be done, each one sentence for the user; empty when all is gone."""


@dataclass(frozen=True, slots=True)
class VectorProgress:
    """How far the vectors of the encoder in use are made."""

    made: int
    total: int
    former: str = ""
    """The id of the encoder before, while its vectors are kept: going back to it makes none again. Empty: none are kept."""
    per_second: float = 0.0
    """Measured while they are made for another encoder; 0: not known."""
