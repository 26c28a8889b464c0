"""The list of conversations: the panel on the left of a wide page, a page of its own with a bottom bar on a phone."""

import flet as ft

from munin_app.i18n import _
from munin_app.ui.components.base import Action, edge, edged, gap, icon, mirrored, padding, pill, rule, sides, stack, text
from munin_app.ui.components.buttons import button, icon_button, menu, tappable
from munin_app.ui.components.header import offline
from munin_app.ui.session import PageSession
from munin_app.ui.state import ChatState, ConversationList, ModelView, Navigation, ProfileState, ViewName
from munin_app.ui.tokens import PANEL, S1, S2, S3, S4, S5, Tokens
from munin_app.ui.views.chat_list import ChatList

RAIL = 53

BAR = 60
"""Height of a phone's bottom bar."""


def destinations() -> tuple[tuple[ViewName, ft.IconData | str, str], ...]:
    return (
        ("memory", "feather", _("Memory")),
        ("models", ft.Icons.MEMORY, _("Models")),
        ("settings", ft.Icons.SETTINGS_OUTLINED, _("Settings")),
    )


def search_tip() -> str:
    return _("Search chats, messages and settings (Ctrl K)")


def brand(t: Tokens) -> ft.Row:
    return ft.Row([icon(t, "raven", 24, t.text), text(t, "Munin", "brand", wrap=False)], spacing=10, tight=True)


def _new_menu(t: Tokens, session: PageSession) -> ft.Control:
    return menu(
        t,
        _("Temporary chat and bookmarks"),
        [
            (_("New temporary chat"), ft.Icons.TIMER_OUTLINED, lambda: session.chat.new(temporary=True)),
            (_("Bookmarks"), ft.Icons.BOOKMARKS_OUTLINED, session.messages.show_bookmarks),
        ],
        name=ft.Icons.EXPAND_MORE,
    )


def _destination(t: Tokens, name: ft.IconData | str, label: str, active: bool, waiting: int, on_click: Action) -> ft.Control:
    ink = t.text if active else t.text2
    badge = (
        [
            pill(
                t,
                _("{waiting} to review").format(waiting=waiting),
                colour=t.memory,
                background=t.memory_bg,
                line=t.memory_line,
                height=22,
            )
        ]
        if waiting
        else []
    )
    row = ft.Row([icon(t, name, 20, ink), text(t, label, "label" if active else "body", ink, expand=True), *badge], spacing=S3)
    return tappable(row, on_click, height=t.touch, background=t.well if active else None, pad=sides(S3))


def search_button(t: Tokens, session: PageSession, height: float) -> ft.Control:
    """Looks like a field; the palette behind it has the real one."""
    row = ft.Row(
        [icon(t, ft.Icons.SEARCH, 18, t.text3), text(t, _("Search chats"), "body", t.text3, lines=1, expand=True)],
        spacing=10,
    )
    return tappable(
        row, session.palette.toggle, tip=search_tip(), height=height, background=t.well, pad=sides(S3), border=edged(t)
    )


@ft.component
def Rail(t: Tokens, session: PageSession) -> ft.Control:
    """What is left of the panel when it is hidden."""
    buttons = [
        icon_button(t, ft.Icons.VIEW_SIDEBAR_OUTLINED, _("Show the chats (Ctrl B)"), session.toggle_panel, colour=t.text),
        icon_button(t, "new-chat", _("New chat (Ctrl N)"), lambda: session.chat.new(), colour=t.text),
        icon_button(t, ft.Icons.SEARCH, search_tip(), session.palette.toggle, colour=t.text),
    ]
    return ft.Container(
        ft.Column(buttons, spacing=S1),
        width=RAIL,
        bgcolor=t.panel,
        padding=padding(S1, S3, S1, S3),
        border=edge(ft.BorderSide(1, t.line), at_end=True),
    )


@ft.component
def Panel(
    t: Tokens, session: PageSession, state: ConversationList, chat: ChatState, profile: ProfileState, navigation: Navigation
) -> ft.Control:
    active = chat.conversation.id if chat.conversation and navigation.view == "chat" else ""
    head = ft.Row(
        [
            brand(t),
            ft.Container(expand=True),
            icon_button(t, "new-chat", _("New chat (Ctrl N)"), lambda: session.chat.new(), colour=t.text),
            _new_menu(t, session),
        ],
        spacing=0,
    )
    entries = [
        _destination(
            t,
            name,
            label,
            navigation.view == view,
            len(profile.candidates) if view == "memory" else 0,
            lambda view=view: session.go(view),
        )
        for view, name, label in destinations()
    ]
    return ft.Container(
        stack(
            [
                ft.Container(head, padding=padding(left=S3, top=S3, bottom=S2)),
                search_button(t, session, t.touch - 4),
                ft.Container(ChatList(t, session, state, active), expand=True),
                rule(t),
                gap(S2),
                *entries,
            ]
        ),
        width=t.broad(PANEL),
        bgcolor=t.panel,
        padding=padding(S2, 0, S2, S3),
        border=edge(ft.BorderSide(1, t.line), at_end=True),
    )


def new_chat_height(t: Tokens) -> float:
    """How far up a phone's page "New chat" reaches, with some room above it."""
    return t.high(BAR) + S2 + S4 + t.touch + S2


def bottom_bar(t: Tokens, session: PageSession, active: ViewName, waiting: int) -> ft.Container:
    def tab(view: ViewName, name: ft.IconData | str, label: str) -> ft.Control:
        ink = t.seed if view == active else t.text2
        words = f"{label} · {waiting}" if view == "memory" and waiting else label
        content = ft.Column(
            [icon(t, name, 22, ink), text(t, words, "micro", t.memory if "·" in words else ink, wrap=False)],
            spacing=S1,
            horizontal_alignment=ft.CrossAxisAlignment.CENTER,
            alignment=ft.MainAxisAlignment.CENTER,
        )
        return tappable(content, lambda: session.go(view), height=t.high(BAR), expand=True)

    chats: tuple[ViewName, ft.IconData | str, str] = ("conversations", ft.Icons.CHAT_BUBBLE_OUTLINE, _("Chats"))
    return ft.Container(
        ft.Row([tab(*entry) for entry in (chats, *destinations())], spacing=0),
        bgcolor=t.panel,
        border=ft.Border.only(top=ft.BorderSide(1, t.line)),
        padding=padding(bottom=S2),
    )


@ft.component
def ConversationsPage(
    t: Tokens, session: PageSession, state: ConversationList, chat: ChatState, profile: ProfileState, model: ModelView
) -> ft.Control:
    """Phone: New chat is in the lower right, where a thumb is."""
    head = ft.Row(
        [brand(t), ft.Container(expand=True), offline(t, model.downloading, narrow=t.narrow), _new_menu(t, session)], spacing=S1
    )
    active = chat.conversation.id if chat.conversation else ""
    left, right = mirrored(None, S4)
    new = ft.Container(
        button(t, _("New chat"), lambda: session.chat.new(), "fill", name="new-chat"),
        left=left,
        right=right,
        bottom=S4,
        visible=not state.selecting,
    )
    rows = ChatList(t, session, state, active)
    return stack(
        [
            ft.Container(head, height=t.high(64), padding=padding(left=S5, right=S2)),
            ft.Container(search_button(t, session, t.touch), padding=sides(S4)),
            ft.Stack([ft.Container(rows, left=0, right=0, top=0, bottom=0), new], expand=True),
            bottom_bar(t, session, "conversations", len(profile.candidates)),
        ],
        expand=True,
    )
