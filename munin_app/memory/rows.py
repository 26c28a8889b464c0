"""All rows of munin_memory.db as columns in memory, for arithmetic over all of them at once. Knows no query and no text.

A row takes some 100 bytes and one byte a dimension: 48 MB for 100,000 chunks. Lives on the database's thread.
"""

import itertools
import json
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Any

import apsw
import numpy as np

from munin_app.memory import store

if TYPE_CHECKING:
    from numpy.typing import NDArray

NEIGHBOURS = 3
"""How far a row's neighbourhood reaches in its conversation, to either side."""
NOWHERE = -1
_BLOCK = 512  # rows that are multiplied at once: they stay in the processor's cache while they are widened to float32
_READ_AT_ONCE = 4096

_ROW = np.dtype(
    [
        ("id", np.int64),
        ("conversation", np.int32),
        ("scope", np.int32),
        ("speaker", np.int32),
        ("said_at", np.int64),
        ("n", np.int32),
        ("words", np.float32),
        ("question", np.float32),
        ("event_start", np.int64),
        ("event_end", np.int64),
    ]
)
_SELECT = """
    SELECT chunk.id, conversation_id, scope, speaker, created_at, n, words, question, event_start, event_end, embedding
    FROM chunk JOIN document USING (message_id)
"""


class Rows:
    """In order of chunk id. `refresh` brings them up to date: cheap when little has changed, free when nothing has."""

    def __init__(self) -> None:
        self._changed: set[int] = set()
        self._version: tuple[int, int] | None = None
        self._clear(0)

    def watch(self, connection: apsw.Connection) -> None:
        """Notes what this connection changes. What is rolled back is noted too, and read again as it was."""

        def note(_: int, __: str, table: str, row_id: int) -> None:
            if table == "chunk":
                self._changed.add(row_id)

        connection.set_update_hook(note)

    def refresh(self, connection: apsw.Connection) -> None:
        encoder = store.encoder_of(connection)
        # data_version grows with what other connections commit
        version = (connection.pragma("data_version"), encoder[1] if encoder else 0)
        changed, self._changed = self._changed, set()
        whole = version != self._version
        self._version = None  # should one of the next lines fail, all is read again
        if whole:
            self._clear(version[1])
            self._append(connection.execute(f"{_SELECT} ORDER BY chunk.id"))
        elif changed:
            ids = np.fromiter(changed, np.int64)
            known = np.isin(self.table["id"], ids)
            if known.all():
                self._clear(version[1])
            elif known.any():  # copies all vectors
                self._keep(~known)
            query = f"{_SELECT} WHERE chunk.id IN (SELECT value FROM json_each(?)) ORDER BY chunk.id"
            self._append(connection.execute(query, (json.dumps(sorted(changed)),)))
        if whole or changed:
            self._order()
        self._version = version

    def __len__(self) -> int:
        return len(self.table)

    def places(self, ids: "NDArray[np.int64]") -> "NDArray[np.int64]":
        """Where the rows with those chunk ids are; ids that are not there are left out."""
        if not len(self):
            return np.empty(0, np.int64)
        known = self.table["id"]
        places: NDArray[np.int64] = np.minimum(np.searchsorted(known, ids), len(self) - 1)
        there: NDArray[np.int64] = places[known[places] == ids]
        return there

    def tally(self, ids: "NDArray[np.int64]") -> "NDArray[np.int64]":
        """How often the chunk id of each row is among those; ids that are not there count nowhere."""
        if not len(self):
            return np.empty(0, np.int64)
        first, last = int(self.table["id"][0]), int(self.table["id"][-1])
        within = ids[(ids >= first) & (ids <= last)]
        tally: NDArray[np.int64] = np.bincount(within - first, minlength=last - first + 1)
        return tally if len(tally) == len(self) else tally[self.table["id"] - first]

    def in_scopes(self, scopes: Collection[str]) -> "NDArray[np.bool_]":
        scope_of = np.ascontiguousarray(self.table["scope"])
        found = np.zeros(len(self), bool)
        for scope in scopes:
            if scope in self.scopes:
                found |= scope_of == self.scopes[scope]
        return found

    def similarities(self, vector: "NDArray[np.float32]") -> "NDArray[np.float32]":
        """Cosine of each row, from vectors of 8 bits: off by 0.005 at most. NaN for a row without a readable vector."""
        found = np.full(len(self), np.nan, np.float32)
        if self._vectors.shape[1] != len(vector):
            return found
        wide = np.empty((_BLOCK, len(vector)), np.float32)
        for start in range(0, len(self), _BLOCK):
            part = self._vectors[start : start + _BLOCK]
            np.copyto(wide[: len(part)], part)
            np.matmul(wide[: len(part)], vector, out=found[start : start + _BLOCK])
        found *= self._scale
        return found

    def _clear(self, dimension: int) -> None:
        self.table: NDArray[np.void] = np.empty(0, _ROW)
        self._vectors: NDArray[np.int8] = np.empty((0, dimension), np.int8)
        self._scale: NDArray[np.float32] = np.empty(0, np.float32)
        self.conversations: dict[str, int] = {}
        self.scopes: dict[str, int] = {}
        self.speakers: dict[str, int] = {}
        self._order()

    def _keep(self, mask: "NDArray[np.bool_]") -> None:
        self.table, self._vectors, self._scale = self.table[mask], self._vectors[mask], self._scale[mask]

    def _append(self, rows: apsw.Cursor) -> None:
        parts = [(self.table, self._vectors, self._scale)]
        while some := list(itertools.islice(rows, _READ_AT_ONCE)):
            parts.append((np.array([self._row(row) for row in some], _ROW), *self._quantised([row[-1] for row in some])))
        self.table, self._vectors, self._scale = (np.concatenate(column) for column in zip(*parts, strict=True))
        order = np.argsort(self.table["id"], kind="stable")
        if np.any(order[1:] < order[:-1]):  # a row changed that was not the newest
            self.table, self._vectors, self._scale = self.table[order], self._vectors[order], self._scale[order]

    def _row(self, row: Sequence[Any]) -> tuple[Any, ...]:
        chunk_id, conversation, scope, speaker, said_at, n, words, question, event_start, event_end, _ = row
        return (
            chunk_id,
            self.conversations.setdefault(conversation, len(self.conversations)),
            self.scopes.setdefault(scope, len(self.scopes)),
            NOWHERE if speaker is None else self.speakers.setdefault(speaker, len(self.speakers)),
            said_at,
            n,
            words,
            question,
            said_at if event_start is None else event_start,
            said_at if event_end is None else event_end,
        )

    def _quantised(self, embeddings: Sequence[bytes | None]) -> tuple["NDArray[np.int8]", "NDArray[np.float32]"]:
        dimension = self._vectors.shape[1]
        nothing = np.zeros(dimension, np.float32).tobytes()
        joined = b"".join(blob if blob and len(blob) == len(nothing) else nothing for blob in embeddings)
        exact = np.frombuffer(joined, np.float32).reshape(len(embeddings), dimension)
        largest = np.abs(exact).max(axis=1, initial=0.0)
        scale = np.where(largest > 0, largest / 127, np.nan).astype(np.float32)
        return np.rint(exact / np.nan_to_num(scale, nan=1.0)[:, None]).astype(np.int8), scale

    def _order(self) -> None:
        """`before[d]` and `after[d]`: the row d + 1 places from each in its conversation, or NOWHERE."""
        table = self.table
        order = np.lexsort((table["id"], table["n"], table["said_at"], table["conversation"]))
        conversation = table["conversation"][order]
        self.before: list[NDArray[np.int64]] = []
        self.after: list[NDArray[np.int64]] = []
        for distance in range(1, NEIGHBOURS + 1):
            earlier, later = order[:-distance], order[distance:]
            same = conversation[:-distance] == conversation[distance:]
            for side, rows, others in ((self.before, later, earlier), (self.after, earlier, later)):
                neighbours = np.full(len(table), NOWHERE, np.int64)
                neighbours[rows[same]] = others[same]
                side.append(neighbours)
