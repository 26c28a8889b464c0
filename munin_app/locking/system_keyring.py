"""The key of locked data in the system's keyring, where there is one that guards what it holds.

Everything here may block, and may make the system ask its user: call it on a thread.
"""

import logging
from base64 import b64decode, b64encode
from contextlib import suppress

log = logging.getLogger(__name__)
SERVICE = "Munin"


def is_available() -> bool:
    """A plain file, or nothing at all, is no keyring: those have a priority below 1."""
    try:
        import keyring  # slow to import, and not there on phones
        from keyring.core import recommended
    except ImportError:
        return False
    try:
        return bool(recommended(keyring.get_keyring()))
    except Exception as error:  # each system's backend raises what it likes
        log.warning("the system's keyring cannot be used: %s", type(error).__name__)
        return False


def store(name: str, key: bytes) -> bool:
    """False: the keyring did not take it."""
    import keyring

    try:
        keyring.set_password(SERVICE, name, b64encode(key).decode())
        return fetch(name) == key
    except Exception as error:
        log.warning("the system's keyring took no key: %s", type(error).__name__)
        return False


def fetch(name: str) -> bytes | None:
    """None: it is not there, or the keyring gave nothing."""
    if not is_available():
        return None
    import keyring

    try:
        found = keyring.get_password(SERVICE, name)
        return b64decode(found, validate=True) if found else None
    except Exception as error:
        log.warning("the system's keyring gave no key: %s", type(error).__name__)
        return None


def forget(name: str) -> None:
    """What cannot be deleted stays; it opens nothing any more."""
    if is_available():
        import keyring

        with suppress(Exception):
            keyring.delete_password(SERVICE, name)
