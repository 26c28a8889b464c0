"""The vector index: two ways to find the nearest of the same stored vectors. Knows SQLite, no encoder."""

import json
import logging
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

import apsw
import numpy as np

from munin_app.memory.words import ALLOWED

if TYPE_CHECKING:
    from numpy.typing import NDArray

log = logging.getLogger(__name__)

Nearest = Callable[[apsw.Connection, "NDArray[np.float32]", Iterable[str], Iterable[str], int], list[int]]
"""(connection, unit vector, scopes, excluded message ids, limit) → chunk ids, closest first."""

FROM_ALLOWED = f"""
    FROM chunk JOIN document USING (message_id) WHERE chunk.embedding IS NOT NULL AND {ALLOWED}
"""

DISTANCE = "vec_distance_cosine(chunk.embedding, :vector)"
"""NULL for a zero vector."""


def load_extension(connection: apsw.Connection) -> bool:
    """Whether sqlite-vec could be loaded: it has no build for phones, and some SQLite builds load no extensions."""
    try:
        import sqlite_vec

        connection.enable_load_extension(True)
        try:
            connection.load_extension(sqlite_vec.loadable_path())
        finally:
            connection.enable_load_extension(False)
    except (ImportError, AttributeError, OSError, apsw.Error) as error:
        log.info("sqlite-vec cannot be loaded (%s): vectors are searched with NumPy", type(error).__name__)
        return False
    return True


def nearest_by_extension(
    connection: apsw.Connection, vector: "NDArray[np.float32]", scopes: Iterable[str], excluded: Iterable[str], limit: int
) -> list[int]:
    """sqlite-vec's cosine over the table itself: no second copy of a vector that would have to be erased too."""
    rows = connection.execute(
        f"SELECT chunk.id {FROM_ALLOWED} ORDER BY {DISTANCE} NULLS LAST, chunk.id LIMIT :limit",
        _bindings(scopes, excluded) | {"vector": vector.tobytes(), "limit": limit},
    )
    return [row[0] for row in rows]


def nearest_by_numpy(
    connection: apsw.Connection, vector: "NDArray[np.float32]", scopes: Iterable[str], excluded: Iterable[str], limit: int
) -> list[int]:
    """The same by one matrix product."""
    rows: list[Any] = connection.execute(
        f"SELECT chunk.id, chunk.embedding {FROM_ALLOWED} ORDER BY chunk.id", _bindings(scopes, excluded)
    ).fetchall()
    if not rows:
        return []
    matrix = np.frombuffer(b"".join(row[1] for row in rows), dtype=np.float32).reshape(len(rows), -1)
    order = np.argsort(-(matrix @ vector), kind="stable")[:limit]
    return [rows[int(index)][0] for index in order]


def _bindings(scopes: Iterable[str], excluded: Iterable[str]) -> dict[str, str | bytes | int]:
    return {"scopes": json.dumps(list(scopes)), "excluded": json.dumps(list(excluded))}
