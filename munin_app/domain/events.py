"""What happens in a turn, as small values. Whoever drives the controller turns them into something to see."""

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from munin_app.domain.facts import Fact, LearnedFact
from munin_app.domain.inference import Usage
from munin_app.domain.messages import Conversation, Message

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class UsedFact:
    fact_id: str
    text: str


@dataclass(frozen=True, slots=True)
class UsedSnippet:
    message_id: str
    conversation_id: str
    """The conversation it was said in; empty when that is gone."""
    text: str
    score: float
    similarity: float | None
    why: str


@dataclass(frozen=True, slots=True)
class UsedQuote:
    """Of an attached file."""

    content_id: str
    name: str
    """Of the file."""
    text: str
    whole: bool
    page: int
    """0: the file has none, or it is the whole."""
    line: int
    """0: it is the whole."""
    similarity: float | None
    why: str


@dataclass(frozen=True, slots=True)
class Used:
    """What a reply was given beside the chat itself. Facts are always sent; snippets were recalled for this message, and quotes
    are of the files that came with it or with an earlier one."""

    facts: tuple[UsedFact, ...] = ()
    snippets: tuple[UsedSnippet, ...] = ()
    left_out: int = 0
    """Active facts for which there was no room."""
    quotes: tuple[UsedQuote, ...] = ()


@dataclass(frozen=True, slots=True)
class Timings:
    """Milliseconds from the moment the user sent."""

    first_token: float = 0.0
    total: float = 0.0
    embed: float = 0.0
    search: float = 0.0


@dataclass(frozen=True, slots=True)
class Turn:
    conversation: Conversation
    user: Message
    reply: Message
    used: Used = Used()
    timings: Timings = Timings()
    usage: Usage = field(default_factory=Usage)
    prompt_reset: str = ""
    """Why earlier tokens could not be kept, in plain words; empty when the prompt only grew."""
    truncated: bool = False
    """The reply was cut off at the length limit, or where the context was full."""
    model: Path | None = None
    """The file of the model that made it; None: none was loaded."""


@dataclass(frozen=True, slots=True)
class MessageSaved:
    """The user's message is on disk."""

    conversation_id: str
    message: Message


@dataclass(frozen=True, slots=True)
class ReplyStarted:
    """The prompt is built, the model begins."""

    conversation_id: str
    message: Message
    used: Used


@dataclass(frozen=True, slots=True)
class ThoughtDelta:
    """More of what the model thinks before it answers."""

    conversation_id: str
    message_id: str
    text: str


@dataclass(frozen=True, slots=True)
class ReplyDelta:
    conversation_id: str
    message_id: str
    text: str


@dataclass(frozen=True, slots=True)
class TurnFinished:
    """Completed, stopped or failed: `turn.reply.status` says which. The reply is on disk."""

    conversation_id: str
    turn: Turn


@dataclass(frozen=True, slots=True)
class FactsLearned:
    conversation_id: str
    message_id: str
    """The user's message they were learned from."""
    learned: tuple[LearnedFact, ...]


@dataclass(frozen=True, slots=True)
class FactsForgotten:
    """By an order of the user's: "forget that I live in Oslo"."""

    conversation_id: str
    message_id: str
    """The user's message that is the order."""
    facts: tuple[Fact, ...]
    """As they were. Nothing else holds them now."""
    failures: tuple[str, ...] = ()
    """What could not be done, in sentences."""


@dataclass(frozen=True, slots=True)
class ConversationChanged:
    """Created, retitled, pinned, hidden, restored, erased, or parts of it forgotten: whoever shows it reads it again."""

    conversation_id: str


@dataclass(frozen=True, slots=True)
class PersonasChanged:
    """One was made, changed or deleted."""


@dataclass(frozen=True, slots=True)
class Forgotten:
    """What forgetting left: chat messages that still hold it, for "Delete these too", and what could not be done."""

    sources: tuple[Message, ...] = ()
    replies: tuple[Message, ...] = ()
    failures: tuple[str, ...] = field(default=())


TurnEvent = (
    MessageSaved
    | ReplyStarted
    | ThoughtDelta
    | ReplyDelta
    | TurnFinished
    | FactsLearned
    | FactsForgotten
    | ConversationChanged
    | PersonasChanged
)


@dataclass(frozen=True, slots=True)
class VectorsMade:
    """More of the vectors that memory makes up for are there, or no more will come: its status says how many."""


E = TypeVar("E")


def notify(listeners: Sequence[Callable[[E], None]], event: E) -> None:
    """One listener that fails, such as a page that is gone, must not stop what happens, nor hide it from the others."""
    for listener in tuple(listeners):
        try:
            listener(event)
        except Exception as error:
            log.warning("a listener failed: %s", type(error).__name__)
