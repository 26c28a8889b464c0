"""SQL of munin.db, row by row: values in, values out. Every function runs on the store's own thread."""

import json
from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any

import apsw

from munin_app.domain.messages import Conversation, MemoryState, Message, MessageStatus, Role
from munin_app.storage.database import SQLiteValue

_MESSAGE = "id, conversation_id, parent_id, role, text, created_at, status, memory, error, reasoning, reasoning_ms"
_MORE = ", truncated, bookmarked_at"
"""What a message may get after it is there."""
_TAGS = "(SELECT json_group_array(name ORDER BY name) FROM tag WHERE conversation_id = conversation.id)"
_CONVERSATION = f"id, title, created_at, updated_at, leaf_id, pinned, memory_on, persona_id, model_path, archived, {_TAGS}"
UNTITLED_AFTER_FORGETTING = "Chat"


def scalar(connection: apsw.Connection, sql: str, bindings: Sequence[SQLiteValue] = ()) -> int:
    return int(connection.execute(sql, bindings).fetchone()[0])  # type: ignore[index]


def text(connection: apsw.Connection, sql: str, bindings: Sequence[SQLiteValue]) -> str | None:
    row = connection.execute(sql, bindings).fetchone()
    return None if row is None or row[0] is None else str(row[0])


def column(connection: apsw.Connection, sql: str, bindings: Sequence[SQLiteValue] = ()) -> tuple[str, ...]:
    """The first column of what is found, as texts."""
    return tuple(str(row[0]) for row in connection.execute(sql, bindings))


def temporary(conversation: Conversation) -> Conversation:
    return replace(conversation, temporary=True)


def insert_conversation(connection: apsw.Connection, conversation: Conversation) -> None:
    connection.execute(
        "INSERT INTO conversation (id, title, created_at, updated_at, memory_on, persona_id) VALUES (?, ?, ?, ?, ?, ?)",
        (
            conversation.id,
            conversation.title,
            conversation.created_at,
            conversation.updated_at,
            conversation.memory_on,
            conversation.persona_id,
        ),
    )


def conversations(connection: apsw.Connection, where: str, bindings: Sequence[SQLiteValue] = ()) -> tuple[Conversation, ...]:
    found = connection.execute(f"SELECT {_CONVERSATION} FROM conversation {where}", bindings)
    return tuple(_conversation(row) for row in found)


def _conversation(row: Sequence[Any]) -> Conversation:
    identity, title, created_at, updated_at, leaf_id, pinned, memory_on, persona_id, model_path, archived, tags = row
    return Conversation(
        identity,
        title,
        created_at,
        updated_at,
        leaf_id,
        bool(pinned),
        bool(memory_on),
        persona_id=persona_id,
        model_path=model_path,
        archived=bool(archived),
        tags=tuple(json.loads(tags)),
    )


def insert_message(connection: apsw.Connection, message: Message) -> None:
    connection.execute(
        f"INSERT INTO message ({_MESSAGE}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            message.id,
            message.conversation_id,
            message.parent_id,
            message.role,
            message.text,
            message.created_at,
            message.status,
            message.memory,
            message.error,
            message.reasoning,
            message.reasoning_ms,
        ),
    )


def _message(row: Sequence[Any]) -> Message:
    identity, conversation_id, parent_id, role, text, created_at, status, memory, error, reasoning, reasoning_ms, *more = row
    truncated, bookmarked_at = more
    return Message(
        identity,
        conversation_id,
        parent_id,
        Role(role),
        text,
        created_at,
        MessageStatus(status),
        MemoryState(memory),
        error,
        reasoning,
        reasoning_ms,
        bool(truncated),
        bookmarked_at,
    )


def messages(connection: apsw.Connection, where: str, bindings: Sequence[SQLiteValue] = ()) -> tuple[Message, ...]:
    return tuple(_message(row) for row in connection.execute(f"SELECT {_MESSAGE}{_MORE} FROM message {where}", bindings))


def messages_by_id(connection: apsw.Connection, ids: Collection[str]) -> tuple[Message, ...]:
    found = (messages(connection, "WHERE id = ?", (one,)) for one in sorted(ids))
    return tuple(message for some in found for message in some)


def copies_of(connection: apsw.Connection, ids: Collection[str]) -> tuple[Message, ...]:
    """What duplicating their conversations made of these messages."""
    return messages(connection, "WHERE copy_of IN (SELECT value FROM json_each(?)) ORDER BY id", (json.dumps(list(ids)),))


def originals(connection: apsw.Connection, ids: Collection[str]) -> set[str]:
    """What those of the messages were copied from that are copies."""
    sql = "SELECT copy_of FROM message JOIN json_each(?) AS asked ON message.id = asked.value WHERE copy_of IS NOT NULL"
    return set(column(connection, sql, (json.dumps(list(ids)),)))


def path(connection: apsw.Connection, conversation_id: str) -> tuple[Message, ...]:
    """From the first message to the conversation's leaf."""
    return ancestors(connection, text(connection, "SELECT leaf_id FROM conversation WHERE id = ?", (conversation_id,)))


def ancestors(connection: apsw.Connection, leaf_id: str | None) -> tuple[Message, ...]:
    """The message and those above it in the tree, oldest first. Blanked nodes are passed over."""
    found = connection.execute(
        f"""
        WITH RECURSIVE up(id, above, depth) AS (
            SELECT id, parent_id, 0 FROM message WHERE id = ?
            UNION ALL SELECT message.id, message.parent_id, depth + 1 FROM message JOIN up ON message.id = up.above
        )
        SELECT {", ".join("message." + name for name in (_MESSAGE + _MORE).split(", "))}
        FROM up JOIN message ON message.id = up.id WHERE status <> 'deleted' ORDER BY depth DESC
        """,
        (leaf_id,),
    )
    return tuple(_message(row) for row in found)


def path_ids(connection: apsw.Connection, conversation_id: str) -> set[str]:
    """As `path`, without the texts."""
    found = connection.execute(
        """
        WITH RECURSIVE up(id) AS (
            SELECT leaf_id FROM conversation WHERE id = ?
            UNION ALL SELECT parent_id FROM message JOIN up ON message.id = up.id WHERE parent_id IS NOT NULL
        )
        SELECT id FROM up
        """,
        (conversation_id,),
    )
    return {str(row[0]) for row in found}


def delete_parts_of(connection: apsw.Connection, source_ids: Collection[str]) -> set[str]:
    """Removes every prompt part made from these sources. Returns the conversations that held one, their sessions stale."""
    touched: set[str] = set()
    for source_id in source_ids:
        touched.update(column(connection, "DELETE FROM prompt_part WHERE source_id = ? RETURNING conversation_id", (source_id,)))
    mark_stale(connection, touched)
    return touched


def prompts_with(connection: apsw.Connection, source_ids: Collection[str]) -> set[str]:
    """Conversations whose prompts hold something that was made from these sources."""
    sql = "SELECT DISTINCT conversation_id FROM prompt_part JOIN json_each(?) AS asked ON source_id = asked.value"
    return set(column(connection, sql, (json.dumps(list(source_ids)),)))


def drop_titles_of(connection: apsw.Connection, message_ids: Collection[str]) -> None:
    connection.executemany(
        "UPDATE conversation SET title = ?, title_source = NULL WHERE title_source = ?",
        [(UNTITLED_AFTER_FORGETTING, one) for one in message_ids],
    )


def mark_stale(connection: apsw.Connection, conversation_ids: Collection[str]) -> None:
    """Something was forgotten that the model was given there: what it holds of these conversations has to be dropped, and what
    it thought in them goes too. Reasoning repeats its prompt in other words, so nobody can tell which of it is clean."""
    bindings = [(one,) for one in conversation_ids]
    connection.executemany("INSERT OR IGNORE INTO stale_session VALUES (?)", bindings)
    connection.executemany("UPDATE message SET reasoning = '' WHERE conversation_id = ? AND reasoning <> ''", bindings)


def drop_summaries(connection: apsw.Connection, conversation_ids: Collection[str]) -> None:
    """Summaries of these conversations, kept or in a prompt."""
    bindings = [(one,) for one in conversation_ids]
    connection.executemany("UPDATE conversation SET summary = NULL, summary_until = NULL WHERE id = ?", bindings)
    connection.executemany("DELETE FROM prompt_part WHERE kind = 'summary' AND conversation_id = ?", bindings)
