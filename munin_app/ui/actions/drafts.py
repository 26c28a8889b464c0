"""What was typed and not sent, chat by chat: in this page at once, on disk when the typing pauses. Knows no control."""

import asyncio
from collections.abc import Awaitable, Callable

from munin_app.chat.shelf import Shelf

PAUSE_SECONDS = 0.5


class Drafts:
    def __init__(self, shelf: Shelf, attempt: Callable[[Awaitable[object]], Awaitable[None]]) -> None:
        """`attempt` awaits and tells what goes wrong."""
        self._shelf = shelf
        self._attempt = attempt
        self._texts: dict[str, str] = {}
        self._unsaved: set[str] = set()
        self._timer: asyncio.TimerHandle | None = None
        self._saving: asyncio.Task[None] | None = None

    async def load(self) -> None:
        self._texts = {**await self._shelf.drafts(), **self._texts}

    def get(self, key: str) -> str:
        return self._texts.get(key, "")

    def put(self, key: str, text: str, *, temporary: bool = False) -> None:
        """The draft of a temporary chat never touches the disk."""
        if text == self.get(key):
            return
        self._texts[key] = text
        if temporary:
            return
        self._unsaved.add(key)
        if self._timer:
            self._timer.cancel()
        self._timer = asyncio.get_running_loop().call_later(PAUSE_SECONDS, self._save_later)

    def drop(self, key: str) -> None:
        self._texts.pop(key, None)

    def _save_later(self) -> None:
        self._saving = asyncio.create_task(self._run())

    async def _run(self) -> None:
        await self._attempt(self.save())

    async def save(self) -> None:
        """What is not on disk yet, at once. Raises StorageError; then it is tried again with the next change."""
        if self._timer:
            self._timer.cancel()
            self._timer = None
        unsaved, self._unsaved = self._unsaved, set()
        try:
            if unsaved:
                await self._shelf.save_drafts([(key, self.get(key)) for key in unsaved])
        except BaseException:
            self._unsaved |= unsaved
            raise
