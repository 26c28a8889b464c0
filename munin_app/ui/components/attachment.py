"""A file that goes with a message: as a chip in the composer and in the bubble, as what was read, as what was quoted."""

from collections.abc import Callable, Sequence
from typing import Protocol

import flet as ft

from munin_app.domain.attachments import PAGE_BREAK, Attachment, FileKind
from munin_app.i18n import _, ngettext
from munin_app.ui.components.base import (
    Action,
    described,
    edged,
    gap,
    icon,
    memoised,
    padding,
    readable,
    sides,
    stack,
    text,
    working,
)
from munin_app.ui.components.buttons import button, icon_button, tappable
from munin_app.ui.components.dialogs import framed
from munin_app.ui.format import exact_size, grouped_number
from munin_app.ui.state import Attaching, DialogBuilder, FileChip
from munin_app.ui.tokens import RADIUS_CARD, RADIUS_PILL, S1, S2, S3, S4, Tokens

NAME_LETTERS, NAME_LETTERS_NARROW = 30, 22
"""Of a chip, at most: longer names lose their middle."""
PART_CHARACTERS = 6_000
"""Shown at once of a file without pages."""


class ChipHandlers(Protocol):
    async def show(self, attachment: Attachment) -> None: ...
    async def remove(self, chip: FileChip) -> None: ...


def _icon_of(attachment: Attachment | None) -> ft.IconData:
    if attachment is None:
        return ft.Icons.DESCRIPTION_OUTLINED
    return {
        FileKind.PDF: ft.Icons.PICTURE_AS_PDF_OUTLINED,
        FileKind.CODE: ft.Icons.CODE,
        FileKind.MARKDOWN: ft.Icons.ARTICLE_OUTLINED,
        FileKind.TEXT: ft.Icons.DESCRIPTION_OUTLINED,
    }[attachment.kind]


def short_name(t: Tokens, name: str) -> str:
    """Both ends of it: the last letters say what it is."""
    letters = NAME_LETTERS if t.wide else NAME_LETTERS_NARROW
    return name if len(name) <= letters else f"{name[: letters - 11]}…{name[-10:]}"


def extent(attachment: Attachment) -> str:
    """Its pages, or its size."""
    if attachment.pages:
        return ngettext("{count} page", "{count} pages", attachment.pages).format(count=grouped_number(attachment.pages))
    return exact_size(attachment.size)


def _in_bubble(t: Tokens, attachment: Attachment, on_open: Callable[[Attachment], object]) -> ft.Control:
    row = ft.Row(
        [
            icon(t, _icon_of(attachment), 18, t.seed),
            text(t, short_name(t, attachment.name), "smallb", t.text, wrap=False),
            text(t, extent(attachment), "micro", t.text3, wrap=False),
        ],
        spacing=6,
        tight=True,
    )
    return tappable(
        row,
        lambda: on_open(attachment),
        tip=_("Read {file}").format(file=attachment.name),
        height=t.touch,
        background=t.raised,
        radius=RADIUS_CARD,
        pad=sides(S3),
        border=ft.Border.all(1, t.line),
    )


def bubble_files(t: Tokens, files: Sequence[Attachment], on_open: Callable[[Attachment], object]) -> ft.Control:
    """Above the message, on its side."""
    chips = [_in_bubble(t, one, on_open) for one in files]
    return ft.Row(chips, spacing=S2, run_spacing=S2, wrap=True, alignment=ft.MainAxisAlignment.END)


def quotes_chip(t: Tokens, label: str, on_click: Action) -> ft.Control:
    """Opens what the reply used. Not amber: a file is no memory."""
    chip = ft.Container(
        ft.Row(
            [
                icon(t, ft.Icons.ATTACH_FILE, 16, t.text2),
                ft.Container(text(t, label, "smallb", t.text2, lines=1), expand=True, expand_loose=True),
                icon(t, ft.Icons.CHEVRON_RIGHT, 16, t.text2),
            ],
            spacing=6,
            tight=True,
        ),
        bgcolor=t.well,
        border=edged(t),
        border_radius=RADIUS_PILL,
        height=t.high(32),
        padding=padding(left=10, right=S2),
        expand=True,
        expand_loose=True,
    )
    pressed = tappable(chip, on_click, tip=_("What was quoted of the files"), height=t.touch, radius=RADIUS_PILL)
    return ft.Container(pressed, expand=True, expand_loose=True)


def _chip(t: Tokens, chip: FileChip, fixed: bool, handlers: ChipHandlers, key: str | None = None) -> ft.Control:
    attachment = chip.attachment
    mark: ft.Control = icon(t, _icon_of(attachment), 18, t.seed)
    detail, line = "", t.line
    if chip.reading:
        mark = working(t, 16)
        if chip.total:
            size = t.broad(16)
            share = chip.done / chip.total
            mark = ft.ProgressRing(value=share, width=size, height=size, stroke_width=2, color=t.seed, bgcolor=t.line)
        detail = _("Reading {page} of {pages}").format(page=chip.done, pages=chip.total) if chip.total else _("Reading")
    elif chip.error:
        mark, line = icon(t, ft.Icons.ERROR_OUTLINE, 18, t.danger), t.danger_line
    elif attachment:
        detail = extent(attachment)
        if attachment.cut:
            detail = _("{extent}, its beginning").format(extent=detail)
    words = [text(t, short_name(t, chip.name), "smallb", t.text, wrap=False), text(t, detail, "micro", t.text3, wrap=False)]
    content: ft.Control = ft.Row([mark, *words], spacing=6, tight=True)
    if chip.error:
        said = described(text(t, chip.error, "small", t.text), live_region=True, expand=True)
        content = ft.Row([mark, said], spacing=6, vertical_alignment=ft.CrossAxisAlignment.START)
        content = ft.Container(content, padding=padding(S3, 10, 0, 10), expand=True)
    elif attachment:
        content = tappable(
            content,
            lambda: handlers.show(attachment),
            tip=_("Read {file}").format(file=chip.name),
            height=t.touch,
            radius=RADIUS_CARD,
            pad=padding(left=S3, right=S3 if fixed else 0),
        )
    else:
        content = ft.Container(content, padding=padding(left=S3), height=t.touch)
    row = [content]
    if not fixed:
        row.append(
            icon_button(t, ft.Icons.CLOSE, _("Remove {file}").format(file=chip.name), lambda: handlers.remove(chip), size=16)
        )
    return ft.Container(
        ft.Row(row, spacing=0, tight=not chip.error, vertical_alignment=ft.CrossAxisAlignment.CENTER),
        bgcolor=t.raised,
        border=ft.Border.all(1, line),
        border_radius=RADIUS_CARD,
    )


Chip = memoised(_chip)


def _key(chip: FileChip) -> str:
    return f"file-{chip.attachment.id if chip.attachment else id(chip)}"


def _files(t: Tokens, state: Attaching, handlers: ChipHandlers) -> ft.Control:
    """Above the composer. What could not be read has a line of its own: its reason is a sentence."""
    chips = {chip: Chip(t, chip, state.fixed, handlers, key=_key(chip)) for chip in state.chips}
    read, failed = [[drawn for chip, drawn in chips.items() if bool(chip.error) is wrong] for wrong in (False, True)]
    rows: list[ft.Control] = [ft.Row(read, spacing=S2, run_spacing=S2, wrap=True)] if read else []
    return ft.Container(stack([*rows, *failed], S2, tight=True), padding=padding(bottom=S2), visible=bool(state.chips))


FileChips = memoised(_files)


def parts_of(content: str, *, paged: bool) -> tuple[str, ...]:
    """What is shown at once: a page, or some screens."""
    if paged:
        return tuple(content.split(PAGE_BREAK))
    parts, start = [], 0
    while len(content) - start > PART_CHARACTERS:
        end = content.rfind("\n", start + PART_CHARACTERS // 2, start + PART_CHARACTERS) + 1 or start + PART_CHARACTERS
        parts.append(content[start:end])
        start = end
    return (*parts, content[start:])


def file_dialog(
    attachment: Attachment, parts: Sequence[str], number: int, show: Callable[[int], object], on_close: Action
) -> DialogBuilder:
    """Part `number` of what was read of it, to be read and copied."""

    def build(t: Tokens) -> ft.AlertDialog:
        about = [exact_size(attachment.size)]
        if attachment.pages:
            about.insert(0, extent(attachment))
        if attachment.cut:
            about.append(_("only its beginning was read"))
        about.append(_("this text is what Munin reads"))
        shown = parts[number].strip("\n") or _("No text on this page.")
        body = ft.Container(
            ft.Column(
                [readable(text(t, shown, "code" if attachment.kind is FileKind.CODE else "body", selectable=True))],
                scroll=ft.ScrollMode.AUTO,
                horizontal_alignment=ft.CrossAxisAlignment.STRETCH,
            ),
            bgcolor=t.well,
            border_radius=RADIUS_CARD,
            padding=S4,
            height=420 if t.wide else 360,
        )
        content: list[ft.Control] = [text(t, " · ".join(about), "small", t.text2), gap(S1), body]
        actions = [button(t, _("Close"), on_close, autofocus=True)]
        if len(parts) > 1:
            paged = attachment.kind is FileKind.PDF
            label = _("Page {number} of {count}") if paged else _("Part {number} of {count}")
            turn = [
                icon_button(t, ft.Icons.CHEVRON_LEFT, _("Back"), lambda: show(number - 1), disabled=number == 0),
                text(t, label.format(number=number + 1, count=len(parts)), "small", t.text2, wrap=False),
                icon_button(t, ft.Icons.CHEVRON_RIGHT, _("Forward"), lambda: show(number + 1), disabled=number == len(parts) - 1),
            ]
            content.append(ft.Row(turn, spacing=S1, alignment=ft.MainAxisAlignment.CENTER))
        return framed(t, attachment.name, content, actions, width=640, scrollable=False)

    return build
