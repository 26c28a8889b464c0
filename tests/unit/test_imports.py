"""The direction of imports: ui, cli, main → bootstrap → {backup, imports} → chat → {memory, profile, …} → storage."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

PROGRAM = Path(__file__).resolve().parents[2]

BASE = {"errors", "i18n"}  # and every layer may import itself
PARTS = {"memory", "profile", "inference", "library"}
BESIDE = {"backup", "locking", "imports"}
BELOW_UI = {"domain", "storage", *PARTS, "chat", *BESIDE, "bootstrap", "config", "paths", "evaluation", "doctor", "fits", "about"}
MAY_IMPORT: dict[str, set[str]] = {
    "errors": set(),
    "i18n": set(),
    "domain": set(),
    "paths": BASE,
    "config": BASE | {"storage"},
    "storage": BASE | {"domain"},
    **{part: BASE | {"domain", "storage", "paths", "config"} for part in PARTS},
    "chat": BASE | {"domain", "storage", "paths", "config", *PARTS},
    "locking": BASE | {"storage"},
    "backup": BASE | {"domain", "storage", "paths", "config", "profile", "library", "chat", "locking"},
    "imports": BASE | {"domain", "storage", "chat"},
    "bootstrap": BASE | BELOW_UI,
    "evaluation": BASE | BELOW_UI,
    "doctor": BASE | BELOW_UI,
    "fits": BASE | BELOW_UI,
    "about": BASE | {"paths"},
    "ui": BASE | BELOW_UI,
    "cli": BASE | BELOW_UI | {"main", "ui"},
    "main": BASE | BELOW_UI | {"ui"},
}
ONLY_IN: dict[str, set[str]] = {
    "flet": {"ui", "main"},
    "flet_web": {"ui", "main"},
    "flet_desktop": {"ui", "main"},
    "llama_cpp": {"inference"},
    "onnxruntime": {"memory"},
}


def imported_modules(source: str, package: str) -> Iterator[str]:
    """Every module that the source imports, anywhere in it, relative imports made absolute."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                base = ".".join([*package.split(".")[: len(package.split(".")) - node.level + 1], *filter(None, [node.module])])
            yield from (f"{base}.{alias.name}" for alias in node.names)


def layer_of(file: Path, program: Path) -> str:
    return file.relative_to(program / "munin_app").parts[0].removesuffix(".py")


def forbidden_imports(program: Path) -> list[str]:
    """One line for each import that runs up, sideways, or takes a library that belongs to another layer."""
    found = []
    for file in sorted((program / "munin_app").rglob("*.py")):
        layer = layer_of(file, program)
        package = ".".join(file.relative_to(program).parent.parts)
        for module in imported_modules(file.read_text(encoding="utf-8"), package):
            if not is_allowed(layer, module):
                found.append(f"{file.relative_to(program)} ({layer}) imports {module}")
    return found


def is_allowed(layer: str, module: str) -> bool:
    root, *rest = module.split(".")
    if root in ONLY_IN:
        return layer in ONLY_IN[root]
    if root != "munin_app" or not rest or rest[0] == "__version__":
        return True
    return rest[0] == layer or rest[0] in MAY_IMPORT.get(layer, set())


def test_every_layer_has_its_place_in_the_table() -> None:
    layers = {layer_of(file, PROGRAM) for file in (PROGRAM / "munin_app").rglob("*.py")} - {"__init__", "__main__"}
    assert layers <= MAY_IMPORT.keys()


def test_imports_run_in_one_direction() -> None:
    assert forbidden_imports(PROGRAM) == []


@pytest.mark.parametrize(
    ("file", "line"),
    [
        ("domain/facts.py", "from munin_app.storage import database"),
        ("memory/service.py", "import munin_app.profile.service"),
        ("memory/service.py", "from ..inference import engine"),
        ("memory/service.py", "from munin_app import chat"),
        ("storage/database.py", "def later():\n    from munin_app.chat import prompt"),
        ("chat/controller.py", "import flet as ft"),
        ("bootstrap.py", "from munin_app.ui.app import App"),
        ("evaluation/recall.py", "from munin_app.ui import state"),
        ("memory/encoder.py", "from llama_cpp import Llama"),
        ("ui/app.py", "import onnxruntime"),
    ],
)
def test_a_planted_arrow_is_found(tmp_path: Path, file: str, line: str) -> None:
    planted = tmp_path / "munin_app" / file
    planted.parent.mkdir(parents=True)
    planted.write_text(line, encoding="utf-8")
    assert len(forbidden_imports(tmp_path)) == 1


def test_an_allowed_arrow_is_not_reported(tmp_path: Path) -> None:
    (tmp_path / "munin_app" / "ui").mkdir(parents=True)
    source = (
        "import flet as ft\nfrom munin_app.bootstrap import build\nfrom munin_app.domain.facts import Fact\nfrom . import state\n"
    )
    (tmp_path / "munin_app" / "ui" / "app.py").write_text(source, encoding="utf-8")
    assert forbidden_imports(tmp_path) == []
