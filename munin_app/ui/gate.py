"""Whether the pages of this process show Munin or ask for the passphrase first. Owns Munin: starts, closes and restarts it.

A page that asks has nothing of the app in it: its session ends, and a new one begins when it is opened. Munin itself goes on, so
that a reply is finished and models stay.
"""

import asyncio
import contextvars
import logging
import time
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import suppress
from pathlib import Path
from typing import Any

import flet as ft

from munin_app import paths
from munin_app.bootstrap import AppEvent, Munin, closed_data_folder
from munin_app.chat.model_state import SettingsChanged
from munin_app.chat.turn import sentence_of
from munin_app.config import Settings
from munin_app.errors import DataLocked, LockError, MuninError, WrongPassphrase
from munin_app.i18n import _, use_language
from munin_app.locking.opening import open_by_passphrase
from munin_app.locking.switching import Progress
from munin_app.storage.locks import read_lock
from munin_app.ui.app import App, dress, enter_page
from munin_app.ui.session import PageSession, tokens_of
from munin_app.ui.state import DoorState, Navigation
from munin_app.ui.views.lock import LockScreen

log = logging.getLogger(__name__)

Start = Callable[[], Awaitable[Munin]]
LONGEST_WAIT_SECONDS = 30.0


class Gate:
    def __init__(self, start: Start = Munin.start) -> None:
        self._start = start
        self.munin: Munin | None = None
        self.opened = False
        """A page was shown."""
        self.locked = False
        self.pause: Callable[[float], Awaitable[None]] = asyncio.sleep
        self.first_wait_seconds = 1.0
        """After the first wrong passphrase; each further one doubles it."""
        self._doors: list[Door] = []
        self._tasks: set[asyncio.Task[Any]] = set()
        self._warming: asyncio.Task[None] | None = None
        self._changing = asyncio.Lock()
        self._failures = 0
        self._has_passphrase = False
        self._used_at = time.time()
        self._timer: asyncio.TimerHandle | None = None

    async def open(self) -> None:
        """Starts Munin where no passphrase is needed. Raises MuninError."""
        with suppress(DataLocked):
            await self._started()

    async def main(self, page: ft.Page) -> None:
        """One page, in its own context."""
        self.opened = True
        door = Door(page, self)
        self._doors.append(door)
        await door.enter()
        page.render(Root, door.state)
        self._warm_up()

    async def close(self) -> None:
        for task in self._tasks:
            task.cancel()
        if self._timer:
            self._timer.cancel()
        await self._closed()

    def gone(self, door: "Door") -> None:
        if door in self._doors:
            self._doors.remove(door)

    # Opening and locking

    async def unlock(self, passphrase: str) -> str:
        """What went wrong, in a sentence, the later the more often it did; empty: Munin is open."""
        async with self._changing:
            try:
                await asyncio.to_thread(open_by_passphrase, paths.data_folder(), passphrase)
                if self.munin is None:
                    await self._started()
            except WrongPassphrase as error:
                self._failures += 1
                await self.pause(min(LONGEST_WAIT_SECONDS, self.first_wait_seconds * 2 ** (self._failures - 1)))
                return str(error)
            except Exception as error:
                return _sentence(error)
            self._failures, self.locked = 0, False
            await self._each(Door.enter)
        self._used_at = time.time()
        self._warm_up()
        self._wait_for_disuse()
        return ""

    @property
    def can_lock(self) -> bool:
        return bool(self.munin) and self._has_passphrase and not self.locked

    def lock_now(self) -> None:
        if self.can_lock:
            self.locked = True
            self._begin(self._each(Door.leave))

    def used(self) -> None:
        """Somebody pressed, typed or scrolled. After too long a time (the machine slept) it is too late."""
        if self._too_long():
            self.lock_now()
        self._used_at = time.time()

    async def look(self) -> None:
        lock = await asyncio.to_thread(read_lock, paths.data_folder())
        self._has_passphrase = bool(lock and lock.slot)
        self._wait_for_disuse()

    # Munin itself

    def switch(self, name: str, work: Callable[[Path, Progress], None], done: str) -> None:
        """Raises LockError while a backup or a restore is running."""
        if self.munin and self.munin.is_keeping:
            raise LockError(_("A backup or a restore is running. Try again when it is done; nothing was changed."))
        self._begin(self._switch(name, work, done))

    async def _switch(self, name: str, work: Callable[[Path, Progress], None], done: str) -> None:
        loop = asyncio.get_running_loop()

        def show(finished: int, total: int) -> None:
            for door in self._doors:
                loop.call_soon_threadsafe(door.show_progress, finished / total if total else 0.0)

        def with_closed_folder() -> None:
            with closed_data_folder() as folder:
                work(folder, show)

        async with self._changing:
            await self._each(lambda door: door.leave(name))
            await self._closed()
            try:
                await asyncio.to_thread(with_closed_folder)
            except Exception as error:  # whatever it is, Munin starts again
                done = _sentence(error)
            try:
                await self._started()
            except Exception as error:
                self.locked, said = True, _sentence(error)
                await self._each(lambda door: door.leave(error=said))
                return
            self.locked = self.locked and self._has_passphrase  # locked just before it was unlocked for good
            await self._each(lambda door: door.enter(done))
        self._warm_up()

    async def _started(self) -> None:
        self.munin = await self._start()
        self.munin.subscribe(self._hear)
        await self.look()

    async def _closed(self) -> None:
        munin, self.munin = self.munin, None
        if self._warming:
            self._warming.cancel()
            await asyncio.gather(self._warming, return_exceptions=True)
            self._warming = None
        if munin:
            await munin.close()

    def _warm_up(self) -> None:
        """Loading begins when a page has been shown."""
        if self._warming is None and self.munin:
            self._warming = asyncio.create_task(self.munin.warm_up())

    def _hear(self, event: AppEvent) -> None:
        if isinstance(event, SettingsChanged):
            self._wait_for_disuse()

    # Without use

    @property
    def _limit_seconds(self) -> float:
        """0: none."""
        return 60.0 * self.munin.settings.auto_lock_minutes if self.munin and self.can_lock else 0.0

    def _too_long(self) -> bool:
        return bool(self._limit_seconds) and time.time() - self._used_at >= self._limit_seconds

    def _wait_for_disuse(self) -> None:
        if self._timer:
            self._timer.cancel()
            self._timer = None
        if self._too_long():
            self.lock_now()
        elif limit := self._limit_seconds:
            rest = max(0.05, self._used_at + limit - time.time())
            self._timer = asyncio.get_running_loop().call_later(rest, self._wait_for_disuse)

    # Pages

    async def _each(self, work: Callable[["Door"], Coroutine[Any, Any, None]]) -> None:
        """Each in its page's context, side by side."""
        tasks = [asyncio.get_running_loop().create_task(work(door), context=door.context) for door in list(self._doors)]
        await asyncio.gather(*tasks)

    def _begin(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


def _sentence(error: Exception) -> str:
    if not isinstance(error, MuninError):
        log.error("Munin was not opened or locked: %s", type(error).__name__)
    return sentence_of(error)


class Door:
    """One page: the app, or the screen that asks."""

    def __init__(self, page: ft.Page, gate: Gate) -> None:
        self.page = page
        self.gate = gate
        self.context = contextvars.copy_context()
        self.state = DoorState(unlock=self._unlock)
        self._conversation = ""
        """The one that was open: an id, no text."""
        page.on_close = self._close
        dispatch = page.session.dispatch_event

        async def noticed(control_id: int, event_name: str, event_data: Any) -> None:
            gate.used()
            if not gate.locked or self.state.session is None:  # what was pressed just as it locked is not done any more
                await dispatch(control_id, event_name, event_data)

        page.session.dispatch_event = noticed  # type: ignore[method-assign]

    async def enter(self, told: str = "") -> None:
        """Shows the app, or goes on asking. `told`: what is said on the Data page."""
        munin = self.gate.munin
        if munin is None or self.gate.locked:
            self._stand_by()
            return
        session = PageSession(self.page, munin, self.gate)
        await enter_page(self.page, session)
        if self not in self.gate._doors:  # closed meanwhile
            await session.stop()
            return
        self.state.work, self.state.error = "", ""
        self.state.session = session
        session.shell.run(session.ask_system())
        if self._conversation:
            await session.shell.attempt(session.chat.open(self._conversation))
        if told:
            session.go("data")
            await session.shell.tell(told)

    async def leave(self, work: str = "", error: str = "") -> None:
        """The app goes from the page; `work`: what is done meanwhile."""
        session, self.state.session = self.state.session, None
        self.state.work, self.state.share, self.state.error = work, 0.0, error
        self._stand_by()
        if session:
            open_ = session.chat.state.conversation
            self._conversation = open_.id if open_ and not open_.temporary else ""
            await session.stop()

    def show_progress(self, share: float) -> None:
        self.context.run(setattr, self.state, "share", share)

    def _stand_by(self) -> None:
        """The page without the app, and deaf to its keys."""
        page = self.page
        page.on_keyboard_event = page.on_app_lifecycle_state_change = None
        page.on_resize = page.on_platform_brightness_change = self._measure
        self._measure()

    def _measure(self) -> None:
        """As the settings have it while Munin runs; before it starts they cannot be read, and the system's wishes hold."""
        settings = self.gate.munin.settings if self.gate.munin else Settings()
        use_language(settings.language)
        shown = Navigation(settings, system_dark=self.page.platform_brightness == ft.Brightness.DARK)
        self.state.tokens = tokens_of(shown)
        dress(self.page, self.state.tokens, settings.theme)

    async def _unlock(self, passphrase: str) -> None:
        if self.state.checking:
            return
        self.state.checking, self.state.error = True, ""
        error = await self.gate.unlock(passphrase)
        self.state.checking, self.state.error = False, error

    async def _close(self) -> None:
        session, self.state.session = self.state.session, None
        self.gate.gone(self)
        if session:
            await session.stop()


@ft.component
def Root(state: DoorState) -> ft.Control:
    if state.session:
        return App(state.session, state.session.navigation)
    return LockScreen(state.tokens, state)
