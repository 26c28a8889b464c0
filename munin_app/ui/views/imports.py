"""Settings → Data → Bring chats from another app: what is in a file, which of it, and what becomes of it."""

from datetime import date

import flet as ft

from munin_app.i18n import _, ngettext
from munin_app.imports.importing import FoundChat, Preview
from munin_app.imports.wording import described as what_is_in
from munin_app.imports.wording import refusals
from munin_app.ui.actions.imports import ImportActions
from munin_app.ui.components.base import (
    card,
    failure,
    gap,
    icon,
    labelled,
    lines,
    padding,
    progress_line,
    section,
    stack,
    text,
)
from munin_app.ui.components.buttons import button, switch, tappable
from munin_app.ui.components.fields import bare_field, well
from munin_app.ui.format import day
from munin_app.ui.session import PageSession
from munin_app.ui.state import ImportPart
from munin_app.ui.tokens import S2, S3, S4, Tokens


@ft.component
def ImportSection(t: Tokens, session: PageSession, state: ImportPart) -> ft.Control:
    actions = session.imports
    body: list[ft.Control] = [
        section(t, _("Bring chats from another app")),
        text(
            t,
            _(
                "From what ChatGPT, Claude, Open WebUI, LM Studio or PocketPal export. You see first what is in the file. "
                "Importing the same file again adds only what is new."
            ),
            "body",
            t.text2,
        ),
        gap(S3),
    ]
    if state.found is None:
        body.append(_path(t, session, state))
    else:
        body += _found(t, actions, state, state.found)
    if state.error:
        body += [gap(S2), failure(t, state.error)]
    if state.remembered.total:
        body += [gap(S3), _remembering(t, actions, state)]
    return stack(body)


def _path(t: Tokens, session: PageSession, state: ImportPart) -> ft.Control:
    actions = session.imports

    def typed(path: str) -> None:
        state._path = path

    field = bare_field(t, _("Path of an export"), state._path, typed, on_submit=actions.look)
    acts: list[ft.Control] = [button(t, _("See what is in it"), actions.look, disabled=state.looking)]
    if session.local_desktop:
        acts.append(button(t, _("Choose an export"), actions.choose_file, disabled=state.looking))
        acts.append(button(t, _("LM Studio's folder"), actions.choose_folder, disabled=state.looking))
    rows: list[ft.Control] = [well(t, field, ft.Icons.FOLDER_OPEN_OUTLINED), ft.Row(acts, spacing=S2, wrap=True)]
    if state.looking:
        rows.append(_bar(t, _("Reading the file …"), None))
    return stack(rows, S2)


def _found(t: Tokens, actions: ImportActions, state: ImportPart, found: Preview) -> list[ft.Control]:
    words: list[ft.Control] = [text(t, what_is_in(found), "body")]
    words += [text(t, line, "small", t.text2) for line in refusals(found)]
    rows: list[ft.Control] = [ft.Container(stack(words, S2), padding=S4)]
    rows += [_chat(t, actions, chat, chat.mark in state.chosen, state.importing) for chat in found.chats[: state.drawn]]
    if len(found.chats) > state.drawn:
        more = ngettext("Show more ({n} left)", "Show more ({n} left)", len(found.chats) - state.drawn)
        rows.append(button(t, more.format(n=len(found.chats) - state.drawn), actions.draw_more, "text"))
    every = len(state.chosen) == len(found.chats)
    toggle = button(t, _("Choose none") if every else _("Choose all"), lambda: actions.choose_all(not every), "text")
    return [card(t, rows), gap(S2), _wishes(t, actions, state), gap(S3), _acts(t, actions, state, toggle)]


def _chat(t: Tokens, actions: ImportActions, chat: FoundChat, chosen: bool, disabled: bool) -> ft.Control:
    mark = ft.Icons.CHECK_CIRCLE if chosen else ft.Icons.CIRCLE_OUTLINED
    count = ngettext("{n} message", "{n} messages", chat.messages).format(n=chat.messages)
    new = _("all here already") if not chat.new else _("{n} new").format(n=chat.new) if chat.here else ""
    detail = " · ".join(part for part in (day(chat.updated_at, date.today()), count, new) if part)
    row = ft.Row(
        [
            icon(t, mark, 20, t.seed if chosen else t.text3),
            lines([text(t, chat.title, "label"), text(t, detail, "small", t.text2)]),
        ],
        spacing=S3,
    )
    tip = (_("Leave out: {title}") if chosen else _("Choose: {title}")).format(title=chat.title)
    return tappable(row, None if disabled else lambda: actions.choose(chat.mark), tip=tip, radius=0, pad=padding(S4, S2, S4, S2))


def _wishes(t: Tokens, actions: ImportActions, state: ImportPart) -> ft.Control:
    remember = _("Remember these chats")
    rows = [
        labelled(
            t,
            remember,
            _("In the background. Otherwise memory is off in them."),
            switch(t, state.remember, remember, actions.set_remember),
        )
    ]
    if state.remember:
        facts = _("Look for facts about you")
        rows.append(
            labelled(
                t, facts, _("In what you said. They wait for your review."), switch(t, state.facts, facts, actions.set_facts)
            )
        )
    return card(t, rows)


def _acts(t: Tokens, actions: ImportActions, state: ImportPart, toggle: ft.Control) -> ft.Control:
    if state.importing:
        line = _("Importing: {done} of {total}").format(done=state.done, total=len(state.chosen))
        return stack(
            [_bar(t, line, state.done / max(1, len(state.chosen))), ft.Row([button(t, _("Cancel"), actions.cancel)])], S2
        )
    label = ngettext("Import {n} chat", "Import {n} chats", len(state.chosen)).format(n=len(state.chosen))
    acts = [
        button(t, label, actions.bring, "tint", disabled=not state.chosen),
        button(t, _("Another file"), actions.close),
        toggle,
    ]
    return ft.Row(acts, spacing=S2, wrap=True)


def _remembering(t: Tokens, actions: ImportActions, state: ImportPart) -> ft.Control:
    progress = state.remembered
    line = _("Remembering imported chats: {done} of {total} messages").format(done=progress.done, total=progress.total)
    if progress.paused:
        line = _("Paused: {done} of {total} messages of imported chats are remembered").format(
            done=progress.done, total=progress.total
        )
    going = button(t, _("Resume"), actions.resume) if progress.paused else button(t, _("Pause"), actions.pause)
    acts = ft.Row([going, button(t, _("Do not remember the rest"), actions.give_up, "text")], spacing=S2, wrap=True)
    return stack([_bar(t, line, progress.done / progress.total), acts], S2)


def _bar(t: Tokens, line: str, share: float | None) -> ft.Control:
    return stack([text(t, line, "small", t.text2), progress_line(t, line, share)], S2)
