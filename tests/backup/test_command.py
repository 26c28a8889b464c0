"""`munin backup`, `munin restore`, and `munin erase` as a user meets them."""

import asyncio
import errno
from pathlib import Path

import pytest

from munin_app.backup.pending import ERASE_BUT_MODELS, ask_to_erase, erase_if_asked
from munin_app.cli import main
from munin_app.errors import BackupError
from tests.backup.profiles import content, content_hash
from tests.conftest import StartMunin

MARKER = "the boathouse key hangs behind the green door"


def test_backup_beside_an_open_app_and_restore(
    backup: Path, home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    hashed = content_hash(home)
    assert main(["backup", str(tmp_path)]) == 0
    assert "chats 3, messages 30, facts 2, personas 0" in capsys.readouterr().out
    (target,) = tmp_path.glob("munin-*.zip")
    (home / "munin.db").unlink()
    assert main(["restore", str(target), "--yes"]) == 0
    assert "written by Munin" in capsys.readouterr().out
    assert content_hash(home) == hashed
    assert main(["restore", str(target), "--merge", "--yes"]) == 0
    assert content_hash(home) == hashed


def test_errors_are_one_line(backup: Path, home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["restore", str(home / "nothing.zip")]) == 1
    assert capsys.readouterr().err.count("\n") == 1
    backup.write_bytes(backup.read_bytes()[:-9])
    assert main(["restore", str(backup), "--yes"]) == 1
    assert "is damaged, cut short or no backup of Munin" in capsys.readouterr().err


def test_nothing_is_restored_or_erased_without_a_yes(backup: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("builtins.input", lambda _: "no")
    before = content(home)
    assert main(["restore", str(backup)]) == 1
    assert main(["erase"]) == 1
    assert content(home) == before and not list(home.glob("restore.*"))


async def test_an_open_app_keeps_the_folder(
    backup: Path, home: Path, start_munin: StartMunin, capsys: pytest.CaptureFixture[str]
) -> None:
    await start_munin()
    assert await asyncio.to_thread(main, ["restore", str(backup), "--yes"]) == 1
    assert "already open" in capsys.readouterr().err
    assert await asyncio.to_thread(main, ["backup", str(backup.with_name("again.zip"))]) == 0


@pytest.mark.parametrize("models", [False, True])
async def test_erasing_leaves_an_empty_folder(home: Path, start_munin: StartMunin, models: bool) -> None:
    munin = await start_munin()
    conversation = await munin.controller.new_conversation()
    await munin.controller.send(conversation.id, f"Remember: {MARKER}. I live in Oslo.")
    await munin.controller.drain()
    await munin.memory.warm_up()
    (home / "models").mkdir(exist_ok=True)
    (home / "models" / "one.gguf").write_bytes(b"weights")
    (home / "sessions").mkdir(exist_ok=True)
    (home / "sessions" / "one.kv").write_bytes(MARKER.encode())
    for name in ("munin.db.version-1", "munin.db.version-2.part", "profile.json.version-1"):  # copies from before an upgrade
        (home / name).write_bytes(MARKER.encode())
    assert any(MARKER.encode() in path.read_bytes() for path in home.rglob("*") if path.is_file())
    ask_to_erase(home, models=models)
    await munin.close()
    left = {str(path.relative_to(home)) for path in home.rglob("*")}
    assert left == (set() if models else {"models", "models/one.gguf"})


def test_erasing_follows_no_link_and_leaves_what_is_not_munins(home: Path, tmp_path: Path) -> None:
    home.mkdir()
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "big.gguf").write_bytes(b"weights")
    (home / "models").symlink_to(tmp_path / "elsewhere")
    (home / "letter.txt").write_text("mine")
    ask_to_erase(home, models=True)
    erase_if_asked(home)
    assert [path.name for path in home.iterdir()] == ["letter.txt"] and (tmp_path / "elsewhere" / "big.gguf").exists()


def test_what_munin_wrote_through_a_linked_folder_is_erased(home: Path, tmp_path: Path) -> None:
    home.mkdir()
    (tmp_path / "elsewhere").mkdir()
    for name in ("one.kv", "letter.txt"):
        (tmp_path / "elsewhere" / name).write_bytes(b"said")
    (home / "sessions").symlink_to(tmp_path / "elsewhere")
    ask_to_erase(home, models=True)
    erase_if_asked(home)
    assert [path.name for path in (home / "sessions").iterdir()] == ["letter.txt"]


def test_what_was_asked_for_before_and_cannot_be_taken_back_is_said(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home.mkdir()
    ask_to_erase(home, models=False)
    unlink = Path.unlink

    def refuse(self: Path, missing_ok: bool = False) -> None:
        if self.name == ERASE_BUT_MODELS:
            raise PermissionError(errno.EACCES, "Permission denied", str(self))
        unlink(self, missing_ok)

    monkeypatch.setattr(Path, "unlink", refuse)
    with pytest.raises(BackupError, match=f"{ERASE_BUT_MODELS} could not be deleted"):
        ask_to_erase(home, models=True)
    assert [path.name for path in home.iterdir()] == [ERASE_BUT_MODELS]


def test_the_erase_command(backup: Path, home: Path) -> None:
    assert main(["erase", "--yes"]) == 0
    assert list(home.iterdir()) == []
