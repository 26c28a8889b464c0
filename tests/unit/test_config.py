"""Settings: defaults, refusals, atomic saving."""

import json
from pathlib import Path

import pytest

from munin_app.config import Settings, load_settings, save_settings
from munin_app.errors import SettingsError


def test_no_file_means_the_defaults(tmp_path: Path) -> None:
    assert load_settings(tmp_path / "settings.json") == Settings()


def test_what_was_saved_comes_back(tmp_path: Path) -> None:
    settings = Settings(theme="dark", context_tokens=2048, memory_on=False)
    save_settings(tmp_path / "settings.json", settings)
    assert load_settings(tmp_path / "settings.json") == settings
    assert [path.name for path in tmp_path.iterdir()] == ["settings.json"]


@pytest.mark.parametrize(
    ("document", "said"),
    [
        ('{"version": 1, "temprature": 0.5}', "temprature"),
        ('{"version": 2}', "version 2"),
        ('{"version": 1, "theme": "purple"}', "purple"),
        ('{"version": 1, "context_tokens": 12}', "context_tokens"),
        ('{"version": 1, "context_tokens": "many"}', "context_tokens"),
        ('{"version": 1, "context_tokens": null}', "cannot be used"),
        ('{"version": 1, "kv_type": "q4"}', "kv_type"),
        ('{"version": 1, "gpu_layers": -2}', "gpu_layers"),
        ('{"version": 1, "memory_on": "false"}', "\"memory_on\" is 'false'; expected bool"),
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
