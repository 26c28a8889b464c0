"""The palette as a dialog: a field, and below it what was found, in groups; what was sought is marked."""

import flet as ft

from munin_app.chat.search import Excerpt
from munin_app.i18n import _
from munin_app.ui.actions.palette import PaletteActions
from munin_app.ui.components.base import described, headline, icon, memoised, padding, rule, sides, stack, text
from munin_app.ui.components.buttons import tappable
from munin_app.ui.components.fields import bare_field, named
from munin_app.ui.session import PageSession
from munin_app.ui.state import PaletteEntry, PaletteField, PaletteState
from munin_app.ui.tokens import RADIUS_BUBBLE, RADIUS_CARD, S1, S2, S3, S4, Tokens, style

WIDTH, SHARE = 640, 0.7
ROW, LABEL = 52, 32
"""Heights, so that the chosen row can be scrolled to."""


def hint() -> str:
    return _("Search chats, messages, settings")


def _marked(t: Tokens, pieces: Excerpt, role: str, colour: str) -> ft.Text:
    """One line; what was sought stands out by weight and by colour."""
    found, other = style(t, "smallb" if role == "small" else "strong", t.seed), style(t, role, colour)
    spans = [ft.TextSpan(piece, style=found if marked else other) for piece, marked in pieces]
    return ft.Text(spans=spans, max_lines=1, overflow=ft.TextOverflow.ELLIPSIS)


def _row(t: Tokens, session: PageSession, entry: PaletteEntry, chosen: bool) -> ft.Control:
    words: list[ft.Control] = [_marked(t, entry.name, "body", t.text)]
    if entry.detail:
        words.append(_marked(t, entry.detail, "small", t.text3))
    row: list[ft.Control] = [
        icon(t, entry.icon, 18, t.text2),
        ft.Column(words, spacing=0, expand=True, alignment=ft.MainAxisAlignment.CENTER),
    ]
    if entry.keys and t.wide:
        row.append(text(t, entry.keys, "micro", t.text3, wrap=False))
    shown = tappable(
        ft.Row(row, spacing=S3),
        lambda: session.palette.take(entry),
        height=t.high(ROW, 2),
        background=t.well if chosen else None,
        pad=sides(S3),
    )
    return described(shown, selected=chosen)


EntryRow = memoised(_row)


def _rows(t: Tokens, session: PageSession, state: PaletteState) -> tuple[list[ft.Control], float]:
    """The rows, and how far down the chosen one ends, in pixels."""
    rows: list[ft.Control] = []
    group, height, chosen_at = "", 0.0, 0.0
    for number, entry in enumerate(state.entries):
        if entry.group != group:
            group = entry.group
            label = headline(text(t, group, "micro", t.text3))
            rows.append(ft.Container(label, height=t.high(LABEL), padding=padding(left=S3, top=S3)))
            height += t.high(LABEL)
        rows.append(EntryRow(t, session, entry, number == state.chosen))
        height += t.high(ROW, 2)
        if number == state.chosen:
            chosen_at = height
    return rows, chosen_at


@ft.component
def Results(t: Tokens, session: PageSession, state: PaletteState, height: float) -> ft.Control:
    view: ft.Ref[ft.ListView] = ft.use_memo(ft.Ref, [])
    top = ft.use_ref(0.0)
    rows, end = _rows(t, session, state)

    async def follow() -> None:
        """The chosen row stays in sight."""
        start, at = 0 if state.chosen == 0 else end - t.high(ROW, 2), top.current or 0.0
        if view.current and (start < at or end > at + height):
            top.current = start if start < at else end - height
            await view.current.scroll_to(offset=top.current)

    def scrolled(event: ft.OnScrollEvent) -> None:
        top.current = event.pixels

    ft.use_effect(follow, [state.chosen, state.query])
    if not rows and state.query:
        return ft.Container(
            described(text(t, _("Nothing has these words."), "small", t.text3), live_region=True), padding=padding(S3, S4, S3, S4)
        )
    return ft.ListView(rows, ref=view, height=height, spacing=0, on_scroll=scrolled, scroll_interval=50)


def _field(t: Tokens, palette: PaletteActions, state: PaletteField, key: str | None = None) -> ft.Control:
    field = bare_field(t, hint(), state._text, palette.search, on_submit=palette.take_chosen, autofocus=True, role="chat")
    field.ignore_up_down_keys = True
    field.on_focus = palette.focused
    return named(hint(), field)


Field = memoised(_field)


def palette_dialog(t: Tokens, session: PageSession) -> ft.AlertDialog:
    width, height = session.page.width or WIDTH, session.page.height or 800
    head = ft.Row([icon(t, ft.Icons.SEARCH, 20, t.text3), Field(t, session.palette, session.palette.field)], spacing=S3)
    body = [
        ft.Container(head, height=t.high(56), padding=sides(S4)),
        rule(t),
        ft.Container(Results(t, session, session.palette.state, min(480, SHARE * height - 60)), padding=padding(S2, S1, S2, S2)),
    ]
    return ft.AlertDialog(
        content=ft.Container(stack(body, tight=True), width=min(WIDTH, width - 2 * S3), border_radius=RADIUS_CARD),
        alignment=ft.Alignment(0, -0.6),
        bgcolor=t.panel,
        shape=ft.RoundedRectangleBorder(radius=RADIUS_BUBBLE, side=ft.BorderSide(1, t.line)),
        content_padding=0,
        inset_padding=S3,
        semantics_label=_("Search"),
    )
