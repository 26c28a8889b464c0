"""The Memory page: tabs, the global switch, and the status beside them on a wide page."""

import flet as ft

from munin_app.i18n import _
from munin_app.ui.components.base import described, padding, scrolled, stack, text
from munin_app.ui.components.buttons import switch, tappable
from munin_app.ui.components.header import page_header
from munin_app.ui.format import facts_counted, memories_counted
from munin_app.ui.session import PageSession
from munin_app.ui.state import MemoryPage as MemoryPageState
from munin_app.ui.state import MemoryTab, Navigation, ProfileState
from munin_app.ui.tokens import CLEAR, S2, S4, S5, S6, S8, Tokens
from munin_app.ui.views.facts import facts_body, review_body
from munin_app.ui.views.memories import memories_body, status_body


def _tab(t: Tokens, session: PageSession, tab: MemoryTab, label: str, number: int, on: bool) -> ft.Control:
    words: list[ft.Control] = [text(t, label, "label", t.text if on else t.text2, wrap=False)]
    if number:
        words.append(text(t, str(number), "micro", t.memory if tab == "review" else t.text3))
    row = ft.Container(
        ft.Row(words, spacing=6, tight=True),
        height=t.touch,
        border=ft.Border.only(bottom=ft.BorderSide(2, t.text if on else CLEAR)),
    )
    return described(tappable(row, lambda: session.memory.show(tab), radius=0), selected=on)


def _tabs(t: Tokens, session: PageSession, state: MemoryPageState, profile: ProfileState) -> ft.Container:
    entries: list[tuple[MemoryTab, str, int]] = [
        ("facts", _("Facts"), len(profile.facts)),
        ("review", _("Review"), len(profile.candidates)),
        ("memories", _("Memories"), state.count),
    ]
    if not t.wide:
        entries.append(("status", _("Status"), 0))
    return ft.Container(
        ft.Row(
            [_tab(t, session, *entry, entry[0] == _shown(t, state)) for entry in entries],
            spacing=S5 if t.wide else S4,
            wrap=t.narrow,  # else the last one would have to be scrolled to
            run_spacing=0,
            scroll=None if t.wide or t.narrow else ft.ScrollMode.HIDDEN,
        ),
        border=ft.Border.only(bottom=ft.BorderSide(1, t.line)),
        padding=padding(left=S8 if t.wide else S4, right=S4),
    )


def _shown(t: Tokens, state: MemoryPageState) -> MemoryTab:
    """On a wide page the status stands beside the others."""
    return "facts" if t.wide and state.tab == "status" else state.tab


def _body(t: Tokens, session: PageSession, state: MemoryPageState, profile: ProfileState) -> list[ft.Control]:
    actions, open_ = session.memory, session.chat.open
    match _shown(t, state):
        case "review":
            return review_body(t, actions, profile, open_)
        case "memories":
            return memories_body(t, actions, state, profile, open_)
        case "status":
            return status_body(t, actions, state, profile)
        case _:
            return facts_body(t, actions, state, profile, open_)


@ft.component
def MemoryPage(
    t: Tokens, session: PageSession, state: MemoryPageState, profile: ProfileState, navigation: Navigation
) -> ft.Control:
    on = navigation.settings.memory_on
    toggle = switch(t, on, _("Use memory in every chat"), session.memory.use_memory)
    words = [text(t, _("Use memory") if on else _("Memory is off"), "small", t.text2, wrap=False)] if t.wide else []
    known = _("{facts} and {memories}, kept only here.").format(
        facts=facts_counted(len(profile.facts)), memories=memories_counted(state.count)
    )
    header = page_header(
        t,
        _("Memory"),
        _("Everything Munin knows about you. {known}").format(known=known),
        lambda: session.go("conversations"),
        [*words, toggle, ft.Container(width=S2)],
    )
    side = S8 if t.wide else S4
    main = scrolled([ft.Container(height=S4), *_body(t, session, state, profile)], side, width=None)
    middle: ft.Control = main
    if t.wide:
        status = scrolled([ft.Container(height=S4), *status_body(t, session.memory, state, profile)], 0, width=None)
        beside = ft.Container(status, width=t.broad(312), padding=padding(right=S6))
        middle = ft.Row([main, beside], spacing=0, expand=True, vertical_alignment=ft.CrossAxisAlignment.STRETCH)
    return stack([header, _tabs(t, session, state, profile), middle], expand=True)
