"""Work for what was asked for last: what was overtaken while earlier work ran is left out. Knows no control and no service."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Generic, TypeVar

T = TypeVar("T")


class Latest(Generic[T]):
    """`ask(value)` may be called at any rate: one `work(value)` runs at a time, next always with the newest value."""

    def __init__(self, work: Callable[[T], Awaitable[object]]) -> None:
        self._work = work
        self._waiting: list[T] = []
        self._busy = asyncio.Lock()

    async def ask(self, value: T) -> None:
        """Returns when this value, or a newer one in its place, was worked on."""
        self._waiting = [value]
        async with self._busy:
            if self._waiting:
                await self._work(self._waiting.pop())
