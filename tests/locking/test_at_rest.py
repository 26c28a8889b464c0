"""Locked data: nothing readable in any file, everything there for who has the key, and nothing for who has not."""

import asyncio
import os
import shutil
from pathlib import Path

import pytest

from munin_app import paths
from munin_app.backup.copies import copy_if_due
from munin_app.backup.pending import ask_to_erase, erase_if_asked, settle, stage
from munin_app.backup.reading import read_manifest, slot_of
from munin_app.backup.writing import write_backup
from munin_app.bootstrap import closed_data_folder
from munin_app.chat.schema import MIGRATIONS
from munin_app.errors import BackupError, LockError, WrongPassphrase
from munin_app.locking.opening import (
    change_passphrase,
    is_open,
    open_by_keyring,
    open_by_passphrase,
    own_sealing,
    use_keyring,
)
from munin_app.locking.switching import turn_off, turn_on
from munin_app.storage.connecting import connect
from munin_app.storage.database import Database
from munin_app.storage.locks import FILE, key_of, let_go, read_lock
from munin_app.storage.passphrase import Slot, unwrap, wrap
from tests.conftest import StartMunin
from tests.locking.conftest import SECRET, MemoryKeyring
from tests.locking.content import MARKERS, content_hash, found_in, say_everything


def quiet(done: int, total: int) -> None:
    pass


def lock(home: Path, passphrase: str = SECRET, *, keyring: bool = False) -> None:
    with closed_data_folder():
        turn_on(home, passphrase, keyring=keyring, progress=quiet)


@pytest.fixture
async def filled(home: Path, start_munin: StartMunin) -> Path:
    munin = await start_munin()
    await say_everything(munin)
    await munin.memory.warm_up()
    await munin.close()
    return home


async def test_no_file_holds_what_was_said_while_it_is_locked(home: Path, start_munin: StartMunin) -> None:
    munin = await start_munin()
    await munin.close()
    lock(home)
    munin = await start_munin()
    await say_everything(munin)
    found = await munin.memory.recall("What is the boat in the harbour called?")
    assert any(MARKERS[number] in one.memory.text for number in range(20) for one in found.results)
    names = {path.name for path in home.rglob("*")}
    assert {"munin.db-wal", "munin_memory.db-wal"} <= names and any(name.endswith(".kv") for name in names)
    assert found_in(home) == {}
    await munin.close()
    assert found_in(home) == {}
    assert not any(b"SQLite format 3" in path.read_bytes() for path in home.rglob("*") if path.is_file())


async def test_the_scan_finds_what_is_not_locked_and_nothing_once_it_is(filled: Path) -> None:
    found = found_in(filled)
    assert {marker for markers in found.values() for marker in markers} == {*MARKERS}
    assert {"munin.db", "munin_memory.db", "profile.json", "settings.json"} <= found.keys() and any(
        name.startswith("sessions") for name in found
    )
    (filled / "profile.json.damaged-20260101-000000").write_bytes(MARKERS[0].encode())
    (filled / "munin_memory.db.damaged-20260101-000000").write_bytes(MARKERS[1].encode())
    (filled / "settings.json.tmp").write_bytes(MARKERS[2].encode())
    shutil.copy(filled / "munin.db", filled / "munin.db.version-3")
    before = content_hash(filled)
    await asyncio.to_thread(lock, filled)
    assert found_in(filled) == {} and content_hash(filled) == before
    turn_off(filled, quiet)
    assert content_hash(filled) == before and not (filled / FILE).exists()
    assert {marker for markers in found_in(filled).values() for marker in markers} >= {*MARKERS[:-1]}
    assert (filled / "munin.db.version-3").read_bytes()[:15] == b"SQLite format 3"
    assert (filled / "profile.json.damaged-20260101-000000").read_bytes() == MARKERS[0].encode()


async def test_what_is_not_munins_is_neither_locked_nor_erased(filled: Path) -> None:
    """MUNIN_HOME may be a folder that other things are kept in."""
    names = (
        "letter.txt",
        "film.part",
        "profile.png",
        "lock.svg",
        "restore.sh",
        "logs/other.log",
        "sessions/notes",
        "own/notes.db",
    )
    for name in names:
        (filled / name).parent.mkdir(exist_ok=True)
        (filled / name).write_text(name)
    await asyncio.to_thread(lock, filled)
    assert [(filled / name).read_text() for name in names] == [*names]
    turn_off(filled, quiet)
    ask_to_erase(filled, models=True)
    erase_if_asked(filled)
    assert {str(path.relative_to(filled)) for path in filled.rglob("*") if path.is_file()} == {*names}


async def test_without_the_key_nothing_opens_and_nothing_is_taken_for_damaged(filled: Path, start_munin: StartMunin) -> None:
    await asyncio.to_thread(lock, filled)
    before = content_hash(filled)
    files = {path: path.read_bytes() for path in filled.rglob("*") if path.is_file()}
    let_go(filled)
    with pytest.raises(LockError, match=r"is locked\. Open it with the passphrase"):
        await start_munin()
    with pytest.raises(WrongPassphrase, match="another one"):
        open_by_passphrase(filled, "something else")
    assert not is_open(filled) and not open_by_keyring(filled)
    assert {path: path.read_bytes() for path in filled.rglob("*") if path.is_file() and path in files} == files
    open_by_passphrase(filled, SECRET)
    munin = await start_munin()
    assert len(await munin.chats.list()) == 5 and munin.memory.set_aside is None
    await munin.close()
    assert content_hash(filled) == before


def test_another_passphrase_leaves_the_data_as_it_is(filled: Path) -> None:
    lock(filled)
    files = {path: path.read_bytes() for path in filled.rglob("*") if path.is_file() and path.name != FILE}
    change_passphrase(filled, "another long one")
    assert {path: path.read_bytes() for path in files} == files
    let_go(filled)
    with pytest.raises(WrongPassphrase):
        open_by_passphrase(filled, SECRET)
    open_by_passphrase(filled, "another long one")
    with pytest.raises(LockError, match="at least 8"):
        change_passphrase(filled, "short")


def test_a_passphrase_that_comes_too_late_locks_nothing(filled: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lock(filled)

    def slow(key: bytes, passphrase: str) -> Slot:
        turn_off(filled, quiet)
        return wrap(key, passphrase)

    monkeypatch.setattr("munin_app.locking.opening.wrap", slow)
    with pytest.raises(LockError, match="not locked"):
        change_passphrase(filled, SECRET + "x")
    assert not (filled / FILE).exists()


def test_the_systems_keyring_opens_it_without_asking(filled: Path, system_keyring: MemoryKeyring) -> None:
    lock(filled, keyring=True)
    let_go(filled)
    assert open_by_keyring(filled) and key_of(filled / "munin.db")
    use_keyring(filled, False)
    let_go(filled)
    assert not open_by_keyring(filled) and system_keyring.entries == {}
    open_by_passphrase(filled, SECRET)
    use_keyring(filled, True)
    turn_off(filled, quiet)
    assert system_keyring.entries == {}


def test_the_keyring_alone_may_have_the_key(filled: Path, system_keyring: MemoryKeyring) -> None:
    lock(filled, "", keyring=True)
    with pytest.raises(LockError, match="Set a passphrase first"):
        use_keyring(filled, False)
    with pytest.raises(LockError, match="would open nowhere else"):
        own_sealing(filled)
    system_keyring.entries.clear()
    let_go(filled)
    assert not open_by_keyring(filled)
    with pytest.raises(LockError, match="the system's keyring only"):
        open_by_passphrase(filled, SECRET)


def test_where_there_is_no_keyring_it_is_said_and_nothing_changes(filled: Path) -> None:
    before = content_hash(filled)
    with pytest.raises(LockError, match="no keyring that Munin can use"):
        lock(filled, keyring=True)
    with pytest.raises(LockError, match="at least 8"):
        lock(filled, "")
    assert content_hash(filled) == before and read_lock(filled) is None and not list(filled.glob("lock.*"))


def test_a_driver_without_ciphers_locks_nothing(filled: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("munin_app.locking.switching.has_ciphers", lambda: False)
    with pytest.raises(LockError, match="the system encrypts the app's folder"):
        lock(filled)
    assert read_lock(filled) is None


def test_a_damaged_or_newer_lock_is_said(filled: Path) -> None:
    lock(filled)
    whole = (filled / FILE).read_text()
    for content, said in ((whole[:50], "cannot be used"), (whole.replace('"version": 1', '"version": 2'), "newer Munin")):
        (filled / FILE).write_text(content)
        with pytest.raises(LockError, match=said):
            read_lock(filled)


async def test_a_damaged_key_of_facts_is_made_anew(filled: Path, start_munin: StartMunin) -> None:
    lock(filled)
    (filled / "profile.key").write_bytes(b"not sealed")
    munin = await start_munin()
    fact = (await munin.profile.add("Likes tea")).fact
    await munin.forgetting.forget_fact(fact.id)
    assert fact not in munin.profile.facts


def test_a_full_disk_changes_nothing(filled: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = content_hash(filled)

    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", full)
        with pytest.raises(LockError, match="No space left on device"):
            turn_on(filled, SECRET, keyring=False, progress=quiet)
    assert content_hash(filled) == before and not list(filled.glob("lock.*"))


async def test_the_copy_from_before_an_upgrade_is_locked_too(filled: Path) -> None:
    await asyncio.to_thread(lock, filled)
    database = Database(filled / "munin.db", [*MIGRATIONS, "CREATE TABLE later (a)"], keep_copy=True)
    await database.open()
    await database.close()
    copy = filled / f"munin.db.version-{len(MIGRATIONS)}"
    assert copy.exists() and found_in(filled) == {}
    connection = connect(copy)
    assert connection.execute("SELECT count(*) FROM message").fetchall() == [(40,)]
    connection.close()


# Backups of locked data


@pytest.mark.parametrize("merge", [False, True])
def test_a_backup_is_restored_into_locked_data_without_a_readable_byte(filled: Path, tmp_path: Path, merge: bool) -> None:
    backup, _ = write_backup(tmp_path / "kept.zip", [])
    lock(filled)
    stage(backup, filled, merge=merge)
    assert found_in(filled) == {}
    settle(filled)
    assert found_in(filled) == {} and content_of(filled)


def content_of(home: Path) -> bool:
    connection = connect(home / "munin.db")
    try:
        return connection.execute("SELECT count(*) FROM message").fetchall()[0][0] == 40
    finally:
        connection.close()


def test_copies_of_locked_data_are_sealed_and_open_with_its_passphrase_elsewhere(
    filled: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lock(filled)
    (tmp_path / "copies").mkdir()
    copy = copy_if_due(tmp_path / "copies", 3, [])
    assert copy and found_in(tmp_path / "copies") == {}
    change_passphrase(filled, "another long one")
    monkeypatch.setenv("MUNIN_HOME", os.fspath(tmp_path / "elsewhere"))
    slot = slot_of(copy)
    assert slot
    key = unwrap(slot, SECRET)
    assert read_manifest(copy, key=key).counts.conversations == 5
    stage(copy, paths.ensure_data_folder(), merge=False, key=key)
    settle(paths.data_folder())
    assert content_of(tmp_path / "elsewhere")


def test_no_copy_is_made_that_nothing_would_open(filled: Path, tmp_path: Path, system_keyring: MemoryKeyring) -> None:
    lock(filled, "", keyring=True)
    with pytest.raises((LockError, BackupError), match="would open nowhere else"):
        copy_if_due(tmp_path, 3, [])
    assert not list(tmp_path.glob("munin-copy*"))
