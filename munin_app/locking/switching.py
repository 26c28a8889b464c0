"""Locks a data folder, or unlocks it for good, while no store is open in it. Done whole or not at all, whatever kills it.

All files are copied, encrypted or not any more, into `lock.part`; one renaming to `lock.ready` decides that it will happen. From
then on the copies take their places, at the next start if need be: every step can be repeated. Saved sessions are dropped: they
can be made again. What is not Munin's stays as it is.
"""

import os
import secrets
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import apsw

from munin_app.errors import LockError
from munin_app.i18n import _, decimal
from munin_app.locking import system_keyring
from munin_app.locking.opening import put_into_keyring
from munin_app.storage import owned
from munin_app.storage.connecting import DISK_ERRORS, copy_database, has_ciphers, reason_of
from munin_app.storage.files import create_file, replace_file, sync_folder
from munin_app.storage.locks import FILE, SWITCHING, Lock, check_of, encode, hold, key_of, let_go, read_lock
from munin_app.storage.passphrase import check_new, wrap
from munin_app.storage.sealed import CHUNK, MAGIC, NewerSeal, SealedWriter, is_sealed, open_sealed

PART, READY = "lock.part", SWITCHING
OFF = "off"
"""A file in READY: lock.json goes last of all."""
COMPANIONS = ("-wal", "-shm", "-journal")
"""Of a database."""
LEFTOVERS = (".tmp", ".part")
"""Of a write that was killed."""

Progress = Callable[[int, int], None]
"""Called with (bytes done, bytes in all), on the thread that works."""


def ciphers_missing() -> str:
    """Why nothing can be locked here; empty: it can."""
    if has_ciphers():
        return ""
    return _("On this device Munin cannot lock its data by itself: the system encrypts the app's folder.")


def turn_on(folder: Path, passphrase: str, *, keyring: bool, progress: Progress) -> None:
    """The caller owns the folder and has nothing open in it. An empty passphrase: the system's keyring alone opens it.

    Raises LockError: then nothing was changed. The folder is open to this process afterwards."""
    if missing := ciphers_missing():
        raise LockError(missing)
    if read_lock(folder):
        raise LockError(_("Munin's data in {folder} is locked already.").format(folder=folder))
    if passphrase or not keyring:
        check_new(passphrase)
    key = secrets.token_bytes(32)
    lock = Lock(secrets.token_hex(8), check_of(key), wrap(key, passphrase) if passphrase else None, keyring)
    if keyring:
        put_into_keyring(lock.id, key)
    try:
        _stage(folder, None, key, progress, lambda part: replace_file(part / FILE, encode(lock)))
    except BaseException:
        if keyring:
            system_keyring.forget(lock.id)
        raise
    hold(folder, key)
    settle(folder)


def turn_off(folder: Path, progress: Progress) -> None:
    """As `turn_on`, of a folder that is open to this process."""
    lock, key = read_lock(folder), key_of(folder / FILE)
    if lock is None:
        raise LockError(_("Munin's data in {folder} is not locked.").format(folder=folder))
    _stage(folder, key, None, progress, lambda part: replace_file(part / OFF, b""))
    settle(folder)
    let_go(folder)
    if lock.keyring:
        system_keyring.forget(lock.id)


def settle(folder: Path) -> None:
    """What was decided is done, what was not is gone. The caller owns the folder.

    Raises LockError, and goes on at the next call."""
    try:
        if (folder / PART).exists():
            shutil.rmtree(folder / PART)
        if (folder / READY).exists():
            _switch(folder)
    except OSError as error:
        raise LockError(
            _("{file} could not be moved or deleted ({reason}). Close what uses it, then start Munin again: it goes on.").format(
                file=error.filename or folder, reason=reason_of(error)
            )
        ) from error


def _stage(folder: Path, before: bytes | None, after: bytes | None, progress: Progress, finish: Callable[[Path], None]) -> None:
    """Copies everything; `finish` writes what makes the difference. Raises LockError: nothing was changed."""
    part = folder / PART
    try:
        files = [file for file in _files(folder) if not _is_companion(file) and file.suffix not in LEFTOVERS]
        total = sum(file.stat().st_size for file in files)
        _require_space(folder, total)
        part.mkdir(mode=0o700)
        done = 0
        for file in files:
            target = part / file.name
            size = file.stat().st_size  # before a database takes its log in
            _convert(file, target, before, after)
            done += size
            progress(done, total)
        finish(part)
        sync_folder(part)
        os.rename(part, folder / READY)
        sync_folder(folder)
    except DISK_ERRORS as error:
        raise LockError(
            _("{file} could not be copied ({reason}); nothing was changed. Free some space, then try again.").format(
                file=getattr(error, "filename", None) or folder, reason=reason_of(error)
            )
        ) from error
    finally:
        shutil.rmtree(part, ignore_errors=True)


def _files(folder: Path) -> Iterator[Path]:
    """All that may hold text. Links are not followed: what they lead to is not Munin's."""
    return (path for path in owned.found(folder, owned.TEXTS) if path.is_file() and not path.is_symlink())


def _is_database(path: Path) -> bool:
    """`munin.db`, or as it was before an upgrade. What was set aside damaged is none any more."""
    return path.suffix == ".db" or ".db.version-" in path.name


def _is_companion(path: Path) -> bool:
    return any(path.name.endswith(f".db{ending}") for ending in COMPANIONS)


def _convert(file: Path, target: Path, before: bytes | None, after: bytes | None) -> None:
    try:
        if _is_database(file):
            copy_database(file, target, before, after)
        else:
            _copy(file, target, before, after)
    except DISK_ERRORS:
        raise
    except (apsw.Error, ValueError, NewerSeal) as error:
        raise LockError(
            _("{file} is damaged ({error}); nothing was changed. Restore a copy of it, or move it away, then try again.").format(
                file=file, error=error
            )
        ) from error


def _copy(file: Path, target: Path, before: bytes | None, after: bytes | None) -> None:
    """Sealed, or unsealed; what is not sealed in a locked folder (a database that was set aside damaged) stays as it is."""
    with open(file, "rb") as raw, create_file(target) as written:
        opened = before is not None and is_sealed(raw.read(len(MAGIC)))
        raw.seek(0)
        source = open_sealed(raw, before) if before is not None and opened else raw
        writer = SealedWriter(written, after) if after is not None else None
        while chunk := source.read(CHUNK):
            (writer or written).write(chunk)
        if writer:
            writer.finish()
        written.flush()
        os.fsync(written.fileno())


def _require_space(folder: Path, total: int) -> None:
    free = shutil.disk_usage(folder).free
    if free < 2 * total:
        raise LockError(
            _("This takes {needed} MB on the disk, and {free} MB are free. Free some space; nothing was changed.").format(
                needed=decimal(2 * total / 1e6, 1), free=decimal(free / 1e6, 1)
            )
        )


def _switch(folder: Path) -> None:
    ready = folder / READY
    owned.remove(folder, owned.SESSIONS)
    for leftover in [path for path in _files(folder) if path.suffix in LEFTOVERS]:
        leftover.unlink()
    staged = [path for path in ready.rglob("*") if path.is_file() and path != ready / OFF]
    for path in sorted(staged, key=lambda path: path == ready / FILE):  # lock.json last
        target = folder / path.relative_to(ready)
        if _is_database(path):  # a log of the old one would be read into the new one
            for ending in COMPANIONS:
                target.with_name(target.name + ending).unlink(missing_ok=True)
            sync_folder(target.parent)
        os.replace(path, target)
        sync_folder(target.parent)
    if (ready / OFF).exists():
        (folder / FILE).unlink(missing_ok=True)
        sync_folder(folder)
    os.rename(ready, folder / PART)
    sync_folder(folder)
    shutil.rmtree(folder / PART)
