"""The ChatModel port over a worker thread: asyncio on this side, llama.cpp on the other.

Knows nothing of how a reply is made. A worker in a child process would change only how the worker is started and how its
commands and reports travel.
"""

import asyncio
import logging
import queue
import threading
from collections.abc import AsyncGenerator, Callable, Sequence
from functools import partial
from pathlib import Path

from munin_app.domain.inference import ChatRequest, Failed, ModelEvent, ModelInfo, TextDelta
from munin_app.errors import ModelError
from munin_app.inference.protocol import (
    Answer,
    Call,
    Cancel,
    Close,
    Closed,
    Command,
    Count,
    EngineSettings,
    Event,
    Forget,
    Load,
    Loaded,
    Report,
    Submit,
)
from munin_app.inference.worker import RequestEngine, serve

logger = logging.getLogger(__name__)

_CLOSED = "The model was closed. Open it again to go on."
_CLOSE_SECONDS = 10


class LlamaChatModel:
    """A ChatModel over one GGUF file. The thread starts and the model loads at the first use."""

    def __init__(self, path: Path, *, context_size: int = 4096, threads: int | None = None) -> None:
        """`context_size` in tokens, capped by what the model was trained for; `threads` None: as many as real cores."""
        self._settings = EngineSettings(path, context_size, threads)
        self._info: ModelInfo | None = None
        self._inbox: queue.SimpleQueue[Command] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None
        self._closed = False
        self._streams: dict[str, asyncio.Queue[ModelEvent]] = {}
        self._calls: dict[str, asyncio.Future[ModelInfo | list[int] | None]] = {}

    @property
    def info(self) -> ModelInfo | None:
        return self._info

    async def load(self) -> ModelInfo:
        info = await self._call(Load())
        assert isinstance(info, ModelInfo)
        return info

    async def stream(self, request: ChatRequest) -> AsyncGenerator[ModelEvent, None]:
        if self._closed or request.id in self._streams:
            yield Failed(_CLOSED if self._closed else "This request is running already. Wait for its end, or cancel it.")
            return
        events = self._streams[request.id] = asyncio.Queue()
        self._post(Submit(request))
        running = True
        try:
            while running:
                event = await events.get()
                running = isinstance(event, TextDelta)
                yield event
        finally:
            del self._streams[request.id]
            if running:
                self.cancel(request.id)

    def cancel(self, request_id: str) -> None:
        if self._thread:
            self._inbox.put(Cancel(request_id))

    async def count_tokens(self, texts: Sequence[str]) -> list[int]:
        counts = await self._call(Count(tuple(texts)))
        assert isinstance(counts, list)
        return counts

    async def forget_session(self, session_id: str) -> None:
        if self._thread and not self._closed:  # else there is nothing yet, or nothing any more
            await self._call(Forget(session_id))

    async def close(self) -> None:
        """Ends running requests as Cancelled, then frees the memory. Nothing runs after it."""
        self._closed = True
        if self._thread:
            self._inbox.put(Close())
            await asyncio.to_thread(self._thread.join, _CLOSE_SECONDS)
            if self._thread.is_alive():
                logger.warning("the model's worker did not end within %d s", _CLOSE_SECONDS)

    async def _call(self, call: Call) -> ModelInfo | list[int] | None:
        if self._closed:
            raise ModelError(_CLOSED)
        future: asyncio.Future[ModelInfo | list[int] | None] = asyncio.get_running_loop().create_future()
        self._calls[call.call_id] = future
        self._post(call)
        try:
            return await future
        finally:
            del self._calls[call.call_id]

    def _post(self, command: Command) -> None:
        if self._thread is None:
            emit = partial(_hand_over, asyncio.get_running_loop(), self._receive)
            work = partial(serve, partial(_start_engine, self._settings), self._inbox, emit)
            self._thread = threading.Thread(target=work, name="munin-model", daemon=True)
            self._thread.start()
        self._inbox.put(command)

    def _receive(self, report: Report) -> None:
        match report:
            case Event(request_id, event):
                if events := self._streams.get(request_id):
                    events.put_nowait(event)
            case Answer():
                self._settle(report)
            case Loaded(info):
                self._info = info
            case Closed():
                self._give_up()

    def _settle(self, answer: Answer) -> None:
        future = self._calls.get(answer.call_id)
        if future is None or future.done():
            return
        if answer.error is None:
            future.set_result(answer.value)
        else:
            future.set_exception(ModelError(answer.error))

    def _give_up(self) -> None:
        """The worker is gone: nobody waits for it any longer."""
        self._closed = True
        for call_id in list(self._calls):
            self._settle(Answer(call_id, error=_CLOSED))
        for events in self._streams.values():
            events.put_nowait(Failed(_CLOSED))


def _start_engine(settings: EngineSettings, go_on: Callable[[], bool]) -> RequestEngine:
    from munin_app.inference.engine import Engine  # loads llama.cpp: on the worker's thread, not at start-up

    return Engine(settings, go_on)


def _hand_over(loop: asyncio.AbstractEventLoop, receive: Callable[[Report], None], report: Report) -> None:
    try:
        loop.call_soon_threadsafe(receive, report)
    except RuntimeError:  # the loop was closed: nobody listens
        logger.debug("a report of the model's worker came after the end of the event loop")
