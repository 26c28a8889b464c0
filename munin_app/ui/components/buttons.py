"""Buttons, switch, segmented choice, tappable rows. Each has a label or a tooltip, and takes the keyboard's focus."""

from collections.abc import Callable, Sequence
from typing import Literal

import flet as ft

from munin_app.ui.components.base import Action, described, doing, edged, hearing, icon, one, padding, sides, text
from munin_app.ui.tokens import CLEAR, NO_MOTION, RADIUS_CARD, RADIUS_INNER, RADIUS_PILL, S1, S2, S3, S4, TOUCH, Tokens, style

Kind = Literal["fill", "plain", "text", "tint", "danger"]
_LETTER = 7.5
"""Of "smallb", on average, in pixels."""
MenuItem = tuple[str, ft.IconData | str, Action]
"""Label, icon, and what it does."""


def icon_button(
    t: Tokens,
    name: ft.IconData | str,
    tip: str,
    on_click: Action,
    *,
    colour: str | None = None,
    size: float = 20,
    background: str | None = None,
    round_: bool = False,
    disabled: bool = False,
) -> ft.Control:
    """The tip is also its name for screen readers."""
    radius = RADIUS_PILL if round_ else RADIUS_CARD
    control = ft.IconButton(
        icon=icon(t, name, size, colour),
        tooltip=tip,
        width=t.touch,
        height=t.touch,
        padding=0,
        bgcolor=background,
        disabled=disabled,
        on_click=doing(on_click),
        style=ft.ButtonStyle(
            side=ring(t.text if background == t.seed else t.seed), shape=ft.RoundedRectangleBorder(radius=radius)
        ),
    )
    return one(control)


def ring(colour: str, line: str | None = None) -> dict[ft.ControlState, ft.BorderSide]:
    """Shown around what has the keyboard; `line`: the colour of the border otherwise."""
    return {
        ft.ControlState.FOCUSED: ft.BorderSide(2, colour),
        ft.ControlState.DEFAULT: ft.BorderSide(1, line) if line else ft.BorderSide(0, CLEAR),
    }


def _colours(t: Tokens, kind: Kind) -> tuple[str, str, str | None]:
    return {
        "fill": (t.on_seed, t.seed, None),
        "plain": (t.text, CLEAR, t.line),
        "text": (t.seed, CLEAR, None),
        "tint": (t.on_tint if t.dark else t.seed, t.tint, None),
        "danger": (t.danger, CLEAR, t.danger_line),
    }[kind]


def button(
    t: Tokens,
    label: str,
    on_click: Action,
    kind: Kind = "plain",
    *,
    name: ft.IconData | str | None = None,
    expand: bool | None = None,
    tip: str | None = None,
    disabled: bool = False,
    autofocus: bool = False,
) -> ft.Control:
    ink, background, side = _colours(t, kind)
    row: list[ft.Control] = [icon(t, name, 18, ink)] if name else []
    row.append(ft.Text(label, style=style(t, "strong" if kind == "fill" else "label", ink), no_wrap=True))
    control = ft.TextButton(
        content=ft.Row(row, spacing=S2, tight=True, alignment=ft.MainAxisAlignment.CENTER),
        height=t.touch,
        expand=None if tip else expand,
        tooltip=tip,
        disabled=disabled,
        autofocus=autofocus,
        on_click=doing(on_click),
        style=ft.ButtonStyle(
            bgcolor=background,
            padding=sides(S2 if kind == "text" else S4),
            side=ring(t.text if kind == "fill" else t.seed, side),
            shape=ft.RoundedRectangleBorder(radius=RADIUS_CARD),
        ),
    )
    return one(control, expand=expand) if tip else control


def link(
    t: Tokens, label: str, on_click: Action, *, colour: str | None = None, width: float | None = None, tip: str | None = None
) -> ft.Control:
    """A short text button. Material's minimum of 64 px is undone by a width of its own, unless the word in the user's language
    is too long for it. `tip`: its whole name."""
    if width and len(label) * _LETTER * t.scale + 2 * S1 > width:
        width = None
    control = ft.TextButton(
        tooltip=tip,
        content=text(t, label, "smallb", colour or t.seed, lines=1),
        width=width,
        height=t.high(28),
        on_click=doing(on_click),
        style=ft.ButtonStyle(side=ring(t.seed), padding=sides(S1), shape=ft.RoundedRectangleBorder(radius=RADIUS_INNER)),
    )
    return one(control) if tip else control


def tappable(
    content: ft.Control,
    on_click: Action | None,
    *,
    tip: str | None = None,
    height: float | None = None,
    background: str | None = None,
    radius: float = RADIUS_CARD,
    pad: ft.Padding | None = None,
    expand: bool | int | None = None,
    border: ft.Border | None = None,
    on_hover: Action | None = None,
) -> ft.Control:
    """A row or a card that can be pressed. `ink` is what lets the keyboard reach it."""
    control = ft.Container(
        content,
        on_click=doing(on_click) if on_click else None,
        on_hover=on_hover,
        ink=on_click is not None,
        tooltip=tip,
        height=height,
        bgcolor=background,
        border_radius=radius,
        padding=pad,
        expand=None if tip else expand,
        border=border,
    )
    return one(control, expand=expand) if tip else control


def switch(t: Tokens, on: bool, label: str, on_change: Callable[[bool], object]) -> ft.Container:
    return ft.Container(
        described(
            ft.Switch(
                value=on,
                tooltip=label,
                active_color=t.on_seed,
                active_track_color=t.seed,
                inactive_thumb_color=t.text3,
                inactive_track_color=t.well,
                track_outline_color=t.seed if on else t.text3,
                scale=0.8,
                padding=0,
                on_change=hearing(lambda event: on_change(bool(event.control.value))),
            )
        ),
        height=t.touch,
        width=t.touch,
        alignment=ft.Alignment.CENTER_LEFT if t.rtl else ft.Alignment.CENTER_RIGHT,
    )


def segmented(
    t: Tokens, group: str, choices: Sequence[tuple[str, str]], chosen: str, on_choose: Callable[[str], object]
) -> ft.Container:
    """Two to four choices side by side; `choices` are (value, label)."""

    def segment(value: str, label: str) -> ft.Control:
        on = value == chosen
        return described(
            tappable(
                ft.Row([text(t, label, "smallb", t.text if on else t.text2)], tight=True),
                lambda: on_choose(value),
                tip=f"{group}: {label}",
                height=t.high(36),
                radius=RADIUS_INNER,
                pad=sides(S3),
                background=t.chosen if on else None,
                border=edged(t) if on else None,
            ),
            selected=on,
        )

    return ft.Container(
        ft.Row([segment(value, label) for value, label in choices], spacing=0, run_spacing=0, tight=True, wrap=True),
        bgcolor=t.well,
        border=edged(t),
        border_radius=RADIUS_CARD,
        padding=S1,
    )


def choice(
    t: Tokens, tip: str, choices: Sequence[tuple[str, str]], chosen: str, on_choose: Callable[[str], object]
) -> ft.Control:
    """Many choices behind a pill that says which one holds; `choices` are (value, label)."""

    def item(value: str, label: str) -> ft.PopupMenuItem:
        return popup_item(text(t, label, "label" if value == chosen else "body", lines=1), lambda: on_choose(value))

    said = dict(choices).get(chosen, choices[0][1])
    row = ft.Row(
        [text(t, said, "smallb", lines=1, expand=True, expand_loose=True), icon(t, ft.Icons.KEYBOARD_ARROW_DOWN, 16)],
        spacing=S1,
        tight=True,
    )
    pill = ft.Container(
        row, height=t.high(36), bgcolor=t.well, border=edged(t), border_radius=RADIUS_PILL, padding=padding(S3, 0, S2, 0)
    )
    return popup(t, pill, f"{tip}: {said}", [item(*entry) for entry in choices], radius=RADIUS_PILL)


def menu(
    t: Tokens,
    tip: str,
    items: Sequence[MenuItem],
    *,
    name: ft.IconData = ft.Icons.MORE_HORIZ,
    size: float = 20,
) -> ft.Control:
    """A "more" button; `items` are (label, icon, action). What has the bin for its icon is drawn as dangerous."""

    def item(label: str, symbol: ft.IconData | str, action: Action) -> ft.PopupMenuItem:
        colour = t.danger if symbol is ft.Icons.DELETE_OUTLINE else t.text
        row = ft.Row([icon(t, symbol, 18, colour), text(t, label, "body", colour, wrap=False)], spacing=S3, tight=True)
        return popup_item(row, action)

    dots = ft.Container(icon(t, name, size, t.text2), width=t.touch - 4, height=t.touch - 4, alignment=ft.Alignment.CENTER)
    return popup(t, dots, tip, [item(*entry) for entry in items])


def popup_item(content: ft.Control, action: Action) -> ft.PopupMenuItem:
    return ft.PopupMenuItem(content=content, height=TOUCH, on_click=doing(action))


def popup(t: Tokens, content: ft.Control, tip: str, items: list[ft.PopupMenuItem], *, radius: float = RADIUS_CARD) -> ft.Control:
    control = ft.PopupMenuButton(
        content=content,
        tooltip=tip,
        bgcolor=t.raised,
        padding=0,
        menu_position=ft.PopupMenuPosition.UNDER,
        shape=ft.RoundedRectangleBorder(radius=RADIUS_CARD, side=ft.BorderSide(1, t.line)),
        items=items,
        popup_animation_style=NO_MOTION if t.still else None,
    )
    # what is drawn for the pointer and the keyboard is drawn on this: the page's own ground is covered by colour
    ground = ft.Card(
        control,
        elevation=0,
        margin=0,
        bgcolor=CLEAR,
        clip_behavior=ft.ClipBehavior.ANTI_ALIAS,
        semantic_container=False,
        shape=ft.RoundedRectangleBorder(radius=radius),
    )
    return described(ground)
