"""Stored vectors compared exactly, in two ways. Knows SQLite, no encoder.

The first pass over all rows is rows.py's, with vectors of 8 bits; what it proposes is compared with the full ones here.
"""

import json
import logging
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import apsw
import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

log = logging.getLogger(__name__)

Exact = Callable[[apsw.Connection, "NDArray[np.float32]", Sequence[int]], dict[int, float]]
"""(connection, unit vector, chunk ids) → cosine of each chunk that has a readable vector."""


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


def exact_by_extension(connection: apsw.Connection, vector: "NDArray[np.float32]", chunk_ids: Sequence[int]) -> dict[int, float]:
    """By sqlite-vec over the table itself: no second copy of a vector that would have to be erased too."""
    rows = connection.execute(
        """SELECT id, 1 - vec_distance_cosine(embedding, ?) AS similarity FROM chunk
           WHERE id IN (SELECT value FROM json_each(?)) AND length(embedding) = ? AND similarity IS NOT NULL""",
        (vector.tobytes(), json.dumps(list(chunk_ids)), vector.nbytes),
    )
    return {chunk_id: float(similarity) for chunk_id, similarity in rows}


def exact_by_numpy(connection: apsw.Connection, vector: "NDArray[np.float32]", chunk_ids: Sequence[int]) -> dict[int, float]:
    """The same where the extension cannot be loaded."""
    rows = connection.execute(
        "SELECT id, embedding FROM chunk WHERE id IN (SELECT value FROM json_each(?)) AND length(embedding) = ?",
        (json.dumps(list(chunk_ids)), vector.nbytes),
    )
    stored = {chunk_id: np.frombuffer(embedding, dtype=np.float32) for chunk_id, embedding in rows}
    return {chunk_id: float(other @ vector) for chunk_id, other in stored.items() if other.any()}
