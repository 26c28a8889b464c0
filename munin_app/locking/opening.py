"""Opening a locked data folder, and what is wrapped with its key: the passphrase, the system's keyring. Blocks: use a thread."""

from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from munin_app.errors import LockError
from munin_app.i18n import _
from munin_app.locking import system_keyring
from munin_app.storage.connecting import reason_of
from munin_app.storage.files import replace_file
from munin_app.storage.locks import FILE, Lock, check_of, encode, hold, is_held, key_of, let_go, read_lock
from munin_app.storage.passphrase import Sealing, check_new, unwrap, wrap


def is_open(folder: Path) -> bool:
    """What lies in it can be read by this process: it is not locked, or was opened. Raises LockError: lock.json is damaged."""
    return read_lock(folder) is None or is_held(folder)


def open_by_keyring(folder: Path) -> bool:
    """False: the keyring has no key for it. True also where it is open already."""
    if is_open(folder):
        return True
    lock = _lock(folder)
    key = system_keyring.fetch(lock.id) if lock.keyring else None
    if key is None or check_of(key) != lock.check:
        return False
    hold(folder, key)
    return True


def open_by_passphrase(folder: Path, passphrase: str) -> None:
    """Raises WrongPassphrase, LockError."""
    lock = _lock(folder)
    if lock.slot is None:
        raise LockError(
            _("This data opens with the system's keyring only, which does not give the key. Unlock the keyring, then try again.")
        )
    key = unwrap(lock.slot, passphrase)
    if check_of(key) != lock.check:
        raise LockError(_("{file} belongs to other data. Put back the one that was here.").format(file=folder / FILE))
    hold(folder, key)


def change_passphrase(folder: Path, passphrase: str) -> None:
    """Of an open folder; the data stays as it is, and copies made before keep theirs. Raises LockError."""
    check_new(passphrase)
    lock, key = _opened(folder)
    _write(folder, replace(lock, slot=wrap(key, passphrase)))


def use_keyring(folder: Path, on: bool) -> None:
    """Of an open folder: whether it opens without a passphrase. Raises LockError."""
    lock, key = _opened(folder)
    if on:
        put_into_keyring(lock.id, key)
    elif lock.slot is None:
        raise LockError(_("Only the system's keyring has the key. Set a passphrase first."))
    _write(folder, replace(lock, keyring=on))
    if not on:
        system_keyring.forget(lock.id)


def put_into_keyring(name: str, key: bytes) -> None:
    """Raises LockError."""
    if not system_keyring.is_available() or not system_keyring.store(name, key):
        raise LockError(_("This system has no keyring that Munin can use. Use a passphrase alone."))


def own_sealing(folder: Path) -> Sealing | None:
    """For backups of locked data: they open with the passphrase that it has now. None: it is not locked. Raises LockError."""
    if read_lock(folder) is None:
        return None
    lock, key = _opened(folder)
    if lock.slot is None:
        raise LockError(
            _("Your data is locked without a passphrase, so a backup of it would open nowhere else. Set one, or give one for it.")
        )
    return Sealing(key, lock.slot)


def forget(folder: Path) -> None:
    """Before the data is erased: neither this process nor the system's keyring has the key any more."""
    let_go(folder)
    with suppress(LockError):  # a damaged lock names no key
        if (lock := read_lock(folder)) and lock.keyring:
            system_keyring.forget(lock.id)


def _lock(folder: Path) -> Lock:
    if lock := read_lock(folder):
        return lock
    raise LockError(_("Munin's data in {folder} is not locked.").format(folder=folder))


def _opened(folder: Path) -> tuple[Lock, bytes]:
    lock, key = _lock(folder), key_of(folder / FILE)
    assert key is not None  # where there is a lock there is a key, or an error
    return lock, key


def _write(folder: Path, lock: Lock) -> None:
    _opened(folder)  # another Munin may have unlocked it meanwhile: beside readable data a lock.json would make it unreadable
    try:
        replace_file(folder / FILE, encode(lock))
    except OSError as error:
        raise LockError(
            _(
                "{file} could not be written ({reason}); nothing was changed. Free some space or make the folder writable, then "
                "try again."
            ).format(file=folder / FILE, reason=reason_of(error))
        ) from error
