"""Checks files: a checksum against the catalogue's, the first bytes of a GGUF. Changes nothing."""

import hashlib
from pathlib import Path

from munin_app.errors import ModelError
from munin_app.library.catalog import CatalogFile

GGUF_MAGIC = b"GGUF"
GGUF_HEADER_BYTES = 24
"""Magic, version, tensor count, metadata count."""


def is_intact(path: Path, expected: CatalogFile) -> bool:
    """Whether the file is there with the catalogue's size and SHA-256."""
    try:
        return path.stat().st_size == expected.size_bytes and sha256_of(path) == expected.sha256
    except OSError:
        return False


def sha256_of(path: Path) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def check_gguf(path: Path) -> None:
    """Raises ModelError unless `path` is a readable file that starts as a GGUF does. The rest is read when it is loaded."""
    try:
        with open(path, "rb") as file:
            header = file.read(GGUF_HEADER_BYTES)
    except OSError as error:
        raise ModelError(f"{path} cannot be read ({error.strerror}). Choose a GGUF file that is on this device.") from error
    if not header.startswith(GGUF_MAGIC):
        raise ModelError(f"{path} is no GGUF file (it starts with {header[:4]!r}). Choose a file that ends in .gguf.")
    if len(header) < GGUF_HEADER_BYTES:
        raise ModelError(f"{path} ends after {len(header)} bytes, within its header. Copy or download it again.")
