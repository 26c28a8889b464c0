"""The page around the screens: going from one to another, dialogs, snacks, clipboard, links. Knows no service."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Coroutine
from functools import wraps
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar

import flet as ft

from munin_app.chat.turn import sentence_of
from munin_app.errors import MuninError
from munin_app.i18n import _
from munin_app.ui.markdown import is_safe_link
from munin_app.ui.state import DialogBuilder, Navigation, Overlay, Snack, ViewName

log = logging.getLogger(__name__)

SNACK_SECONDS = 8.0


Own = TypeVar("Own", bound="HasShell")
P = ParamSpec("P")


class HasShell(Protocol):
    _shell: "Shell"


def telling(
    method: Callable[Concatenate[Own, P], Coroutine[Any, Any, None]],
) -> Callable[Concatenate[Own, P], Coroutine[Any, Any, None]]:
    """What goes wrong is told in a snack: an exception that leaves a handler would take the whole page away."""

    @wraps(method)
    async def told(self: Own, /, *args: P.args, **kwargs: P.kwargs) -> None:
        await self._shell.attempt(method(self, *args, **kwargs))

    return told


class Shell:
    def __init__(self, page: ft.Page, navigation: Navigation, overlay: Overlay) -> None:
        self.page = page
        self.navigation = navigation
        self.overlay = overlay
        self.snack_seconds = SNACK_SECONDS
        self._snack_timer: asyncio.Task[None] | None = None
        self._snack_ended: Callable[[], Coroutine[Any, Any, None]] | None = None
        self._tasks: set[asyncio.Task[Any]] = set()

    def run(self, work: Coroutine[Any, Any, Any]) -> None:
        """In the background, in this page's context."""
        task = asyncio.create_task(self.attempt(work))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        task.add_done_callback(lambda task: work.close())  # cancelled before its first step, it would never have been awaited

    async def idle(self) -> None:
        """Until nothing runs in the background."""
        while self._tasks:
            await asyncio.wait(self._tasks)

    async def attempt(self, work: Awaitable[Any]) -> None:
        """Awaits it; an error becomes a snack, and one that is no sentence for the user also a line in the log."""
        try:
            await work
        except MuninError as error:
            await self.tell(str(error))
        except Exception as error:
            log.error("A handler failed: %s", type(error).__name__)
            await self.tell(sentence_of(error))

    def go(self, view: ViewName) -> None:
        self.close_sheet()
        self.navigation.view = view

    def show_sheet(self, *, reply: str | None = None, model: str = "") -> None:
        """One at a time: what a reply used, or the settings of a model."""
        self.navigation.sheet, self.navigation.model_sheet = reply, model
        self.navigation.sheets += 1

    def close_sheet(self) -> None:
        self.navigation.sheet, self.navigation.model_sheet = None, ""

    def sheet_dismissed(self, number: int) -> None:
        """As `dismissed`, for a sheet of a phone. Of a page that has become wide it goes on beside the chat."""
        if self.navigation.sheets == number and not self.navigation.wide:
            self.close_sheet()

    def show_dialog(self, builder: DialogBuilder) -> None:
        self.overlay.dialog = builder
        self.overlay.shown += 1

    def close_dialog(self) -> None:
        self.overlay.dialog = None

    def dismissed(self, number: int) -> None:
        """Closed by Escape or by a click beside it; or closed by us a moment ago, with another one in its place, or the same
        again. `number`: how many dialogs had been shown then."""
        if self.overlay.shown == number:
            self.close_dialog()

    async def snack(
        self,
        text: str,
        action: str = "",
        on_action: Callable[[], object] | None = None,
        on_end: Callable[[], Coroutine[Any, Any, None]] | None = None,
    ) -> None:
        """One at a time. `on_end` runs when the offer ended without being taken."""
        await self.end_snack()
        self._snack_ended = on_end
        self.overlay.snack = Snack(text, action, on_action)
        self._snack_timer = asyncio.create_task(self._end_later())

    async def _end_later(self) -> None:
        await asyncio.sleep(self.snack_seconds)
        self._snack_timer = None
        await self.end_snack()

    async def end_snack(self) -> None:
        """The offer of the snack that is shown, if any, ends now."""
        self.overlay.snack = None
        if self._snack_timer:
            self._snack_timer.cancel()
            self._snack_timer = None
        ended, self._snack_ended = self._snack_ended, None
        if ended:
            await self.attempt(ended())

    async def take_snack(self) -> None:
        """Its action was pressed."""
        snack, self._snack_ended = self.overlay.snack, None
        await self.end_snack()
        if snack and snack.on_action:
            result = snack.on_action()
            if asyncio.iscoroutine(result):
                await self.attempt(result)

    async def snack_in_turn(self, text: str, action: str, on_action: Callable[[], object]) -> None:
        """After an offer that is shown: Undo is not cut short by what can wait."""
        while self._snack_timer and self.overlay.snack and self.overlay.snack.action:
            await asyncio.wait({self._snack_timer})
        await self.snack(text, action, on_action)

    async def tell(self, text: str) -> None:
        await self.snack(text)

    async def copy(self, text: str, what: str) -> None:
        async def copied() -> None:
            await ft.Clipboard().set(text)
            await self.tell(_("{what} copied.").format(what=what))

        await self.attempt(copied())

    async def open_link(self, address: str) -> None:
        if is_safe_link(address):
            await self.attempt(ft.UrlLauncher().launch_url(address))

    def close(self) -> None:
        if self._snack_timer:
            self._snack_timer.cancel()
        for task in self._tasks:
            task.cancel()
