"""Window or browser: decided by what is on this machine, never by fetching something."""

from pathlib import Path

import flet_desktop
import flet_desktop.version
import pytest

from munin_app import main


@pytest.fixture
def user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A user's folder without any client, on a Linux machine with a display."""
    for name in ("FLET_VIEW_PATH", "WAYLAND_DISPLAY", "FLET_DESKTOP_FLAVOR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("DISPLAY", ":0")
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    monkeypatch.setattr(main, "is_linux", lambda: True)
    monkeypatch.setattr(flet_desktop, "get_package_bin_dir", lambda: str(tmp_path / "package"))
    return tmp_path


def client(user: Path) -> Path:
    return user / ".flet" / "client" / f"flet-desktop-light-{flet_desktop.version.version}"


def test_without_a_client_there_is_no_window(user: Path) -> None:
    assert not main.desktop_client_is_here()


def test_with_the_client_of_set_up_there_is_one(user: Path) -> None:
    client(user).mkdir(parents=True)
    assert main.desktop_client_is_here()


def test_client_without_a_display_opens_no_window(user: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    client(user).mkdir(parents=True)
    monkeypatch.delenv("DISPLAY")
    assert not main.desktop_client_is_here()


def test_client_of_another_version_does_not_count(user: Path) -> None:
    client(user).with_name("flet-desktop-light-0.1.0").mkdir(parents=True)
    assert not main.desktop_client_is_here()
