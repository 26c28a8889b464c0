"""Yours to keep, on a disk that is full or read-only: one sentence, nothing half-written, the old state whole; and then it works.

Real file systems, filled to the last page and given room step by step until the thing is done.
"""

import asyncio
import logging
import os
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import apsw
import pytest

from munin_app.backup import reading
from munin_app.backup.copies import copies
from munin_app.backup.reading import read_manifest, slot_of
from munin_app.backup.writing import write_backup
from munin_app.cli import main
from munin_app.imports import importing
from munin_app.locking import switching
from munin_app.locking.opening import open_by_passphrase
from munin_app.storage.connecting import connect
from munin_app.storage.locks import let_go, read_lock
from munin_app.storage.passphrase import unwrap
from tests.conftest import StartMunin
from tests.disks import Disk
from tests.imports.exports import as_json, chatgpt
from tests.locking.conftest import SECRET
from tests.locking.content import content_hash
from tests.unit.test_released_files import RELEASES

ROOM = "Free some space", "disk is full"
"""One of these stands in what is said of a full disk."""
Command = Callable[..., str]


@pytest.fixture
def munin(capsys: pytest.CaptureFixture[str]) -> Command:
    """Runs the command. What went wrong, in one line; empty: nothing."""

    def run(*arguments: str) -> str:
        code = main([*arguments])
        said = capsys.readouterr().err
        assert code == (1 if said else 0) and said.count("\n") == code, said
        return said

    return run


@pytest.fixture(autouse=True)
def passphrases(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, secret in (
        ("MUNIN_PASSPHRASE", SECRET),
        ("MUNIN_NEW_PASSPHRASE", SECRET + "!"),
        ("MUNIN_BACKUP_PASSPHRASE", SECRET),
    ):
        monkeypatch.setenv(name, secret)


@pytest.fixture
def past_the_check(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if the disk had filled up just after its free space was asked for."""
    whole = shutil.disk_usage("/")._replace(free=10**12)
    for module in (reading, switching):
        monkeypatch.setattr(module.shutil, "disk_usage", lambda path: whole)


def refused_until_there_is_room(disk: Disk, attempt: Callable[[], str], check: Callable[[], None], steps: int = 400) -> None:
    """Page by page; each refusal says it, and leaves what was there, and nothing else."""
    before, refusals, pages = names(disk), 0, 0
    while True:
        disk.leave(pages)
        if not (said := attempt()):
            break
        assert any(word in said for word in ROOM), said
        assert names(disk) == before, f"{pages} pages: {said}"
        disk.free()
        check()
        refusals, pages = refusals + 1, pages + max(1, pages // 3)
        assert pages < steps, said
    disk.free()
    assert refusals, "there was room enough from the beginning"


def names(disk: Disk) -> set[str]:
    """A database's log comes and goes."""
    return {name for name in disk.files() if not name.endswith(("-wal", "-shm"))}


def same(home: Path) -> Callable[[], None]:
    before = content_hash(home)

    def check() -> None:
        assert content_hash(home) == before

    return check


# Where something is written to


@pytest.mark.parametrize("sealed", [False, True], ids=["plain", "sealed"])
async def test_a_backup_to_a_full_disk(filled: Path, stick: Disk, munin: Command, sealed: bool) -> None:
    target, check = stick.folder / "kept", same(filled)
    command = ("backup", str(target), *(["--passphrase"] if sealed else []))
    await asyncio.to_thread(refused_until_there_is_room, stick, lambda: munin(*command), check)
    slot = slot_of(target)
    assert read_manifest(target, key=unwrap(slot, SECRET) if slot else None).counts.messages == 24 and bool(slot) == sealed
    assert stick.files().keys() == {"kept"}


@pytest.mark.parametrize("form", ["markdown", "html", "json", "everything"])
async def test_an_export_to_a_full_disk(
    filled: Path, stick: Disk, munin: Command, capsys: pytest.CaptureFixture[str], form: str
) -> None:
    assert await asyncio.to_thread(main, ["export"]) == 0
    chat, target = capsys.readouterr().out.split()[0], stick.folder / "export"
    command = ("--everything", str(target)) if form == "everything" else (chat, "--format", form, "-o", str(target))
    await asyncio.to_thread(refused_until_there_is_room, stick, lambda: munin("export", *command), same(filled))
    assert "harbour" in target.read_text() and stick.files().keys() == {"export"}


async def test_a_copy_a_day_to_a_full_or_read_only_disk(filled: Path, stick: Disk, start_munin: StartMunin) -> None:
    """Told in the window; the copies that are there stay, the oldest too."""
    old = stick.folder / "munin-copy-2020-01-10-000000.zip"
    old.write_bytes(b"old")
    os.utime(old, (1, 1))
    app = await start_munin()
    await app.change_settings(copies_folder=str(stick.folder), copies_kept=1)

    async def copied() -> str:
        app.notices.clear()
        app.copy_in_background()
        await app.controller.drain()
        return "".join(app.notices)

    stick.leave(1)
    assert "Free some space" in await copied() and copies(stick.folder) == [old]
    stick.free()
    with read_only(stick):
        assert "could not be written" in await copied() and copies(stick.folder) == [old]
    assert not await copied()
    (new,) = copies(stick.folder)
    assert read_manifest(new).counts.conversations == 3


# Where the data is


@pytest.mark.parametrize("merge", [False, True])
async def test_a_restore_into_a_full_disk(
    filled: Path, disk: Disk, tmp_path: Path, munin: Command, past_the_check: None, merge: bool
) -> None:
    write_backup(tmp_path / "kept.zip", [])
    check = same(filled)
    command = ("restore", str(tmp_path / "kept.zip"), "--yes", *(["--merge"] if merge else []))
    await asyncio.to_thread(refused_until_there_is_room, disk, lambda: munin(*command), check)
    assert read_manifest(write_backup(tmp_path / "again.zip", [])[0]).counts.messages == 24


async def test_the_space_a_restore_and_a_lock_take_is_asked_for_first(
    filled: Path, disk: Disk, tmp_path: Path, munin: Command
) -> None:
    write_backup(tmp_path / "kept.zip", [])
    disk.leave(4)
    for command in (("restore", str(tmp_path / "kept.zip"), "--yes"), ("lock", "on")):
        said = await asyncio.to_thread(munin, *command)
        assert "MB are free. Free some space; nothing was changed." in said


async def test_locking_changing_the_passphrase_and_unlocking_on_a_full_disk(
    filled: Path, disk: Disk, munin: Command, monkeypatch: pytest.MonkeyPatch, past_the_check: None
) -> None:
    check = same(filled)
    await asyncio.to_thread(refused_until_there_is_room, disk, lambda: munin("lock", "on"), check)
    check()
    assert read_lock(filled)
    await asyncio.to_thread(refused_until_there_is_room, disk, lambda: munin("lock", "passphrase"), check)
    let_go(filled)
    open_by_passphrase(filled, SECRET + "!")
    await asyncio.to_thread(refused_until_there_is_room, disk, lambda: munin("lock", "off"), check)
    check()
    assert not read_lock(filled)


async def test_an_import_into_a_full_disk(
    filled: Path, disk: Disk, tmp_path: Path, munin: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was imported by then stays, whole, and is not doubled."""
    monkeypatch.setattr(importing, "BATCH_MESSAGES", 20)
    file = as_json(tmp_path, [chatgpt(f"c-{number}") for number in range(30)])

    def read() -> None:
        counts = write_backup(tmp_path / f"{time.time_ns()}.zip", [])[1].counts
        assert (counts.messages - 24) % 5 == 0 and (counts.messages - 24) // 5 == counts.conversations - 3

    await asyncio.to_thread(refused_until_there_is_room, disk, lambda: munin("import", str(file)), read)
    assert write_backup(tmp_path / "all.zip", [])[1].counts.conversations == 33


async def test_an_upgrade_on_a_full_disk(home: Path, disk: Disk, munin: Command, tmp_path: Path) -> None:
    """Not begun without the copy from before it."""
    shutil.copytree(RELEASES[0], home, dirs_exist_ok=True)
    before = (home / "munin.db").read_bytes()
    file = as_json(tmp_path, [chatgpt()])  # an import opens Munin

    disk.leave(20)
    said = await asyncio.to_thread(munin, "import", str(file))
    assert "has to be upgraded" in said and "free some space" in said
    assert (home / "munin.db").read_bytes() == before and not any(".version-" in name for name in disk.files())
    disk.free()
    assert not await asyncio.to_thread(munin, "import", str(file))
    assert any(name.startswith("munin.db.version-") for name in disk.files())


async def test_what_finds_no_room_in_the_log_is_left_out(
    filled: Path, disk: Disk, start_munin: StartMunin, capsys: pytest.CaptureFixture[str]
) -> None:
    app = await start_munin()
    disk.leave(0)
    logging.getLogger("munin_app").warning("Memory is slow. %s", "x" * 10_000)
    await app.close()
    assert not capsys.readouterr().err


@pytest.mark.parametrize("models", [False, True])
async def test_everything_is_erased_from_a_full_disk_too(filled: Path, disk: Disk, munin: Command, models: bool) -> None:
    """And only what was asked for: models stay where they are to stay."""
    (filled / "models").mkdir()
    (filled / "models" / "own.gguf").write_bytes(b"weights")
    disk.leave(0)
    assert not await asyncio.to_thread(munin, "erase", "--yes", *(["--models"] if models else []))
    assert disk.files().keys() == (set() if models else {"models/own.gguf"})


# Read-only


@contextmanager
def read_only(disk: Disk) -> Iterator[None]:
    disk.read_only(True)
    try:
        yield
    finally:
        disk.read_only(False)


@pytest.mark.parametrize("locked", [False, True], ids=["readable", "locked"])
async def test_a_read_only_data_folder_is_said_and_can_still_be_read(
    filled: Path, disk: Disk, tmp_path: Path, munin: Command, capsys: pytest.CaptureFixture[str], locked: bool
) -> None:
    backup, export = tmp_path / "kept.zip", as_json(tmp_path, [chatgpt()])
    write_backup(backup, [])
    commands = [("lock", "passphrase"), ("lock", "off")] if locked else [("lock", "on")]
    commands += [("import", str(export)), ("restore", str(backup), "--yes", "--merge"), ("restore", str(backup), "--yes")]
    commands += [("erase", "--yes")]

    def each() -> None:
        if locked:
            assert not munin("lock", "on")
        before = disk.files()
        with read_only(disk):
            for command in commands:
                said = munin(*command)
                assert "Make it writable" in said or "make the folder writable" in said, said
            assert not munin("backup", str(tmp_path / "kept from a read-only one.zip"))
            assert not munin("export", "--everything", str(tmp_path / "all.jsonl"))
            assert main(["memory", "list"]) == main(["memory", "facts"]) == 0
            out = capsys.readouterr().out
            assert "Likes tea" in out and "harbour" in out
        assert disk.files() == before
        for command in commands:
            assert not munin(*command)

    await asyncio.to_thread(each)


async def test_a_read_only_data_folder_of_a_killed_munin_says_what_to_do(
    filled: Path, disk: Disk, tmp_path: Path, munin: Command
) -> None:
    with closing(connect(filled / "munin.db")) as connection:
        connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)  # its log stays, as after a kill
        connection.execute("UPDATE conversation SET title = title || '!'")
    assert (filled / "munin.db-wal").stat().st_size
    (filled / "munin.db-shm").unlink(missing_ok=True)
    with read_only(disk):
        said = await asyncio.to_thread(munin, "backup", str(tmp_path / "kept.zip"))
    assert "Munin was ended" in said and "Make it writable" in said
    assert not await asyncio.to_thread(munin, "backup", str(tmp_path / "kept.zip"))


async def test_a_read_only_folder_for_backups_and_exports(filled: Path, stick: Disk, munin: Command) -> None:
    commands = (("backup",), ("backup", "--passphrase"), ("export", "--everything"))

    def each(expected: str) -> None:
        for number, command in enumerate(commands):
            assert expected in munin(*command, str(stick.folder / f"{number}.out"))

    with read_only(stick):
        await asyncio.to_thread(each, "choose another folder")
        assert not stick.files()
    await asyncio.to_thread(each, "")
    assert stick.files().keys() == {"0.out", "1.out", "2.out"}
