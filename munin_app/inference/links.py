"""How the host reaches the worker: in a thread of this process (phones), or in a process of its own (desktop).

Knows nothing of asyncio and nothing of what commands and reports mean, except which report is the last.
"""

import importlib.util
import os
import queue
import sys
import threading
from collections.abc import Callable
from typing import Protocol

from munin_app.inference.protocol import Command, EngineSettings, Report
from munin_app.inference.worker import EngineFactory, RequestEngine, serve

_WITHOUT_PROCESSES = ("android", "ios", "emscripten", "wasi")


class Link(Protocol):
    """A worker that was started. Its last report is Closed or Died, whatever happens."""

    def send(self, command: Command) -> None:
        """Returns at once. Ignored when the worker is gone."""

    @property
    def process_id(self) -> int | None:
        """None: it has no process of its own, or not yet."""

    def end(self, seconds: float) -> bool:
        """Blocks until the worker is gone. False: it took longer than that, and was killed where that is possible."""


StartLink = Callable[[EngineFactory, Callable[[Report], None]], Link]
"""Starts a worker with an engine factory and a function that takes its reports, on a thread of the link's own."""


class ThreadLink:
    """The worker in this process. What kills the model kills the app."""

    process_id: int | None = None

    def __init__(self, engine_factory: EngineFactory, emit: Callable[[Report], None]) -> None:
        self._inbox: queue.SimpleQueue[Command] = queue.SimpleQueue()
        work = (engine_factory, self._inbox, emit)
        self._thread = threading.Thread(target=serve, args=work, name="munin-model", daemon=True)
        self._thread.start()

    def send(self, command: Command) -> None:
        self._inbox.put(command)

    def end(self, seconds: float) -> bool:
        self._thread.join(seconds)
        return not self._thread.is_alive()


def has_processes() -> bool:
    """Whether this machine can start processes of ours: phones cannot."""
    platform = os.environ.get("FLET_PLATFORM") or sys.platform
    return platform not in _WITHOUT_PROCESSES and importlib.util.find_spec("_multiprocessing") is not None


def best_link() -> StartLink:
    """A process where this machine has them, else a thread."""
    if not has_processes():
        return ThreadLink
    from munin_app.inference.process_link import ProcessLink

    return ProcessLink


def start_engine(settings: EngineSettings, go_on: Callable[[], bool]) -> RequestEngine:
    """The EngineFactory of a real model, once it is given its settings."""
    from munin_app.inference.engine import Engine  # loads llama.cpp: where the worker runs, not at start-up

    return Engine(settings, go_on)
