"""Bare llama.cpp for the bench's event loop: one thread of its own, and the prompt of a turn that Munin made."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from munin_app.domain.inference import ChatRequest
from munin_app.inference.bare import BareLlama, BareTurn, PromptTokens

T = TypeVar("T")


class Baseline:
    """Built and used on its thread; `open` first, `close` last."""

    def __init__(self, path: Path, context_size: int, threads: int) -> None:
        self._settings = (path, context_size, threads)
        self._thread = ThreadPoolExecutor(1, "bare-llama")  # one: OpenMP keeps a team of threads for each caller
        self._llama: BareLlama | None = None
        self._tokens: PromptTokens | None = None

    async def open(self) -> None:
        """Raises ModelError."""
        self._tokens = await self._on_thread(lambda: PromptTokens(self._settings[0]))
        self._llama = await self._on_thread(lambda: BareLlama(*self._settings))

    async def turn(self, request: ChatRequest, tokens: int) -> BareTurn:
        """Munin's prompt on what the cache holds before the user's newest words; as many tokens sampled."""
        return await self._on_thread(lambda: self._turn(request, tokens))

    async def plain_turn(self, request: ChatRequest, user_text: str) -> tuple[BareTurn, int]:
        """The same without what memory put before the user's words, to the first token; and how many tokens that was."""
        plain = replace(request, messages=(*request.messages[:-1], replace(request.messages[-1], text=user_text)))
        return await self._on_thread(lambda: (self._turn(plain, 1), self._length(request) - self._length(plain)))

    async def close(self) -> None:
        for part in (self._llama, self._tokens):
            if part:
                await self._on_thread(part.close)
        self._thread.shutdown()

    def _turn(self, request: ChatRequest, tokens: int) -> BareTurn:
        assert self._llama
        assert self._tokens
        self._llama.prepare(self._tokens.opening(request.messages[:-1], request.started_at))
        prompt = self._tokens.prompt(request.messages, request.started_at)
        return self._llama.turn(prompt, request.sampling, tokens)

    def _length(self, request: ChatRequest) -> int:
        assert self._tokens
        return len(self._tokens.prompt(request.messages, request.started_at))

    async def _on_thread(self, work: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._thread, work)
