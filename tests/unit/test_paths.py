"""Where things live: one data folder for app and terminal on a computer, Flet's own on a phone."""

from pathlib import Path

import pytest

from munin_app import paths


@pytest.mark.parametrize(("platform", "is_flets"), [("android", True), ("ios", True), ("linux", False), ("windows", False)])
def test_flets_folder_is_for_phones(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, platform: str, is_flets: bool) -> None:
    monkeypatch.delenv("MUNIN_HOME")
    monkeypatch.setenv("FLET_APP_STORAGE_DATA", str(tmp_path))
    monkeypatch.setenv("FLET_PLATFORM", platform)
    assert (paths.data_folder() == tmp_path) is is_flets
