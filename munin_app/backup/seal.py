"""The checksum over a whole backup, in the comment that ends the zip file: it covers what zip itself leaves unchecked.

It tells damage, not forgery.
"""

import hashlib
import struct
from collections.abc import Callable
from typing import BinaryIO

from munin_app.i18n import _

END = struct.Struct("<4s4H2LH")
"""Zip's end record: signature, two disks, entries here and in all, the directory's size and offset, the comment's length."""
PREFIX = b"Munin backup. SHA-256 of all before this record: "
COMMENT_BYTES = len(PREFIX) + 64
ENTRIES_MAX, DIRECTORY_MAX_BYTES = 10_000, 2_000_000
"""zipfile reads the whole directory into memory."""
CHUNK = 1 << 20

Progress = Callable[[int, int], None]
"""Called with (bytes done, bytes in all), on the thread that works."""


def silent(done: int, total: int) -> None:
    pass


def seal(file: BinaryIO) -> None:
    """For a finished zip file whose comment has COMMENT_BYTES bytes."""
    end = file.seek(0, 2) - COMMENT_BYTES
    comment = PREFIX + _digest(file, end - END.size, silent)
    file.seek(end)
    file.write(comment)


def check_seal(file: BinaryIO, progress: Progress = silent) -> None:
    """Raises ValueError: the file is damaged, cut short, or was never a backup."""
    start, comment = check_end(file)
    if not comment.startswith(PREFIX):
        raise ValueError(_("its end is missing"))
    if _digest(file, start, progress) != comment.removeprefix(PREFIX):
        raise ValueError(_("its checksum is another"))


def read_through(file: BinaryIO, progress: Progress = silent) -> None:
    """For what checks itself while it is read. Raises ValueError."""
    _digest(file, check_end(file)[0], progress)


def check_end(file: BinaryIO) -> tuple[int, bytes]:
    """Where zip's end record stands, and the comment in it. Raises ValueError: zipfile should not open it."""
    start = file.seek(0, 2) - COMMENT_BYTES - END.size
    if start < 0:
        raise ValueError(_("it is too short"))
    file.seek(start)
    signature, disk, directory_disk, here, entries, size, offset, length = END.unpack(file.read(END.size))
    comment = file.read(COMMENT_BYTES)
    if signature != b"PK\5\6" or length != COMMENT_BYTES:
        raise ValueError(_("its end is missing"))
    whole = disk == directory_disk == 0 and here == entries <= ENTRIES_MAX and offset + size == start
    if not whole or size > DIRECTORY_MAX_BYTES:
        raise ValueError(_("its directory is not where it should be"))
    return start, comment


def _digest(file: BinaryIO, size: int, progress: Progress) -> bytes:
    digest, done = hashlib.sha256(), 0
    file.seek(0)
    while done < size and (chunk := file.read(min(CHUNK, size - done))):
        digest.update(chunk)
        done += len(chunk)
        progress(done, size)
    return digest.hexdigest().encode()
