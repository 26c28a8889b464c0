"""Damaged databases are moved aside, not deleted; and deleted when something is forgotten, as they may hold it."""

import time
from pathlib import Path

from munin_app.i18n import _

_ENDINGS = ("", "-wal", "-shm")


def set_aside(database: Path) -> Path:
    """Moves the file and its log out of the way. Raises OSError."""
    target = database.with_name(f"{database.name}.damaged-{time.strftime('%Y%m%d-%H%M%S')}-{time.time_ns() % 1_000_000:06}")
    for ending in _ENDINGS:
        source = database.with_name(database.name + ending)
        if source.exists():
            source.rename(target.with_name(target.name + ending))
    return target


def copies(database: Path) -> list[Path]:
    """Every file that was set aside, the newest copy last."""
    return sorted(database.parent.glob(f"{database.name}.damaged-*"))


def latest(database: Path) -> Path | None:
    return next((path for path in reversed(copies(database)) if not path.name.endswith(_ENDINGS[1:])), None)


def erase(database: Path) -> list[str]:
    """Deletes them all; what could not be deleted, each one sentence for the user."""
    failures = []
    for path in copies(database):
        try:
            path.unlink()
        except OSError as error:
            failures.append(
                _(
                    "{path} is a damaged copy that may hold what was forgotten, and cannot be deleted ({strerror}). Delete it."
                ).format(path=path, strerror=error.strerror)
            )
    return failures
