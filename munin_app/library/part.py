"""What is here of a file that is being downloaded. Knows files and checksums, and nothing of the network.

NAME.part holds the first bytes of NAME and nothing else, NAME.part.json says which file at which address they belong to,
NAME.part.lock keeps a second process away. Every method may wait for the disk; call them on one thread (a lock belongs to it).
"""

import hashlib
import json
import os
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path

import cattrs
from filelock import FileLock, Timeout

from munin_app.errors import ModelError
from munin_app.i18n import _
from munin_app.storage.files import sync_folder

_STEP_BYTES = 1 << 20
_HASH_BYTES = 32 << 20
_SYNC_BYTES = 64 << 20
_NOTE_MAX_BYTES = 20_000
_converter = cattrs.Converter(detailed_validation=False)


@dataclass(frozen=True, slots=True)
class Origin:
    """The file that the bytes belong to, as its server described it."""

    address: str
    size_bytes: int
    etag: str = ""
    last_modified: str = ""

    @property
    def validator(self) -> str:
        """What the server can tell the same file by (RFC 9110, If-Range): a strong ETag, else the date."""
        return self.etag if self.etag.startswith('"') else self.last_modified


def part_of(target: Path) -> Path:
    return target.with_name(target.name + ".part")


def discard(target: Path) -> None:
    """Deletes what arrived of a file so far, if anything did. Raises ModelError while it is being downloaded."""
    if part_of(target).exists():
        part = Part(target)
        try:
            part.open()
            part.discard()
        finally:
            part.close()


class Part:
    def __init__(self, target: Path) -> None:
        self.target = target
        self.path = part_of(target)
        self.length = 0
        self.origin: Origin | None = None
        self._note = target.with_name(target.name + ".part.json")
        self._lock = FileLock(target.with_name(target.name + ".part.lock"))
        self._file: int | None = None
        self._sha256 = hashlib.sha256()
        self._hashed = 0
        self._unsynced = 0

    def open(self) -> None:
        """Takes the lock and what an earlier run left. Raises ModelError where another process has the lock, or OSError."""
        self.target.parent.mkdir(parents=True, exist_ok=True)
        try:
            self._lock.acquire(timeout=0)
        except Timeout:
            raise ModelError(
                _("{name} is being downloaded already, here or by another command. Wait for it.").format(name=self.target.name)
            ) from None
        self._file = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_APPEND | getattr(os, "O_BINARY", 0), 0o644)
        self.length = os.fstat(self._file).st_size
        self.origin = _read_note(self._note)

    def close(self) -> None:
        """What arrived is on the disk and can be gone on from. A part without a byte leaves nothing behind."""
        try:
            if self._file is not None:
                self.sync() if self.length else self.discard()
        finally:
            self._close_file()
            self._unlock()

    def hash_some(self) -> int:
        """Reads on in what an earlier run left, some megabytes a call. Returns how many bytes of it are hashed."""
        end = min(self.length, self._hashed + _HASH_BYTES)
        os.lseek(self._open_file, self._hashed, os.SEEK_SET)  # appending goes to the end all the same
        while self._hashed < end:
            data = os.read(self._open_file, min(_STEP_BYTES, end - self._hashed))
            if not data:
                raise OSError(_("{path} became shorter").format(path=self.path))
            self._sha256.update(data)
            self._hashed += len(data)
        return self._hashed

    def restart(self, origin: Origin) -> None:
        """From the first byte. The old bytes go before the note changes: a kill in between never mixes two files."""
        os.ftruncate(self._open_file, 0)
        self.length = self._hashed = 0
        self._sha256 = hashlib.sha256()
        _write_note(self._note, origin)
        self.origin = origin

    def append(self, data: bytes | bytearray) -> None:
        """Raises OSError when the disk is full; what could be written is kept."""
        view = memoryview(data)
        while view:
            written = os.write(self._open_file, view)
            self._sha256.update(view[:written])
            self.length += written
            self._hashed += written
            self._unsynced += written
            view = view[written:]
        if self._unsynced >= _SYNC_BYTES:
            self.sync()

    def sha256(self) -> str:
        return self._sha256.hexdigest()

    def sync(self) -> None:
        os.fsync(self._open_file)
        self._unsynced = 0

    def finish(self) -> None:
        """The whole file appears under its name in one step, and stays there after a power cut."""
        self.sync()
        self._close_file()
        os.replace(self.path, self.target)
        sync_folder(self.target.parent)
        self._note.unlink(missing_ok=True)

    def discard(self) -> None:
        self._close_file()
        self.path.unlink(missing_ok=True)
        self._note.unlink(missing_ok=True)
        self.length = 0

    @property
    def _open_file(self) -> int:
        assert self._file is not None
        return self._file

    def _unlock(self) -> None:
        if self._lock.is_locked and not self.path.exists():
            with suppress(OSError):  # Windows removes it by itself; filelock minds a lock file that went meanwhile
                os.unlink(self._lock.lock_file)
        self._lock.release()

    def _close_file(self) -> None:
        if self._file is not None:
            os.close(self._file)
            self._file = None


def _read_note(path: Path) -> Origin | None:
    """None where there is no note, or one that cannot be trusted: then the download begins anew."""
    try:
        with open(path, "rb") as file:
            return _converter.structure(json.loads(file.read(_NOTE_MAX_BYTES)), Origin)
    except (OSError, ValueError, TypeError, KeyError, RecursionError, cattrs.errors.CattrsError):
        return None


def _write_note(path: Path, origin: Origin) -> None:
    temporary = path.with_name(path.name + ".tmp")
    with open(temporary, "w", encoding="utf-8") as file:
        json.dump(asdict(origin), file)
        file.flush()
        os.fsync(file.fileno())
    os.replace(temporary, path)
