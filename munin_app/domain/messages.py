"""Conversations and messages: frozen values that know nothing of storage."""

from dataclasses import dataclass
from enum import StrEnum

DEFAULT_PERSONA = "default"
"""The id of Munin itself, which is always there: what no other persona answers, it does."""


class Role(StrEnum):
    USER = "user"
    ASSISTANT = "assistant"


class MessageStatus(StrEnum):
    """How a message ended. A user's message is always COMPLETED."""

    STREAMING = "streaming"  # being written; found at start-up it means that the process died: shown as FAILED
    COMPLETED = "completed"
    STOPPED = "stopped"  # by the user
    FAILED = "failed"
    DELETED = "deleted"  # a blanked node in the middle of a conversation


class MemoryState(StrEnum):
    """What munin.db, the only truth, says about a message and everything derived from it."""

    PENDING = "pending"  # to be indexed
    INDEXED = "indexed"
    OFF = "off"  # memory was switched off when it was written: never indexed, never learned from, used nothing
    WIPED = "wiped"  # the whole index was forgotten, or it answers an OFF message: never indexed or learned from, used memory
    FORGOTTEN = "forgotten"  # the user had it forgotten: never indexed, learned from or put in a prompt again


@dataclass(frozen=True, slots=True)
class Message:
    id: str
    conversation_id: str
    parent_id: str | None
    role: Role
    text: str
    created_at: int
    """Unix time, milliseconds."""
    status: MessageStatus = MessageStatus.COMPLETED
    memory: MemoryState = MemoryState.PENDING
    error: str = ""
    """One sentence for the user, when `status` is FAILED."""
    reasoning: str = ""
    """What the model thought before it answered. Never remembered, never learned from."""
    reasoning_ms: int = 0
    """How long that took."""
    truncated: bool = False
    """Of a reply: it was cut off at the length limit, or where the context was full."""
    bookmarked_at: int | None = None
    """Unix time, milliseconds."""


@dataclass(frozen=True, slots=True)
class Conversation:
    id: str
    title: str
    created_at: int
    updated_at: int
    leaf_id: str | None = None
    """The message that the shown path ends in."""
    pinned: bool = False
    memory_on: bool = True
    temporary: bool = False
    """Nothing of it is read from memory, learned or stored."""
    persona_id: str = DEFAULT_PERSONA
    """Who answers in it."""
    model_path: str = ""
    """The model that was chosen for it; empty: the default."""
    archived: bool = False
    """Out of the list, found by search."""
    tags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Exchange:
    """A user's message and the reply to it, which may be unfinished or missing."""

    user: Message
    assistant: Message | None = None
