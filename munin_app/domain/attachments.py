"""Attachments: texts that were read from files and go with a message. Frozen values that know nothing of files or storage."""

import unicodedata
from dataclasses import dataclass
from enum import StrEnum

NAME_CHARACTERS = 80
_NAME_END = 20
PAGE_BREAK = "\f"
"""Between the pages of a text that has pages; in no other text."""


class FileKind(StrEnum):
    TEXT = "text"
    MARKDOWN = "markdown"
    CODE = "code"
    PDF = "pdf"


@dataclass(frozen=True, slots=True)
class ReadFile:
    """What was read of a file. The file itself is not kept."""

    name: str
    kind: FileKind
    size: int
    """Of the file, bytes."""
    text: str
    pages: int = 0
    """0: it has none."""
    cut: bool = False
    """Only its beginning was read."""


@dataclass(frozen=True, slots=True)
class Attachment:
    """Without its text, which may be long."""

    id: str
    content_id: str
    """The same in every copy of it: in an edited message, in a duplicated chat."""
    conversation_id: str
    """Empty: of the chat that is not begun yet."""
    message_id: str
    """Empty: it is in the composer, not sent."""
    name: str
    kind: FileKind
    size: int
    pages: int
    cut: bool
    created_at: int
    """Unix time, milliseconds."""


def attachment_scope(content_id: str) -> str:
    """The scope that its passages have in memory: nothing asks for it but the chat that it was attached in."""
    return f"attachment:{content_id}"


def safe_name(name: str) -> str:
    """A file's name as it can be shown: one line, nothing in it that turns the direction of writing or cannot be seen, at most
    80 characters with both ends kept."""
    base = name.replace("\\", "/").rpartition("/")[2]
    seen = (" " if character.isspace() else character for character in base)
    clean = " ".join("".join(one for one in seen if unicodedata.category(one)[0] != "C").split())
    if len(clean) > NAME_CHARACTERS:
        clean = clean[: NAME_CHARACTERS - _NAME_END - 1] + "…" + clean[-_NAME_END:]
    return clean or "file"
