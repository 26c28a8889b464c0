"""What a newcomer meets in the terminal: nothing here yet, a wrong word, a broken file, another language."""

import asyncio
import subprocess
import sys
from pathlib import Path

import pytest

from munin_app import doctor
from munin_app.chat.commands import completions
from munin_app.cli import main
from munin_app.memory.status import ArmState
from tests.tiny_models import write_tiny_model


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("memory", "facts"), "No facts yet."),
        (("memory", "list"), "Nothing found."),
        (("export",), "No conversation yet."),
    ],
)
def test_nothing_here_is_said(home: Path, capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], said: str) -> None:
    assert main(arguments) == 0
    assert said in capsys.readouterr().out


def test_name_of_a_file_does_not_drive_the_terminal(home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["import", str(tmp_path / "red\x1b[31m.zip")]) == 1
    error = capsys.readouterr().err
    assert "red[31m.zip" in error and "\x1b" not in error


def test_model_that_is_cut_off_is_not_added(home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    whole = write_tiny_model(tmp_path / "whole.gguf", "llama")
    cut = tmp_path / "cut.gguf"
    cut.write_bytes(whole.read_bytes()[:200])
    assert main(["models", "add", str(cut)]) == 1
    assert "is damaged or incomplete" in capsys.readouterr().err
    assert not (home / "models" / "cut.gguf").exists()


def test_doctor_goes_on_where_settings_are_damaged(home: Path) -> None:
    home.mkdir()
    (home / "munin_memory.db").touch()
    (home / "settings.json").write_text('{"version": 1')
    (memory,) = asyncio.run(doctor._memory())
    assert memory.state is ArmState.OFF and "settings.json cannot be used" in memory.detail


def test_everything_is_not_exported_before_there_is_something(
    home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["export", "--everything", str(tmp_path / "all.jsonl")]) == 1
    error = capsys.readouterr().err
    assert "There is nothing to export yet" in error and "CantOpen" not in error
    assert not (tmp_path / "all.jsonl").exists()


def test_facts_and_files_are_described_in_german(
    home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MUNIN_LANGUAGE", "de")
    assert main(["memory", "add", "Name is Ada"]) == 0
    capsys.readouterr()
    assert main(["memory", "facts"]) == 0
    assert "(name; aktiv, von Hand; alle)" in capsys.readouterr().out
    model = write_tiny_model(tmp_path / "whole.gguf", "llama")
    assert main(["models", "about", str(model)]) == 0
    said = capsys.readouterr().out
    assert "Architektur: llama" in said and "parameters" not in said


def test_help_and_wrong_use_are_german_in_german(
    home: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MUNIN_LANGUAGE", "de")
    with pytest.raises(SystemExit):
        main(["--help"])
    said = capsys.readouterr().out
    assert "Aufruf: munin" in said and "Optionen:" in said and "usage" not in said and "show " not in said
    with pytest.raises(SystemExit):
        main(["sing"])
    assert "munin: Fehler: Argument command: 'sing' gibt es hier nicht" in capsys.readouterr().err
    assert [command.usage for command in completions("/mem")] == ["/memories [WÖRTER]"]


def test_command_has_no_heavy_imports_before_ctrl_c_is_heard() -> None:
    """Else Ctrl+C in the first seconds on a slow machine ends in a traceback."""
    code = "import sys, munin_app.cli; sys.exit(' '.join({'munin_app.bootstrap', 'babel', 'apsw'} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stderr.strip() == ""
