"""Identifiers and clock: UUIDv7 strings (RFC 9562), sortable by creation, the same in every store."""

import time

from uuid6 import uuid7


def new_id() -> str:
    """A fresh UUIDv7 in its canonical 36-character form."""
    return str(uuid7())


def now_ms() -> int:
    """Unix time in milliseconds."""
    return time.time_ns() // 1_000_000
