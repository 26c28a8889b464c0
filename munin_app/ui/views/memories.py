"""Memory page, tabs Memories and Status: remembered messages, the arms of recall, starting over."""

from collections.abc import Mapping
from datetime import date
from functools import partial

import flet as ft

from munin_app.domain.memories import ArmState, ArmStatus, Memory
from munin_app.domain.messages import Role
from munin_app.i18n import _, pgettext
from munin_app.ui.actions.memory import MemoryActions
from munin_app.ui.components.base import Action, card, dot, gap, headline, icon, lines, padding, stack, text
from munin_app.ui.components.buttons import button, choice, icon_button, link, tappable
from munin_app.ui.components.fields import search_field
from munin_app.ui.components.sheet import OpenMessage, meter
from munin_app.ui.format import grouped_number, memories_counted, periods, quoted, said_by
from munin_app.ui.state import MemoryPage, ProfileState
from munin_app.ui.tokens import S1, S2, S3, S4, S6, Tokens

CHATS_OFFERED = 40
"""In the filter: the chats used last."""


def _memory_row(
    t: Tokens,
    actions: MemoryActions,
    memory: Memory,
    similarity: float | None,
    state: MemoryPage,
    titles: Mapping[str, str],
    on_open: OpenMessage,
) -> ft.Container:
    source = said_by(memory.role, memory.created_at, date.today())
    title = titles.get(memory.conversation_id, "")
    below: list[ft.Control] = [text(t, f"{source} · {title}" if title else source, "small", t.text3, lines=1, expand=True)]
    if similarity is not None:
        below.append(meter(t, similarity))
    own = memory.role is Role.USER
    words = text(t, quoted(memory.text) if own else memory.text, "quote" if own else "body", lines=2)
    beginning = memory.text[:60]

    toggle = partial(actions.toggle_selected, memory.message_id)
    open_ = partial(on_open, memory.conversation_id, memory.message_id) if title else None
    body = tappable(
        stack([words, ft.Row(below)], S1, tight=True),
        toggle if state.selecting else open_,
        tip=(_("Select: {beginning}") if state.selecting else _("Open in its chat: {beginning}")).format(beginning=beginning),
        radius=0,
        pad=padding(S2 if state.selecting else S4, S3, S1, S3),
        expand=True,
    )
    if state.selecting:
        on = memory.message_id in state.selected
        symbol = ft.Icons.CHECK_BOX if on else ft.Icons.CHECK_BOX_OUTLINE_BLANK
        colour = t.seed if on else t.text3
        box = icon_button(
            t,
            symbol,
            (_("Selected: {beginning}") if on else _("Not selected: {beginning}")).format(beginning=beginning),
            toggle,
            colour=colour,
            size=20,
        )
        return ft.Container(ft.Row([box, body], spacing=0), padding=padding(left=S1, right=S3))
    forget = icon_button(
        t,
        ft.Icons.DELETE_OUTLINE,
        _("Forget: {beginning}").format(beginning=beginning),
        lambda: actions.forget_memory(memory.message_id),
        colour=t.text3,
        size=18,
    )
    return ft.Container(ft.Row([body, forget], spacing=S1), padding=padding(right=S1))


def _filters(t: Tokens, actions: MemoryActions, state: MemoryPage, titles: Mapping[str, str]) -> ft.Control:
    when = choice(t, _("Said"), list(periods().items()), state.period, actions.choose_period)
    chats = [("", _("All chats")), *titles.items()]
    where = choice(t, _("In"), chats[:CHATS_OFFERED], state.chat, actions.choose_chat)
    return ft.Row([when, ft.Container(where, expand=True, expand_loose=True)], spacing=S2)


def _selection_bar(t: Tokens, actions: MemoryActions, state: MemoryPage, words: str, rows: int) -> ft.Control:
    """What the list holds, and what can be done with several of it."""
    if not state.selecting:
        select = [link(t, _("Select"), lambda: actions.select(True), width=60)] if rows else []
        return ft.Row([text(t, words, "small", t.text2, expand=True), *select], height=t.touch)
    said = text(t, _("{number} selected").format(number=grouped_number(len(state.selected))), "small", t.text2, expand=True)
    every = link(t, _("Select all"), actions.select_all, width=80)
    cancel = link(t, _("Cancel"), lambda: actions.select(False), width=60)
    forget = link(t, _("Forget"), actions.ask_forget_selected, colour=t.danger, width=60, tip=_("Forget what is selected"))
    return ft.Row([said, every, *([forget] if state.selected else []), cancel], spacing=S1, height=t.touch)


def memories_body(
    t: Tokens, actions: MemoryActions, state: MemoryPage, profile: ProfileState, on_open: OpenMessage
) -> list[ft.Control]:
    found, titles = state.found, profile.titles
    if found is None:
        rows = [_memory_row(t, actions, memory, None, state, titles, on_open) for memory in state.memories]
        words = _("{memories}, newest first").format(memories=memories_counted(state.matching))
    else:
        rows = [_memory_row(t, actions, one.memory, one.similarity, state, titles, on_open) for one in found]
        words = _("{number} found in {count}, nearest first").format(number=len(found), count=grouped_number(state.count))
    if not rows:
        words = _("Nothing yet. What you write in a chat with memory on is remembered here.")
        if found is not None or state.count:
            words = _("Nothing comes close to that.") if found is not None else _("Nothing was said there and then.")
    body: list[ft.Control] = [search_field(t, _("Search by meaning or by words"), state.memory_query, actions.search), gap(S3)]
    if found is None:
        body.append(_filters(t, actions, state, titles))
    body.append(_selection_bar(t, actions, state, words, len(rows)))
    if rows:
        body.append(card(t, rows))
    if found is None and len(state.memories) < state.matching:
        body += [gap(S3), ft.Row([button(t, _("Show more"), actions.more)])]
    return body


ICONS = {
    "encoder": ft.Icons.MEMORY,
    "vectors": ft.Icons.SCATTER_PLOT_OUTLINED,
    "words": ft.Icons.MANAGE_SEARCH,
    "database": ft.Icons.STORAGE_OUTLINED,
}


def _name_of(arm: ArmStatus) -> str:
    names = {"encoder": _("Encoder"), "vectors": _("Vectors"), "words": _("Words"), "database": _("Database")}
    return names.get(arm.name, arm.name.capitalize())


def _state_of(arm: ArmStatus) -> str:
    states = {
        ArmState.READY: _("Ready"),
        ArmState.NOT_LOADED: _("Not loaded"),
        ArmState.BEHIND: _("Behind"),
        ArmState.OFF: pgettext("memory", "Off"),
    }
    return states[arm.state]


def _arm(t: Tokens, arm: ArmStatus) -> ft.Container:
    weak = arm.state in (ArmState.OFF, ArmState.BEHIND)
    colour = t.warn if weak else t.seed if arm.state is ArmState.READY else t.text3
    state = ft.Row(
        [dot(colour), text(t, _state_of(arm), "micro", t.warn if weak else t.text2, wrap=False)],
        spacing=6,
        tight=True,
    )
    rows: list[ft.Control] = [
        ft.Row([text(t, _name_of(arm), "smallb", expand=True), state]),
        text(t, arm.detail, "small", t.text3),
    ]
    if arm.remedy:
        rows.append(text(t, arm.remedy, "small", t.text2))
    return ft.Container(
        ft.Row(
            [icon(t, ICONS.get(arm.name, ft.Icons.INFO_OUTLINE), 18), lines(rows)],
            spacing=S3,
            vertical_alignment=ft.CrossAxisAlignment.START,
        ),
        padding=padding(S4, S3, S4, S3),
    )


def _start_over_row(t: Tokens, label: str, detail: str, verb: str, tip: str, on_click: Action) -> ft.Container:
    words = lines([text(t, label, "smallb"), text(t, detail, "small", t.text3)])
    act = button(t, verb, on_click, "danger", tip=tip)
    return ft.Container(ft.Row([words, act], spacing=S2), padding=padding(S4, S2, S2, S2))


def status_body(t: Tokens, actions: MemoryActions, state: MemoryPage, profile: ProfileState) -> list[ft.Control]:
    facts = _("{number}, and {waiting} waiting").format(number=len(profile.facts), waiting=len(profile.candidates))
    memories = _("{count}. Chats stay").format(count=grouped_number(state.count))
    chats = _("{conversations}. Facts stay").format(conversations=grouped_number(state.conversations))
    over = card(
        t,
        [
            _start_over_row(t, _("All facts"), facts, _("Forget"), _("Forget all facts"), actions.ask_forget_facts),
            _start_over_row(t, _("All memories"), memories, _("Forget"), _("Forget all memories"), actions.ask_forget_memories),
            _start_over_row(t, _("All chats"), chats, _("Clear"), _("Clear all chats"), actions.ask_clear_chats),
        ],
        line=t.danger_line,
    )
    return [
        headline(text(t, _("How recall works right now"), "smallb", t.text2)),
        gap(S2),
        card(t, [_arm(t, arm) for arm in state.arms]) if state.arms else text(t, _("Not known yet."), "small", t.text3),
        gap(S6),
        headline(text(t, _("Start over"), "smallb", t.text2)),
        gap(S2),
        over,
        gap(S2),
        text(t, _("Each is separate, asks once more, and cannot be undone."), "small", t.text3),
    ]
