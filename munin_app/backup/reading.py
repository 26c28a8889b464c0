"""Reads a backup, whoever made it: checked whole before anything of it is used, within bounds, by names that are known.

A link or a path in it has no effect: members are read as bytes and written under names of this program's own.
"""

import hashlib
import os
import shutil
import struct
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

import apsw

from munin_app.backup.manifest import DATABASE, Manifest, Member, decode
from munin_app.backup.seal import CHUNK, Progress, check_seal, read_through, silent
from munin_app.errors import BackupError, LockError
from munin_app.i18n import _, decimal
from munin_app.storage.connecting import DISK_ERRORS, reason_of, write_database
from munin_app.storage.files import create_file, write_file
from munin_app.storage.locks import key_of
from munin_app.storage.passphrase import Slot
from munin_app.storage.sealed import MAGIC, VERSION, NewerSeal, is_sealed, open_sealed, read_header

MANIFEST_MAX_BYTES = 1_000_000
ENCRYPTED = 0x1


def slot_of(path: Path) -> Slot | None:
    """What a passphrase opens the backup with; None: it is not sealed. Raises BackupError."""
    with _file(path) as file:
        return read_header(file)[1] if _sealed(file) else None


def read_manifest(path: Path, progress: Progress = silent, key: bytes | None = None) -> Manifest:
    """Raises BackupError when the file is damaged, no backup, or of a newer Munin. Nothing is unpacked.

    `key`: of a sealed one."""
    with _opened(path, progress, key) as (_archive, manifest):
        return manifest


def unpack(path: Path, folder: Path, progress: Progress = silent, key: bytes | None = None) -> Manifest:
    """Every member as a file in `folder`, its size and checksum as the manifest says. Raises BackupError and DISK_ERRORS."""
    with _opened(path, silent, key) as (archive, manifest):
        free = shutil.disk_usage(folder).free
        if free < 2 * manifest.size:
            raise BackupError(
                _(
                    "Restoring takes {number} MB on the disk, and {number2} MB are free. Free some space; nothing was changed."
                ).format(number=decimal(2 * manifest.size / 1e6, 1), number2=decimal(free / 1e6, 1))
            )
        done = 0
        locked = key_of(folder / DATABASE)
        for name, member in manifest.members.items():
            if locked:
                _seal_member(archive, name, member, folder / name, locked)
            else:
                _unpack_member(archive, name, member, folder / name)
            done += member.size
            progress(done, manifest.size)
    return manifest


@contextmanager
def _opened(path: Path, progress: Progress, key: bytes | None) -> Iterator[tuple[zipfile.ZipFile, Manifest]]:
    with _file(path) as file:
        content: BinaryIO = file
        if _sealed(file):
            if key is None:
                raise LockError(_("{file} is sealed with a passphrase. Give the passphrase to open it.").format(file=path))
            content = open_sealed(file, key)
            read_through(content, progress)
        else:
            check_seal(file, progress)
        with zipfile.ZipFile(content) as archive:
            yield archive, _manifest(archive, path.name)


@contextmanager
def _file(path: Path) -> Iterator[BinaryIO]:
    """What goes wrong with it is said in one sentence."""
    path = path.expanduser()
    if not path.is_file():
        raise BackupError(_("{path} is no file. Give the path of a backup that Munin wrote.").format(path=path))
    try:
        with open(path, "rb") as file:
            yield file
    except NewerSeal as error:
        raise BackupError(
            _(
                "{file} was written by a newer Munin (seal {found}, this program knows {known}). Update Munin; "
                "nothing was changed."
            ).format(file=path, found=error, known=VERSION)
        ) from error
    except OSError as error:
        raise BackupError(
            _("{path} could not be unpacked ({reason}). Free some space or take another copy of it; nothing was changed.").format(
                path=path, reason=reason_of(error)
            )
        ) from error
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, ValueError, struct.error) as error:
        raise BackupError(
            _(
                "{path} is damaged, cut short or no backup of Munin ({error}). Take another copy of it; nothing was changed."
            ).format(path=path, error=error)
        ) from error


def _sealed(file: BinaryIO) -> bool:
    start = file.read(len(MAGIC))
    file.seek(0)
    return is_sealed(start)


def _manifest(archive: zipfile.ZipFile, name: str) -> Manifest:
    content = bytearray()
    with _member(archive, "manifest.json") as file:
        while chunk := file.read(CHUNK):
            content += chunk
            if len(content) > MANIFEST_MAX_BYTES:
                raise ValueError(_("its manifest is too long"))
    manifest = decode(bytes(content), name)
    if sorted(archive.namelist()) != sorted(["manifest.json", *manifest.members]):
        raise ValueError(_("it holds other members than its manifest says"))
    return manifest


def _member(archive: zipfile.ZipFile, name: str) -> BinaryIO:
    found = [info for info in archive.infolist() if info.filename == name]
    if len(found) != 1:
        raise ValueError(_("it holds {name} {number} times").format(name=name, number=len(found)))
    if found[0].compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED) or found[0].flag_bits & ENCRYPTED:
        raise ValueError(_("{name} is packed in another way").format(name=name))
    return archive.open(found[0])  # type: ignore[return-value]  # reads like any binary file


def _unpack_member(archive: zipfile.ZipFile, name: str, member: Member, target: Path) -> None:
    digest, size = hashlib.sha256(), 0
    with _member(archive, name) as source, create_file(target) as file:
        while chunk := source.read(CHUNK):
            size += len(chunk)
            if size > member.size:
                break
            digest.update(chunk)
            file.write(chunk)
        file.flush()
        os.fsync(file.fileno())
    if size != member.size or digest.hexdigest() != member.sha256:
        raise ValueError(_("{name} is not what the manifest says").format(name=name))


def _seal_member(archive: zipfile.ZipFile, name: str, member: Member, target: Path, key: bytes) -> None:
    """Into a locked data folder: what is in it never lies on the disk unencrypted, so it goes through memory."""
    with _member(archive, name) as source:
        content = source.read(member.size + 1)
    if len(content) != member.size or hashlib.sha256(content).hexdigest() != member.sha256:
        raise ValueError(_("{name} is not what the manifest says").format(name=name))
    if name != DATABASE:
        write_file(target, content)
        return
    try:
        write_database(content, target, key)
    except DISK_ERRORS:
        raise
    except apsw.Error as error:
        raise ValueError(_("{name} is no database").format(name=name)) from error
