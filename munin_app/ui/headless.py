"""A page of the app in this process, without a client: for tests, and to measure what a page costs.

Everything that a client would be sent is encoded as the real transports encode it.
"""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from types import TracebackType
from typing import Any, Self

import flet as ft
import msgpack
from flet.controls.base_control import BaseControl
from flet.controls.context import _context_page, context
from flet.messaging.connection import Connection
from flet.messaging.protocol import MessageAction, configure_encode_object_for_msgpack
from flet.messaging.session import Session
from flet.pubsub.pubsub_hub import PubSubHub

from munin_app.bootstrap import Munin
from munin_app.ui.app import open_page
from munin_app.ui.session import PageSession

_ENCODE = configure_encode_object_for_msgpack(BaseControl)


class HeadlessConnection(Connection):
    """Answers every call at once. Encoding is also what keeps the snapshots that Flet's diffs rely on."""

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.loop = asyncio.get_running_loop()
        self.executor = ThreadPoolExecutor(1)
        self.pubsubhub = PubSubHub(loop=self.loop, executor=self.executor)
        self.session: Session | None = None
        self.sent: list[Any] = []
        self.bytes_sent = 0
        self._awaited: tuple[bytes, asyncio.Event] | None = None

    def send_message(self, message: Any) -> None:
        packed = msgpack.packb([message.action, message.body], default=_ENCODE)
        self.sent.append(message)
        self.bytes_sent += len(packed)
        if self._awaited and self._awaited[0] in packed:
            self._awaited[1].set()
        if message.action == MessageAction.INVOKE_METHOD and self.session:
            body = message.body
            self.loop.call_soon(self.session.handle_invoke_method_results, body.control_id, body.call_id, None, None)

    def expect(self, words: str) -> asyncio.Event:
        """Set when a message with these words was sent from now on; one text at a time."""
        self._awaited = words.encode(), asyncio.Event()
        return self._awaited[1]


class HeadlessPage:
    """`async with HeadlessPage(munin, 390, 844) as page:` One page; sizes in pixels."""

    def __init__(self, munin: Munin, width: int = 1280, height: int = 800, **properties: object) -> None:
        """`properties`: others of the page, as its client would name them."""
        self._munin = munin
        self._properties = {"width": width, "height": height, "route": "/", "web": True, **properties}

    async def __aenter__(self) -> Self:
        self.connection = HeadlessConnection()
        self.flet = self.connection.session = Session(self.connection)
        self.page: ft.Page = self.flet.page
        _context_page.set(self.page)
        self.flet.apply_page_patch(self._properties)
        msgpack.packb(self.flet.get_page_patch(), default=_ENCODE)
        self.flet.start_updates_scheduler()
        context.reset_auto_update()
        await self.show()
        await self.flet.after_event(self.page)
        await self.settle()
        return self

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        await self.leave()
        self.flet.close()
        await asyncio.sleep(0)
        self.connection.executor.shutdown(wait=False)

    async def show(self) -> None:
        self.session = PageSession(self.page, self._munin)
        await open_page(self.page, self.session)

    async def leave(self) -> None:
        await self.session.stop()

    async def settle(self) -> None:
        """Some steps of the loop: what is ready to run has run."""
        for _ in range(10):
            await asyncio.sleep(0)

    @property
    def crashes(self) -> list[Any]:
        return [message.body for message in self.connection.sent if message.action == MessageAction.SESSION_CRASHED]
