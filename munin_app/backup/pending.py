"""What is to happen to the data folder while no store is open: a restore, an erasing. Asked for once, done whole.

A restore is staged in a folder of its own inside the data folder: `restore.part` while it is unpacked and verified, then
renamed to `restore.merge` (to be united with what is here) or `restore.ready` (to take its place). From the rename on it
will happen, however often the process is killed: every step can be repeated.
"""

import os
import shutil
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import apsw

from munin_app.backup.manifest import DATABASE, LIMITS, PROFILE, SETTINGS, Manifest
from munin_app.backup.merging import merge
from munin_app.backup.reading import unpack
from munin_app.backup.seal import Progress, silent
from munin_app.backup.verify import verify
from munin_app.config import load_settings, save_settings
from munin_app.errors import BackupError, MuninError
from munin_app.i18n import _
from munin_app.locking.opening import forget
from munin_app.profile.document import Profile, encode
from munin_app.storage import owned
from munin_app.storage.connecting import DISK_ERRORS, reason_of
from munin_app.storage.files import sync_folder, write_file

PART, MERGE, READY = "restore.part", "restore.merge", "restore.ready"
REPLACES = "replaces"
"""A file in READY: what is here and not in the backup goes. Deleted before the first file is put in place."""
REPLACED = (*owned.MEMORY, *owned.FACTS, *owned.SETTINGS, *owned.SESSIONS)
ERASE, ERASE_BUT_MODELS = "erase.asked", "erase.but-models"
"""Empty files. Their names say it all: what is written into one may not find room on a full disk."""
ERASED = (*owned.TEXTS, *owned.SESSIONS, *owned.LOGS, *owned.RESTORES, *owned.LOCKS)


def stage(file: Path, folder: Path, *, merge: bool, progress: Progress = silent, key: bytes | None = None) -> Manifest:
    """Unpacks and verifies a backup; `settle` puts it in place. Raises BackupError: then nothing was changed.

    `key`: of a sealed one."""
    part = folder / PART
    try:
        discard(folder)
        part.mkdir(mode=0o700)
        manifest = unpack(file, part, progress, key)
        verify(part)
        if not merge:
            _complete(part)
        _rename(part, folder / (MERGE if merge else READY))
    except DISK_ERRORS as error:
        raise BackupError(
            _("{part} could not be written ({reason}). Free some space or make the folder writable; nothing was changed.").format(
                part=part, reason=reason_of(error)
            )
        ) from error
    finally:
        shutil.rmtree(part, ignore_errors=True)
    return manifest


def staged(folder: Path) -> bool:
    return (folder / MERGE).exists() or (folder / READY).exists()


def discard(folder: Path) -> None:
    """A staged restore will not happen. Raises OSError."""
    for name in (MERGE, READY):
        if (folder / name).exists():
            _clear(folder)
            _rename(folder / name, folder / PART)
    _clear(folder)


def settle(folder: Path) -> None:
    """Does what was asked for. The caller owns the data folder and has no store open.

    Raises BackupError: a merge could not be made, is given up, and nothing was changed; or files could not be renamed, and
    it goes on at the next call.
    """
    erase_if_asked(folder)
    try:
        _clear(folder)
        if (folder / MERGE).exists() and not (folder / READY).exists():
            _merge(folder)
        if (folder / READY).exists():
            _swap(folder)
    except OSError as error:
        raise BackupError(
            _(
                "A restore could not be finished ({reason}). Free some space or make {folder} writable, then open Munin "
                "again: it goes on from there."
            ).format(reason=reason_of(error), folder=folder)
        ) from error


def _merge(folder: Path) -> None:
    part = folder / PART
    part.mkdir(mode=0o700)
    try:
        merge(folder, folder / MERGE, part)
        _sync(part)
    except MuninError as error:
        discard(folder)
        raise BackupError(
            _("The backup could not be merged; everything is as it was before. {error}").format(error=error)
        ) from error
    except (apsw.Error, OSError) as error:
        discard(folder)
        raise BackupError(
            _(
                "The backup could not be merged ({reason}); everything is as it was before. Free some space or make the "
                "folder writable, then restore it again."
            ).format(reason=reason_of(error))
        ) from error
    _rename(part, folder / READY)


def _complete(part: Path) -> None:
    """To take the place of what is here: settings that name a model or a folder of another machine name none."""
    if not (part / PROFILE).exists():
        write_file(part / PROFILE, encode(Profile()))
    settings = load_settings(part / SETTINGS)
    model, copies = settings.model_path, settings.copies_folder
    here = replace(
        settings,
        model_path=model if Path(model).exists() else "",
        copies_folder=copies if Path(copies).exists() else "",
    )
    if here != settings:
        save_settings(part / SETTINGS, here)
    (part / REPLACES).touch()
    _sync(part)


def _swap(folder: Path) -> None:
    ready = folder / READY
    if (ready / REPLACES).exists():
        owned.remove(folder, REPLACED)
        (ready / REPLACES).unlink()
        sync_folder(ready)
    for name in LIMITS:
        if (ready / name).exists():
            if name == DATABASE:  # a log of the old one would be read into the new one
                owned.remove(folder, owned.CHATS)
                sync_folder(folder)
            os.replace(ready / name, folder / name)
    sync_folder(folder)
    discard(folder)


def ask_to_erase(folder: Path, *, models: bool) -> None:
    """Everything in the data folder, with or without models, when Munin closes.

    Raises BackupError: then nothing will be, or it says which earlier request still stands."""
    marker, other = (folder / name for name in ((ERASE, ERASE_BUT_MODELS) if models else (ERASE_BUT_MODELS, ERASE)))
    try:
        marker.touch()
        other.unlink(missing_ok=True)
        sync_folder(folder)
    except OSError as error:
        for path in (marker, other):
            with suppress(OSError):
                path.unlink(missing_ok=True)
        for path in (marker, other):
            if path.exists():
                raise BackupError(
                    _(
                        "{path} could not be deleted ({strerror}): what it asks for is erased when Munin closes. Make the data "
                        "folder writable, then try again."
                    ).format(path=path, strerror=error.strerror)
                ) from error
        raise BackupError(
            _("Nothing was erased ({strerror}). Make the data folder writable, then try again.").format(strerror=error.strerror)
        ) from error


def erase_if_asked(folder: Path) -> None:
    """Everything that is Munin's; what else lies in the folder stays. Raises BackupError, and goes on at the next call."""
    try:
        keep_models = (folder / ERASE_BUT_MODELS).exists()
        if not keep_models and not (folder / ERASE).exists():
            return
        forget(folder)
        owned.remove(folder, ERASED if keep_models else (*ERASED, *owned.MODELS))
        for name in (ERASE, ERASE_BUT_MODELS):
            (folder / name).unlink(missing_ok=True)
        sync_folder(folder)
        with suppress(OSError):  # Windows deletes it when it is given free
            (folder / "munin.lock").unlink()
    except OSError as error:
        raise BackupError(
            _(
                "{path} could not be erased ({reason}). Close what uses it, then open and close Munin: it goes on from there."
            ).format(path=error.filename or folder, reason=error.strerror)
        ) from error


def _clear(folder: Path) -> None:
    if (folder / PART).exists():
        shutil.rmtree(folder / PART)


def _rename(source: Path, target: Path) -> None:
    os.rename(source, target)
    sync_folder(target.parent)


def _sync(folder: Path) -> None:
    """Everything in it is on the disk."""
    for path in folder.iterdir():
        with open(path, "rb+") as file:
            os.fsync(file.fileno())
    sync_folder(folder)
