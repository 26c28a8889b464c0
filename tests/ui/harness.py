"""A Flet session in this process, without any client: opens the app, finds controls, fires events, records what is sent."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

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

C = TypeVar("C", bound=BaseControl)
ENCODE = configure_encode_object_for_msgpack(BaseControl)


def _labels(button: ft.TextButton) -> list[object]:
    return [getattr(control, "value", None) for control in getattr(button.content, "controls", [])]


class RecordingConnection(Connection):
    """Encodes like the real transports (the encoder also keeps the snapshots that diffs rely on) and answers every call."""

    def __init__(self) -> None:
        super().__init__()
        self.loop = asyncio.get_running_loop()
        self.executor = ThreadPoolExecutor(1)
        self.pubsubhub = PubSubHub(loop=self.loop, executor=self.executor)
        self.sent: list[Any] = []
        self.session: Session | None = None

    def send_message(self, message: Any) -> None:
        msgpack.packb([message.action, message.body], default=ENCODE)
        self.sent.append(message)
        if message.action == MessageAction.INVOKE_METHOD and self.session:
            body = message.body
            self.loop.call_soon(self.session.handle_invoke_method_results, body.control_id, body.call_id, None, None)


class OpenPage:
    """`async with OpenPage(munin, 390, 844) as page:` One page of the app."""

    def __init__(self, munin: Munin, width: int = 1280, height: int = 800) -> None:
        self._munin = munin
        self._properties = {"width": width, "height": height, "route": "/", "web": True}

    async def __aenter__(self) -> "OpenPage":
        self.connection = RecordingConnection()
        self.flet = self.connection.session = Session(self.connection)
        self.page = self.flet.page
        _context_page.set(self.page)
        self.flet.apply_page_patch(self._properties)
        msgpack.packb(self.flet.get_page_patch(), default=ENCODE)
        self.flet.start_updates_scheduler()
        context.reset_auto_update()
        self.session = PageSession(self.page, self._munin)
        await open_page(self.page, self.session)
        await self.flet.after_event(self.page)
        await self.settle()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.session.stop()
        self.flet.close()
        await asyncio.sleep(0)
        self.connection.executor.shutdown(wait=False)
        assert self.crashes == []

    async def settle(self) -> None:
        for _ in range(10):
            await asyncio.sleep(0)

    async def until(self, condition: Callable[[], object], seconds: float = 30) -> None:
        async with asyncio.timeout(seconds):
            while not condition():  # noqa: ASYNC110  # a screen has no event for "now it shows this"
                await asyncio.sleep(0.01)
        await self.settle()

    def all(self, kind: type[C]) -> list[C]:
        found = [control for control in list(self.flet.index.values()) if isinstance(control, kind)]
        return sorted(found, key=lambda control: control._i)

    def one(self, kind: type[C], **attributes: object) -> C:
        found = [c for c in self.all(kind) if all(getattr(c, name, None) == value for name, value in attributes.items())]
        assert len(found) == 1, f"{len(found)} of {kind.__name__} with {attributes}"
        return found[0]

    def texts(self) -> list[str]:
        plain = [str(control.value) for control in self.all(ft.Text) if control.value]
        spans = ["".join(span.text or "" for span in control.spans) for control in self.all(ft.Text) if control.spans]
        return [*plain, *spans, *(control.value for control in self.all(ft.Markdown))]

    def has(self, words: str) -> bool:
        return any(words in text for text in self.texts())

    async def fire(self, control: BaseControl, event: str, data: Any = None, **client: object) -> None:
        """`client`: what the client changed first, such as `value` of a text field."""
        if client:
            self.flet.apply_patch(control._i, client)
        await self.flet.dispatch_event(control._i, event, data)
        await self.settle()

    def _tipped(self, tip: str) -> list[BaseControl]:
        return [control for control in self.all(ft.BaseControl) if getattr(control, "tooltip", None) == tip]

    def named(self, tip: str) -> BaseControl:
        """The button with that tooltip."""
        found = self._tipped(tip)
        assert len(found) == 1, f"{len(found)} controls are called {tip!r}"
        return found[0]

    async def click(self, tip: str) -> None:
        await self.until(lambda: self._tipped(tip))  # what has changed is drawn a little later
        await self.fire(self.named(tip), "click")

    async def press(self, label: str) -> None:
        """The newest button with that text on it: dialogs that were drawn again leave older ones behind."""
        found = [button for button in self.all(ft.TextButton) if label in _labels(button)]
        assert found, f"no button says {label!r}"
        await self.fire(found[-1], "click")

    async def say(self, text: str) -> None:
        await self.settle()  # a new chat has a new field
        field = self.one(ft.TextField, hint_text="Message Munin")
        await self.fire(field, "change", text, value=text)
        await self.fire(field, "submit", text)

    @property
    def crashes(self) -> list[Any]:
        return [message.body for message in self.connection.sent if message.action == MessageAction.SESSION_CRASHED]
