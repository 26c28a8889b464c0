"""A page without any client, and what finds its controls and fires events as a client would."""

import asyncio
from collections.abc import Callable
from typing import Any, TypeVar

import flet as ft
import msgpack
from flet.controls.base_control import BaseControl

from munin_app.ui.gate import Gate
from munin_app.ui.headless import _ENCODE, HeadlessPage
from munin_app.ui.session import PageSession

C = TypeVar("C", bound=BaseControl)


def _labels(button: ft.TextButton) -> list[object]:
    return [getattr(control, "value", None) for control in getattr(button.content, "controls", [])]


class OpenPage(HeadlessPage):
    """`async with OpenPage(munin, 390, 844) as page:` One page of the app, on which nothing may crash."""

    async def __aexit__(self, *raised: Any) -> None:
        await super().__aexit__(*raised)
        assert self.crashes == []

    async def until(self, condition: Callable[[], object], seconds: float = 90) -> None:
        def holds() -> object:
            try:
                return condition()
            except AssertionError:  # a control that it names is not drawn yet
                return False

        async with asyncio.timeout(seconds):
            while not holds():  # noqa: ASYNC110  # a screen has no event for "now it shows this"
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
        def fields() -> list[ft.TextField]:
            return [field for field in self.all(ft.TextField) if str(field.hint_text).startswith("Message ")]

        await self.settle()  # a new chat has a new field, whose hint names who answers
        await self.until(lambda: len(fields()) == 1)
        (field,) = fields()
        await self.fire(field, "change", text, value=text)
        await self.fire(field, "submit", text)


class GatedPage(OpenPage):
    """A page that comes through the gate."""

    def __init__(self, gate: Gate, width: int = 1280, height: int = 800) -> None:
        self.gate = gate
        self._properties = {"width": width, "height": height, "route": "/", "web": True}

    async def show(self) -> None:
        await self.gate.main(self.page)

    async def leave(self) -> None:
        assert self.page.on_close
        await self.page.on_close()  # type: ignore[call-arg, misc]

    @property
    def session(self) -> PageSession:  # type: ignore[override]
        (door,) = self.gate._doors
        assert door.state.session
        return door.state.session

    async def type(self, hint: str, typed: str) -> None:
        await self.until(lambda: [one for one in self.all(ft.TextField) if one.hint_text == hint])
        field = [one for one in self.all(ft.TextField) if one.hint_text == hint][-1]
        await self.fire(field, "change", typed, value=typed)

    def everything(self) -> str:
        """All that the controls of the page hold."""
        packed: Any = [msgpack.packb(one, default=_ENCODE) for one in list(self.flet.index.values())]
        return b"".join(packed).decode(errors="replace")
