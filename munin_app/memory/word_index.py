"""The FTS5 table `word` as a thing that can be made again: it holds terms only, the texts stand in `chunk`.

Damage to it costs a moment of work and no memory. What is put into it and taken out is store.py's, what is read words.py's.
"""

import logging
from collections.abc import Callable
from typing import TypeVar

import apsw

from munin_app.errors import StorageError
from munin_app.memory.stemming import Stemmer
from munin_app.memory.words import LETTERS, index_form
from munin_app.storage.database import Database

T = TypeVar("T")
log = logging.getLogger(__name__)

CREATE = f"""
CREATE VIRTUAL TABLE word USING fts5(text, content='', tokenize="{" ".join(LETTERS)}");
INSERT INTO word(word, rank) VALUES ('secure-delete', 1);
"""

DAMAGE = (apsw.SQLError, apsw.CorruptError, apsw.ConstraintError)
"""What FTS5 raises where one of its tables is gone, unreadable or not as it left it; some of it not before COMMIT."""

_SHADOWS = ("data", "idx", "docsize", "config")


async def write(database: Database, work: Callable[[apsw.Connection], T]) -> T:
    """As `database.write`; where that fails by such damage, once more with an index that was made again."""
    try:
        return await database.write(work)
    except (StorageError, apsw.ConstraintError) as error:
        if not isinstance(error.__cause__ or error, DAMAGE):
            raise
    await database.write(rebuild)
    return await database.write(work)


def is_sound(connection: apsw.Connection) -> bool:
    """Whether its structure is whole and it holds each chunk: a tenth of a second for 100,000. Outside of a transaction, on
    a connection that may write."""
    try:
        connection.execute("INSERT INTO word (word) VALUES ('integrity-check')")  # changes nothing
        held = connection.execute("SELECT count(*) FROM word_docsize").get
        return bool(held == connection.execute("SELECT count(*) FROM chunk").get)
    except DAMAGE:
        return False


def rebuild(connection: apsw.Connection) -> None:
    """From the texts; within a transaction that has not touched it yet."""
    log.warning("The word index is damaged or incomplete: it is made again")
    fill(connection)


def fill(connection: apsw.Connection) -> None:
    """Makes the table, whatever is there of it, and fills it from the texts: about 10 s for 100,000 chunks of 30 words."""
    _drop(connection)
    connection.execute(CREATE).fetchall()
    stemmer = Stemmer()
    texts = connection.execute("SELECT id, text FROM chunk")
    connection.executemany(
        "INSERT INTO word (rowid, text) VALUES (?, ?)",
        ((chunk_id, index_form(connection, text, stemmer)) for chunk_id, text in texts),
    )


def _drop(connection: apsw.Connection) -> None:
    """Also where FTS5 refuses to, because it cannot read its own tables."""
    try:
        connection.execute("DROP TABLE IF EXISTS word")
    except apsw.SQLError:
        for shadow in _SHADOWS:
            connection.execute(f"DROP TABLE IF EXISTS word_{shadow}")
        connection.pragma("writable_schema", True)
        connection.execute("DELETE FROM sqlite_schema WHERE name = 'word'")
        connection.execute("PRAGMA writable_schema = RESET").fetchall()
