"""The smallest parts: text, icons, spacing, cards, rows. Everything else is built of these."""

import inspect
from collections.abc import Callable, Coroutine, Sequence
from typing import Any, ParamSpec, TypeVar

import flet as ft

from munin_app.i18n import begins_on_the_right, right_to_left
from munin_app.ui.tokens import COLUMN, RADIUS_CARD, RADIUS_PILL, S2, S3, S4, S6, Tokens, style

P = ParamSpec("P")
R = TypeVar("R")
T = TypeVar("T")
Action = Callable[..., Any]
"""What a button does: a plain function or a coroutine function; Flet passes the event where one is asked for."""


def doing(action: Action) -> Callable[[], Coroutine[Any, Any, None]]:
    """A handler for Flet that also awaits what a lambda gives back: Flet itself awaits coroutine functions only."""

    async def handler() -> None:
        result = action()
        if inspect.isawaitable(result):
            await result

    return handler


def hearing(action: Callable[[Any], Any]) -> Callable[[Any], Coroutine[Any, Any, None]]:
    """Like `doing`, for an action that takes the event."""

    async def handler(event: Any) -> None:
        result = action(event)
        if inspect.isawaitable(result):
            await result

    return handler


def memoised(function: Callable[P, R]) -> Callable[P, R]:
    """A component that is rendered again only when its arguments or its observables changed."""
    return ft.memo(ft.component(function))  # type: ignore[no-any-return]  # flet.memo has no annotations


def padding(left: float = 0, top: float = 0, right: float = 0, bottom: float = 0) -> ft.Padding:
    """`left` is where lines begin. Flet knows no start and end: what is not the same on both sides is mirrored here."""
    left, right = mirrored(left, right)
    return ft.Padding.only(left=left, top=top, right=right, bottom=bottom)


def margin(left: float = 0, top: float = 0, right: float = 0, bottom: float = 0) -> ft.Margin:
    """As `padding`."""
    left, right = mirrored(left, right)
    return ft.Margin.only(left=left, top=top, right=right, bottom=bottom)


def edge(line: ft.BorderSide, *, at_end: bool = False) -> ft.Border:
    """A line where lines of text begin, or where they end."""
    return ft.Border.only(right=line) if at_end != right_to_left() else ft.Border.only(left=line)


def mirrored(start: T, end: T) -> tuple[T, T]:
    """What belongs on the left and on the right."""
    return (end, start) if right_to_left() else (start, end)


def sides(horizontal: float = 0, vertical: float = 0) -> ft.Padding:
    return ft.Padding.symmetric(horizontal=horizontal, vertical=vertical)


def text(
    t: Tokens,
    value: str,
    role: str = "body",
    colour: str | None = None,
    *,
    expand: bool | int | None = None,
    expand_loose: bool = False,
    lines: int | None = None,
    wrap: bool = True,
    selectable: bool = False,
    align: ft.TextAlign = ft.TextAlign.START,
    width: float | None = None,
    own_direction: bool = False,
) -> ft.Text:
    """`own_direction`: what a person or the model wrote, which begins on the right where its language does."""
    return ft.Text(
        value,
        style=style(t, role, colour or t.text),
        expand=expand,
        expand_loose=expand_loose,
        max_lines=lines,
        overflow=ft.TextOverflow.ELLIPSIS if lines else ft.TextOverflow.CLIP,
        no_wrap=not wrap,
        selectable=selectable,
        text_align=align,
        width=width,
        rtl=own_direction and begins_on_the_right(value),
    )


def icon(t: Tokens, name: ft.IconData | str, size: float = 20, colour: str | None = None) -> ft.Control:
    """One of Flet's icons, or one of our own drawings by its file name in assets/icons/."""
    size = t.broad(size)
    if isinstance(name, str):
        return ft.Image(src=f"icons/{name}.svg", width=size, height=size, color=colour or t.text2, exclude_from_semantics=True)
    return ft.Icon(name, size=size, color=colour or t.text2)


def working(t: Tokens, size: float = 14) -> ft.Control:
    """Something goes on, and how long it takes is not known. A ring that turns, or stands where nothing is to move."""
    return ft.ProgressRing(
        value=0.25 if t.still else None,
        width=t.broad(size),
        height=t.broad(size),
        stroke_width=2,
        color=t.seed,
        bgcolor=t.line,
    )


def edged(t: Tokens) -> ft.Border | None:
    """Around what is told from the page by its fill alone, where contrast is to be high."""
    return ft.Border.all(1, t.edge) if t.high_contrast else None


def described(content: ft.Control, **properties: Any) -> ft.Semantics:
    """For screen readers. `content` by name: by position Flet 1.0.5 takes it for something else and draws a grey box."""
    return ft.Semantics(content=content, container=True, **properties)


def readable(content: ft.Text, *, expand: bool | int | None = None) -> ft.Semantics:
    """Text that can be selected is an empty field for screen readers in a browser: here its words are its name."""
    return described(content, label=str(content.value), exclude_semantics=True, expand=expand)


def one(content: ft.Control, *, expand: bool | int | None = None) -> ft.MergeSemantics:
    """For screen readers one thing, with its tooltip for a name: else the name is that of a group around a button without one."""
    return ft.MergeSemantics(content=content, expand=expand)


def headline(content: ft.Control, *, expand: bool | None = None) -> ft.Semantics:
    """A heading for screen readers."""
    return described(content, header=True, heading_level=2, expand=expand)


def gap(height: float) -> ft.Container:
    return ft.Container(height=height)


def rule(t: Tokens) -> ft.Container:
    return ft.Container(height=1, bgcolor=t.line)


def dot(colour: str, size: float = 6) -> ft.Container:
    return ft.Container(width=size, height=size, border_radius=size, bgcolor=colour)


def pill(
    t: Tokens,
    label: str,
    *,
    colour: str | None = None,
    background: str | None = None,
    line: str | None = None,
    name: ft.IconData | str | None = None,
    height: float = 24,
) -> ft.Container:
    ink = colour or t.text2
    row: list[ft.Control] = [icon(t, name, 14, ink)] if name else []
    row.append(text(t, label, "micro", ink, wrap=False))
    return ft.Container(
        ft.Row(row, spacing=6, tight=True),
        bgcolor=background or t.well,
        border=ft.Border.all(1, line) if line else edged(t),
        border_radius=RADIUS_PILL,
        height=t.high(height),
        padding=sides(10),
    )


def card(t: Tokens, rows: Sequence[ft.Control], line: str | None = None) -> ft.Container:
    """A group of rows with hairlines between them."""
    content: list[ft.Control] = []
    for number, row in enumerate(rows):
        content += [rule(t), row] if number else [row]
    return ft.Container(
        ft.Column(content, spacing=0, horizontal_alignment=ft.CrossAxisAlignment.STRETCH),
        bgcolor=t.raised,
        border=ft.Border.all(1, line or t.line),
        border_radius=RADIUS_CARD,
        clip_behavior=ft.ClipBehavior.ANTI_ALIAS,
    )


def labelled(t: Tokens, label: str, detail: str = "", trailing: ft.Control | None = None, *, below: bool = False) -> ft.Container:
    """A row of a card: words, and what belongs to them at its end. `below`: what is wide stands under its words on a phone."""
    words: list[ft.Control] = [text(t, label, "label")]
    if detail:
        words.append(text(t, detail, "small", t.text2))
    return ft.Container(beside(t, words, trailing, below=below), padding=padding(S4, t.space(S2), S4, t.space(S2)))


def beside(t: Tokens, words: Sequence[ft.Control], trailing: ft.Control | None, *, below: bool) -> ft.Control:
    """Words, and what belongs to them at their end; `below`: under them on a phone."""
    if trailing and below and not t.wide:
        return stack([*words, gap(S2), hugging(trailing)])
    return ft.Row([lines(words), *([trailing] if trailing else [])], spacing=S3)


def failure(t: Tokens, sentence: str) -> ft.Semantics:
    """What went wrong; a screen reader says it when it appears."""
    return described(text(t, sentence, "small", t.danger), live_region=True)


def progress_line(t: Tokens, name: str, share: float | None) -> ft.ProgressBar:
    """A thin line. None: how far it is is not known."""
    value = None if share is None else min(1.0, share)
    return ft.ProgressBar(value=value, color=t.seed, bgcolor=t.line, bar_height=4, semantics_label=name)


def progress_bar(t: Tokens, name: str, share: float, colour: str | None = None) -> ft.ProgressBar:
    """Of work with a row of its own; `share`: 0 to 1."""
    return ft.ProgressBar(
        value=share, height=6, color=colour or t.seed, bgcolor=t.well, border_radius=RADIUS_PILL, semantics_label=name
    )


def section(t: Tokens, label: str, trailing: ft.Control | None = None, first: bool = False) -> ft.Container:
    heading = text(t, label, "smallb", t.text2)
    row: list[ft.Control] = [headline(heading) if t.narrow else headline(heading, expand=True)]
    if trailing:
        row.append(trailing)
    return ft.Container(stack(row) if t.narrow else ft.Row(row), padding=padding(top=S2 if first else t.space(S6), bottom=S2))


def stack(controls: Sequence[ft.Control], spacing: float = 0, *, expand: bool | None = None, tight: bool = False) -> ft.Column:
    """A column whose children take its whole width."""
    return ft.Column(
        list(controls), spacing=spacing, expand=expand, tight=tight, horizontal_alignment=ft.CrossAxisAlignment.STRETCH
    )


def lines(controls: Sequence[ft.Control], spacing: float = 0) -> ft.Column:
    """Lines of text beside something else in a row: takes the width that is left, and only the height it needs."""
    return ft.Column(list(controls), spacing=spacing, expand=True, tight=True)


def hugging(control: ft.Control) -> ft.Row:
    """As wide as what it holds, and no wider than the page."""
    return ft.Row([ft.Container(control, expand=True, expand_loose=True)])


def column(controls: Sequence[ft.Control], width: float = COLUMN, spacing: float = 0) -> ft.Container:
    """A centred column: `align` loosens the parent's constraints, so that `width` acts as a maximum."""
    return ft.Container(stack(controls, spacing), width=width, align=ft.Alignment.TOP_CENTER)


def scrolled(
    controls: Sequence[ft.Control], side: float, *, width: float | None = COLUMN, ref: ft.Ref[ft.Column] | None = None
) -> ft.Column:
    """The scrolling body of a page."""
    body: ft.Control = column(controls, width) if width else stack(controls)
    return ft.Column(
        [ft.Container(body, padding=padding(side, 0, side, S6))],
        ref=ref,
        scroll=ft.ScrollMode.AUTO,
        expand=True,
        spacing=0,
        horizontal_alignment=ft.CrossAxisAlignment.STRETCH,
    )


def note(t: Tokens, name: ft.IconData | str, controls: Sequence[ft.Control], colour: str | None = None) -> ft.Container:
    """A quiet bar: an icon and what is to be said."""
    return ft.Container(
        ft.Row([icon(t, name, 18, colour or t.text3), *controls], spacing=S2 + 4),
        bgcolor=t.panel,
        border=ft.Border.all(1, t.line),
        border_radius=RADIUS_CARD,
        padding=padding(S4, 4, S2, 4),
    )
