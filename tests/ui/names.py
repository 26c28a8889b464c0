"""What a screen reader would call the controls of a page, and whether a keyboard reaches them, as far as their tree tells."""

from collections.abc import Iterator
from dataclasses import fields
from functools import cache
from typing import Any

import flet as ft
from flet.controls.base_control import BaseControl

ACTS = ("on_click", "on_tap", "on_change", "on_submit", "on_long_press", "on_select")
FOCUSABLE = (ft.TextButton, ft.IconButton, ft.TextField, ft.Switch, ft.PopupMenuButton, ft.PopupMenuItem)
PLAIN = (
    "Number",
    "bool",
    "ColorValue",
    "Style",
    "Padding",
    "Margin",
    "Border",
    "Alignment",
    "EventHandler",
    "Duration",
    "Offset",
)
"""Types that hold no control."""
Path = tuple[BaseControl, ...]
"""A control after all that it stands in."""


def _within(value: Any) -> Iterator[BaseControl]:
    if isinstance(value, BaseControl):
        yield value
    elif isinstance(value, list | tuple):
        for one in value:
            yield from _within(one)


@cache
def _parts(kind: type[BaseControl]) -> tuple[str, ...]:
    """The attributes that may hold controls."""
    return tuple(
        field.name
        for field in fields(kind)
        if not field.metadata.get("skip") and not any(word in str(field.type) for word in PLAIN)
    )


def _children(control: BaseControl) -> Iterator[BaseControl]:
    for name in _parts(type(control)):
        yield from _within(getattr(control, name, None))


def walk(control: BaseControl, above: Path = ()) -> Iterator[Path]:
    """Everything that is shown, from the outside in."""
    if getattr(control, "visible", True) is False:
        return
    here = (*above, control)
    yield here
    for child in _children(control):
        yield from walk(child, here)


def _own_name(control: BaseControl) -> str:
    if isinstance(control, ft.Text):
        return str(control.value or "") or "".join(span.text or "" for span in control.spans or [])
    if isinstance(control, ft.Markdown):
        return control.value
    for attribute in ("tooltip", "label", "semantics_label"):
        if name := getattr(control, attribute, None):
            return str(name)
    return ""


def name_of(path: Path) -> str:
    """A field needs a name that stays when it holds text: its hint does not."""
    control = path[-1]
    around = [above for above in path[-3:-1] if isinstance(above, ft.Semantics) and above.label]
    if around:
        return str(around[-1].label)
    if isinstance(control, ft.TextField):
        return _own_name(control)
    return " ".join(filter(None, (_own_name(inner[-1]) for inner in walk(control))))


def acts(control: BaseControl) -> bool:
    return any(getattr(control, event, None) for event in ACTS) or isinstance(control, FOCUSABLE)


def shown(page: ft.Page) -> list[Path]:
    """All of a page, and what lies over it."""
    over = [dialog for dialog in page._dialogs.controls if getattr(dialog, "open", False)]
    return [path for top in (*_within(page.views), *over) for path in walk(top)]


def unread(paths: list[Path]) -> list[str]:
    """Text that can be selected and is not read: see `readable`."""
    return [
        _described(path)
        for path in paths
        if isinstance(path[-1], ft.Text) and path[-1].selectable and not (isinstance(path[-2], ft.Semantics) and path[-2].label)
    ]


def texts(page: ft.Page) -> list[str]:
    """Everything that can be read."""
    return [name for path in shown(page) if (name := _own_name(path[-1]))]


def nameless(paths: list[Path]) -> list[str]:
    """What can be used and has no name."""
    return [_described(path) for path in paths if acts(path[-1]) and not name_of(path).strip()]


def out_of_reach(paths: list[Path]) -> list[str]:
    """What can be pressed and takes no focus from the keyboard: a container does only with `ink`."""
    return [
        _described(path)
        for path in paths
        if acts(path[-1]) and not isinstance(path[-1], FOCUSABLE) and not getattr(path[-1], "ink", False)
    ]


def noisy(paths: list[Path]) -> list[str]:
    """Pictures that have no name and are read all the same."""
    return [
        _described(path)
        for path in paths
        if isinstance(path[-1], ft.Image) and not path[-1].exclude_from_semantics and not path[-1].semantics_label
    ]


def _described(path: Path) -> str:
    said = [name for above in path[-6:] if (name := _own_name(above))]
    return " > ".join(type(above).__name__ for above in path[-5:]) + f" {said}"
