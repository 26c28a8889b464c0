"""Headers of GGUF files, each read once for each version of the file."""

from functools import lru_cache
from pathlib import Path

from munin_app.errors import ModelError
from munin_app.inference.gguf_header import GgufHeader, read_header


def header_of(path: Path) -> GgufHeader:
    """Raises ModelError or OSError."""
    status = path.stat()
    return _header(path, status.st_mtime_ns, status.st_size)


@lru_cache(maxsize=256)
def _header(path: Path, _changed: int, _size: int) -> GgufHeader:
    return read_header(path)


def can_chat(path: Path) -> bool:
    """False also where the file cannot be read."""
    try:
        return header_of(path).can_chat
    except (ModelError, OSError):
        return False
