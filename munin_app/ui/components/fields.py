"""Text fields without Material's box: a calm well with an icon."""

from collections.abc import Callable

import flet as ft

from munin_app.ui.components.base import Action, described, doing, edged, hearing, icon, sides
from munin_app.ui.tokens import RADIUS_CARD, S3, Tokens, style


def bare_field(
    t: Tokens,
    hint: str,
    value: str,
    on_change: Callable[[str], object],
    *,
    on_submit: Action | None = None,
    autofocus: bool = False,
    max_length: int | None = None,
    role: str = "body",
    lines: int = 1,
    secret: bool = False,
) -> ft.TextField:
    """A field without a box of its own; `named` gives it its name. `secret`: shown when the eye is pressed."""
    return ft.TextField(
        value=value,
        hint_text=hint,
        hint_style=style(t, role, t.text3),
        text_style=style(t, role, t.text),
        border=ft.NoInputBorder(),
        collapsed=True,
        cursor_color=t.seed,
        autofocus=autofocus,
        multiline=lines > 1,
        min_lines=1 if lines > 1 else None,
        max_lines=lines,
        max_length=max_length,
        counter="" if max_length else None,
        password=secret,
        can_reveal_password=secret,
        text_vertical_align=ft.VerticalAlignment.CENTER if secret else None,  # the eye makes the field taller than its text
        on_change=hearing(lambda event: on_change(event.control.value or "")),
        on_submit=doing(on_submit) if on_submit else None,
    )


def named(hint: str, field: ft.TextField) -> ft.Semantics:
    """A hint that has given way to text is no name for screen readers any more: this one stays."""
    return described(field, label=hint, expand=True)


def well(
    t: Tokens,
    field: ft.TextField,
    name: ft.IconData | str | None = None,
    *,
    height: float | None = 0,
    expand: bool | None = None,
    label: str = "",
) -> ft.Container:
    """`height`: 0 as what can be pressed has, None as its lines ask for. `label`: its name for screen readers, where that is not
    its hint."""
    row: list[ft.Control] = [icon(t, name, 18, t.text3)] if name else []
    return ft.Container(
        ft.Row([*row, named(label or str(field.hint_text), field)], spacing=10),
        height=t.touch if height == 0 else height,
        expand=expand,
        bgcolor=t.well,
        border=edged(t),
        border_radius=RADIUS_CARD,
        padding=sides(S3, 10 if height is None else 0),
    )


def search_field(
    t: Tokens,
    hint: str,
    value: str,
    on_change: Callable[[str], object],
    *,
    height: float = 0,
    expand: bool | None = None,
) -> ft.Container:
    return well(t, bare_field(t, hint, value, on_change), ft.Icons.SEARCH, height=height, expand=expand)
