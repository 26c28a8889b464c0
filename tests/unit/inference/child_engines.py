"""Engine factories that a child process can import."""

import sys
from collections.abc import Callable, Generator, Sequence

from munin_app.domain.inference import ChatRequest, ModelInfo
from munin_app.errors import ModelError
from munin_app.inference.protocol import Control, EngineSettings, Step
from munin_app.inference.worker import RequestEngine


def tell_modules(go_on: Callable[[], bool]) -> RequestEngine:
    """Names all that is imported where the worker runs once llama.cpp is there."""
    import munin_app.inference.engine

    assert munin_app.inference.engine
    raise ModelError(" ".join(sys.modules))


def run_out_of_memory(go_on: Callable[[], bool]) -> RequestEngine:
    raise MemoryError


def log_something(go_on: Callable[[], bool]) -> RequestEngine:
    """An unforeseen error, which the worker logs."""
    raise LookupError


class LoadsAnew:
    """Loads the file for each request, as the engine's constructor does it: another may lie there by then."""

    def __init__(self, settings: EngineSettings, go_on: Callable[[], bool]) -> None:
        self.info = ModelInfo("", "", settings.path, 0, "", "", 0, settings.context_size)
        self._settings = settings

    def run(self, request: ChatRequest, control: Control) -> Generator[Step, None, None]:
        from munin_app.inference.engine import Engine

        engine = Engine(self._settings)
        try:
            yield from engine.run(request, control)
        finally:
            engine.close()

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        return []

    def forget_session(self, session_id: str) -> None: ...

    def rest(self) -> None: ...

    def close(self) -> None: ...
