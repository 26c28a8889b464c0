"""A deterministic ChatModel that needs no weights: for tests of whatever stands above the model, and for demonstrations.

Knows nothing of llama.cpp. Counts words where a real model counts tokens, and reuses the prompt as a real one would.
"""

import asyncio
import re
from collections.abc import AsyncGenerator, Callable, Sequence
from dataclasses import replace
from itertools import count
from pathlib import Path

from munin_app.domain.inference import (
    Cancelled,
    ChatRequest,
    Completed,
    Failed,
    ModelEvent,
    ModelInfo,
    PromptMessage,
    PromptRole,
    Purpose,
    Usage,
)
from munin_app.errors import ModelError
from munin_app.inference.reasoning import ReplyParser

Reply = Callable[[ChatRequest], str]

_WORDS = re.compile(r"\s*\S+|\s+\Z")
_MOMENTS = count(1)
"""Stand for the times at which models were loaded."""
_FAILURE = "The model failed as it was told to. Try again."


class ScriptedChatModel:
    """Answers REPLY and UTILITY requests from `replies` in order, the last one for ever; or by a function.

    `requests` records every request. `fail_next`, `fail_to_load`, `die`, `pause` and `resume` make trouble on demand.
    """

    def __init__(
        self, replies: Sequence[str] | Reply = ("All right.",), *, context_size: int = 4096, name: str = "scripted"
    ) -> None:
        self.requests: list[ChatRequest] = []
        self.forgotten: list[str] = []
        self.closed = False
        self._reply = replies if callable(replies) else _in_order(replies)
        self._context_size = context_size
        self._name = name
        self._info: ModelInfo | None = None
        self._load_error: str | None = None
        self._failure: tuple[str, int] | None = None
        self._paused_after: int | None = None
        self._standing = asyncio.Event()
        self._change = asyncio.Event()
        self._running: set[str] = set()
        self._cancelled: set[str] = set()
        self._held: dict[str, tuple[PromptMessage, ...]] = {}
        """What each of the two contexts (chat, utility) has evaluated."""

    @property
    def info(self) -> ModelInfo | None:
        return self._info

    def fail_next(self, error: str = _FAILURE, *, after_words: int = 0) -> None:
        """The next reply ends as Failed, after that many words."""
        self._failure = (error, after_words)

    def fail_to_load(self, error: str | None) -> None:
        """Every load fails with this sentence, until it is called with None."""
        self._load_error = error

    def pause(self, *, after_words: int = 0) -> None:
        """Replies stand still after that many words until `resume`, or a later `pause`, lets them go on; cancelling works all
        the same."""
        self._paused_after = after_words
        self._standing.clear()
        self._wake()

    def resume(self) -> None:
        self._paused_after = None
        self._wake()

    def die(self) -> None:
        """As when its process ends by itself: what it held is gone, and the next request loads it again."""
        self._info = None
        self._held.clear()

    async def wait_until_standing(self) -> None:
        """Until a reply has come to where `pause` holds it."""
        await self._standing.wait()

    async def load(self) -> ModelInfo:
        if self._load_error:
            raise ModelError(self._load_error)
        if self._info is None:
            size = self._context_size
            self._info = ModelInfo(
                self._name, "Scripted", Path("scripted.gguf"), 0, "script", "none", size, size, loaded_at=next(_MOMENTS)
            )
        return self._info

    async def stream(self, request: ChatRequest) -> AsyncGenerator[ModelEvent, None]:
        self.requests.append(request)
        self._running.add(request.id)
        try:
            await self.load()
            async for event in self._events(request):
                yield event
        except ModelError as error:
            yield Failed(str(error))
        finally:
            self._running.discard(request.id)
            self._cancelled.discard(request.id)

    def cancel(self, request_id: str) -> None:
        if request_id in self._running:
            self._cancelled.add(request_id)
            self._wake()

    async def count_tokens(self, texts: Sequence[str]) -> list[int]:
        return [_count(text) for text in texts]

    async def forget_session(self, session_id: str) -> None:
        self.forgotten.append(session_id)
        self._held.clear()

    async def close(self) -> None:
        self.closed = True
        self._cancelled |= self._running
        self._wake()

    async def _events(self, request: ChatRequest) -> AsyncGenerator[ModelEvent, None]:
        usage = self._prefill(request)
        if request.purpose is Purpose.PREFILL:
            yield Completed("", usage)
            return
        words: list[str] = _WORDS.findall(self._reply(request))
        failure, self._failure = self._failure, None
        reply = ReplyParser(answers=request.goes_on)
        end = min(len(words), request.max_tokens, failure[1] if failure else len(words))
        for index in range(end + 1):
            usage = replace(usage, generated=index, decode_ms=float(index))
            if await self._was_cancelled(request.id, index):
                for delta in reply.finish():
                    yield delta
                self._hold_reply(request, reply.answer)
                yield Cancelled(reply.answer, usage, reply.reasoning)
                return
            for delta in reply.feed(words[index]) if index < end else reply.finish():
                yield delta
        if failure:
            yield Failed(failure[0], reply.answer, usage, reply.reasoning)
            return
        self._hold_reply(request, reply.answer)
        yield Completed(reply.answer, usage, end < len(words), reply.reasoning)

    def _prefill(self, request: ChatRequest) -> Usage:
        held = self._held.get(_context_of(request), ())
        common = 0
        while common < min(len(held), len(request.messages)) and held[common] == request.messages[common]:
            common += 1
        self._hold(request, request.messages)
        reused = sum(_count(message.text) for message in request.messages[:common])
        evaluated = sum(_count(message.text) for message in request.messages[common:])
        return Usage(evaluated, reused, context_used=evaluated + reused, context_size=self._context_size)

    def _hold_reply(self, request: ChatRequest, answer: str) -> None:
        before = request.messages[-1].text if request.goes_on else ""
        known = request.messages[:-1] if request.goes_on else request.messages
        self._hold(request, (*known, PromptMessage(PromptRole.ASSISTANT, before + answer)))

    def _hold(self, request: ChatRequest, messages: tuple[PromptMessage, ...]) -> None:
        self._held[_context_of(request)] = messages

    async def _was_cancelled(self, request_id: str, words: int) -> bool:
        await asyncio.sleep(0)
        while request_id not in self._cancelled and self._paused_after is not None and words >= self._paused_after:
            self._standing.set()
            await self._change.wait()
        return request_id in self._cancelled

    def _wake(self) -> None:
        self._change.set()
        self._change = asyncio.Event()


def _in_order(replies: Sequence[str]) -> Reply:
    remaining = list(replies)
    return lambda _request: remaining.pop(0) if len(remaining) > 1 else remaining[0]


def _context_of(request: ChatRequest) -> str:
    return "utility" if request.purpose is Purpose.UTILITY else "chat"


def _count(text: str) -> int:
    return len(text.split())
