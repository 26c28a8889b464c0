"""`munin import` as a user meets it."""

import asyncio
import json
from pathlib import Path

import pytest

from munin_app.cli import main
from tests.conftest import StartMunin
from tests.imports.exports import EVERY, as_json, as_zip, chatgpt


def test_a_dry_run_writes_nothing(home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = as_zip(tmp_path, {"conversations.json": [chatgpt("c-1"), chatgpt("c-2", title="Second \x1b[2J\nline")]})
    assert main(["import", str(file), "--dry-run"]) == 0
    out = capsys.readouterr().out
    assert "ChatGPT: 2 chats, 10 messages, from 14 Nov 2023 to 14 Nov 2023." in out
    assert "Left out:" in out and "2 messages that the other app hides" in out
    assert "Harbours" in out and "\x1b" not in out and "Second [2J line" in out
    assert not (home / "munin.db").exists()


def test_all_then_one_then_nothing_new(home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = as_json(tmp_path, [chatgpt("c-1"), chatgpt("c-2", title="Second")])
    assert main(["import", str(file), "--dry-run", "--json"]) == 0
    *found, whole = map(json.loads, capsys.readouterr().out.splitlines())
    assert whole["apps"] == ["ChatGPT"] and whole["new"] == 10
    second = next(one["id"] for one in found if one["title"] == "Second")
    assert main(["import", str(file), "--select", second]) == 0
    assert "Imported 1 new chats and 5 messages." in capsys.readouterr().out
    assert main(["import", str(file)]) == 0
    out = capsys.readouterr().out
    assert "1 chat is here already." in out and "Imported 1 new chats and 5 messages." in out
    assert main(["import", str(file), "--dry-run"]) == 0
    assert "2 chats are here already." in capsys.readouterr().out


def test_remembered_when_the_command_ends(home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = as_json(tmp_path, EVERY["PocketPal"])
    assert main(["import", str(file), "--remember"]) == 0
    capsys.readouterr()
    assert main(["memory", "list"]) == 0
    assert "Where shall I walk?" in capsys.readouterr().out


def test_errors_are_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = as_json(tmp_path, EVERY["PocketPal"])
    for arguments, sentence in (
        ([str(tmp_path / "nothing")], "is no file"),
        ([str(file), "--select", "abc"], "holds no chat abc"),
        ([str(file), "--facts"], "--facts needs --remember"),
        ([str(as_json(tmp_path, "[", "bad.json"))], "cut short"),
    ):
        assert main(["import", *arguments]) == 1
        error = capsys.readouterr().err
        assert sentence in error and error.count("\n") == 1


async def test_beside_an_open_app_only_a_look(
    start_munin: StartMunin, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    await start_munin()
    file = as_json(tmp_path, EVERY["Claude"])
    assert await asyncio.to_thread(main, ["import", str(file), "--dry-run"]) == 0
    assert await asyncio.to_thread(main, ["import", str(file)]) == 1
    assert "already open" in capsys.readouterr().err
