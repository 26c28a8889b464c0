"""The JSON files of an export: one alone, those in a zip file, or those in a folder. Nothing is ever unpacked to the disk.

Members of a zip file are read as a stream under bounds that go by what really comes out, not by what its directory says. A name
that would lead out of the archive, or a link, has no effect here; it says that the file was not made by an app, so it is refused.
"""

import os
import re
import stat
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import BinaryIO, Protocol

from munin_app.errors import ChatImportError
from munin_app.i18n import _
from munin_app.storage.connecting import reason_of

UNPACKED_MAX_BYTES = 4_000_000_000
RATIO_MAX, RATIO_FROM_BYTES = 100, 20_000_000
"""How much more than its packed size may come out of a zip file, and from where on that counts. Chats pack 5 to 20 times."""
FILES_MAX = 20_000
DIRECTORY_MAX_BYTES = 20_000_000
"""zipfile reads the whole directory into memory."""
_ENCRYPTED = 0x1
_END, _END_64 = b"PK\x05\x06", b"PK\x06\x06"
_LEADS_OUT = re.compile(r"(^|[/\\])\.\.([/\\]|$)|^[/\\]|^[A-Za-z]:|\0")


class Readable(Protocol):
    def read(self, size: int, /) -> bytes: ...


@dataclass(frozen=True, slots=True)
class Document:
    name: str
    open: Callable[[], AbstractContextManager[Readable]]


@contextmanager
def documents(path: Path) -> Iterator[tuple[Document, ...]]:
    """The JSON files in it, to be opened one after the other inside. Raises ChatImportError, also for what goes wrong inside."""
    path = path.expanduser()
    try:
        if path.is_dir():
            yield _in_folder(path)
        elif not path.is_file():
            raise ChatImportError(_("{path} is no file. Give the path of an export: a zip or a JSON file.").format(path=path))
        elif _is_zip(path):
            _require_small_directory(path)
            with zipfile.ZipFile(path) as archive:
                yield _in_archive(archive, path)
        else:
            yield (Document(path.name, partial(_opened, path)),)
    except OSError as error:
        raise ChatImportError(
            _("{path} could not be read ({reason}). Nothing more was imported.").format(path=path, reason=reason_of(error))
        ) from error
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, struct.error) as error:
        raise ChatImportError(
            _("{name} is damaged or cut short. Export it again; nothing more was imported.").format(name=path.name)
        ) from error


def _opened(path: Path) -> BinaryIO:
    return path.open("rb")


def _is_zip(path: Path) -> bool:
    with open(path, "rb") as file:
        return file.read(4) in (b"PK\x03\x04", _END)


def _in_folder(folder: Path) -> tuple[Document, ...]:
    """As LM Studio keeps its chats. No link is followed."""
    found: list[Document] = []
    for parent, folders, names in os.walk(folder):
        folders.sort()
        for name in sorted(names):
            file = Path(parent, name)
            if name.lower().endswith(".json") and not file.is_symlink() and file.is_file():
                found.append(Document(str(file.relative_to(folder)), partial(_opened, file)))
            if len(found) > FILES_MAX:
                raise ChatImportError(
                    _("{folder} holds more than {n} JSON files. Give the folder of the chats alone.").format(
                        folder=folder, n=FILES_MAX
                    )
                )
    if not found:
        raise ChatImportError(
            _("{folder} holds no JSON file. Give an export, or the folder that chats are kept in.").format(folder=folder)
        )
    return tuple(found)


def _in_archive(archive: zipfile.ZipFile, path: Path) -> tuple[Document, ...]:
    bounds = _Bounds(path)
    seen: set[str] = set()
    wanted: list[zipfile.ZipInfo] = []
    for info in archive.infolist():
        if _LEADS_OUT.search(info.orig_filename) or stat.S_ISLNK(info.external_attr >> 16):
            raise _refused(path, _("it holds a link or a path that leads out of it"))
        if not info.filename.lower().endswith(".json") or info.is_dir():
            continue
        if info.filename in seen:
            raise _refused(path, _("it holds the same file twice"))
        if info.flag_bits & _ENCRYPTED:
            raise _refused(path, _("it is locked with a password; unpack it, then import what was in it"))
        if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise _refused(path, _("it is packed in a way that no app uses; unpack it, then import what was in it"))
        seen.add(info.filename)
        wanted.append(info)
    if not wanted:
        if any(name.lower().endswith(".zip") for name in archive.namelist()):
            raise _refused(path, _("it holds other archives and no JSON file; unpack it, then import what was in it"))
        raise _refused(path, _("it holds no JSON file"))
    return tuple(Document(one.filename, partial(_bounded, archive, one, bounds)) for one in wanted)


def _refused(path: Path, reason: str) -> ChatImportError:
    return ChatImportError(_("{name} cannot be imported: {reason}. Nothing was imported.").format(name=path.name, reason=reason))


class _Bounds:
    """What all members of an archive together may amount to."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._packed = path.stat().st_size
        self._unpacked = 0

    def take(self, more: int) -> None:
        self._unpacked += more
        much = self._unpacked > RATIO_FROM_BYTES and self._unpacked > RATIO_MAX * self._packed
        if much or self._unpacked > UNPACKED_MAX_BYTES:
            raise _refused(self._path, _("far more comes out of it than any export holds"))


class _Member:
    def __init__(self, file: Readable, bounds: _Bounds) -> None:
        self._file = file
        self._bounds = bounds

    def read(self, size: int, /) -> bytes:
        chunk = self._file.read(size)
        self._bounds.take(len(chunk))
        return chunk


@contextmanager
def _bounded(archive: zipfile.ZipFile, info: zipfile.ZipInfo, bounds: _Bounds) -> Iterator[Readable]:
    with archive.open(info) as file:
        yield _Member(file, bounds)


def _require_small_directory(path: Path) -> None:
    """What zipfile will read into memory at once, as the end record says."""
    with open(path, "rb") as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(max(0, size - 70_000))
        tail = file.read()
    end, end_64 = tail.rfind(_END), tail.rfind(_END_64)
    if end < 0 or len(tail) < end + 22:
        raise zipfile.BadZipFile
    directory = struct.unpack_from("<L", tail, end + 12)[0]
    if end_64 >= 0 and len(tail) >= end_64 + 48:
        directory = struct.unpack_from("<Q", tail, end_64 + 40)[0]
    if directory > DIRECTORY_MAX_BYTES:
        raise _refused(path, _("it lists more files than any export holds"))
