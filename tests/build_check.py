"""build/check.py as a module: it lies in no package."""

import importlib.util
from pathlib import Path
from types import ModuleType

PROGRAM = Path(__file__).resolve().parents[1]


def load() -> ModuleType:
    spec = importlib.util.spec_from_file_location("build_check", PROGRAM / "build" / "check.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
