"""The rows of munin_memory.db. Functions over a connection: knows SQL, no encoder and no ranking."""

import json
from collections.abc import Collection, Iterable, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import apsw
import numpy as np

from munin_app.domain.memories import EVERYTHING, Memory, MemoryFilter
from munin_app.domain.messages import Message, Role
from munin_app.memory.marks import marks_of
from munin_app.memory.stemming import Stemmer
from munin_app.memory.words import index_form

if TYPE_CHECKING:
    from numpy.typing import NDArray

Chunk = tuple[int, str]
"""Its id and text."""

ATTACHED = "scope GLOB 'attachment:*'"
"""That a document is a passage of an attached file: no memory, and never listed as one."""
_MEANT = f"""NOT {ATTACHED} AND (:conversation_id IS NULL OR conversation_id = :conversation_id)
AND (:since IS NULL OR created_at >= :since) AND (:before IS NULL OR created_at < :before)"""
"""That a document is one of a MemoryFilter's."""


def put_document(connection: apsw.Connection, message: Message, scope: str, parts: Sequence[str]) -> list[Chunk]:
    """Replaces what was there under that message's id. The chunks come back without vectors."""
    delete_documents(connection, [message.id])
    connection.execute(
        "INSERT INTO document VALUES (?, ?, ?, ?, ?)",
        (message.id, message.conversation_id, message.role.value, message.created_at, scope),
    )
    return [_put_chunk(connection, message, n, text) for n, text in enumerate(parts)]


def _put_chunk(connection: apsw.Connection, message: Message, n: int, text: str) -> Chunk:
    marks = marks_of(connection, text, message.created_at)
    start, end = (marks.event.start, marks.event.end) if marks.event else (None, None)
    connection.execute(
        """INSERT INTO chunk (message_id, n, text, words, question, speaker, event_start, event_end)
           VALUES (?, ?, ?, ?, ?, ?, ?, ?)""",
        (message.id, n, text, marks.words, int(marks.question), marks.speaker, start, end),
    )
    chunk_id = connection.last_insert_rowid()
    connection.execute("INSERT INTO word (rowid, text) VALUES (?, ?)", (chunk_id, index_form(connection, text)))
    return chunk_id, text


def delete_documents(connection: apsw.Connection, message_ids: Collection[str]) -> int:
    """How many there were."""
    ids = json.dumps(list(message_ids))
    chunks: list[Any] = connection.execute(
        "SELECT id, text FROM chunk WHERE message_id IN (SELECT value FROM json_each(?))", (ids,)
    ).fetchall()
    _take_out(connection, chunks)
    connection.execute("DELETE FROM document WHERE message_id IN (SELECT value FROM json_each(?))", (ids,))
    return connection.changes()


def _take_out(connection: apsw.Connection, chunks: Sequence[Chunk]) -> None:
    """A contentless index must be told the very words it is to take out."""
    stemmer = Stemmer()
    connection.executemany(
        "INSERT INTO word (word, rowid, text) VALUES ('delete', ?, ?)",
        ((chunk_id, index_form(connection, text, stemmer)) for chunk_id, text in chunks),
    )


def delete_everything(connection: apsw.Connection) -> int:
    """How many memories there were. The encoder's record stays."""
    removed = count(connection)
    connection.execute("INSERT INTO word (word) VALUES ('delete-all')")
    connection.execute("DELETE FROM chunk WHERE true")  # row by row, so that whoever watches the table sees it
    connection.execute("DELETE FROM document")
    return removed


def set_embeddings(
    connection: apsw.Connection, vectors: Iterable[tuple[int, "NDArray[np.float32]"]], encoder: tuple[str, int]
) -> None:
    """By chunk. Does nothing for a chunk that has been forgotten since, nor where another encoder is in use by now."""
    if encoder_of(connection) != encoder:
        return
    rows = [(vector.astype(np.float32).tobytes(), chunk_id) for chunk_id, vector in vectors]
    connection.executemany("UPDATE chunk SET embedding = ? WHERE id = ?", rows)


def without_embedding(connection: apsw.Connection, skipped: Iterable[int], busy: Iterable[str], limit: int) -> list[Chunk]:
    """The newest such chunks that are not among the skipped nor of a message that is being remembered just now."""
    rows: list[Any] = connection.execute(
        """SELECT id, text FROM chunk WHERE embedding IS NULL AND id NOT IN (SELECT value FROM json_each(?))
           AND message_id NOT IN (SELECT value FROM json_each(?)) ORDER BY id DESC LIMIT ?""",
        (json.dumps(list(skipped)), json.dumps(list(busy)), limit),
    ).fetchall()
    return rows


def encoder_of(connection: apsw.Connection) -> tuple[str, int] | None:
    """Id and dimension of what made the vectors; None when there are none yet."""
    meta = dict(connection.execute("SELECT key, value FROM meta"))
    return (meta["encoder"], int(meta["dimension"])) if "encoder" in meta else None


def former_encoder(connection: apsw.Connection) -> tuple[str, int] | None:
    """Id and dimension of the encoder before, while its vectors are kept."""
    meta = dict(connection.execute("SELECT key, value FROM meta"))
    return (meta["former encoder"], int(meta["former dimension"])) if "former encoder" in meta else None


def adopt_encoder(connection: apsw.Connection, encoder: str, dimension: int) -> None:
    """Vectors of two encoders cannot be compared: those of another one are made in the background. Those of the one before are
    kept until then, so that going back to it makes none again."""
    before = encoder_of(connection)
    if before == (encoder, dimension):
        return
    if former_encoder(connection) == (encoder, dimension):
        connection.execute("UPDATE chunk SET embedding = former, former = embedding")
    else:
        connection.execute(
            "UPDATE chunk SET former = embedding, embedding = NULL WHERE embedding IS NOT NULL OR former IS NOT NULL"
        )
    kept = [("former encoder", before[0]), ("former dimension", str(before[1]))] if before else []
    now = [("encoder", encoder), ("dimension", str(dimension))]
    connection.executemany("INSERT OR REPLACE INTO meta VALUES (?, ?)", [*now, *kept])


def drop_former(connection: apsw.Connection, encoder: tuple[str, int]) -> None:
    """When the vectors of this encoder are all made, if it is still in use."""
    if encoder_of(connection) == encoder and former_encoder(connection):
        connection.execute("UPDATE chunk SET former = NULL WHERE former IS NOT NULL")
        connection.execute("DELETE FROM meta WHERE key IN ('former encoder', 'former dimension')")


def split_chunk(connection: apsw.Connection, chunk_id: int, parts: Sequence[str]) -> list[Chunk]:
    """The chunk as several, in its place, without vectors: what an encoder does not read could not be found by meaning."""
    row: Any = connection.execute(
        """SELECT n, message_id, conversation_id, role, chunk.text, created_at
           FROM chunk JOIN document USING (message_id) WHERE id = ?""",
        (chunk_id,),
    ).fetchone()
    if row is None:
        return []  # forgotten since
    n, message_id, conversation_id, role, text, created_at = row
    message = Message(message_id, conversation_id, None, Role(role), text, created_at)
    _take_out(connection, [(chunk_id, text)])
    connection.execute("DELETE FROM chunk WHERE id = ?", (chunk_id,))
    later: list[Any] = connection.execute(
        "SELECT id, n FROM chunk WHERE message_id = ? AND n > ? ORDER BY n DESC", (message_id, n)
    ).fetchall()
    connection.executemany("UPDATE chunk SET n = ? WHERE id = ?", [(place + len(parts) - 1, id_) for id_, place in later])
    return [_put_chunk(connection, message, n + number, part) for number, part in enumerate(parts)]


def count(connection: apsw.Connection, meant: MemoryFilter = EVERYTHING) -> int:
    """Memories: documents that are no passages."""
    return int(connection.execute(f"SELECT count(*) FROM document WHERE {_MEANT}", asdict(meant)).get)


def chunk_ids(connection: apsw.Connection, message_ids: Collection[str]) -> "NDArray[np.int64]":
    rows = connection.execute(
        "SELECT id FROM chunk WHERE message_id IN (SELECT value FROM json_each(?))", (json.dumps(list(message_ids)),)
    )
    return np.array([row[0] for row in rows], np.int64)


def read_chunks(connection: apsw.Connection, ids: Sequence[int]) -> dict[int, tuple[Memory, bytes | None]]:
    """What those chunks say, and their vectors."""
    rows = connection.execute(
        """SELECT id, embedding, message_id, conversation_id, role, text, created_at, scope
           FROM chunk JOIN document USING (message_id) WHERE id IN (SELECT value FROM json_each(?))""",
        (json.dumps(list(ids)),),
    )
    return {chunk_id: (memory(*fields), embedding) for chunk_id, embedding, *fields in rows}


def chunk_counts(connection: apsw.Connection) -> tuple[int, int]:
    """(all chunks, those without a vector)"""
    total = connection.execute("SELECT count(*) FROM chunk").get
    return int(total), int(connection.execute("SELECT count(*) FROM chunk WHERE embedding IS NULL").get)


def message_ids(connection: apsw.Connection, meant: MemoryFilter = EVERYTHING) -> set[str]:
    return {row[0] for row in connection.execute(f"SELECT message_id FROM document WHERE {_MEANT}", asdict(meant))}


def newest(connection: apsw.Connection, offset: int, limit: int, meant: MemoryFilter = EVERYTHING) -> tuple[Memory, ...]:
    """Whole documents, newest first; of a long one the beginning."""
    rows = connection.execute(
        f"""SELECT message_id, conversation_id, role, chunk.text || iif(EXISTS (
                      SELECT 1 FROM chunk AS more WHERE more.message_id = document.message_id AND more.n = 1), ' …', ''),
                  created_at, scope
           FROM document JOIN chunk USING (message_id) WHERE chunk.n = 0 AND {_MEANT}
           ORDER BY created_at DESC, message_id DESC LIMIT :limit OFFSET :offset""",
        {**asdict(meant), "limit": limit, "offset": offset},
    )
    return tuple(memory(*row) for row in rows)


def memory(message_id: str, conversation_id: str, role: str, text: str, created_at: int, scope: str) -> Memory:
    return Memory(message_id, conversation_id, Role(role), text, created_at, scope)
