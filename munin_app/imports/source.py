"""What every app's export comes down to: conversations of messages that form a tree. Knows nothing of JSON or of storage."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from munin_app.domain.messages import Role


@dataclass(frozen=True, slots=True)
class SourceMessage:
    id: str
    """Its own within the conversation, and the same in every export."""
    parent_id: str | None
    role: Role | None
    """None: left out (a system text, a tool). What follows it follows what it followed."""
    text: str = ""
    reasoning: str = ""
    created_at: int | None = None
    """Unix time, milliseconds."""


@dataclass(frozen=True, slots=True)
class SourceConversation:
    app: str
    id: str
    """Its own within the app, and the same in every export."""
    title: str
    messages: tuple[SourceMessage, ...]
    created_at: int | None = None
    updated_at: int | None = None
    leaf_id: str | None = None
    """The message that the shown path ends in; None: the newest."""
    archived: bool = False
    left_out: Mapping[str, int] = field(default_factory=Counter)
    """What of it does not come along: one of the names in `wording`, to how often."""


class Unreadable(Exception):
    """One conversation cannot be taken. `str(error)` is a part of a sentence: "two of its messages have the same id"."""
