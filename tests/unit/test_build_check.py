"""build/check.py: what it says of this program, and of programs that are wrong."""

import copy
import tomllib
from pathlib import Path
from typing import Any

import pytest

from tests import build_check

check = build_check.load()


@pytest.fixture
def project() -> dict[str, Any]:
    return copy.deepcopy(check.read_project())


@pytest.fixture(scope="module")
def packages() -> dict[str, Any]:
    return tomllib.loads((build_check.PROGRAM / "build" / "phone_packages.toml").read_text(encoding="utf-8"))


def test_nothing_is_wrong_with_this_program() -> None:
    assert check.all_problems() == []


def test_a_key_that_flet_does_not_read_and_a_bad_id_are_found(project: dict[str, Any]) -> None:
    flet = project["tool"]["flet"]
    flet["app"]["excludes"] = flet["app"].pop("exclude")
    flet["bundle_id"] = "app.munin-desktop"
    flet["android"]["permission"]["android.permission.CAMERA"] = True
    found = "\n".join(check.settings_problems(flet))
    assert "has no key excludes" in found and "[tool.flet.app] lacks exclude" in found
    assert "bundle_id is 'app.munin-desktop'" in found
    assert "android.permission.CAMERA" in found


def test_a_folder_that_nobody_excluded_is_found(tmp_path: Path) -> None:
    for name in ("main.py", "assets/icon.png", "models/catalog.toml", "notes/diary.txt", "build/apk/old.apk", "docs/a.md"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("x")
    files = check.packed_files(tmp_path, ["docs"])
    found = list(check.packing_problems(tmp_path, files))
    assert [path.as_posix() for path in files if path.parts[0] not in ("assets", "models")] == ["main.py", "notes/diary.txt"]
    assert any(problem.startswith("notes would be packed") for problem in found)
    assert "assets/splash.png would not be packed" in found


def test_what_is_too_large_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(check, "FILE_MAX_BYTES", 10)
    (tmp_path / "main.py").write_text("x" * 11)
    assert "main.py has 11 bytes; at most 10" in list(check.packing_problems(tmp_path, [Path("main.py")]))


@pytest.mark.parametrize("system", ["Android", "iOS"])
def test_a_package_that_phones_cannot_have_is_found(project: dict[str, Any], packages: dict[str, Any], system: str) -> None:
    project["project"]["dependencies"] += ["sqlite-vec>=0.1.9", "numpy>=3", "psutil; platform_system == 'Windows'"]
    found = list(check.phone_problems(project, packages, system))
    assert found == [
        f"numpy>=3 is asked for on {system}, and there is 2.4.6",
        f"sqlite-vec has neither a recipe nor a pure wheel that build/phone_packages.toml names ({system})",
    ]


def test_every_package_of_the_list_ends_up_on_a_phone(project: dict[str, Any], packages: dict[str, Any]) -> None:
    """A package that nothing asks for any more leaves the list: taking it out must be found."""
    names = [*packages["recipe"], *packages["pure"]]
    for name in names:
        without = {kind: {key: value for key, value in entries.items() if key != name} for kind, entries in packages.items()}
        assert any(name in problem for problem in check.phone_problems(project, without, "Android")), name
