"""What in the data folder is Munin's, by name: the folder may be one in which somebody keeps other things as well.

Whatever Munin writes there has to be named here, or it would be neither locked nor erased; a test looks.
"""

import shutil
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

CHATS = ("munin.db*",)
"""With their logs, copies from before an upgrade, and what was set aside damaged; as all of these."""
MEMORY = ("munin_memory.db*",)
FACTS = ("profile.json*", "profile.key*")
SETTINGS = ("settings.json*",)
TEXTS = (*CHATS, *MEMORY, *FACTS, *SETTINGS)
"""What may hold something that the user said, and cannot be made again."""
SESSIONS = ("sessions/*.kv", "sessions/*.tmp")
LOGS = ("logs/munin.log*",)
RESTORES = ("restore.part", "restore.merge", "restore.ready")
LOCKS = ("lock.json*", "lock.part", "lock.ready")
MODELS = ("models", "catalog.toml")
"""The folder as a whole: what lies in it is what the user has for models."""
FOLDERS = ("sessions", "logs")


def found(folder: Path, patterns: Iterable[str]) -> Iterator[Path]:
    for pattern in patterns:
        yield from sorted(folder.glob(pattern))


def remove(folder: Path, patterns: Iterable[str]) -> None:
    """Links are removed, not followed; only a `sessions` or `logs` that is one stays, and what Munin wrote through it goes: it
    holds what was said. Munin's own folders go when nothing is left in them. Raises OSError."""
    for path in found(folder, patterns):
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)
    for name in FOLDERS:
        with suppress(OSError):  # there is something in it, or it is not there
            (folder / name).rmdir()
