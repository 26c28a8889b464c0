"""`munin chat --persona` and `munin memory search --persona`, with the starter model and encoder."""

import json
from pathlib import Path

import pytest

from munin_app.cli import main

pytestmark = pytest.mark.model


def told(capsys: pytest.CaptureFixture[str], *arguments: str) -> list[dict[str, object]]:
    assert main([*arguments, "--json"]) == 0
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def test_a_persona_is_chosen_and_searched_by_its_name(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    home.mkdir()
    (home / "settings.json").write_text(json.dumps({"version": 1, "max_reply_tokens": 16}))
    key = "The boathouse key hangs behind the green door."
    (coach,) = told(capsys, "chat", "--persona", "coach", "-m", key)
    assert coach["persona"] == "coach"
    (other,) = told(capsys, "chat", "--persona", "Munin", "-m", "Good morning.")
    assert other["persona"] == "default" and other["conversation"] != coach["conversation"]
    (again,) = told(capsys, "chat", "--persona", "COACH", "-m", "Good evening.")
    assert again["conversation"] == coach["conversation"]
    question = ("memory", "search", "Where does the boathouse key hang?")
    assert told(capsys, *question)[0]["text"] == told(capsys, *question, "--persona", "Coach")[0]["text"] == key
    assert all(one["scope"] == "shared" for one in told(capsys, *question, "--persona", "Munin"))
    assert main(["chat", "--persona", "Tutor", "--conversation", str(coach["conversation"]), "-m", "Hello"]) == 1
    assert "stays with Coach" in capsys.readouterr().err
