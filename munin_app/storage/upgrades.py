"""The copy of a file as it was before an upgrade: beside it, named after its old version (`munin.db.version-3`).

One is kept, of the last upgrade. It holds what was there then: whatever forgets, erases or encrypts has to delete it too.
"""

import os
from contextlib import suppress
from pathlib import Path

import apsw

from munin_app.errors import StorageError
from munin_app.i18n import _
from munin_app.storage.connecting import connect, reason_of
from munin_app.storage.files import create_file, sync_folder

_PAGES_AT_ONCE = 256


def copies(path: Path) -> list[Path]:
    """Unfinished ones too."""
    return sorted(path.parent.glob(path.name + ".version-*"))


def copy_name(path: Path, version: int) -> Path:
    return path.with_name(f"{path.name}.version-{version}")


def delete_copies(path: Path, *, but: Path | None = None) -> None:
    """Raises OSError."""
    found = copies(path)
    for copy in found:
        if copy != but:
            copy.unlink()
    if found:
        sync_folder(path.parent)


def copy_database(connection: apsw.Connection, path: Path, version: int) -> None:
    """As it is at this moment, its write-ahead log included. Raises StorageError: no copy was made, and nothing was changed."""
    target = copy_name(path, version)
    part = target.with_name(target.name + ".part")
    try:
        part.unlink(missing_ok=True)
        create_file(part).close()
        _copy_pages(connection, part)
        os.replace(part, target)
        delete_copies(path, but=target)
    except (apsw.FullError, apsw.IOError, apsw.CantOpenError, OSError) as error:
        with suppress(OSError):
            part.unlink(missing_ok=True)
        raise StorageError(
            _(
                "{file} has to be upgraded, and the copy that is made of it first could not be written ({error}). It takes "
                "{megabytes} MB: free some space or make the folder writable, then open Munin again. Nothing was changed."
            ).format(file=path, error=reason_of(error), megabytes=max(1, _size(path) // 1_000_000))
        ) from error


def _copy_pages(source: apsw.Connection, part: Path) -> None:
    target = connect(part)
    try:
        target.pragma("journal_mode", "off")  # a copy that was begun is thrown away
        with target.backup("main", source, "main") as backup:
            while not backup.done:
                backup.step(_PAGES_AT_ONCE)
    finally:
        target.close()
    with open(part, "rb+") as file:
        os.fsync(file.fileno())


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0
