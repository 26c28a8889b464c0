"""The ChatModel port over a worker: asyncio on this side, llama.cpp on the other.

Knows nothing of how a reply is made, and not whether the worker lives in a thread or in a process. When the worker dies, what
runs ends as Failed with the text so far; the next load or request starts another.
"""

import asyncio
import logging
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from munin_app.domain.inference import ChatRequest, Delta, Failed, ModelEvent, ModelInfo, ReasoningDelta, TextDelta
from munin_app.errors import ChatTemplateError, ModelError, ModelTooLarge
from munin_app.i18n import N_, _, translated
from munin_app.inference.links import Link, StartLink, best_link, start_engine
from munin_app.inference.machine import free_memory, resident_memory
from munin_app.inference.memory_estimate import SESSIONS_LIMIT, KvType
from munin_app.inference.protocol import (
    Answer,
    Call,
    Cancel,
    Close,
    Closed,
    Command,
    Count,
    Died,
    EngineSettings,
    Event,
    Forget,
    Load,
    Loaded,
    Report,
    Submit,
)
from munin_app.inference.session_files import forget_session_files

logger = logging.getLogger(__name__)

_CLOSED = N_("The model was closed. Open it again to go on.")
_TRY_AGAIN = N_("Try again; if it happens again, lower the context size or choose another model.")
_LOADING_FAILED = N_(
    "The file is damaged, made for another version of llama.cpp, or too large for the memory that is free. Close other "
    "programs, download it again, or choose another model."
)
_CLOSE_SECONDS = 10
_DEAF_SECONDS = 20
"""A worker that has not ended a cancelled request by then hangs: it takes 0.3."""


_forgotten: list[tuple[Path, str]] = []
"""By any model of this process: one that is just closing may save a session that another was told to forget."""


class _WorkerDied(ModelError):
    """The worker ended before it answered."""


@dataclass(eq=False, slots=True)
class _Stream:
    events: asyncio.Queue[ModelEvent] = field(default_factory=asyncio.Queue)
    arrived: list[str] = field(default_factory=list)
    thought: list[str] = field(default_factory=list)

    def receive(self, event: ModelEvent) -> None:
        if isinstance(event, TextDelta):
            self.arrived.append(event.text)
        elif isinstance(event, ReasoningDelta):
            self.thought.append(event.text)
        self.events.put_nowait(event)

    def fail(self, error: str) -> None:
        self.events.put_nowait(Failed(error, "".join(self.arrived), reasoning="".join(self.thought)))


class LlamaChatModel:
    """A ChatModel over one GGUF file. The worker starts and the model loads at the first use."""

    def __init__(
        self,
        path: Path,
        *,
        context_size: int = 4096,
        threads: int | None = None,
        sessions_folder: Path | None = None,
        sessions_limit: int = SESSIONS_LIMIT,
        sessions_key: bytes | None = None,
        kv_type: KvType = "f16",
        gpu_layers: int = -1,
        load_anyway: bool = False,
        free_memory: Callable[[], int | None] = free_memory,
        template: str = "",
        start_link: StartLink | None = None,
    ) -> None:
        """`sessions_folder` None: no session is kept on disk, else up to `sessions_limit` bytes of them, sealed
        with `sessions_key` where there is one; `free_memory` is
        called where the worker runs, so a process has to be able to import it; `start_link` None: a process where there are
        processes, else a thread. The others are as EngineSettings has them."""
        self._settings = EngineSettings(
            path,
            context_size,
            threads,
            sessions_folder,
            sessions_limit,
            sessions_key,
            kv_type,
            gpu_layers,
            load_anyway,
            free_memory,
            template,
        )
        self._start_link = start_link or best_link()
        self._info: ModelInfo | None = None
        self._link: Link | None = None
        self._closed = False
        self._streams: dict[str, _Stream] = {}
        self._running: set[str] = set()
        """Requests that the worker has not ended, whether anybody listens or not."""
        self._killed_because = ""
        self._calls: dict[str, asyncio.Future[ModelInfo | list[int] | None]] = {}

    @property
    def info(self) -> ModelInfo | None:
        return self._info

    def resident_bytes(self) -> int | None:
        """What its process takes in memory now. None: not known, or it has none of its own."""
        process_id = self._link.process_id if self._link else None
        return resident_memory(process_id) if process_id else None

    async def load(self) -> ModelInfo:
        info = await self._call(Load())
        assert isinstance(info, ModelInfo)
        return info

    async def stream(self, request: ChatRequest) -> AsyncGenerator[ModelEvent, None]:
        if self._closed or request.id in self._streams:
            yield Failed(
                translated(_CLOSED) if self._closed else _("This request is running already. Wait for its end, or cancel it.")
            )
            return
        stream = self._streams[request.id] = _Stream()
        self._running.add(request.id)
        self._post(Submit(request))
        running = True
        try:
            while running:
                event = await stream.events.get()
                running = isinstance(event, Delta)
                yield event
        finally:
            del self._streams[request.id]
            if running:
                self.cancel(request.id)

    def cancel(self, request_id: str) -> None:
        if self._link and request_id in self._running:
            self._link.send(Cancel(request_id))
            asyncio.get_running_loop().call_later(_DEAF_SECONDS, self._end_if_deaf, self._link, request_id)

    async def count_tokens(self, texts: Sequence[str]) -> list[int]:
        counts = await self._call(Count(tuple(texts)))
        assert isinstance(counts, list)
        return counts

    async def forget_session(self, session_id: str) -> None:
        if self._link and not self._closed:  # else there is nothing yet, or nothing any more
            with suppress(_WorkerDied):  # and took the session along
                await self._call(Forget(session_id))
        if folder := self._settings.sessions_folder:
            _forgotten.append((folder, session_id))
            await asyncio.to_thread(forget_session_files, folder, session_id)

    async def close(self) -> None:
        """Ends running requests as Cancelled, then frees the memory. Nothing runs after it."""
        self._closed = True
        forgotten_before = len(_forgotten)
        if link := self._link:
            link.send(Close())
            if not await asyncio.to_thread(link.end, _CLOSE_SECONDS):
                logger.warning("the model's worker did not end within %d s", _CLOSE_SECONDS)
        for folder, session_id in _forgotten[forgotten_before:]:
            await asyncio.to_thread(forget_session_files, folder, session_id)

    async def _call(self, call: Call) -> ModelInfo | list[int] | None:
        if self._closed:
            raise ModelError(translated(_CLOSED))
        future: asyncio.Future[ModelInfo | list[int] | None] = asyncio.get_running_loop().create_future()
        self._calls[call.call_id] = future
        self._post(call)
        try:
            return await future
        finally:
            del self._calls[call.call_id]

    def _post(self, command: Command) -> None:
        if self._link is None:
            emit = partial(_hand_over, asyncio.get_running_loop(), self._receive)
            self._link = self._start_link(partial(start_engine, self._settings), emit)
        self._link.send(command)

    def _receive(self, report: Report) -> None:
        match report:
            case Event(request_id, event):
                if not isinstance(event, Delta):
                    self._running.discard(request_id)
                    self._killed_because = ""
                if stream := self._streams.get(request_id):
                    stream.receive(event)
            case Answer():
                self._settle(report)
            case Loaded(info):
                self._info = info
            case Closed():
                self._give_up(translated(_CLOSED), translated(_CLOSED))
            case Died(reason):
                reason = self._killed_because or reason
                logger.error("the model's worker died: %s", reason)
                self._give_up(*self._last_words(reason))

    def _end_if_deaf(self, link: Link, request_id: str) -> None:
        if request_id in self._running and link is self._link:
            self._killed_because = _("it no longer answered")
            link.end(0)

    def _last_words(self, reason: str) -> tuple[str, str]:
        """To streams, and to calls."""
        said = _("The model stopped unexpectedly ({reason})").format(reason=reason)
        if self._info is None:
            loading = _("{said} while {path} was loading. {advice}").format(
                said=said, path=self._settings.path, advice=translated(_LOADING_FAILED)
            )
            return loading, loading
        kept = _("{said}. What had arrived is kept. Retry restarts it.").format(said=said)
        return kept, f"{said}. {translated(_TRY_AGAIN)}"

    def _settle(self, answer: Answer) -> None:
        future = self._calls.get(answer.call_id)
        if future is None or future.done():
            return
        if answer.error is None:
            future.set_result(answer.value)
        elif answer.suggested_template:
            future.set_exception(ChatTemplateError(answer.error, answer.suggested_template))
        else:
            future.set_exception((ModelTooLarge if answer.too_large else ModelError)(answer.error))

    def _give_up(self, to_streams: str, to_calls: str) -> None:
        """The worker is gone: nobody waits for it any longer, and the next that needs it starts another."""
        self._link = self._info = None
        self._running.clear()
        self._killed_because = ""
        for future in self._calls.values():
            if not future.done():
                future.set_exception(_WorkerDied(to_calls))
        for stream in self._streams.values():
            stream.fail(to_streams)


def _hand_over(loop: asyncio.AbstractEventLoop, receive: Callable[[Report], None], report: Report) -> None:
    try:
        loop.call_soon_threadsafe(receive, report)
    except RuntimeError:  # the loop was closed: nobody listens
        logger.debug("a report of the model's worker came after the end of the event loop")
