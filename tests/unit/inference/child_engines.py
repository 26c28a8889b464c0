"""Engine factories that a child process can import. They load nothing, and say so."""

import sys
from collections.abc import Callable

from munin_app.errors import ModelError
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
