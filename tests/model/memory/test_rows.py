"""The columns in memory follow the database: what is added, changed, taken away, or written by another process."""

from pathlib import Path

import apsw
import numpy as np
import pytest

from munin_app.domain.memories import SHARED
from munin_app.memory import store, words
from munin_app.memory.rows import NOWHERE, Rows
from munin_app.memory.schema import MIGRATIONS
from munin_app.storage.migrations import migrate
from tests.model.memory.conftest import said

DIMENSION = 64


def opened(path: Path) -> apsw.Connection:
    connection = apsw.Connection(str(path))
    connection.pragma("foreign_keys", True)
    migrate(connection, MIGRATIONS, name="test", read_only=False)
    words.prepare(connection)
    store.adopt_encoder(connection, "test", DIMENSION)
    return connection


@pytest.fixture
def connection(tmp_path: Path) -> apsw.Connection:
    return opened(tmp_path / "memory.db")


@pytest.fixture
def rows(connection: apsw.Connection) -> Rows:
    rows = Rows()
    rows.watch(connection)
    rows.refresh(connection)
    return rows


def put(connection: apsw.Connection, id: str, at: int = 0, conversation: str = "c1", text: str = "kayak") -> int:
    return store.put_document(connection, said(text, id=id, at=at, conversation=conversation), SHARED, [text])[0][0]


def unit(seed: int) -> np.ndarray[tuple[int], np.dtype[np.float32]]:
    vector = np.random.default_rng(seed).standard_normal(DIMENSION).astype(np.float32)
    return vector / np.linalg.norm(vector)


def test_what_is_added_comes_and_what_is_deleted_goes(connection: apsw.Connection, rows: Rows) -> None:
    ids = [put(connection, f"m{n}") for n in range(5)]
    rows.refresh(connection)
    assert rows.table["id"].tolist() == ids
    store.delete_documents(connection, ["m1", "m3"])
    rows.refresh(connection)
    assert rows.table["id"].tolist() == [ids[0], ids[2], ids[4]]
    store.delete_everything(connection)
    rows.refresh(connection)
    assert len(rows) == 0


def test_a_late_vector_is_seen(connection: apsw.Connection, rows: Rows) -> None:
    first, second = put(connection, "m0"), put(connection, "m1")
    rows.refresh(connection)
    assert np.isnan(rows.similarities(unit(1))).all()
    store.set_embeddings(connection, [(first, unit(1))], ("test", DIMENSION))
    rows.refresh(connection)
    assert rows.table["id"].tolist() == [first, second]
    assert rows.similarities(unit(1))[0] == pytest.approx(1, abs=0.01)
    assert np.isnan(rows.similarities(unit(1))[1])


def test_eight_bits_are_close_to_exact(connection: apsw.Connection, rows: Rows) -> None:
    store.set_embeddings(connection, [(put(connection, f"m{n}"), unit(n)) for n in range(50)], ("test", DIMENSION))
    rows.refresh(connection)
    exact = [float(unit(n) @ unit(7)) for n in range(50)]
    assert rows.similarities(unit(7)).tolist() == pytest.approx(exact, abs=0.01)


def test_vectors_of_another_encoder_are_none(connection: apsw.Connection, rows: Rows) -> None:
    store.set_embeddings(connection, [(put(connection, "m"), unit(1))], ("test", DIMENSION))
    rows.refresh(connection)
    store.adopt_encoder(connection, "other", 32)
    rows.refresh(connection)
    assert np.isnan(rows.similarities(unit(1)[:32])).all()


def test_neighbours_are_those_of_the_conversation_in_time(connection: apsw.Connection, rows: Rows) -> None:
    later, earlier, elsewhere = put(connection, "later", 9), put(connection, "earlier", 3), put(connection, "else", 5, "c2")
    rows.refresh(connection)
    at = {chunk_id: place for place, chunk_id in enumerate(rows.table["id"].tolist())}
    assert rows.before[0][at[later]] == at[earlier]
    assert rows.after[0][at[earlier]] == at[later]
    assert rows.before[0][at[earlier]] == rows.before[0][at[elsewhere]] == rows.before[1][at[later]] == NOWHERE


def test_what_another_process_writes_is_seen(connection: apsw.Connection, rows: Rows, tmp_path: Path) -> None:
    put(connection, "mine")
    rows.refresh(connection)
    put(opened(tmp_path / "memory.db"), "theirs")
    rows.refresh(connection)
    assert len(rows) == 2


def test_what_is_rolled_back_was_never_there(connection: apsw.Connection, rows: Rows) -> None:
    connection.execute("BEGIN")
    put(connection, "m")
    connection.execute("ROLLBACK")
    rows.refresh(connection)
    assert len(rows) == 0
