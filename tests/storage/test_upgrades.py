"""An upgrade copies the database first. The copy is whole, the only one, and goes with what is forgotten."""

import resource
from pathlib import Path

import apsw
import pytest

from munin_app.errors import StorageError
from munin_app.storage.database import Database
from munin_app.storage.upgrades import copies

MIGRATIONS = ("CREATE TABLE note (text TEXT NOT NULL) STRICT", *(f"ALTER TABLE note ADD COLUMN more{n} TEXT" for n in range(3)))
SECRET = "the boathouse key"


async def opened(path: Path, version: int) -> Database:
    database = Database(path, MIGRATIONS[:version], keep_copy=True)
    await database.open()
    return database


async def write(path: Path, version: int, text: str = SECRET) -> None:
    database = await opened(path, version)
    await database.write(lambda connection: connection.execute("INSERT INTO note (text) VALUES (?)", (text,)))
    await database.close()


def columns_and_texts(path: Path) -> tuple[int, list[str]]:
    connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
    try:
        assert connection.pragma("integrity_check") == "ok"
        texts = [str(row[0]) for row in connection.execute("SELECT text FROM note")]
        return len(list(connection.execute("PRAGMA table_info(note)"))), texts
    finally:
        connection.close()


async def test_the_copy_is_the_file_as_it_was_its_log_included(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    await write(path, 1)
    writer = apsw.Connection(str(path))
    writer.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
    writer.execute("INSERT INTO note VALUES ('in the log only')")
    writer.close()
    await (await opened(path, 2)).close()
    (copy,) = copies(path)
    assert copy.name == "a.db.version-1" and copy.stat().st_mode & 0o077 == 0
    assert columns_and_texts(copy) == (1, [SECRET, "in the log only"])
    assert columns_and_texts(path) == (2, [SECRET, "in the log only"])


async def test_nothing_is_copied_where_nothing_is_upgraded(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    for _ in range(2):
        await write(path, 2)
    assert copies(path) == []


async def test_the_copy_of_the_last_upgrade_is_the_only_one(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    for version in (1, 2, 4):
        await write(path, version)
        (tmp_path / f"a.db.version-{version}.part").write_bytes(b"of a process that was killed")
    await (await opened(path, 4)).close()
    assert [copy.name for copy in copies(path) if copy.suffix != ".part"] == ["a.db.version-2"]
    assert columns_and_texts(tmp_path / "a.db.version-2") == (2, [SECRET] * 2)


async def test_what_is_to_be_forgotten_is_in_no_copy(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    await write(path, 1)
    database = await opened(path, 2)
    await database.erase_copies()
    await database.write(lambda connection: connection.execute("DELETE FROM note"))
    await database.erase_traces()
    assert not [file for file in tmp_path.iterdir() if SECRET.encode() in file.read_bytes()]
    await database.close()


async def test_a_disk_that_is_full_is_said_and_nothing_is_upgraded(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    await write(path, 1, "x" * 200_000)
    before = path.read_bytes()
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, hard))
    try:
        with pytest.raises(StorageError, match=r"free some space.*Nothing was changed"):
            await opened(path, 2)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert path.read_bytes() == before and copies(path) == []
    await (await opened(path, 2)).close()
    assert columns_and_texts(path)[0] == 2


@pytest.mark.parametrize("mode", ["wal", "delete"])
async def test_a_newer_file_is_refused_to_the_last_byte(tmp_path: Path, mode: str) -> None:
    path = tmp_path / "a.db"
    await write(path, 3)
    writer = apsw.Connection(str(path))
    writer.pragma("journal_mode", mode)
    writer.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
    writer.execute("INSERT INTO note (text) VALUES ('in the log, if there is one')")
    writer.close()
    before = {file.name: file.read_bytes() for file in tmp_path.iterdir() if file.suffix != ".db-shm"}
    with pytest.raises(StorageError, match="newer Munin"):
        await opened(path, 2)
    assert {file.name: file.read_bytes() for file in tmp_path.iterdir() if file.suffix != ".db-shm"} == before
