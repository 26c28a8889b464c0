"""Munin as it is given away: what `flet build` packs, started as a phone would, and the wheel, installed elsewhere."""

import json
import os
import shutil
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

import pytest

from munin_app import paths
from munin_app.config import Settings, save_settings
from tests import build_check
from tests.build_check import PROGRAM

check = build_check.load()
SOURCES = ("pyproject.toml", "setup.py", "README.md", "LICENSE", "munin_app", "assets", "requirements", "models/catalog.toml")
STARTER = "SmolLM2-135M-Instruct.Q4_1"

needs_unix = pytest.mark.skipif(os.name == "nt", reason="scripts lie elsewhere on Windows, and there are no local sockets")


@needs_unix
def test_what_is_packed_starts_from_another_folder_with_nothing_that_phones_lack() -> None:
    assert check.start_problems() == []


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A new environment with Munin's wheel in it; the dependencies are borrowed from this one. No network."""
    work = tmp_path_factory.mktemp("wheel")
    for name in SOURCES:  # a copy: setuptools leaves its work beside the sources
        (work / "source" / name).parent.mkdir(parents=True, exist_ok=True)
        copy = shutil.copytree if (PROGRAM / name).is_dir() else shutil.copy
        copy(PROGRAM / name, work / "source" / name)
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet"]
    build = [*pip, "wheel", work / "source", "--no-deps", "--no-index", "--no-build-isolation", "--wheel-dir", work / "out"]
    subprocess.run(build, check=True, timeout=300)
    (wheel,) = (work / "out").glob("munin-*.whl")
    venv.create(work / "environment", with_pip=False)
    python = work / "environment" / "bin" / "python"
    install = [*pip, "--python", python, "install", "--no-deps", "--no-index", wheel]
    subprocess.run(install, check=True, timeout=300)
    (folder,) = (work / "environment" / "lib").glob("python*/site-packages")
    (folder / "borrowed.pth").write_text(sysconfig.get_path("purelib") + "\n", encoding="utf-8")
    shutil.rmtree(work / "source")
    for path in (folder / "munin_app").rglob("*"):
        path.chmod(path.stat().st_mode & ~0o222)
    return folder / "munin_app"


def run(installed: Path, home: Path, *arguments: str, expect: int = 0) -> subprocess.CompletedProcess[str]:
    """The installed command with nothing else in its environment, from a folder that is not the program's."""
    command = installed.parents[3] / "bin" / "munin"
    elsewhere = home.parent / "elsewhere"
    elsewhere.mkdir(exist_ok=True)
    environment = {"HOME": str(elsewhere), "MUNIN_HOME": str(home)}
    done = subprocess.run([command, *arguments], cwd=elsewhere, env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == expect, done.stdout + done.stderr
    assert list(elsewhere.iterdir()) == []
    return done


def give_models(home: Path) -> None:
    """The starter models, where `munin models get` puts them."""
    shutil.copytree(paths.starter_models_folder(), home / "models", copy_function=os.symlink)
    save_settings(home / "settings.json", Settings(max_reply_tokens=16))


@needs_unix
@pytest.mark.model
def test_the_installed_wheel_is_well_and_chats(installed: Path, home: Path) -> None:
    before = check.state_of(installed)
    give_models(home)
    assert "starter models are here" in run(installed, home, "models", "get", STARTER).stdout  # intact: nothing is fetched
    parts = run(installed, home, "doctor").stdout
    assert "SmolLM2-135M-Instruct" in parts
    turn = json.loads(run(installed, home, "chat", "-m", "Hello", "--json").stdout)
    assert turn["status"] == "completed" and turn["reply"]
    assert check.state_of(installed) == before


@needs_unix
def test_the_installed_wheel_without_models_says_what_to_do(installed: Path, home: Path) -> None:
    said = run(installed, home, "chat", "-m", "Hello", expect=1).stderr
    assert f"munin models get {STARTER}" in said
    assert "munin models get ID" in run(installed, home, "models", "list").stdout


@needs_unix
def test_the_installed_wheel_speaks_german(installed: Path, home: Path) -> None:
    give_models(home)
    save_settings(home / "settings.json", Settings(language="de"))
    assert "Zu haben mit: munin models get ID" in run(installed, home, "models", "list").stdout


@needs_unix
def test_the_wheel_carries_fonts_catalogue_and_pins_and_no_weights(installed: Path) -> None:
    assert (installed / "assets" / "fonts" / "Inter-Regular.otf").is_file()
    assert (installed / "assets" / "assets" / "fonts" / "OFL-Noto.txt").is_file()
    assert (installed / "models" / "catalog.toml").is_file()
    assert (installed / "requirements" / "starter.txt").is_file()
    carried = {path.relative_to(installed).as_posix() for path in (installed / "assets").rglob("*") if path.is_file()}
    ours = {f"assets/{path.relative_to(PROGRAM / 'assets').as_posix()}" for path in (PROGRAM / "assets").rglob("*")}
    assert carried == {name for name in ours if (PROGRAM / name).is_file()}
    assert not list(installed.rglob("*.gguf")) + list(installed.rglob("*.onnx"))
