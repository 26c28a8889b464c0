"""Personas in the terminal: who answers, whose facts and memories are whose."""

import json

import pytest

from munin_app.cli import main


def run(capsys: pytest.CaptureFixture[str], *arguments: str, code: int = 0) -> str:
    assert main(arguments) == code
    said = capsys.readouterr()
    return said.err if code else said.out


def test_a_fact_is_added_for_a_persona_listed_with_its_owner_and_moved(capsys: pytest.CaptureFixture[str]) -> None:
    added = json.loads(run(capsys, "memory", "add", "Lives in Oslo", "--scope", "coach", "--json"))
    assert added["scope"] == "persona:coach"
    run(capsys, "memory", "add", "Likes tea")
    lines = run(capsys, "memory", "facts").splitlines()
    assert [line.split("; ")[-1] for line in sorted(lines)] == ["Coach)", "everyone)"]
    moved = json.loads(run(capsys, "memory", "edit", added["id"], "--scope", "everyone", "--json"))
    assert (moved["text"], moved["scope"]) == ("Lives in Oslo", "shared")
    both = json.loads(run(capsys, "memory", "edit", added["id"], "Lives in Bergen", "--scope", "Coach", "--json"))
    assert (both["text"], both["scope"]) == ("Lives in Bergen", "persona:coach")


def test_what_has_no_memory_of_its_own_and_what_is_unknown_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert "shares everyone's memory" in run(capsys, "memory", "add", "Likes tea", "--scope", "tutor", code=1)
    assert "There are: Munin, Editor, Tutor, Coach." in run(capsys, "memory", "add", "Likes tea", "--scope", "nobody", code=1)
    assert "There is no persona “nobody”" in run(capsys, "memory", "search", "tea", "--persona", "nobody", code=1)
    assert "give the corrected text" in run(capsys, "memory", "edit", "0", code=2)
    assert "No facts yet." in run(capsys, "memory", "facts")
