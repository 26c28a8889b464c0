"""The data folder: one Munin at a time in it, what an earlier one left to be done there, and its log."""

import asyncio
import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from logging.handlers import RotatingFileHandler
from pathlib import Path

from filelock import FileLock, Timeout

from munin_app import paths
from munin_app.backup.pending import erase_if_asked, settle, staged
from munin_app.errors import BackupError, DataFolderError, DataFolderInUse, DataLocked
from munin_app.i18n import _
from munin_app.locking import switching
from munin_app.locking.opening import open_by_keyring


async def finish_restore(folder: Path) -> list[str]:
    """A restore that was asked for is done; what it has to tell. Raises BackupError when the folder is half restored."""
    try:
        await asyncio.to_thread(settle, folder)
    except BackupError as error:
        if staged(folder):
            raise
        return [str(error)]
    return []


def open_locked(folder: Path) -> None:
    """What comes before anything else: a lock that was being put on or taken off, what was to be erased, and the key."""
    switching.settle(folder)
    erase_if_asked(folder)
    if not open_by_keyring(folder):
        raise DataLocked(_("Munin's data in {folder} is locked. Open it with the passphrase.").format(folder=folder))


@contextmanager
def closed_data_folder(*, locked: bool = False) -> Iterator[Path]:
    """The data folder with nothing open in it, kept from any other Munin. Raises DataFolderError, BackupError, LockError.

    `locked`: as it is, whether it can be opened or not."""
    folder = paths.ensure_data_folder()
    lock = hold(folder)
    try:
        if not locked:
            open_locked(folder)
            settle(folder)
        yield folder
    finally:
        lock.release()


def hold(folder: Path) -> FileLock:
    lock = FileLock(paths.lock_file())
    try:
        lock.acquire(timeout=0)
    except Timeout:
        raise DataFolderInUse(
            _(
                "Munin is already open on {folder}. Use that window or close it; commands that only read (memory "
                "search, memory list, memory facts, doctor) work beside it."
            ).format(folder=folder)
        ) from None
    except OSError as error:
        raise DataFolderError(
            _("{lock_file} cannot be locked ({strerror}). Move it away and try again.").format(
                lock_file=paths.lock_file(), strerror=error.strerror
            )
        ) from error
    return lock


def log_to(folder: Path) -> Callable[[], None]:
    """Logs to logs/munin.log, three files of 1 MB at most. Returns the call that ends it."""
    try:
        folder.mkdir(exist_ok=True)
        handler = RotatingFileHandler(folder / "munin.log", maxBytes=1_000_000, backupCount=2, encoding="utf-8")
    except OSError as error:
        raise DataFolderError(
            _("{folder} cannot be written ({strerror}). Move what stands there away.").format(
                folder=folder, strerror=error.strerror
            )
        ) from error
    handler.handleError = lambda record: None  # type: ignore[method-assign]  # a full disk is told by who has something to save
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    logger = logging.getLogger("munin_app")
    logger.setLevel(logging.INFO)
    logger.addHandler(handler)

    def end() -> None:
        logger.removeHandler(handler)
        with suppress(OSError):
            handler.close()

    return end
