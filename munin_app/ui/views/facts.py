"""Memory page, tabs Facts and Review: what Munin knows, and what waits to be accepted."""

from datetime import date

import flet as ft

from munin_app.domain.facts import ACTIVE_FACTS_MAX, Fact, FactStatus
from munin_app.domain.memories import SHARED
from munin_app.i18n import _
from munin_app.ui.actions.memory import MemoryActions
from munin_app.ui.components.base import Action, card, edge, gap, icon, padding, pill, section, stack, text
from munin_app.ui.components.buttons import button, choice, icon_button, link, menu
from munin_app.ui.components.fields import search_field
from munin_app.ui.components.sheet import OpenMessage, fact_source
from munin_app.ui.format import day, heading, quoted
from munin_app.ui.state import MemoryPage, ProfileState
from munin_app.ui.tokens import RADIUS_CARD, S1, S2, S3, S4, Tokens


def _holds(fact: Fact, words: str) -> bool:
    return all(word in fact.text.casefold() for word in words.casefold().split())


def _before(t: Tokens, actions: MemoryActions, old: Fact) -> ft.Control:
    row: list[ft.Control] = [
        icon(t, ft.Icons.HISTORY, 14, t.memory),
        text(t, _("Before: “{text}”").format(text=old.text), "small", t.text2),
    ]
    return ft.Row([*row, link(t, _("Restore"), lambda: actions.restore(old), width=64)], spacing=6, wrap=True)


def _fact_actions(t: Tokens, actions: MemoryActions, fact: Fact, *, movable: bool) -> list[ft.Control]:
    pin = _("Unpin") if fact.pinned else _("Pin")
    symbol = ft.Icons.PUSH_PIN if fact.pinned else ft.Icons.PUSH_PIN_OUTLINED
    entries: list[tuple[str, ft.IconData | str, Action]] = [
        (pin, symbol, lambda: actions.toggle_pinned(fact)),
        (_("Edit"), ft.Icons.EDIT_OUTLINED, lambda: actions.ask_edit(fact)),
        *([(_("Move"), ft.Icons.DRIVE_FILE_MOVE_OUTLINED, lambda: actions.ask_move(fact))] if movable else []),
        (_("Remove"), ft.Icons.DELETE_OUTLINE, lambda: actions.ask_remove(fact)),
    ]
    if not t.wide:
        return [menu(t, _("Pin, edit, remove: {text}").format(text=fact.text), entries)]
    return [
        icon_button(t, name, f"{label}: {fact.text}", do, colour=t.memory if label == pin and fact.pinned else t.text3, size=18)
        for label, name, do in entries
    ]


def _fact_row(
    t: Tokens, actions: MemoryActions, fact: Fact, replaced: list[Fact], profile: ProfileState, on_open: OpenMessage
) -> ft.Container:
    pinned = [icon(t, ft.Icons.PUSH_PIN, 14, t.memory)] if fact.pinned and not t.wide else []
    rows: list[ft.Control] = [
        ft.Row([text(t, fact.text, "label", expand=True), *_owner(t, fact, profile), *pinned], spacing=6),
        fact_source(t, fact, profile.titles, date.today(), on_open),
        *(_before(t, actions, old) for old in replaced),
    ]
    for row in rows[1:2]:
        row.expand = None
    words = ft.Column(rows, spacing=2, expand=True, tight=True)
    return ft.Container(
        ft.Row(
            [words, ft.Row(_fact_actions(t, actions, fact, movable=len(profile.owners) > 1), spacing=0, tight=True)], spacing=S2
        ),
        padding=padding(S4, 10, S2 if t.wide else S1, 10),
    )


def _owner(t: Tokens, fact: Fact, profile: ProfileState) -> list[ft.Control]:
    """Whose it is, where it is not everyone's."""
    return [] if fact.scope == SHARED else [pill(t, profile.owner(fact))]


def _made_room(t: Tokens, actions: MemoryActions, profile: ProfileState, state: MemoryPage) -> list[ft.Control]:
    """What the limit of active facts pushed out, the last first."""
    names = {fact.id: fact.text for fact in (*profile.facts, *profile.history)}
    left = [fact for fact in profile.history if fact.status is FactStatus.DISPLACED and _is_shown(fact, state)]
    if not left:
        return []

    def row(fact: Fact) -> ft.Container:
        by = names.get(fact.replaced_by or "")
        when = (_("Left {day} for “{fact}”") if by else _("Left {day}")).format(day=day(fact.updated_at, date.today()), fact=by)
        words = ft.Column([text(t, fact.text, "label"), text(t, when, "small", t.text2)], spacing=2, expand=True, tight=True)
        back = button(t, _("Bring back"), lambda: actions.restore(fact), tip=_("Bring back: {text}").format(text=fact.text))
        gone = icon_button(
            t,
            ft.Icons.DELETE_OUTLINE,
            _("Remove: {text}").format(text=fact.text),
            lambda: actions.ask_remove(fact),
            colour=t.text3,
            size=18,
        )
        return ft.Container(ft.Row([words, back, gone], spacing=S1), padding=padding(S4, 10, S1, 10))

    last_first = sorted(left, key=lambda fact: fact.updated_at, reverse=True)
    return [section(t, _("Made room for newer facts")), card(t, [row(fact) for fact in last_first])]


def _is_shown(fact: Fact, state: MemoryPage) -> bool:
    return _holds(fact, state.fact_query) and state.fact_scope in ("", fact.scope)


def _whose(t: Tokens, actions: MemoryActions, state: MemoryPage, profile: ProfileState) -> list[ft.Control]:
    """A filter, where there is a persona with a memory of its own."""
    if len(profile.owners) < 2:
        return []
    whose = choice(t, _("Facts of"), [("", _("All facts")), *profile.owners.items()], state.fact_scope, actions.choose_owner)
    return [gap(S3), ft.Row([whose])]


def _counts(profile: ProfileState, state: MemoryPage) -> str:
    """How many places are taken of each scope that is shown, and what goes where."""
    said = []
    for scope, name in profile.owners.items():
        number = sum(fact.scope == scope for fact in profile.facts)
        if scope == SHARED and state.fact_scope in ("", scope):
            others = _(" or ").join(other for one, other in profile.owners.items() if one != SHARED)
            sentence = _("{number} of {most}. All of them go with every message.")
            if others:
                sentence = _("{number} of {most}. All of them go with every message but those to {others}.")
            said.append(sentence.format(number=number, most=ACTIVE_FACTS_MAX, others=others))
        elif state.fact_scope == scope or (not state.fact_scope and number):
            said.append(
                _("{name}: {number} of {most}, only with messages to {name}, which gets no others.").format(
                    name=name, number=number, most=ACTIVE_FACTS_MAX
                )
            )
    return " ".join(said)


def _bar(t: Tokens, actions: MemoryActions, state: MemoryPage) -> ft.Row:
    add: ft.Control = button(t, _("Add fact"), actions.ask_add, "tint", name=ft.Icons.ADD)
    if not t.wide:
        add = icon_button(t, ft.Icons.ADD, _("Add fact"), actions.ask_add, colour=t.on_tint, background=t.tint)
    return ft.Row([search_field(t, _("Search facts"), state.fact_query, actions.filter_facts, expand=True), add], spacing=S2)


def _replaced(profile: ProfileState, fact: Fact) -> list[Fact]:
    return [old for old in profile.history if old.replaced_by == fact.id and old.status is FactStatus.SUPERSEDED]


def facts_body(
    t: Tokens, actions: MemoryActions, state: MemoryPage, profile: ProfileState, on_open: OpenMessage
) -> list[ft.Control]:
    shown = [fact for fact in profile.facts if _is_shown(fact, state)]
    body: list[ft.Control] = [_bar(t, actions, state), *_whose(t, actions, state, profile)]
    made_room = _made_room(t, actions, profile, state)
    if not shown and not made_room:
        words = (
            _("No fact has these words.")
            if state.fact_query
            else _("Nothing yet. Tell Munin something about you, or add a fact by hand.")
        )
        return [*body, gap(S4), text(t, words, "body", t.text2)]
    groups: dict[str, list[Fact]] = {}
    for fact in shown:
        groups.setdefault(heading(fact.attribute), []).append(fact)
    for name, facts in groups.items():
        rows = [_fact_row(t, actions, fact, _replaced(profile, fact), profile, on_open) for fact in facts]
        body += [section(t, name), card(t, rows)]
    return [
        *body,
        *made_room,
        gap(S3),
        text(t, _counts(profile, state), "small", t.text3),
    ]


def _candidate(t: Tokens, actions: MemoryActions, fact: Fact, profile: ProfileState, on_open: OpenMessage) -> ft.Container:
    quote = profile.quotes.get(fact.id, "")
    spoken: list[ft.Control] = []
    if quote:
        border = edge(ft.BorderSide(2, t.memory))
        spoken = [ft.Container(text(t, quoted(quote), "quote"), border=border, padding=padding(left=S3))]
    source = fact_source(t, fact, profile.titles, date.today(), on_open)
    source.expand = None
    opposed = profile.opposed.get(fact.id, ())
    if opposed:
        words = _("Contradicts: {facts}").format(facts=", ".join(quoted(old.text) for old in opposed))
        spoken.append(ft.Row([icon(t, ft.Icons.COMPARE_ARROWS, 16, t.memory), text(t, words, "smallb", expand=True)], spacing=6))
    head = ft.Row([text(t, fact.text, "label", expand=True), *_owner(t, fact, profile), pill(t, heading(fact.attribute))])
    return ft.Container(
        stack([head, *spoken, source, _decision(t, actions, fact, bool(opposed))], S2),
        bgcolor=t.raised,
        border=ft.Border.all(1, t.line),
        border_radius=RADIUS_CARD,
        padding=S4,
    )


def _decision(t: Tokens, actions: MemoryActions, fact: Fact, opposed: bool) -> ft.Row:
    wide = None if t.wide else True
    if opposed:
        return ft.Row(
            [
                button(
                    t,
                    _("Keep the old"),
                    lambda: actions.remove(fact),
                    expand=wide,
                    tip=_("Keep the old, not: {text}").format(text=fact.text),
                ),
                button(
                    t,
                    _("Take the new"),
                    lambda: actions.accept(fact),
                    "tint",
                    expand=wide,
                    tip=_("Take the new: {text}").format(text=fact.text),
                ),
            ],
            spacing=S2,
        )
    return ft.Row(
        [
            button(
                t, _("Accept"), lambda: actions.accept(fact), "tint", expand=wide, tip=_("Accept: {text}").format(text=fact.text)
            ),
            button(t, _("Edit"), lambda: actions.ask_edit(fact), expand=wide, tip=_("Edit: {text}").format(text=fact.text)),
            button(t, _("Reject"), lambda: actions.remove(fact), expand=wide, tip=_("Reject: {text}").format(text=fact.text)),
        ],
        spacing=S2,
    )


def review_body(t: Tokens, actions: MemoryActions, profile: ProfileState, on_open: OpenMessage) -> list[ft.Control]:
    if not profile.candidates:
        return [text(t, _("Nothing to review. When Munin is not sure about something, it asks here first."), "body", t.text2)]
    intro = text(t, _("Munin was not sure about these. Nothing here is used until you accept it."), "small", t.text2)
    cards = [control for fact in profile.candidates for control in (gap(S3), _candidate(t, actions, fact, profile, on_open))]
    return [intro, *cards]
