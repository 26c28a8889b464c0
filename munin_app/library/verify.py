"""Checks files: a checksum against the catalogue's, the first bytes of a GGUF. Changes nothing."""

import hashlib
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from munin_app.errors import ModelError
from munin_app.i18n import _
from munin_app.library.catalog import CatalogFile

GGUF_MAGIC = b"GGUF"
GGUF_HEADER_BYTES = 24
"""Magic, version, tensor count, metadata count."""


class Verdict(StrEnum):
    INTACT = "intact"  # size and SHA-256 are the catalogue's
    UNVERIFIED = "unverified"  # a GGUF header, or nothing to compare with
    DAMAGED = "damaged"


@dataclass(frozen=True, slots=True)
class Check:
    path: Path
    verdict: Verdict


def check_file(path: Path, expected: CatalogFile | None) -> Check:
    """Reads the whole file where the catalogue has a SHA-256 for it, else the first bytes of a GGUF."""
    if expected and expected.sha256:
        return Check(path, Verdict.INTACT if is_intact(path, expected) else Verdict.DAMAGED)
    try:
        if path.suffix.lower() == ".gguf":
            check_gguf(path)
        return Check(path, Verdict.UNVERIFIED)
    except ModelError:
        return Check(path, Verdict.DAMAGED)


def is_intact(path: Path, expected: CatalogFile) -> bool:
    """Whether the file is there with the catalogue's size and SHA-256, as far as it gives them."""
    try:
        sized = expected.size_bytes in (0, path.stat().st_size)
        return sized and (not expected.sha256 or sha256_of(path) == expected.sha256)
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
        raise ModelError(
            _("{path} cannot be read ({strerror}). Choose a GGUF file that is on this device.").format(
                path=path, strerror=error.strerror
            )
        ) from error
    if not header.startswith(GGUF_MAGIC):
        raise ModelError(
            _("{path} is no GGUF file (it starts with {header!r}). Choose a file that ends in .gguf.").format(
                path=path, header=header[:4]
            )
        )
    if len(header) < GGUF_HEADER_BYTES:
        raise ModelError(
            _("{path} ends after {number} bytes, within its header. Copy or download it again.").format(
                path=path, number=len(header)
            )
        )
