"""Locking without the wait, and a keyring of the tests' own: never that of whoever runs them."""

from pathlib import Path

import keyring
import keyring.backend
import keyring.backends.fail
import pytest

from munin_app.storage import passphrase
from munin_app.storage.locks import let_go

SECRET = "a raven on a grey stone"


class MemoryKeyring(keyring.backend.KeyringBackend):
    """What a system's keyring does, for as long as a test runs."""

    priority = 5.0  # type: ignore[assignment]  # a property of the class there

    def __init__(self) -> None:
        super().__init__()
        self.entries: dict[tuple[str, str], str] = {}

    def get_password(self, service: str, username: str) -> str | None:
        return self.entries.get((service, username))

    def set_password(self, service: str, username: str, password: str) -> None:
        self.entries[service, username] = password

    def delete_password(self, service: str, username: str) -> None:
        del self.entries[service, username]


@pytest.fixture(autouse=True)
def no_keyring(monkeypatch: pytest.MonkeyPatch, home: Path) -> None:
    """This system has none; scrypt is quick; and nothing is open yet."""
    before = keyring.get_keyring()
    monkeypatch.setattr(passphrase, "LOG2_N", 8)
    monkeypatch.setattr(keyring.core, "_keyring_backend", keyring.backends.fail.Keyring())
    let_go(home)
    assert before is not None


@pytest.fixture
def system_keyring(no_keyring: None, monkeypatch: pytest.MonkeyPatch) -> MemoryKeyring:
    backend = MemoryKeyring()
    monkeypatch.setattr(keyring.core, "_keyring_backend", backend)
    return backend
