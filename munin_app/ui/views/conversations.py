"""The list of conversations: the panel on the left of a wide page, a page of its own with a bottom bar on a phone."""

from datetime import date

import flet as ft

from munin_app.domain.messages import Conversation
from munin_app.ui.components.base import Action, gap, headline, icon, padding, pill, rule, sides, stack, text
from munin_app.ui.components.buttons import button, icon_button, menu, tappable
from munin_app.ui.components.fields import search_field
from munin_app.ui.components.header import offline
from munin_app.ui.format import grouped, title_of
from munin_app.ui.session import PageSession
from munin_app.ui.state import ChatState, ConversationList, ModelView, Navigation, ProfileState, ViewName
from munin_app.ui.tokens import PANEL, RADIUS_CARD, S1, S2, S3, S4, S5, TOUCH, Tokens

DESTINATIONS: tuple[tuple[ViewName, ft.IconData | str, str], ...] = (
    ("memory", "feather", "Memory"),
    ("models", ft.Icons.MEMORY, "Models"),
    ("settings", ft.Icons.SETTINGS_OUTLINED, "Settings"),
)


def brand(t: Tokens) -> ft.Row:
    return ft.Row([icon(t, "raven", 24, t.text), text(t, "Munin", "brand", wrap=False)], spacing=10, tight=True)


def conversation_menu(t: Tokens, session: PageSession, conversation: Conversation, tip: str) -> ft.Control:
    actions = session.conversations
    return menu(
        t,
        tip,
        [
            ("Rename", ft.Icons.DRIVE_FILE_RENAME_OUTLINE, lambda: actions.ask_rename(conversation)),
            ("Unpin" if conversation.pinned else "Pin", ft.Icons.PUSH_PIN_OUTLINED, lambda: actions.toggle_pinned(conversation)),
            ("Delete", ft.Icons.DELETE_OUTLINE, lambda: actions.delete(conversation)),
        ],
    )


def _words(t: Tokens, conversation: Conversation, snippet: str, active: bool) -> ft.Control:
    title = title_of(conversation)
    if t.wide:
        return text(t, title, "label" if active else "body", t.text if active else t.text2, lines=1, expand=True)
    return ft.Column(
        [text(t, title, "label", lines=1), text(t, snippet or " ", "small", t.text3, lines=1)], spacing=0, tight=True, expand=True
    )


@ft.component
def ConversationRow(
    t: Tokens, session: PageSession, conversation: Conversation, snippet: str, active: bool, key: str | None = None
) -> ft.Control:
    """Its menu shows on the open one, under the pointer, and always on a phone; the header's menu does the same by keyboard."""
    hovered, set_hovered = ft.use_state(False)
    pin = [icon(t, ft.Icons.PUSH_PIN_OUTLINED, 16, t.text3)] if conversation.pinned else []
    open_ = tappable(
        ft.Row([_words(t, conversation, snippet, active), *pin], spacing=S2),
        lambda: session.chat.open(conversation.id),
        height=TOUCH - 4 if t.wide else 64,
        pad=padding(left=S3, right=S1),
        expand=True,
    )
    shown = active or hovered or not t.wide
    more = [conversation_menu(t, session, conversation, f"More about {title_of(conversation)}")] if shown else []
    return ft.Container(
        ft.Row([open_, *more], spacing=0),
        bgcolor=t.well if active else None,
        border_radius=RADIUS_CARD,
        on_hover=lambda event: set_hovered(str(event.data).lower() == "true"),
    )


def _group_label(t: Tokens, name: str) -> ft.Container:
    return ft.Container(headline(text(t, name, "micro", t.text3)), padding=padding(left=S3, top=S4, bottom=S1))


def _rows(t: Tokens, session: PageSession, state: ConversationList, active: str) -> list[ft.Control]:
    shown = state.items if state.found is None else state.found
    if not shown:
        words = "No chat has these words." if state.query else "Your chats will be here. Write something to begin."
        return [ft.Container(text(t, words, "small", t.text3), padding=padding(S3, S4, S3, 0))]
    rows: list[ft.Control] = []
    for name, conversations in grouped(shown, date.today()):
        rows.append(_group_label(t, name))
        rows += [
            ConversationRow(t, session, one, state.snippets.get(one.id, ""), one.id == active, key=one.id)
            for one in conversations
        ]
    return rows


def _new_menu(t: Tokens, session: PageSession) -> ft.Control:
    return menu(
        t,
        "Temporary chat and bookmarks",
        [
            ("New temporary chat", ft.Icons.TIMER_OUTLINED, lambda: session.chat.new(temporary=True)),
            ("Bookmarks", ft.Icons.BOOKMARKS_OUTLINED, session.messages.show_bookmarks),
        ],
        name=ft.Icons.EXPAND_MORE,
    )


def _destination(t: Tokens, name: ft.IconData | str, label: str, active: bool, waiting: int, on_click: Action) -> ft.Control:
    ink = t.text if active else t.text2
    badge = (
        [pill(t, f"{waiting} to review", colour=t.memory, background=t.memory_bg, line=t.memory_line, height=22)]
        if waiting
        else []
    )
    row = ft.Row([icon(t, name, 20, ink), text(t, label, "label" if active else "body", ink, expand=True), *badge], spacing=S3)
    return tappable(row, on_click, height=TOUCH, background=t.well if active else None, pad=sides(S3))


@ft.component
def Panel(
    t: Tokens, session: PageSession, state: ConversationList, chat: ChatState, profile: ProfileState, navigation: Navigation
) -> ft.Control:
    active = chat.conversation.id if chat.conversation and navigation.view == "chat" else ""
    head = ft.Row(
        [
            brand(t),
            ft.Container(expand=True),
            icon_button(t, "new-chat", "New chat (Ctrl N)", lambda: session.chat.new(), colour=t.text),
            _new_menu(t, session),
        ],
        spacing=0,
    )
    destinations = [
        _destination(
            t,
            name,
            label,
            navigation.view == view,
            len(profile.candidates) if view == "memory" else 0,
            lambda view=view: session.go(view),
        )
        for view, name, label in DESTINATIONS
    ]
    return ft.Container(
        stack(
            [
                ft.Container(head, padding=padding(left=S3, top=S3, bottom=S2)),
                search_field(t, "Search chats", state.query, session.conversations.search, height=40, ref=session.search_field),
                ft.ListView(_rows(t, session, state, active), expand=True, spacing=0, padding=padding(bottom=S2)),
                rule(t),
                gap(S2),
                *destinations,
            ]
        ),
        width=PANEL,
        bgcolor=t.panel,
        padding=padding(S2, 0, S2, S3),
        border=ft.Border.only(right=ft.BorderSide(1, t.line)),
    )


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
        return tappable(content, lambda: session.go(view), height=60, expand=True)

    chats: tuple[ViewName, ft.IconData | str, str] = ("conversations", ft.Icons.CHAT_BUBBLE_OUTLINE, "Chats")
    return ft.Container(
        ft.Row([tab(*entry) for entry in (chats, *DESTINATIONS)], spacing=0),
        bgcolor=t.panel,
        border=ft.Border.only(top=ft.BorderSide(1, t.line)),
        padding=padding(bottom=S2),
    )


@ft.component
def ConversationsPage(
    t: Tokens, session: PageSession, state: ConversationList, chat: ChatState, profile: ProfileState, model: ModelView
) -> ft.Control:
    """Phone: New chat is in the lower right, where a thumb is."""
    head = ft.Row([brand(t), ft.Container(expand=True), offline(t, model.downloading), _new_menu(t, session)], spacing=S1)
    active = chat.conversation.id if chat.conversation else ""
    new = ft.Container(button(t, "New chat", lambda: session.chat.new(), "fill", name="new-chat"), right=S4, bottom=S4)
    rows = ft.ListView(_rows(t, session, state, active), expand=True, spacing=0, padding=padding(S2, 0, S2, 80))
    return stack(
        [
            ft.Container(head, height=64, padding=padding(left=S5, right=S2)),
            ft.Container(
                search_field(t, "Search chats", state.query, session.conversations.search, ref=session.search_field),
                padding=sides(S4),
            ),
            ft.Stack([ft.Container(rows, left=0, right=0, top=0, bottom=0), new], expand=True),
            bottom_bar(t, session, "conversations", len(profile.candidates)),
        ],
        expand=True,
    )
