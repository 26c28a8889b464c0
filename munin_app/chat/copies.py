"""Conversations copied from row to row, whatever columns the rows have. Every function runs on the store's own thread."""

from collections.abc import Iterable, Mapping
from typing import Any

import apsw

from munin_app.domain.ids import new_id, now_ms
from munin_app.storage.database import SQLiteValue

Row = dict[str, Any]
_TABLES = ("message", "prompt_part", "attachment")
"""What hangs on a conversation and goes with it into a copy; in the order in which they refer to each other."""


def read(connection: apsw.Connection, conversation_id: str) -> dict[str, list[Row]]:
    """Table to rows."""
    found = {"conversation": _rows(connection, "conversation", "id", conversation_id)}
    return found | {table: _rows(connection, table, "conversation_id", conversation_id) for table in _TABLES}


def _rows(connection: apsw.Connection, table: str, column: str, value: str) -> list[Row]:
    cursor = connection.execute(f"SELECT * FROM {table} WHERE {column} = ? ORDER BY rowid", (value,))
    return [dict(zip((name for name, _ in cursor.get_description()), row, strict=True)) for row in cursor]


def write(connection: apsw.Connection, tables: Mapping[str, Iterable[Row]]) -> None:
    for table, found in tables.items():
        for row in found:
            marks = ", ".join("?" * len(row))
            connection.execute(f"INSERT INTO {table} ({', '.join(row)}) VALUES ({marks})", tuple(row.values()))


def duplicate(connection: apsw.Connection, conversation_id: str, title: str) -> str:
    """The id of the copy: every branch, what is attached to it, and what its prompts hold. The copied messages are neither
    remembered nor learned from: what can be recalled of them is the original."""
    tables = read(connection, conversation_id)
    copy = new_id()
    attached = [row for row in tables["attachment"] if row["message_id"]]  # what is in the composer stays there
    ids = {conversation_id: copy} | {row["id"]: new_id() for row in (*tables["message"], *attached)}

    def moved(row: Row, *columns: str) -> Row:
        return row | {column: ids.get(row[column], row[column]) for column in columns}

    def copied(row: Row) -> Row:
        memory = "wiped" if row["memory"] in ("pending", "indexed") else row["memory"]
        status = "stopped" if row["status"] == "streaming" else row["status"]
        return row | {
            "memory": memory,
            "status": status,
            "learned": 1,
            "bookmarked_at": None,
            "copy_of": row["copy_of"] or row["id"],
        }

    now: SQLiteValue = now_ms()
    (conversation,) = tables["conversation"]
    whole = moved(conversation, "id", "leaf_id", "window_start_id", "summary_until", "title_source")
    fresh = {"title": title, "created_at": now, "updated_at": now, "pinned": 0, "archived": 0}
    write(
        connection,
        {
            "conversation": [whole | fresh],
            "message": [moved(copied(row), "id", "conversation_id", "parent_id") for row in tables["message"]],
            "prompt_part": [
                moved(row, "conversation_id", "turn_id", *(["source_id"] if row["kind"] == "summary" else []))
                for row in tables["prompt_part"]
            ],
            "attachment": [moved(row, "id", "conversation_id", "message_id") for row in attached],
        },
    )
    tags = "INSERT INTO tag SELECT ?, name FROM tag WHERE conversation_id = ?"
    connection.execute(tags, (copy, conversation_id))
    return copy
