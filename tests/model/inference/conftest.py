"""The starter model, loaded once for all tests of the engine; and small models of other kinds."""

from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import pytest

from munin_app.inference.engine import Engine
from munin_app.inference.protocol import EngineSettings
from tests.tiny_models import write_tiny_model

TinyModel = Callable[[str], Path]


@pytest.fixture(scope="session")
def engine(model_path: Path) -> Iterator[Engine]:
    """Its cache still holds what the test before left there: the template's opening, at most."""
    engine = Engine(EngineSettings(model_path, context_size=2048))
    yield engine
    engine.close()


@pytest.fixture(scope="session")
def tiny_model(tmp_path_factory: pytest.TempPathFactory) -> TinyModel:
    """The file of a model of that architecture, made once."""
    folder = tmp_path_factory.mktemp("tiny-models")
    return cache(lambda architecture: write_tiny_model(folder / f"{architecture}.gguf", architecture))
