"""A backup is united with what is here: ids decide, and for one that both have, what is here stays. Nothing is doubled.

The tables are taken as they are, column by column, so that one that is added later needs no word here.
"""

import os
from collections.abc import Collection, Sequence
from contextlib import closing
from pathlib import Path

import apsw

from munin_app.backup.manifest import DATABASE, KEY, PROFILE
from munin_app.backup.snapshot import copy_pages, leave_out_hidden
from munin_app.backup.verify import check_database, open_database
from munin_app.chat import rows
from munin_app.chat.traces import forget_facts
from munin_app.domain.facts import Fact
from munin_app.domain.memories import persona_scope
from munin_app.profile.document import encode
from munin_app.profile.store import ProfileStore
from munin_app.profile.uniting import unite
from munin_app.storage.files import read_file, write_file

ONLY = {
    "prompt_part": "turn_id NOT IN (SELECT id FROM main.message)",  # one of a turn that is here may be forgotten
    "attachment": "message_id IS NOT NULL",  # what is in a composer stays there
}
"""What is taken of a table that is not taken whole."""
FIRST = "prompt_part"
"""While the messages are not united yet."""


def merge(folder: Path, backup: Path, target: Path) -> None:
    """Writes the union of the data folder and an unpacked backup into `target`. Both stay as they are, but for migrations.

    Raises MuninError, apsw.Error or OSError.
    """
    mine, theirs = ProfileStore(folder / PROFILE, read_only=True), ProfileStore(backup / PROFILE, read_only=True)
    united = unite(mine.read()[0], _key(folder), theirs.read()[0], _key(backup))
    closed = {message_id for stone in united.profile.tombstones for message_id in stone.messages}
    with closing(open_database(target / DATABASE)) as connection:
        with closing(open_database(folder / DATABASE)) as live:
            copy_pages(live, connection)
        connection.pragma("journal_mode", "delete")
        leave_out_hidden(connection)
        open_database(backup / DATABASE).close()  # of the newest version
        connection.execute("ATTACH ? AS other", (os.fspath(backup / DATABASE),))  # with this one's key, where it has one
        with connection:
            before = {*rows.column(connection, "SELECT id FROM message")}
            _revive_personas(connection, {fact.scope for fact in united.profile.facts})
            _unite_tables(connection)
            _forget(connection, united.forgotten, closed - before)
        connection.execute("DETACH other")
        check_database(connection)
    write_file(target / PROFILE, encode(united.profile))
    if united.secret:
        write_file(target / KEY, united.secret)


def _key(folder: Path) -> bytes:
    return read_file(folder / KEY) if (folder / KEY).exists() else b""


def _revive_personas(connection: apsw.Connection, scopes: Collection[str]) -> None:
    """One that was deleted here, and has chats or facts there, comes back with them."""
    deleted = rows.column(connection, "SELECT id FROM persona WHERE deleted")
    used = {*rows.column(connection, "SELECT persona_id FROM other.conversation")}
    back = [(one,) for one in deleted if one in used or persona_scope(one) in scopes]
    connection.executemany("DELETE FROM persona WHERE id = ?", back)


def _unite_tables(connection: apsw.Connection) -> None:
    connection.execute("PRAGMA defer_foreign_keys = ON")
    tables = rows.column(
        connection, "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite_%'"
    )
    for table in sorted(tables, key=lambda name: name != FIRST):
        names = ", ".join(rows.column(connection, "SELECT name FROM pragma_table_info(?)", (table,)))
        only = ONLY.get(table, "true")
        connection.execute(f"INSERT OR IGNORE INTO main.{table} ({names}) SELECT {names} FROM other.{table} WHERE {only}")
    connection.execute(  # a chat that went on there is shown as it ended there; its summary is made anew where it is needed
        "UPDATE main.conversation SET leaf_id = theirs.leaf_id, updated_at = theirs.updated_at, "
        "window_start_id = NULL, summary = NULL, summary_until = NULL FROM other.conversation AS theirs "
        "WHERE theirs.id = main.conversation.id AND theirs.updated_at > main.conversation.updated_at "
        "AND theirs.leaf_id IS NOT main.conversation.leaf_id"
    )


def _forget(connection: apsw.Connection, facts: Sequence[Fact], closed: Collection[str]) -> None:
    """What was forgotten here is taken out of what has come: facts, their source messages, messages, and what came with them."""
    connection.execute("DELETE FROM attachment WHERE message_id IN (SELECT id FROM message WHERE status = 'deleted')")
    forgotten = (
        "SELECT source_id FROM prompt_part JOIN message ON message.id = source_id WHERE memory = 'forgotten' "
        "UNION SELECT content_id FROM attachment JOIN message ON message.id = message_id WHERE memory = 'forgotten' "
        "UNION SELECT source_id FROM prompt_part WHERE kind = 'quote' AND source_id NOT IN (SELECT content_id FROM attachment)"
    )
    touched = rows.delete_parts_of(connection, {*rows.column(connection, forgotten)})
    rows.drop_summaries(connection, touched)
    sources = rows.messages_by_id(connection, closed)
    if facts or sources:
        forget_facts(connection, facts, sources)
