"""Downloads that go on while the user does something else: one at a time, paused, gone on with, cancelled. Draws nothing.

Lives as long as the app, so that no page has to stay open for it. What an earlier run left is in `ModelLibrary.offered`.
"""

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from munin_app.errors import MuninError
from munin_app.i18n import _
from munin_app.library.catalog import Entry
from munin_app.library.models import ModelLibrary
from munin_app.library.progress import Progress

log = logging.getLogger(__name__)

_TELL_EVERY = 0.2
"""Seconds between two reports of one phase: what follows draws a screen."""

Phase = Literal["queued", "running", "paused", "failed", "done", "cancelled"]


@dataclass(frozen=True, slots=True)
class Download:
    entry: Entry
    phase: Phase
    progress: Progress
    error: str = ""
    """Why it failed, as a sentence for the user."""

    @property
    def active(self) -> bool:
        return self.phase in ("queued", "running")


class Downloads:
    """All methods belong to the loop. `tell` hears of every change, of progress some five times a second."""

    def __init__(self, library: ModelLibrary, tell: Callable[[Download], None]) -> None:
        self._library = library
        self._tell = tell
        self._known: dict[str, Download] = {}
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._turn = asyncio.Lock()
        self._telling: asyncio.TimerHandle | None = None

    @property
    def current(self) -> tuple[Download, ...]:
        """Those that are not done, in the order in which they were asked for."""
        return tuple(self._known.values())

    def start(self, model_id: str) -> None:
        """Begins, goes on, or tries again; does nothing where it runs already. Raises NotFound."""
        entry = self._library.entry(model_id)
        if self._is_running(model_id):
            return
        before = self._known.get(model_id)
        progress = before.progress if before else Progress("receiving", 0, entry.size_bytes)
        self._set(Download(entry, "queued", progress))
        self._tasks[model_id] = asyncio.create_task(self._run(entry), name=f"download {model_id}")

    async def pause(self, model_id: str) -> None:
        """What arrived is kept."""
        await self._stop(model_id)
        known = self._known.get(model_id)
        if known and known.active:
            self._set(Download(known.entry, "paused", known.progress))

    async def cancel(self, model_id: str) -> int:
        """Deletes what arrived, and returns how many bytes that frees. A model that is whole by now stays. Raises ModelError."""
        entry = self._library.entry(model_id)
        await self._stop(model_id)
        self._known.pop(model_id, None)
        try:
            offered = await self._library.offered()
            begun = any(offer.entry.id == model_id and offer.arrived_bytes for offer in offered)
            return await self._library.remove(model_id) if begun else 0
        finally:
            self._tell(Download(entry, "cancelled", Progress("receiving", 0, entry.size_bytes)))

    async def close(self) -> None:
        """Idempotent. What arrived is kept."""
        for model_id in list(self._tasks):
            await self._stop(model_id)
        if self._telling:
            self._telling.cancel()

    def _is_running(self, model_id: str) -> bool:
        task = self._tasks.get(model_id)
        return task is not None and not task.done()

    async def _stop(self, model_id: str) -> None:
        if self._is_running(model_id):
            self._tasks[model_id].cancel()
            await asyncio.wait({self._tasks[model_id]})

    async def _run(self, entry: Entry) -> None:
        try:
            async with self._turn:
                await self._library.get(entry.id, lambda progress: self._progressed(entry, progress))
        except MuninError as error:
            self._failed(entry, str(error))
        except Exception as error:
            log.error("A download failed: %s", type(error).__name__)
            self._failed(
                entry,
                _("{name} could not be downloaded ({kind}). What arrived is kept.").format(
                    name=entry.name, kind=type(error).__name__
                ),
            )
        else:
            known = self._known.pop(entry.id)
            self._tell(Download(entry, "done", known.progress))

    def _failed(self, entry: Entry, error: str) -> None:
        self._set(Download(entry, "failed", self._known[entry.id].progress, error))

    def _progressed(self, entry: Entry, progress: Progress) -> None:
        before = self._known[entry.id]
        known = self._known[entry.id] = Download(entry, "running", progress)
        if before.phase != "running" or before.progress.phase != progress.phase:
            self._tell(known)
        elif self._telling is None:  # later, and then the newest: the last bytes before a silence are shown too
            self._telling = asyncio.get_running_loop().call_later(_TELL_EVERY, self._tell_progress, entry.id)

    def _tell_progress(self, model_id: str) -> None:
        self._telling = None
        known = self._known.get(model_id)
        if known and known.phase == "running":
            self._tell(known)

    def _set(self, download: Download) -> None:
        self._known[download.entry.id] = download
        self._tell(download)
