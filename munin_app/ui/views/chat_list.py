"""The rows of the list of conversations, what filters them, and the bar that acts on those that are selected."""

from datetime import date

import flet as ft

from munin_app.domain.messages import Conversation
from munin_app.i18n import _
from munin_app.ui.components.base import Action, described, doing, headline, icon, memoised, padding, sides, stack, text
from munin_app.ui.components.buttons import icon_button, link, menu, tappable
from munin_app.ui.format import grouped, grouped_number, title_of
from munin_app.ui.session import PageSession
from munin_app.ui.state import ConversationList
from munin_app.ui.tokens import RADIUS_CARD, RADIUS_PILL, S1, S2, S3, S4, Tokens

NEAR_END = 600
"""Pixels: closer than this to the end of what is drawn, more is drawn."""
ABOVE_BUTTON = 80
"""Room below the phone's last row, which "New chat" would cover."""


def conversation_menu(t: Tokens, session: PageSession, conversation: Conversation, tip: str) -> ft.Control:
    return menu(t, tip, session.conversations.menu_of(conversation))


def _words(t: Tokens, conversation: Conversation, snippet: str, active: bool) -> ft.Control:
    title = title_of(conversation)
    if t.wide:
        return text(t, title, "label" if active else "body", t.text if active else t.text2, lines=1, expand=True)
    return ft.Column(
        [text(t, title, "label", lines=1), text(t, snippet or " ", "small", t.text3, lines=1)], spacing=0, tight=True, expand=True
    )


def _tag(t: Tokens, name: str) -> ft.Control:
    return ft.Container(text(t, name, "micro", t.text3, lines=1), width=t.broad(64) if len(name) > 9 else None)


def _row(
    t: Tokens,
    session: PageSession,
    conversation: Conversation,
    snippet: str,
    active: bool,
    selected: bool | None,
    key: str | None = None,
) -> ft.Control:
    """`selected`: None where none is being selected. Its menu shows on the open one, under the pointer, and always on a phone;
    the header's menu does the same by keyboard."""
    hovered, set_hovered = ft.use_state(False)
    actions = session.conversations
    marks: list[ft.Control] = [_tag(t, name) for name in conversation.tags[:1]]
    if conversation.pinned:
        marks.append(icon(t, ft.Icons.PUSH_PIN_OUTLINED, 16, t.text3))
    before: list[ft.Control] = []
    if selected is not None:
        before = [icon(t, ft.Icons.CHECK_CIRCLE if selected else ft.Icons.CIRCLE_OUTLINED, 20, t.seed if selected else t.text3)]
    pressed: Action = lambda: session.chat.open(conversation.id) if selected is None else actions.choose(conversation.id)  # noqa: E731
    open_ = ft.Container(
        ft.Row([*before, _words(t, conversation, snippet, active), *marks], spacing=S2),
        on_click=doing(pressed),
        on_long_press=lambda: actions.choose(conversation.id),
        ink=True,
        height=t.touch - 4 if t.wide else t.high(64, 2),
        border_radius=RADIUS_CARD,
        padding=padding(left=S3, right=S1),
        expand=True,
    )
    shown = selected is None and (active or hovered or not t.wide)
    more = (
        [conversation_menu(t, session, conversation, _("More about {title}").format(title=title_of(conversation)))]
        if shown
        else []
    )
    row = ft.Container(
        ft.Row([open_, *more], spacing=0),
        bgcolor=t.well if active or selected else None,
        border_radius=RADIUS_CARD,
        on_hover=lambda event: set_hovered(str(event.data).lower() == "true"),
    )
    return row if selected is None else described(row, checked=selected)


ConversationRow = memoised(_row)


def _group_label(t: Tokens, name: str) -> ft.Container:
    return ft.Container(headline(text(t, name, "micro", t.text3)), padding=padding(left=S3, top=S4, bottom=S1))


def _empty(state: ConversationList) -> str:
    if state.tag:
        return _("No chat here has this tag.")
    return _("Nothing is archived.") if state.in_archive else _("Your chats will be here. Write something to begin.")


def _rows(t: Tokens, session: PageSession, state: ConversationList, active: str) -> list[ft.Control]:
    if not state.items:
        return [ft.Container(text(t, _empty(state), "small", t.text3), padding=padding(S3, S4, S3, 0))]
    rows: list[ft.Control] = []
    for name, conversations in grouped(state.items, date.today()):
        rows.append(_group_label(t, name))
        for one in conversations:
            chosen = one.id in state.selected if state.selecting else None
            snippet = "" if t.wide else state.snippets.get(one.id, "")
            rows.append(ConversationRow(t, session, one, snippet, one.id == active, chosen, key=one.id))
    return rows


def _chip(t: Tokens, name: ft.IconData, label: str, on: bool, on_click: Action) -> ft.Control:
    ink = t.on_tint if on else t.text2
    row: list[ft.Control] = [icon(t, name, 14, ink), text(t, label, "micro", ink, wrap=False)]
    if on:
        row.append(icon(t, ft.Icons.CLOSE, 14, ink))
    chip = tappable(
        ft.Row(row, spacing=S1 + 2, tight=True),
        on_click,
        height=t.high(32),
        background=t.tint if on else t.well,
        radius=RADIUS_PILL,
        pad=sides(S3),
    )
    return described(chip, selected=on)


def _filters(t: Tokens, session: PageSession, state: ConversationList) -> ft.Control:
    """The tags in use, and the archive where there is one; nothing while there is neither."""
    show = session.conversations.show
    chips: list[ft.Control] = []
    if state.archived or state.in_archive:
        label = _("Archived · {archived}").format(archived=state.archived)
        chips.append(_chip(t, ft.Icons.ARCHIVE_OUTLINED, label, state.in_archive, lambda: show(archive=not state.in_archive)))
    for name in state.tags:
        on = name == state.tag
        chosen = "" if on else name
        chips.append(_chip(t, ft.Icons.LABEL_OUTLINE, name, on, lambda chosen=chosen: show(archive=state.in_archive, tag=chosen)))
    row = ft.Row(chips, spacing=S2, scroll=ft.ScrollMode.HIDDEN)
    return ft.Container(row, padding=padding(0 if t.wide else S2, S2, 0, 0), visible=bool(chips))


def _selection(t: Tokens, session: PageSession, state: ConversationList) -> ft.Control:
    """How many are selected, and what can be done with them."""
    actions, chosen = session.conversations, state.selected
    none = not chosen
    away, move = ft.Icons.ARCHIVE_OUTLINED, _("Archive what is selected")
    if state.in_archive:
        away, move = ft.Icons.UNARCHIVE_OUTLINED, _("Bring back what is selected")
    count = described(
        text(t, _("{number} selected").format(number=grouped_number(len(chosen))), "smallb", lines=1),
        live_region=True,
        expand=True,
    )
    everything = link(t, _("Select all"), actions.select_all, width=76)
    close = icon_button(t, ft.Icons.CLOSE, _("End selecting (Esc)"), lambda: actions.select(False))
    acts = [
        icon_button(t, away, move, lambda: actions.archive(chosen, not state.in_archive), disabled=none),
        icon_button(t, ft.Icons.LABEL_OUTLINE, _("Tag what is selected"), lambda: actions.ask_tags(chosen), disabled=none),
        icon_button(
            t, ft.Icons.DELETE_OUTLINE, _("Delete what is selected"), actions.delete_selected, colour=t.danger, disabled=none
        ),
    ]
    return ft.Container(
        stack([ft.Row([count, everything, close], spacing=0), ft.Row(acts, spacing=0)]),
        bgcolor=t.raised,
        border=ft.Border.all(1, t.line),
        border_radius=RADIUS_CARD,
        padding=padding(S3, 0, 0, 0),
        margin=ft.Margin.only(top=S2),
    )


@ft.component
def ChatList(t: Tokens, session: PageSession, state: ConversationList, active: str) -> ft.Control:
    """Filters, the selection's bar and the rows; draws more when its end comes near."""

    async def scrolled(event: ft.OnScrollEvent) -> None:
        if state.more and event.pixels > event.max_scroll_extent - NEAR_END:
            await session.conversations.more()

    side = 0 if t.wide else S2
    rows = ft.ListView(
        _rows(t, session, state, active),
        expand=True,
        spacing=0,
        padding=padding(side, 0, side, S2 if t.wide else ABOVE_BUTTON),
        on_scroll=scrolled,
        scroll_interval=100,
    )
    above = [_filters(t, session, state)]
    if state.selecting:
        above.append(ft.Container(_selection(t, session, state), padding=sides(side)))
    return stack([*above, rows], expand=True)
