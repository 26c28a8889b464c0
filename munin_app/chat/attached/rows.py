"""SQL of the table `attachment`: values in, values out. Every function runs on the store's own thread."""

from collections.abc import Collection, Sequence
from typing import Any

import apsw

from munin_app.chat import rows
from munin_app.chat.conversations import ConversationRepository
from munin_app.domain.attachments import Attachment, FileKind, ReadFile, safe_name
from munin_app.domain.ids import new_id
from munin_app.domain.messages import Message
from munin_app.storage.database import SQLiteValue

_COLUMNS = "id, content_id, coalesce(conversation_id, ''), coalesce(message_id, ''), name, kind, size, pages, cut, created_at"
_IN_COMPOSER = "message_id IS NULL AND conversation_id IS nullif(?, '')"
USABLE = (
    "SELECT content_id FROM attachment LEFT JOIN message ON message.id = message_id "
    "WHERE message_id IS NULL OR (message.status <> 'deleted' AND message.memory <> 'forgotten')"
)
"""Contents that may be searched."""


def _attachment(row: Sequence[Any]) -> Attachment:
    identity, content_id, conversation_id, message_id, name, kind, size, pages, cut, created_at = row
    # a backup that somebody else made may hold any name
    return Attachment(
        identity, content_id, conversation_id, message_id, safe_name(name), FileKind(kind), size, pages, bool(cut), created_at
    )


def attachments(connection: apsw.Connection, where: str, bindings: Sequence[SQLiteValue] = ()) -> tuple[Attachment, ...]:
    """In order of attaching."""
    found = connection.execute(f"SELECT {_COLUMNS} FROM attachment WHERE {where} ORDER BY ordinal, created_at, id", bindings)
    return tuple(_attachment(row) for row in found)


def in_composer(connection: apsw.Connection, conversation_id: str) -> tuple[Attachment, ...]:
    return attachments(connection, _IN_COMPOSER, (conversation_id,))


def by_message(connection: apsw.Connection, conversation_id: str) -> dict[str, tuple[Attachment, ...]]:
    """Those that were sent there; not what came with a message that is deleted, while Undo is offered."""
    found: dict[str, tuple[Attachment, ...]] = {}
    sent = "message_id IN (SELECT id FROM message WHERE conversation_id = ? AND status <> 'deleted')"
    for one in attachments(connection, sent, (conversation_id,)):
        found[one.message_id] = (*found.get(one.message_id, ()), one)
    return found


def text(connection: apsw.Connection, attachment_id: str) -> str | None:
    return rows.text(connection, "SELECT text FROM attachment WHERE id = ?", (attachment_id,))


def insert(connection: apsw.Connection, attachment: Attachment, file: ReadFile) -> None:
    """Behind what is in that composer already."""
    connection.execute(
        "INSERT INTO attachment (id, content_id, conversation_id, ordinal, name, kind, size, pages, cut, created_at, text) "
        f"SELECT ?, ?, nullif(?, ''), count(*), ?, ?, ?, ?, ?, ?, ? FROM attachment WHERE {_IN_COMPOSER}",
        (
            attachment.id,
            attachment.content_id,
            attachment.conversation_id,
            file.name,
            file.kind,
            file.size,
            file.pages,
            file.cut,
            attachment.created_at,
            file.text,
            attachment.conversation_id,
        ),
    )


def send(connection: apsw.Connection, message: Message, attachment_ids: Collection[str]) -> None:
    """They leave the composer with this message."""
    connection.executemany(
        "UPDATE attachment SET conversation_id = ?, message_id = ? WHERE id = ? AND message_id IS NULL",
        [(message.conversation_id, message.id, one) for one in attachment_ids],
    )


def copy(connection: apsw.Connection, old_id: str, message: Message) -> None:
    """What another version of the message came with."""
    known = attachments(connection, "message_id = ?", (old_id,))
    connection.executemany(
        "INSERT INTO attachment SELECT ?, content_id, conversation_id, ?, ordinal, name, kind, size, pages, cut, created_at, "
        "text FROM attachment WHERE id = ?",
        [(new_id(), message.id, one.id) for one in known],
    )


def contents_of(connection: apsw.Connection, message_ids: Collection[str]) -> set[str]:
    """What came with these messages."""
    found = (rows.column(connection, "SELECT content_id FROM attachment WHERE message_id = ?", (one,)) for one in message_ids)
    return {content for some in found for content in some}


async def texts(chats: ConversationRepository, conversation_id: str) -> dict[str, list[tuple[Attachment, str]]]:
    """Those that were sent there, each with what was read of it."""

    def read(connection: apsw.Connection) -> dict[str, list[tuple[Attachment, str]]]:
        found = by_message(connection, conversation_id).items()
        return {message_id: [(one, text(connection, one.id) or "") for one in some] for message_id, some in found}

    return await chats.store(conversation_id).read(read)
