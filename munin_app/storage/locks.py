"""Which data folders are locked, and the keys of those that this process has opened: the only place that holds a key.

A locked folder has a lock.json: the data's key, wrapped by a passphrase, and whether the system's keyring has it. Whoever opens
a file in the folder asks here for the key, and nobody else needs to know. Without lock.json and the keyring nothing opens.
"""

import hashlib
import hmac
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from munin_app.errors import LockError
from munin_app.i18n import _
from munin_app.storage.passphrase import Slot, unpack

FILE = "lock.json"
VERSION = 1
SWITCHING = "lock.ready"
"""A folder inside the data folder while it is being locked or unlocked."""

_held: dict[Path, bytes] = {}


@dataclass(frozen=True, slots=True)
class Lock:
    id: str
    """Names the key in the system's keyring."""
    check: str
    """Tells the key from any other."""
    slot: Slot | None
    """What a passphrase opens."""
    keyring: bool
    """The system's keyring has the key."""


def read_lock(folder: Path) -> Lock | None:
    """None: the folder is not locked. Raises LockError when lock.json is damaged or of a newer Munin."""
    file = folder / FILE
    try:
        document: dict[str, Any] = json.loads(file.read_bytes())
        if type(document["version"]) is int and document["version"] > VERSION:
            raise LockError(
                _("{file} was written by a newer Munin (version {found}, this program knows {known}). Update Munin.").format(
                    file=file, found=document["version"], known=VERSION
                )
            )
        slot = document["passphrase"]
        return Lock(
            id=str(document["id"]),
            check=str(document["check"]),
            slot=None if slot is None else unpack(bytes.fromhex(slot)),
            keyring=document["keyring"] is True,
        )
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, ValueError, LookupError, TypeError, RecursionError) as error:
        raise LockError(
            _(
                "{file} cannot be used ({error}). It holds the key of your data: put back a copy of it, or erase everything with "
                "`munin erase` and restore a backup."
            ).format(file=file, error=error)
        ) from error


def encode(lock: Lock) -> bytes:
    slot = lock.slot.pack().hex() if lock.slot else None
    document = {"version": VERSION, "id": lock.id, "check": lock.check, "passphrase": slot, "keyring": lock.keyring}
    return (json.dumps(document, indent=1) + "\n").encode()


def check_of(key: bytes) -> str:
    return hmac.new(key, b"Munin lock", hashlib.sha256).hexdigest()[:32]


def hold(folder: Path, key: bytes) -> None:
    """Opens the folder for this process."""
    _held[folder.resolve()] = key


def let_go(folder: Path) -> None:
    _held.pop(folder.resolve(), None)


def is_held(folder: Path) -> bool:
    return folder.resolve() in _held


def is_switching() -> str:
    return _("Munin is just locking or unlocking its data. Try again when that is done, or open Munin once.")


def key_of(path: Path) -> bytes | None:
    """Of the data folder that the file lies in, or in a folder of it. None: it is not locked. Raises LockError: it was not
    opened, or is being locked or unlocked just now."""
    for folder in (path.parent, path.parent.parent):
        if (folder / SWITCHING).exists():
            raise LockError(is_switching())
        if (folder / FILE).exists():
            if key := _held.get(folder.resolve()):
                return key
            raise LockError(_("Munin's data in {folder} is locked. Open it with the passphrase.").format(folder=folder))
    return None
