"""Whole files, read and replaced atomically, sealed where their data folder is locked. Knows nothing of what is in them."""

import io
import os
from contextlib import suppress
from pathlib import Path

from munin_app.errors import LockError
from munin_app.i18n import _
from munin_app.storage.locks import is_switching, key_of
from munin_app.storage.sealed import NewerSeal, sealed, unsealed


def read_file(path: Path) -> bytes:
    """Raises OSError, LockError, and ValueError: it is not sealed with the folder's key, or was damaged."""
    key = key_of(path)
    content = path.read_bytes()
    if key != key_of(path):
        raise LockError(is_switching())
    if key is None:
        return content
    try:
        return unsealed(content, key)
    except NewerSeal as error:
        raise ValueError(_("its seal is of version {error}").format(error=error)) from error


def write_file(path: Path, content: bytes) -> None:
    """On disk when it returns. A kill at any moment leaves the old file or the new one. Raises OSError, LockError."""
    key = key_of(path)
    replace_file(path, content if key is None else sealed(content, key))


def replace_file(path: Path, content: bytes) -> None:
    """As `write_file`, never sealed."""
    temporary = path.with_name(path.name + ".tmp")
    try:
        _write_synced(temporary, content)
        os.replace(temporary, path)
    except BaseException:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)
        raise
    sync_folder(path.parent)


def create_file(path: Path) -> io.BufferedRandom:
    """A new one, for its owner only. Raises OSError, of which FileExistsError: what is there stays."""
    flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    return os.fdopen(os.open(path, flags, 0o600), "w+b")


def sync_folder(folder: Path) -> None:
    """Makes a renaming in it durable; Windows knows no such thing for folders."""
    if os.name == "nt":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _write_synced(path: Path, content: bytes) -> None:
    path.unlink(missing_ok=True)
    with create_file(path) as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
