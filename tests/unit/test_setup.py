"""What set-up promises: pinned and hashed requirements, plain words when something is missing, fonts for every script."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import flet_web
import pytest

PROGRAM = Path(__file__).resolve().parents[2]
LOCKED = ["app", "build", "dev", "llama", "starter"]

needs_make = pytest.mark.skipif(
    shutil.which("make") is None or os.name == "nt", reason="make is not here: set-up runs without it on Windows"
)


def locked(name: str) -> str:
    return (PROGRAM / "requirements" / f"{name}.txt").read_text(encoding="utf-8")


def pins(name: str) -> set[str]:
    return set(re.findall(r"^([\w.-]+==\S+)", locked(name), flags=re.MULTILINE))


@pytest.mark.parametrize("name", LOCKED)
def test_every_requirement_is_pinned_and_hashed(name: str) -> None:
    lines = [line for line in locked(name).splitlines() if line and not line.startswith((" ", "#"))]
    assert lines
    assert all("==" in line and line.endswith("\\") for line in lines)
    assert locked(name).count("--hash=sha256:") >= len(lines)


@pytest.mark.parametrize("name", LOCKED)
def test_requirements_name_no_host_and_no_folder(name: str) -> None:
    assert not re.search(r"https?:|file:|@ |--(extra-)?index|--find-links|(^|\s)/", locked(name))


def test_what_is_tested_is_what_is_installed() -> None:
    assert pins("app") < pins("dev")
    assert pins("llama") < pins("app")


@pytest.fixture
def make(tmp_path: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Runs make in a bare copy: the files that the Makefile reads, and no .venv."""
    shutil.copy(PROGRAM / "Makefile", tmp_path)
    shutil.copy(PROGRAM / "pyproject.toml", tmp_path)
    shutil.copytree(PROGRAM / "requirements", tmp_path / "requirements")
    (tmp_path / "models").mkdir()
    shutil.copy(PROGRAM / "models" / "catalog.toml", tmp_path / "models")

    def run(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
        kept = {key: value for key, value in os.environ.items() if key not in ("CMAKE_ARGS", "MAKEFLAGS", "MFLAGS", "MAKELEVEL")}
        return subprocess.run(
            ["make", *arguments], cwd=tmp_path, env=kept | environment, capture_output=True, text=True, check=False, timeout=120
        )

    return run


@needs_make
def test_set_up_without_python_says_what_to_install(make: Callable[..., subprocess.CompletedProcess[str]]) -> None:
    done = make("setup", "PYTHON=no-such-python")
    assert done.returncode != 0
    assert "Munin needs Python 3.11 or newer; no no-such-python was found" in done.stderr
    assert "apt install python3" in done.stderr


@needs_make
def test_set_up_with_an_old_python_says_which_it_found(
    make: Callable[..., subprocess.CompletedProcess[str]], tmp_path: Path
) -> None:
    old = tmp_path / "old-python"
    old.write_text('#!/bin/sh\n[ "$1" = -V ] && { echo Python 3.9.2; exit 0; }\nexit 1\n', encoding="utf-8")
    old.chmod(0o755)
    done = make("setup", f"PYTHON={old}")
    assert done.returncode != 0
    assert "is Python 3.9.2" in done.stderr
    assert not (tmp_path / ".venv").exists()


def wheel_cache(plan: subprocess.CompletedProcess[str]) -> str:
    found = re.search(r'PIP_CACHE_DIR="([^"]+)"', plan.stdout)
    assert found is not None, plan.stderr
    return found[1]


@needs_make
def test_llama_is_built_portable_and_the_users_flags_win_with_a_cache_of_their_own(
    make: Callable[..., subprocess.CompletedProcess[str]],
) -> None:
    portable, native = make("-n", "setup"), make("-n", "setup", CMAKE_ARGS="-DGGML_NATIVE=ON")
    assert wheel_cache(portable) != wheel_cache(native)
    assert wheel_cache(portable) == wheel_cache(make("-n", "setup", CMAKE_ARGS="-DGGML_NATIVE=OFF"))


def test_a_desktop_client_that_cannot_be_had_is_one_plain_sentence(tmp_path: Path) -> None:
    environment = os.environ | {
        "HOME": str(tmp_path),
        "USERPROFILE": str(tmp_path),
        "FLET_CLIENT_URL": "http://127.0.0.1:9/client",
    }
    script = PROGRAM / "tools" / "desktop_client.py"
    done = subprocess.run([sys.executable, script], env=environment, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0
    assert "Munin opens in your browser instead" in done.stdout
    assert "Traceback" not in done.stdout + done.stderr


def test_every_fallback_font_that_the_web_client_asks_for_is_shipped() -> None:
    client = (Path(flet_web.get_package_web_dir()) / "main.dart.js").read_text(encoding="utf-8")
    asked_for = re.findall(r'A\.z\("Noto [^"]*","([^"]*)"\)', client)
    assert len(asked_for) > 700
    missing = [path for path in asked_for if not (PROGRAM / "assets" / "assets" / "fonts" / path).is_file()]
    assert missing == []


def test_every_shipped_font_has_its_licence_beside_it() -> None:
    for folder, licences in {
        PROGRAM / "assets" / "fonts": {"OFL-Inter.txt", "OFL-EBGaramond.txt", "OFL-JetBrainsMono.txt"},
        PROGRAM / "assets" / "assets" / "fonts": {"OFL-Noto.txt"},
    }.items():
        assert licences == {path.name for path in folder.glob("OFL-*.txt")}
        assert all("SIL Open Font License, Version 1.1" in (folder / name).read_text(encoding="utf-8") for name in licences)
