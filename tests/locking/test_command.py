"""`munin lock`, and every other command over locked data."""

import io
import json
import sys
from pathlib import Path

import pytest

from munin_app.cli import main
from munin_app.storage.locks import let_go, read_lock
from tests.conftest import StartMunin
from tests.locking.conftest import SECRET, MemoryKeyring
from tests.locking.content import found_in, say_everything


@pytest.fixture
async def locked(home: Path, start_munin: StartMunin, monkeypatch: pytest.MonkeyPatch) -> Path:
    munin = await start_munin()
    await say_everything(munin)
    await munin.close()
    monkeypatch.setenv("MUNIN_PASSPHRASE", SECRET)
    return home


@pytest.fixture
def no_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO(""))


def test_on_status_and_off(locked: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["lock", "status"]) == 0
    assert "Not locked: whoever can read this disk" in capsys.readouterr().out
    assert main(["lock", "on"]) == 0
    out = capsys.readouterr().out
    assert "Locked: the passphrase opens it." in out and "A lost key is lost data" in out and found_in(locked) == {}
    assert main(["lock", "on"]) == 1
    assert "is locked already" in capsys.readouterr().err
    let_go(locked)
    assert main(["lock", "status"]) == 0
    assert main(["lock", "off"]) == 0
    assert "Not locked any more" in capsys.readouterr().out and found_in(locked) and read_lock(locked) is None
    assert main(["lock", "off"]) == 1


READERS = (
    ["memory", "facts"],
    ["memory", "list"],
    ["memory", "search", "harbour"],
    ["export"],
    ["models", "list"],
    ["doctor", "--json"],
    ["backup", "kept.munin"],
)


@pytest.mark.parametrize("command", READERS, ids=" ".join)
def test_commands_take_the_passphrase_of_the_environment(
    locked: Path, command: list[str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["lock", "on"]) == 0
    let_go(locked)
    assert main(command) == 0 or command[0] == "doctor"
    assert "is locked" not in capsys.readouterr().err


def test_commands_ask_for_it_and_say_what_is_wrong(
    locked: Path, no_terminal: None, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert main(["lock", "on"]) == 0
    let_go(locked)
    monkeypatch.delenv("MUNIN_PASSPHRASE")
    assert main(["memory", "facts"]) == 1
    assert "none was given" in capsys.readouterr().err
    monkeypatch.setattr(sys, "stdin", io.StringIO("wrong one\n"))
    assert main(["memory", "facts"]) == 1
    assert "The passphrase is another one" in capsys.readouterr().err
    monkeypatch.setattr(sys, "stdin", io.StringIO(f"{SECRET}\n"))
    assert main(["memory", "facts"]) == 0
    assert "zqx" in capsys.readouterr().out


def test_the_keyring_opens_it_unasked(
    locked: Path,
    system_keyring: MemoryKeyring,
    no_terminal: None,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert main(["lock", "on", "--keyring"]) == 0
    assert "the system's keyring opens it, or the passphrase" in capsys.readouterr().out
    monkeypatch.delenv("MUNIN_PASSPHRASE")
    let_go(locked)
    assert main(["memory", "facts"]) == 0
    assert main(["lock", "keyring", "off"]) == 0
    let_go(locked)
    assert main(["memory", "facts"]) == 1


def test_another_passphrase(locked: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["lock", "on"]) == 0
    monkeypatch.setenv("MUNIN_NEW_PASSPHRASE", "another long one")
    assert main(["lock", "passphrase"]) == 0
    let_go(locked)
    assert main(["memory", "facts"]) == 1
    monkeypatch.setenv("MUNIN_PASSPHRASE", "another long one")
    assert main(["memory", "facts"]) == 0


def test_the_doctor_says_whether_it_is_locked_and_opens_what_it_can(
    locked: Path, no_terminal: None, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def parts() -> dict[str, dict[str, str]]:
        capsys.readouterr()
        main(["doctor", "--json"])
        return {one["name"]: one for one in map(json.loads, capsys.readouterr().out.splitlines())}

    assert "Not locked" in parts()["lock"]["detail"]
    main(["lock", "on"])
    let_go(locked)
    found = parts()
    assert "Locked at rest, and opened" in found["lock"]["detail"] and "40 messages" in found["chats"]["detail"]
    monkeypatch.delenv("MUNIN_PASSPHRASE")
    let_go(locked)
    found = parts()
    assert found["lock"]["state"] == "off" and found.keys() == {"data folder", "lock"}


def test_what_nobody_can_open_can_be_erased(
    locked: Path, no_terminal: None, system_keyring: MemoryKeyring, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert main(["lock", "on", "--keyring"]) == 0
    monkeypatch.delenv("MUNIN_PASSPHRASE")
    let_go(locked)
    assert main(["erase", "--yes"]) == 0
    assert list(locked.iterdir()) == [] and system_keyring.entries == {}


async def test_it_is_not_switched_while_munin_is_open(
    locked: Path, start_munin: StartMunin, capsys: pytest.CaptureFixture[str]
) -> None:
    import asyncio

    await start_munin()
    assert await asyncio.to_thread(main, ["lock", "on"]) == 1
    assert "already open" in capsys.readouterr().err and read_lock(locked) is None
