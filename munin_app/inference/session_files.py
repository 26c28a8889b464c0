"""Sessions on disk: what a context had evaluated, so that a conversation reopened after a restart goes on at once.

One file for each session and model, readable for its owner only. What is damaged is deleted, what was used last stays within
the limit; never an error: the price is one evaluation. Knows nothing of llama.cpp: the state is bytes here.
"""

import hashlib
import json
import logging
import os
import struct
import threading
import zlib
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, BinaryIO

from munin_app.inference.template import Segment
from munin_app.inference.tokens import TokenisedSegment
from munin_app.storage.sealed import NewerSeal, SealedWriter, open_sealed

logger = logging.getLogger(__name__)

_MAGIC = b"MuninKV1"
_PREFIX = struct.Struct("<8sIIQI")
"""Magic, length and checksum of the header, length and checksum of the state (sealed: 0, the seal is one)."""
_CHUNK = 8 << 20


@dataclass(frozen=True, slots=True)
class SavedSession:
    segments: tuple[TokenisedSegment, ...]
    tokens: tuple[int, ...]
    """Those whose state it is."""
    path: Path
    key: bytes | None = field(default=None, repr=False)
    """What the file is sealed with."""

    def state(self, stop: Callable[[], bool]) -> Generator[None, None, bytearray | None]:
        """One step a chunk. None: stopped, or damaged and deleted."""
        try:
            with _reading(self.path, self.key) as file:
                _, header_length, _, length, checksum = _PREFIX.unpack(file.read(_PREFIX.size))
                file.seek(header_length, os.SEEK_CUR)
                state, found = bytearray(length), 0
                for start in range(0, length, _CHUNK):
                    if stop():
                        return None
                    part = memoryview(state)[start : start + _CHUNK]
                    file.readinto(part)  # type: ignore[attr-defined]  # binary files have it
                    if self.key is None:
                        found = zlib.crc32(part, found)
                    yield
            if self.key is not None or found == checksum:
                return state
        except (OSError, struct.error, MemoryError):
            return None
        except ValueError:  # a chunk that is not what was sealed
            pass
        _delete(self.path)
        return None


class SessionFiles:
    """Of one model with one set of settings, which `key` stands for. Saving goes on in the background."""

    def __init__(self, folder: Path, key: str, limit_bytes: int, data_key: bytes | None = None) -> None:
        """`data_key`: what the files are sealed with; None: they are not."""
        self._folder = folder
        self._data_key = data_key
        self._key = hashlib.sha256(key.encode()).hexdigest()[:16]
        self._limit = limit_bytes
        self._saving: threading.Thread | None = None
        self._saving_id = ""
        self._given_up = threading.Event()
        for rest in folder.glob("*.tmp"):  # of a process that was killed while saving
            _delete(rest)

    @property
    def being_saved(self) -> str | None:
        """The session that is on its way to disk."""
        return self._saving_id if self._saving and self._saving.is_alive() else None

    def find(self, session_id: str) -> SavedSession | None:
        """What is damaged is deleted. What other models saved of the session stays: the user may go back to them. Not while it is
        being saved."""
        wanted = self._path(session_id)
        try:
            saved = _read_header(wanted, session_id, self._data_key)
            os.utime(wanted)
            return saved
        except FileNotFoundError:
            return None
        except (OSError, ValueError, struct.error, LookupError, TypeError, MemoryError, NewerSeal):
            _delete(wanted)
            return None

    def save(self, session_id: str, segments: Sequence[TokenisedSegment], tokens: Sequence[int], state: memoryview) -> None:
        """Returns at once; `state` is not to change any more. Larger than all there is room for: not saved."""
        self.wait()
        if len(state) > self._limit:
            return
        self._saving_id = session_id
        self._given_up.clear()
        work = (self._path(session_id), _encode_header(session_id, segments, tokens), state)
        self._saving = threading.Thread(target=self._save, args=work, name="munin-model-saving", daemon=True)
        self._saving.start()

    def forget(self, session_id: str) -> None:
        if self.being_saved == session_id:
            self._given_up.set()
            self.wait()
        forget_session_files(self._folder, session_id)

    def wait(self) -> None:
        """Until what is being saved is on disk."""
        if self._saving:
            self._saving.join()
            self._saving = None

    def _path(self, session_id: str) -> Path:
        return self._folder / f"{_name(session_id)}-{self._key}.kv"

    def _save(self, path: Path, header: bytes, state: memoryview) -> None:
        temporary = path.with_suffix(".tmp")
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            with open(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
                if self._data_key is None:
                    self._write(file, header, state)
                else:
                    writer = SealedWriter(file, self._data_key)
                    self._write(writer, header, state)
                    writer.finish()
            if self._given_up.is_set():
                _delete(temporary)
            else:
                os.replace(temporary, path)
                self._make_room()
        except OSError as error:
            logger.warning("a session could not be saved: %s", error.strerror)
            _delete(temporary)

    def _write(self, file: IO[bytes] | SealedWriter, header: bytes, state: memoryview) -> None:
        """Without fsync: what a power cut leaves is found out by its checksum."""
        checksum = zlib.crc32(state) if self._data_key is None else 0
        file.write(_PREFIX.pack(_MAGIC, len(header), zlib.crc32(header), len(state), checksum))
        file.write(header)
        for start in range(0, len(state), _CHUNK):
            if self._given_up.is_set():
                return
            file.write(state[start : start + _CHUNK])

    def _make_room(self) -> None:
        """What was used last stays."""
        total = 0
        entries = [(path.stat(), path) for path in self._folder.glob("*.kv")]
        for status, path in sorted(entries, key=lambda entry: entry[0].st_mtime_ns, reverse=True):
            total += status.st_size
            if total > self._limit:
                _delete(path)


def forget_session_files(folder: Path, session_id: str) -> None:
    """Of every model. Not while one of this session is being saved."""
    for path in folder.glob(f"{_name(session_id)}-*"):
        _delete(path)


def _name(session_id: str) -> str:
    """Ids are free text here, file names are not."""
    return hashlib.sha256(session_id.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def _encode_header(session_id: str, segments: Sequence[TokenisedSegment], tokens: Sequence[int]) -> bytes:
    parts = [[*_encode_segment(one.segment), list(one.tokens)] for one in segments]
    return json.dumps({"session": session_id, "segments": parts, "tokens": list(tokens)}).encode()


def _encode_segment(segment: Segment) -> list[Any]:
    return [segment.text, segment.is_content, [_encode_segment(part) for part in segment.thought]]


def _decode_segment(text: str, is_content: bool, thought: Sequence[Sequence[Any]]) -> Segment:
    return Segment(text, is_content, tuple(_decode_segment(*part) for part in thought))


@contextmanager
def _reading(path: Path, key: bytes | None) -> Iterator[BinaryIO]:
    with path.open("rb") as file:
        yield file if key is None else open_sealed(file, key)


def _read_header(path: Path, session_id: str, key: bytes | None) -> SavedSession:
    """Raises ValueError, LookupError, TypeError, struct.error, NewerSeal or OSError."""
    with _reading(path, key) as file:
        size = file.seek(0, 2)
        file.seek(0)
        magic, length, checksum, state_length, _ = _PREFIX.unpack(file.read(_PREFIX.size))
        if magic != _MAGIC or size != _PREFIX.size + length + state_length:
            raise ValueError("not a whole session file")
        header = file.read(length)
    if zlib.crc32(header) != checksum:
        raise ValueError("a damaged header")
    values: dict[str, Any] = json.loads(header)
    if values["session"] != session_id:
        raise ValueError("another session")
    segments = (TokenisedSegment(_decode_segment(*segment), tuple(tokens)) for *segment, tokens in values["segments"])
    return SavedSession(tuple(segments), tuple(values["tokens"]), path, key)


def _delete(path: Path) -> None:
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        logger.warning("a session file could not be deleted: %s", error.strerror)
