"""`munin models settings` and `munin chat --model`, in this process and over scripted models."""

import json
from pathlib import Path

import pytest

from munin_app.bootstrap import munin
from munin_app.cli import main
from munin_app.config import ModelSettings, load_settings
from tests.named_models import NamedModels, model_files


@pytest.fixture
def models(home: Path, no_starter: None, monkeypatch: pytest.MonkeyPatch) -> NamedModels:
    model_files(home / "models", "auk", "wren")
    models = NamedModels()
    monkeypatch.setattr(munin, "llama_model", models.make)
    return models


def test_settings_of_a_model_are_shown_changed_and_reset(
    home: Path, models: NamedModels, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["models", "settings", "wren", "--temperature", "0.2", "--top-k", "5", "--instructions", "Rhyme."]) == 0
    said = capsys.readouterr().out
    assert "temperature  0.2  (set by you)" in said and "top_p  0.95  (Munin's own)" in said and "Rhyme." in said
    path = home / "models" / "wren.gguf"
    assert load_settings(home / "settings.json").set_for(path) == ModelSettings(temperature=0.2, top_k=5, instructions="Rhyme.")
    assert main(["models", "settings", "wren", "--reset"]) == 0
    assert load_settings(home / "settings.json").model_settings == {}
    assert models.loaded() == []


@pytest.mark.parametrize(("arguments", "said"), [(["wren", "--top-p", "7"], "expected 0 to 1"), (["owl"], "no model")])
def test_what_cannot_be_set_is_refused(
    models: NamedModels, capsys: pytest.CaptureFixture[str], arguments: list[str], said: str
) -> None:
    assert main(["models", "settings", *arguments]) == 1
    assert said in capsys.readouterr().err


def reply(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[str, str]:
    """The reply, and what was said on standard error."""
    assert main(["chat", "--json", "-m", "Who are you?", *arguments]) == 0
    said = capsys.readouterr()
    return json.loads(said.out)["reply"], said.err


def test_model_of_a_conversation_is_chosen_kept_and_only_that_one_is_loaded(
    home: Path, models: NamedModels, capsys: pytest.CaptureFixture[str]
) -> None:
    assert reply(capsys, "--model", "wren") == ("I am wren.", "")
    assert reply(capsys) == ("I am wren.", "")
    assert models.newest["auk"].requests == [] and "auk" not in models.loaded()
    (home / "models" / "wren.gguf").unlink()
    answer, note = reply(capsys)
    assert answer == "I am auk." and "wren, the model of this chat, is no longer here. auk answers instead." in note
    assert reply(capsys, "--model", "default") == ("I am auk.", "")


def test_model_for_background_work_is_chosen_listed_and_given_back(
    home: Path, models: NamedModels, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["models", "background", "wren"]) == 0
    assert load_settings(home / "settings.json").background_model == str(home / "models" / "wren.gguf")
    assert main(["models", "list"]) == 0
    assert "wren does the background work.\n" in (said := capsys.readouterr().out) and "(background work" in said
    assert main(["models", "background", "owl"]) == 1
    assert "no model" in capsys.readouterr().err
    assert main(["models", "background", "same"]) == 0
    assert load_settings(home / "settings.json").background_model == "" and models.loaded() == []
