"""The starter model, loaded once for all tests of the engine."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from munin_app.inference.engine import Engine
from munin_app.inference.protocol import EngineSettings


@pytest.fixture(scope="session")
def engine(model_path: Path) -> Iterator[Engine]:
    """Its cache still holds what the test before left there: the template's opening, at most."""
    engine = Engine(EngineSettings(model_path, context_size=2048))
    yield engine
    engine.close()
