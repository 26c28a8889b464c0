"""Settings: defaults, refusals, atomic saving."""

import json
from pathlib import Path

import pytest

from munin_app.config import ModelSettings, Settings, load_settings, save_settings
from munin_app.errors import SettingsError


def test_no_file_means_the_defaults(tmp_path: Path) -> None:
    assert load_settings(tmp_path / "settings.json") == Settings()


def test_what_was_saved_comes_back(tmp_path: Path) -> None:
    model = ModelSettings(temperature=0, top_k=5, context_tokens=0, instructions="Rhyme.")
    settings = Settings(theme="dark", context_tokens=2048, memory_on=False, model_settings={"/a.gguf": model})
    save_settings(tmp_path / "settings.json", settings)
    assert load_settings(tmp_path / "settings.json") == settings
    assert [path.name for path in tmp_path.iterdir()] == ["settings.json"]


@pytest.mark.parametrize(
    ("document", "said"),
    [
        ('{"version": 1, "temprature": 0.5}', "temprature"),
        ('{"version": 2}', "version 2"),
        ('{"version": 1, "theme": "purple"}', "purple"),
        ('{"version": 1, "text_size": 90}', "text_size"),
        ('{"version": 1, "text_size": 115.5}', 'text_size" is 115.5; expected int'),
        ('{"version": 1, "density": "tight"}', "tight"),
        ('{"version": 1, "contrast": true}', "contrast"),
        ('{"version": 1, "motion": "none"}', "motion\" is 'none'; expected system or full or reduced"),
        ('{"version": 1, "context_tokens": 12}', "context_tokens"),
        ('{"version": 1, "context_tokens": "many"}', "context_tokens"),
        ('{"version": 1, "context_tokens": null}', "cannot be used"),
        ('{"version": 1, "kv_type": "q4"}', "kv_type"),
        ('{"version": 1, "gpu_layers": -2}', "gpu_layers"),
        ('{"version": 1, "memory_on": "false"}', "\"memory_on\" is 'false'; expected bool"),
        ('{"version": 1, "model_settings": {"/a.gguf": {"temprature": 1}}}', "temprature"),
        ('{"version": 1, "model_settings": {"/a.gguf": {"temperature": 9}}}', 'temperature" is 9; expected 0 to 2'),
        ('{"version": 1, "model_settings": {"/a.gguf": {"top_k": 0.5}}}', 'top_k" is 0.5; expected int or None'),
        ('{"version": 1, "model_settings": {"/a.gguf": 3}}', "model_settings"),
        ('{"version": 1, "model_settings": {"/a.gguf": {"instructions": "%s"}}}' % ("x" * 2001), "2001 characters"),
        ('{"version": 1', "cannot be used"),
        ("[]", "cannot be used"),
        ("", "cannot be used"),
    ],
)
def test_a_file_that_cannot_be_used_is_refused_by_name_and_left_alone(tmp_path: Path, document: str, said: str) -> None:
    path = tmp_path / "settings.json"
    path.write_text(document)
    with pytest.raises(SettingsError, match=said):
        load_settings(path)
    assert path.read_text() == document


def test_a_value_out_of_range_is_refused_at_once() -> None:
    with pytest.raises(SettingsError, match="temperature"):
        Settings(temperature=3)
    assert json.dumps(Settings().temperature)


def test_only_what_was_set_for_a_model_is_written(tmp_path: Path) -> None:
    save_settings(tmp_path / "settings.json", Settings(model_settings={"/a.gguf": ModelSettings(top_k=0)}))
    assert json.loads((tmp_path / "settings.json").read_text())["model_settings"] == {"/a.gguf": {"top_k": 0}}


def test_settings_of_a_model_come_before_those_of_all() -> None:
    own = ModelSettings(context_tokens=4096, load_anyway=True)
    settings = Settings(max_reply_tokens=64, model_settings={"/a.gguf": own})
    found = settings.for_model(Path("/a.gguf"))
    assert (found.context_tokens, found.max_reply_tokens, found.load_anyway) == (4096, 64, True)
    assert settings.for_model(Path("/b.gguf")) == settings
