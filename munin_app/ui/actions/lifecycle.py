"""A phone stays awake while a reply is written. When it shows another app, what is typed is saved, and the model's memory is
given back until Munin is shown again.

Flet passes no warning of low memory on, so memory is given back before there is one: an app in the background that holds
a model is the first that a phone ends. Computers never pause an app.
"""

import asyncio
from contextlib import suppress

import flet as ft

from munin_app.bootstrap import Munin
from munin_app.i18n import _
from munin_app.ui.actions.drafts import Drafts
from munin_app.ui.actions.shell import Shell

REST_AFTER_SECONDS = 30.0
"""How long a reply and what is learned from it may go on in the background; the phone may stop all of it sooner."""
PHONES = (ft.PagePlatform.ANDROID, ft.PagePlatform.IOS)


class LifecycleActions:
    def __init__(self, munin: Munin, shell: Shell, drafts: Drafts) -> None:
        self._munin = munin
        self._shell = shell
        self._drafts = drafts
        self._resting: asyncio.Task[None] | None = None
        self.rest_after_seconds = REST_AFTER_SECONDS
        self._awake = False

    def keep_awake(self, writing: bool) -> None:
        """Whether a reply is being written. A computer's own settings say when it sleeps."""
        page = self._shell.page
        if writing is not self._awake and page.platform in PHONES and not page.web:
            self._awake = writing
            lock = ft.Wakelock()
            self._shell.run(lock.enable() if writing else lock.disable())

    def changed(self, event: ft.AppLifecycleStateChangeEvent) -> None:
        if event.state is ft.AppLifecycleState.PAUSE and not self._resting:
            self._resting = asyncio.create_task(self._shell.attempt(self._rest()))
        elif event.state is ft.AppLifecycleState.RESUME:
            self.stop()

    def stop(self) -> None:
        """The model comes back, if it was given back."""
        if self._resting:
            self._resting.cancel()
            self._resting = None

    async def _rest(self) -> None:
        await self._shell.attempt(self._drafts.save())
        with suppress(TimeoutError):
            async with asyncio.timeout(self.rest_after_seconds):
                await self._munin.controller.drain()
        async with self._munin.switch.set_aside(_("Munin was in the background. Send the message again when the model is back.")):
            await asyncio.Event().wait()
