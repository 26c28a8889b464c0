"""Bad files and bad places, at the terminal: one helpful line, the right exit code, nothing lost, chat goes on."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from munin_app import paths
from tests.e2e.terminal import environment, keep_short, lines, munin, turn

STARTER = "SmolLM2-135M-Instruct.Q4_1.gguf"


def error(done: subprocess.CompletedProcess[str]) -> str:
    """The one line on standard error; never a traceback."""
    (line,) = done.stderr.splitlines()
    assert line.startswith("munin: ")
    return line


def use_model(home: Path, path: Path) -> str:
    keep_short(home)
    return error(munin(home, "models", "use", str(path), expect=1))


def test_a_model_file_that_is_not_there(home: Path, tmp_path: Path) -> None:
    assert "is not there" in use_model(home, tmp_path / "missing.gguf")


def test_a_model_file_that_is_text(home: Path, tmp_path: Path) -> None:
    (tmp_path / "text.gguf").write_text("Dear diary, " * 1000)
    assert "text.gguf" in use_model(home, tmp_path / "text.gguf")


def test_a_model_file_that_is_cut_off_and_the_old_one_stays(home: Path, tmp_path: Path) -> None:
    whole = paths.starter_models_folder() / STARTER
    with whole.open("rb") as source, (tmp_path / "half.gguf").open("wb") as half:
        shutil.copyfileobj(source, half, 1024)
        half.truncate(whole.stat().st_size // 2)
    assert "half.gguf" in use_model(home, tmp_path / "half.gguf")
    assert turn(home, "Hello")["status"] == "completed"


def test_a_data_folder_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    said = error(munin(tmp_path / "file" / "home", "chat", "-m", "Hello", expect=1))
    assert "cannot write to its data folder" in said and "MUNIN_HOME" in said


def test_a_message_of_200_kilobytes_is_refused_and_not_saved(home: Path) -> None:
    keep_short(home)
    done = munin(home, "chat", "--json", input="word " * 40_000 + "\nHello\n", expect=1)
    assert "too long for the model" in error(done)
    (hello,) = lines(done)
    assert hello["status"] == "completed"


def test_an_empty_message_is_refused(home: Path) -> None:
    assert "nothing to send" in error(munin(home, "chat", "-m", "  ", expect=1))


def test_a_message_of_emoji_and_cjk_only(home: Path) -> None:
    told = turn(home, "👩‍🔬🇳🇴 こんにちは世界 🦉")
    assert told["status"] == "completed"
    assert (
        json.loads(munin(home, "memory", "list", "--json", "--limit", "2").stdout.splitlines()[-1])["text"]
        == "👩‍🔬🇳🇴 こんにちは世界 🦉"
    )


def test_a_memory_database_of_random_bytes_is_set_aside_and_rebuilt(home: Path) -> None:
    told = turn(home, "The boathouse key is behind the green door.")
    (home / "munin_memory.db").write_bytes(os.urandom(20_000))
    for log in home.glob("munin_memory.db-*"):
        log.unlink()
    assert turn(home, "Hello", "--new")["status"] == "completed"
    assert "munin_memory.db.damaged-" in munin(home, "doctor", expect=1).stdout
    remembered = {memory["message_id"] for memory in lines(munin(home, "memory", "list", "--json"))}
    assert told["message"] in remembered


def test_a_profile_cut_in_half_is_set_aside_and_said(home: Path) -> None:
    turn(home, "My name is Ada.")
    whole = (home / "profile.json").read_bytes()
    (home / "profile.json").write_bytes(whole[: len(whole) // 2])
    assert turn(home, "Hello")["status"] == "completed"
    (kept,) = home.glob("profile.json.damaged-*")
    assert kept.read_bytes() == whole[: len(whole) // 2]
    assert "profile.json.damaged-" in munin(home, "doctor", expect=1).stdout


def test_two_munins_on_one_folder_the_second_says_so_and_readers_work(home: Path) -> None:
    turn(home, "My name is Ada.")
    with subprocess.Popen(
        [sys.executable, "-m", "munin_app.cli", "chat", "--json"],
        env=environment(home),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as first:
        assert first.stdin and first.stdout
        first.stdin.write("Hello\n")
        first.stdin.flush()
        first.stdout.readline()  # its first turn is done: it owns the folder
        assert "already open" in error(munin(home, "chat", "-m", "Hello", expect=1))
        assert "already open" in error(munin(home, "memory", "add", "Likes tea", expect=1))
        assert any("Ada" in fact["text"] for fact in lines(munin(home, "memory", "facts", "--json")))
        assert "Munin is open on it" in munin(home, "doctor").stdout
        first.stdin.close()
    assert turn(home, "Hello")["status"] == "completed"


def test_settings_with_a_typing_error_are_refused_by_name(home: Path) -> None:
    home.mkdir()
    (home / "settings.json").write_text('{"version": 1, "temprature": 1}')
    assert "temprature" in error(munin(home, "chat", "-m", "Hello", expect=1))


@pytest.mark.parametrize("arguments", [("memory",), ("chat", "--new", "--conversation", "x"), ("fly",)])
def test_wrong_usage_is_exit_code_2(home: Path, arguments: tuple[str, ...]) -> None:
    munin(home, *arguments, expect=2)


def test_an_unknown_conversation_is_said(home: Path) -> None:
    assert "There is no conversation nowhere" in error(munin(home, "chat", "-m", "Hello", "--conversation", "nowhere", expect=1))
