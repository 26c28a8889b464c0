"""The database owner thread and the migrations, over real SQLite."""

from pathlib import Path

import apsw
import pytest

from munin_app.errors import StorageError
from munin_app.storage.database import Database

ONE = "CREATE TABLE note (text TEXT NOT NULL) STRICT"
TWO = "ALTER TABLE note ADD COLUMN kind TEXT"


async def opened(path: Path, migrations: tuple[str, ...] = (ONE,)) -> Database:
    database = Database(path, migrations)
    await database.open()
    return database


async def test_a_write_that_fails_leaves_nothing(tmp_path: Path) -> None:
    database = await opened(tmp_path / "a.db")

    def two_notes(connection: apsw.Connection) -> None:
        connection.execute("INSERT INTO note VALUES ('kept?')")
        connection.execute("INSERT INTO note VALUES (NULL)")

    with pytest.raises(apsw.ConstraintError):
        await database.write(two_notes)
    assert await database.read(lambda connection: connection.execute("SELECT count(*) FROM note").fetchall()) == [(0,)]
    await database.close()


async def test_an_older_database_is_upgraded_and_keeps_its_rows(tmp_path: Path) -> None:
    old = await opened(tmp_path / "a.db")
    await old.write(lambda connection: connection.execute("INSERT INTO note VALUES ('kept')"))
    await old.close()
    new = await opened(tmp_path / "a.db", (ONE, TWO))
    assert await new.read(lambda connection: connection.execute("SELECT text, kind FROM note").fetchall()) == [("kept", None)]
    await new.close()


async def test_a_newer_database_is_refused_untouched(tmp_path: Path) -> None:
    newer = await opened(tmp_path / "a.db", (ONE, TWO))
    await newer.close()
    before = (tmp_path / "a.db").read_bytes()
    with pytest.raises(StorageError, match=r"newer Munin \(version 2, this program knows 1\)"):
        await opened(tmp_path / "a.db")
    assert (tmp_path / "a.db").read_bytes() == before


async def test_a_migration_that_fails_leaves_the_old_version(tmp_path: Path) -> None:
    await (await opened(tmp_path / "a.db")).close()
    with pytest.raises(StorageError, match="cannot be used"):
        await opened(tmp_path / "a.db", (ONE, TWO + "; CREATE TABLE note (x)"))
    same = await opened(tmp_path / "a.db")
    assert await same.read(lambda connection: len(list(connection.execute("PRAGMA table_info(note)")))) == 1
    await same.close()


async def test_random_bytes_are_called_damaged(tmp_path: Path) -> None:
    (tmp_path / "a.db").write_bytes(bytes(range(256)) * 64)
    with pytest.raises(StorageError, match="damaged"):
        await opened(tmp_path / "a.db")


async def test_deleted_text_is_in_no_file(tmp_path: Path) -> None:
    database = await opened(tmp_path / "a.db")
    await database.write(lambda connection: connection.execute("INSERT INTO note VALUES ('a secret word')"))
    await database.write(lambda connection: connection.execute("DELETE FROM note"))
    await database.erase_traces()
    assert not any(b"secret" in path.read_bytes() for path in tmp_path.iterdir())
    await database.close()
    assert (tmp_path / "a.db").stat().st_mode & 0o077 == 0


async def test_a_reader_works_beside_the_owner_and_cannot_write(tmp_path: Path) -> None:
    owner = await opened(tmp_path / "a.db")
    await owner.write(lambda connection: connection.execute("INSERT INTO note VALUES ('seen')"))
    reader = Database(tmp_path / "a.db", (ONE,), read_only=True)
    await reader.open()
    assert await reader.read(lambda connection: connection.execute("SELECT text FROM note").fetchall()) == [("seen",)]
    with pytest.raises(StorageError, match="permissions"):
        await reader.write(lambda connection: connection.execute("DELETE FROM note"))
    await reader.close()
    await owner.close()


async def test_a_full_disk_is_said_and_nothing_is_lost(tmp_path: Path) -> None:
    database = await opened(tmp_path / "a.db")
    await database.write(lambda connection: connection.execute("INSERT INTO note VALUES ('kept')"))
    await database.read(lambda connection: connection.pragma("max_page_count", 4))  # SQLite's own way to a full disk
    with pytest.raises(StorageError, match="disk is full"):
        await database.write(lambda connection: connection.execute("INSERT INTO note VALUES (?)", ("x" * 100_000,)))
    assert await database.read(lambda connection: connection.execute("SELECT text FROM note").fetchall()) == [("kept",)]
    await database.close()
