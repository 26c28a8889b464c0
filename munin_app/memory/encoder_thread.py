"""One thread for all encoder work, the most urgent first. Knows nothing of encoders: it runs functions."""

import asyncio
import itertools
import queue
import threading
from collections.abc import Callable
from concurrent.futures import Future
from enum import IntEnum
from typing import Any, TypeVar

from munin_app.errors import EncoderError
from munin_app.i18n import _

T = TypeVar("T")


class Priority(IntEnum):
    """Lower runs first; within one, in order of arrival."""

    STOP = 0
    RECALL = 1
    REMEMBER = 2
    BACK_FILL = 3


class EncoderThread:
    """`await run(priority, work)`; work is short (one chunk), so that a recall never waits for more than one of them."""

    def __init__(self) -> None:
        self._jobs: queue.PriorityQueue[tuple[Priority, int, Callable[[], Any], Future[Any]]] = queue.PriorityQueue()
        self._arrival = itertools.count()
        self._thread: threading.Thread | None = None
        self._closed = False

    async def run(self, priority: Priority, work: Callable[[], T]) -> T:
        """Raises what `work` raises, and EncoderError when the thread was closed before its turn came.
        A caller that is cancelled takes its job out of the line."""
        if self._closed:
            raise EncoderError(_("The encoder was closed."))
        future: Future[T] = Future()
        self._jobs.put((priority, next(self._arrival), work, future))
        self._start()
        return await asyncio.wrap_future(future)

    async def close(self) -> None:
        """Lets the running job end and refuses those that wait."""
        self._closed = True
        if self._thread is not None:
            self._jobs.put((Priority.STOP, next(self._arrival), lambda: None, Future()))
            await asyncio.to_thread(self._thread.join)

    def _start(self) -> None:
        if self._thread is None:
            self._thread = threading.Thread(target=self._work, name="encoder", daemon=True)
            self._thread.start()

    def _work(self) -> None:
        while True:
            priority, _turn, work, future = self._jobs.get()
            if priority is Priority.STOP:
                return self._refuse_waiting()
            if future.set_running_or_notify_cancel():
                _settle(future, work)

    def _refuse_waiting(self) -> None:
        while not self._jobs.empty():
            future = self._jobs.get()[3]
            if future.set_running_or_notify_cancel():
                future.set_exception(EncoderError("The encoder was closed."))


def _settle(future: Future[T], work: Callable[[], T]) -> None:
    try:
        future.set_result(work())
    except BaseException as error:  # handed to whoever waits
        future.set_exception(error)
