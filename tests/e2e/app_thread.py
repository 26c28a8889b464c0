"""The app over a scripted model on a thread of this process, so that a test can put its page into any state: the browser's
driver holds the test's own thread."""

import asyncio
import threading
from collections.abc import Awaitable, Iterator
from contextlib import contextmanager
from pathlib import Path

import flet as ft
from flet.controls.context import _context_page, context

from munin_app.ui.server import LOOPBACK, bound_socket, guarded_server
from tests.ui.screens.stage import Stage, world

TOKEN = "of-a-test"


class AppThread:
    """`address` is known when `ready` is set, the stage when a page was opened."""

    def __init__(self, home: Path) -> None:
        self.address = ""
        self.ready = threading.Event()
        self.stage: Stage | None = None
        self._home = home
        self._loop = asyncio.new_event_loop()
        self._ended = asyncio.Event()

    def run(self) -> None:
        self._loop.run_until_complete(self._serve())
        self._loop.close()

    async def _serve(self) -> None:
        async with world(self._home) as (gate, model):

            async def main(page: ft.Page) -> None:
                await gate.main(page)
                self.stage = Stage(gate, model, gate._doors[-1])

            bound = bound_socket(0)
            port = bound.getsockname()[1]
            server = guarded_server(main, port, TOKEN)
            bound.listen(100)
            serving = asyncio.create_task(server.serve(sockets=[bound]))
            self.address = f"http://{LOOPBACK}:{port}/?token={TOKEN}"
            self.ready.set()
            await self._ended.wait()
            server.should_exit = True
            await serving

    def end(self) -> None:
        self._loop.call_soon_threadsafe(self._ended.set)

    def do(self, work: Awaitable[None]) -> None:
        """On the page's own loop, in its context; returns when it is done."""

        async def in_page() -> None:
            assert self.stage
            _context_page.set(self.stage.page)
            context.reset_auto_update()
            await work

        asyncio.run_coroutine_threadsafe(in_page(), self._loop).result(60)


@contextmanager
def app_thread(home: Path) -> Iterator[AppThread]:
    app = AppThread(home)
    thread = threading.Thread(target=app.run)
    thread.start()
    try:
        assert app.ready.wait(60), "the app did not start"
        yield app
    finally:
        app.end()
        thread.join(60)
