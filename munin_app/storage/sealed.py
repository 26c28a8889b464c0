"""Files that only a key opens, in chunks: any part can be read, and none can be changed, moved or cut off unnoticed.

Chunk N is sealed by AES-256-GCM with a nonce of N and whether it is the last (STREAM, Hoang, Reyhanitabar, Rogaway, Vizár 2015).
Each file has a key of its own, made by HKDF of the given one, a salt and the whole header. A header may carry the given key,
wrapped by a passphrase. Knows nothing of what is in the files.
"""

import hashlib
import io
import os
from typing import BinaryIO

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from munin_app.i18n import _
from munin_app.storage.passphrase import SLOT_BYTES, Slot, unpack

MAGIC = b"\x93MUNIN\r\n"
"""No text begins so, and what takes a file for text breaks it."""
VERSION = 1
CHUNK = 1 << 20
_TAG, _SALT, _SUM = 16, 16, 8


class NewerSeal(Exception):
    """`str(error)` is the version found."""


def is_sealed(start: bytes) -> bool:
    return start.startswith(MAGIC)


def read_header(file: BinaryIO) -> tuple[bytes, Slot | None]:
    """The header, and the key that a passphrase opens, if it carries one. Raises ValueError when damaged, and NewerSeal."""
    start = file.read(len(MAGIC) + 2)
    if len(start) != len(MAGIC) + 2 or not is_sealed(start):
        raise ValueError(_("it is not sealed"))
    version, slot_length = start[-2:]
    if version > VERSION:
        raise NewerSeal(version)
    rest = file.read(slot_length + _SALT)
    if version < 1 or slot_length not in (0, SLOT_BYTES) or file.read(_SUM) != _sum(start + rest):
        raise ValueError(_("its beginning is damaged"))
    return start + rest, unpack(rest[:slot_length]) if slot_length else None


def sealed(content: bytes, key: bytes) -> bytes:
    """A small file as a whole."""
    target = io.BytesIO()
    writer = SealedWriter(target, key)
    writer.write(content)
    writer.finish()
    return target.getvalue()


def unsealed(content: bytes, key: bytes) -> bytes:
    """Raises ValueError."""
    return open_sealed(io.BytesIO(content), key).read()


class SealedWriter:
    """Write, then `finish`: without its end the file is not accepted. Closes nothing."""

    def __init__(self, file: BinaryIO, key: bytes, slot: Slot | None = None) -> None:
        packed = slot.pack() if slot else b""
        header = MAGIC + bytes((VERSION, len(packed))) + packed + os.urandom(_SALT)
        file.write(header + _sum(header))
        self._file = file
        self._cipher = _cipher(key, header)
        self._rest = bytearray()
        self._number = 0

    def write(self, data: bytes | memoryview) -> int:
        """All of it; what fills no chunk yet waits."""
        view = memoryview(data)
        for start in range(0, len(view), CHUNK):
            self._rest += view[start : start + CHUNK]
            while len(self._rest) > CHUNK:  # a full one may be the last
                self._put(bytes(self._rest[:CHUNK]), last=False)
                del self._rest[:CHUNK]
        return len(view)

    def flush(self) -> None:
        pass

    def finish(self) -> None:
        self._put(bytes(self._rest), last=True)

    def _put(self, chunk: bytes, *, last: bool) -> None:
        self._file.write(self._cipher.encrypt(_nonce(self._number, last), chunk, None))
        self._number += 1


def open_sealed(file: BinaryIO, key: bytes) -> io.BufferedReader:
    """What is in it, to be read from any place. Raises ValueError, now or while reading, where a chunk is not what was
    written or the end is missing; NewerSeal; OSError. Closes nothing."""
    file.seek(0)
    header, _start = read_header(file)
    return io.BufferedReader(_SealedReader(file, _cipher(key, header)), CHUNK)


class _SealedReader(io.RawIOBase):
    def __init__(self, file: BinaryIO, cipher: AESGCM) -> None:
        self._file = file
        self._cipher = cipher
        self._start = file.tell()
        length = file.seek(0, 2) - self._start
        self._count = -(-length // (CHUNK + _TAG))
        self._size = length - self._count * _TAG
        self._at = 0
        self._number, self._chunk = -1, b""
        if not self._count or length - (self._count - 1) * (CHUNK + _TAG) < _TAG:
            raise ValueError(_("its end is missing"))
        self._load(self._count - 1)  # one that was cut short is refused before anything of it is used

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._at

    def seek(self, offset: int, whence: int = 0) -> int:
        at = offset + (0, self._at, self._size)[whence]
        if at < 0:
            raise ValueError(_("it was read before its beginning"))
        self._at = at
        return at

    def readinto(self, target: "memoryview | bytearray") -> int:  # type: ignore[override]  # any buffer; these two are given
        if self._at >= self._size:
            return 0
        self._load(self._at // CHUNK)
        part = self._chunk[self._at % CHUNK :][: len(target)]
        target[: len(part)] = part
        self._at += len(part)
        return len(part)

    def _load(self, number: int) -> None:
        if number == self._number:
            return
        self._file.seek(self._start + number * (CHUNK + _TAG))
        sealed_chunk = self._file.read(CHUNK + _TAG)
        try:
            self._chunk = self._cipher.decrypt(_nonce(number, number == self._count - 1), sealed_chunk, None)
        except InvalidTag:
            raise ValueError(_("its seal is broken")) from None
        self._number = number


def _nonce(number: int, last: bool) -> bytes:
    return number.to_bytes(11, "big") + bytes([last])


def _cipher(key: bytes, header: bytes) -> AESGCM:
    salt, rest = header[-_SALT:], header[:-_SALT]
    return AESGCM(HKDF(SHA256(), 32, salt, b"Munin sealed file\0" + rest).derive(key))


def _sum(header: bytes) -> bytes:
    """Tells a damaged header from a wrong passphrase; the seal of the chunks is what counts."""
    return hashlib.sha256(header).digest()[:_SUM]
