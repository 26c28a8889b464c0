"""Memory page, tabs Memories and Status: remembered messages, the arms of recall, starting over."""

from collections.abc import Mapping
from datetime import date

import flet as ft

from munin_app.domain.memories import ArmState, ArmStatus, Memory
from munin_app.domain.messages import Role
from munin_app.ui.actions.memory import MemoryActions
from munin_app.ui.components.base import Action, card, dot, gap, headline, icon, lines, padding, text
from munin_app.ui.components.buttons import button, icon_button
from munin_app.ui.components.fields import search_field
from munin_app.ui.components.sheet import meter
from munin_app.ui.format import counted, said_by
from munin_app.ui.state import MemoryPage, ProfileState
from munin_app.ui.tokens import S1, S2, S3, S4, S6, Tokens


def _memory_row(
    t: Tokens, actions: MemoryActions, memory: Memory, similarity: float | None, titles: Mapping[str, str]
) -> ft.Container:
    source = said_by(memory.role, memory.created_at, date.today())
    if title := titles.get(memory.conversation_id):
        source += f" · {title}"
    role = "quote" if memory.role is Role.USER else "body"
    below: list[ft.Control] = [text(t, source, "small", t.text3, lines=1, expand=True)]
    if similarity is not None:
        below.append(meter(t, similarity))
    words = f"“{memory.text}”" if memory.role is Role.USER else memory.text
    forget = icon_button(
        t,
        ft.Icons.DELETE_OUTLINE,
        f"Forget: {memory.text[:60]}",
        lambda: actions.forget_memory(memory.message_id),
        colour=t.text3,
        size=18,
    )
    return ft.Container(
        ft.Row([lines([text(t, words, role, lines=2), ft.Row(below)], S1), forget], spacing=S2), padding=padding(S4, S3, S1, S3)
    )


def memories_body(t: Tokens, actions: MemoryActions, state: MemoryPage, profile: ProfileState) -> list[ft.Control]:
    found = state.found
    if found is None:
        rows = [_memory_row(t, actions, memory, None, profile.titles) for memory in state.memories]
        words = f"{counted(state.count, 'memory', 'memories')}, newest first"
    else:
        rows = [_memory_row(t, actions, result.memory, result.similarity, profile.titles) for result in found]
        words = f"{len(found)} found in {state.count}, nearest first"
    empty = (
        "Nothing comes close to that."
        if found is not None
        else "Nothing yet. What you write in a chat with memory on is remembered here."
    )
    body: list[ft.Control] = [
        search_field(t, "Search by meaning or by words", state.memory_query, actions.search),
        ft.Container(text(t, words if rows else empty, "small", t.text2), padding=padding(top=S3, bottom=S2)),
    ]
    if rows:
        body.append(card(t, rows))
    if found is None and len(state.memories) < state.count:
        body += [gap(S3), ft.Row([button(t, "Show more", actions.more)])]
    return body


ARMS: dict[str, tuple[ft.IconData, str]] = {
    "encoder": (ft.Icons.MEMORY, "Encoder"),
    "vectors": (ft.Icons.SCATTER_PLOT_OUTLINED, "Vectors"),
    "words": (ft.Icons.MANAGE_SEARCH, "Words"),
    "database": (ft.Icons.STORAGE_OUTLINED, "Database"),
}


def _arm(t: Tokens, arm: ArmStatus) -> ft.Container:
    name, label = ARMS.get(arm.name, (ft.Icons.INFO_OUTLINE, arm.name.capitalize()))
    weak = arm.state in (ArmState.OFF, ArmState.BEHIND)
    colour = t.warn if weak else t.seed if arm.state is ArmState.READY else t.text3
    state = ft.Row(
        [dot(colour), text(t, arm.state.value.capitalize(), "micro", t.warn if weak else t.text2, wrap=False)],
        spacing=6,
        tight=True,
    )
    rows: list[ft.Control] = [ft.Row([text(t, label, "smallb", expand=True), state]), text(t, arm.detail, "small", t.text3)]
    if arm.remedy:
        rows.append(text(t, arm.remedy, "small", t.text2))
    return ft.Container(
        ft.Row([icon(t, name, 18), lines(rows)], spacing=S3, vertical_alignment=ft.CrossAxisAlignment.START),
        padding=padding(S4, S3, S4, S3),
    )


def _start_over_row(t: Tokens, label: str, detail: str, verb: str, on_click: Action) -> ft.Container:
    words = lines([text(t, label, "smallb"), text(t, detail, "small", t.text3)])
    act = button(t, verb, on_click, "danger", tip=f"{verb} {label[0].lower()}{label[1:]}")
    return ft.Container(ft.Row([words, act], spacing=S2), padding=padding(S4, S2, S2, S2))


def status_body(t: Tokens, actions: MemoryActions, state: MemoryPage, profile: ProfileState) -> list[ft.Control]:
    facts = f"{len(profile.facts)}, and {len(profile.candidates)} waiting"
    over = card(
        t,
        [
            _start_over_row(t, "All facts", facts, "Forget", actions.ask_forget_facts),
            _start_over_row(t, "All memories", f"{state.count}. Chats stay", "Forget", actions.ask_forget_memories),
            _start_over_row(t, "All chats", f"{state.conversations}. Facts stay", "Clear", actions.ask_clear_chats),
        ],
        line=t.danger_line,
    )
    return [
        headline(text(t, "How recall works right now", "smallb", t.text2)),
        gap(S2),
        card(t, [_arm(t, arm) for arm in state.arms]) if state.arms else text(t, "Not known yet.", "small", t.text3),
        gap(S6),
        headline(text(t, "Start over", "smallb", t.text2)),
        gap(S2),
        over,
        gap(S2),
        text(t, "Each is separate, asks once more, and cannot be undone.", "small", t.text3),
    ]
