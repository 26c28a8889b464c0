"""Sees what a user would see, and when: the controller's events, with the model's requests beside them.

Knows nothing of what is measured for.
"""

import asyncio
import time
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field

from munin_app.bootstrap import AppEvent, Munin
from munin_app.domain.events import ReplyDelta, ReplyStarted, Turn, TurnFinished
from munin_app.domain.inference import ChatModel, ChatRequest, ModelEvent, ModelInfo, Purpose
from munin_app.domain.messages import MessageStatus
from munin_app.errors import ModelError
from munin_app.i18n import _


class WatchedModel:
    """A ChatModel that lets another do all the work, and remembers what was asked."""

    def __init__(self, model: ChatModel) -> None:
        self._model = model
        self.reply: ChatRequest | None = None
        """The newest request for a reply."""
        self.learning = asyncio.Event()
        """Set while a utility request runs."""

    @property
    def info(self) -> ModelInfo | None:
        return self._model.info

    async def load(self) -> ModelInfo:
        return await self._model.load()

    async def stream(self, request: ChatRequest) -> AsyncGenerator[ModelEvent, None]:
        utility = request.purpose is Purpose.UTILITY
        if utility:
            self.learning.set()
        if request.purpose is Purpose.REPLY:
            self.reply = request
        try:
            async with aclosing(self._model.stream(request)) as events:  # type: ignore[type-var]
                async for event in events:
                    yield event
        finally:
            if utility:
                self.learning.clear()

    def cancel(self, request_id: str) -> None:
        self._model.cancel(request_id)

    async def count_tokens(self, texts: Sequence[str]) -> list[int]:
        return await self._model.count_tokens(texts)

    async def forget_session(self, session_id: str) -> None:
        await self._model.forget_session(session_id)

    async def close(self) -> None:
        await self._model.close()


@dataclass(slots=True)
class Watch:
    """One turn under way. Moments are seconds from the call of `send`."""

    sent_at: float
    started: asyncio.Event = field(default_factory=asyncio.Event)
    """The prompt is built, the model begins."""
    streaming: asyncio.Event = field(default_factory=asyncio.Event)
    finished: asyncio.Event = field(default_factory=asyncio.Event)
    first_text: str = ""
    first_delta: float = 0.0
    last_delta: float = 0.0
    ended: float = 0.0
    turn: Turn | None = None


@dataclass(frozen=True, slots=True)
class SeenTurn:
    turn: Turn
    request: ChatRequest
    first_text: str
    first_delta: float
    """Seconds from the call of `send`; 0.0 when no text came."""
    last_delta: float
    ended: float


class Observer:
    """Sends one message at a time."""

    def __init__(self, munin: Munin) -> None:
        self._munin = munin
        self.model = WatchedModel(munin.model)
        munin.controller.use_model(self.model)
        munin.profile.use_model(self.model)
        self._watch = Watch(0.0)
        munin.subscribe(self._listen)

    async def send(self, conversation_id: str, text: str) -> Watch:
        """The turn under way, once the message is on disk."""
        watch = self._watch = Watch(time.perf_counter())
        await self._munin.controller.send(conversation_id, text)
        return watch

    async def turn(self, conversation_id: str, text: str) -> SeenTurn:
        """A whole turn. Raises ModelError when it failed."""
        return await self.end(await self.send(conversation_id, text))

    async def end(self, watch: Watch) -> SeenTurn:
        await watch.finished.wait()
        turn, request = watch.turn, self.model.reply
        if turn is None or request is None or turn.reply.status is MessageStatus.FAILED:
            raise ModelError(turn.reply.error if turn else _("A turn ended without a result. Run the bench again."))
        return SeenTurn(turn, request, watch.first_text, watch.first_delta, watch.last_delta, watch.ended)

    def _listen(self, event: AppEvent) -> None:
        watch, now = self._watch, time.perf_counter() - self._watch.sent_at
        match event:
            case ReplyStarted():
                watch.started.set()
            case ReplyDelta(text=text):
                if not watch.first_text:
                    watch.first_text, watch.first_delta = text, now
                    watch.streaming.set()
                watch.last_delta = now
            case TurnFinished(turn=turn):
                watch.turn, watch.ended = turn, now
                watch.started.set()
                watch.streaming.set()
                watch.finished.set()
