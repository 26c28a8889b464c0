"""Personas: the list, and the form in which one is made or changed."""

from pathlib import Path

import flet as ft

from munin_app.domain.messages import DEFAULT_PERSONA
from munin_app.domain.personas import (
    ICONS,
    NAME_MAX_CHARACTERS,
    PROMPT_MAX_CHARACTERS,
    STARTER_MAX_CHARACTERS,
    STARTERS_MAX,
    Persona,
)
from munin_app.i18n import _
from munin_app.ui.components.base import Action, card, described, gap, lines, padding, pill, scrolled, section, stack, text
from munin_app.ui.components.buttons import button, choice, menu, segmented, tappable
from munin_app.ui.components.fields import bare_field, well
from munin_app.ui.components.header import page_header
from munin_app.ui.components.persona import icon_name, persona_icon
from munin_app.ui.session import PageSession
from munin_app.ui.state import PersonaForm
from munin_app.ui.state import PersonasPage as PersonasState
from munin_app.ui.tokens import COLUMN, RADIUS_CARD, S1, S2, S3, S4, S8, Tokens


def memories() -> tuple[tuple[str, str], ...]:
    return (("shared", _("With everyone")), ("own", _("Its own")))


def _row(t: Tokens, session: PageSession, persona: Persona) -> ft.Control:
    actions = session.personas
    entries: list[tuple[str, ft.IconData | str, Action]] = [
        (_("Chat"), "new-chat", lambda: session.chat.new(persona_id=persona.id)),
        (_("Copy"), ft.Icons.COPY_OUTLINED, lambda: actions.copy(persona)),
    ]
    if actions.is_changed(persona):
        entries.append((_("Reset"), ft.Icons.RESTART_ALT, lambda: actions.reset(persona)))
    if persona.id != DEFAULT_PERSONA:
        entries.append((_("Delete"), ft.Icons.DELETE_OUTLINE, lambda: actions.ask_delete(persona)))
    badges = [pill(t, _("Own memory"), name="feather")] if persona.own_memory else []
    words = lines(
        [
            ft.Row([text(t, persona.name, "label", lines=1), *badges], spacing=S2),
            text(t, persona.prompt, "small", t.text2, lines=2 if t.wide else 1),
        ],
        2,
    )
    body = tappable(
        ft.Row([persona_icon(t, persona.icon, 22, t.text), words], spacing=S4),
        lambda: actions.edit(persona),
        tip=_("Edit {name}").format(name=persona.name),
        radius=0,
        pad=padding(S4, S3, S1, S3),
        expand=True,
    )
    return ft.Container(
        ft.Row([body, menu(t, _("More: {name}").format(name=persona.name), entries)], spacing=0), padding=padding(right=S1)
    )


def _list(t: Tokens, session: PageSession, state: PersonasState) -> list[ft.Control]:
    body: list[ft.Control] = [
        text(
            t,
            _(
                "Each persona answers in its own way. Most share one memory: what you tell one, the others know. One "
                "with a memory of its own keeps what you tell it to itself, and knows nothing of the rest."
            ),
            "body",
            t.text2,
        ),
        gap(S4),
        card(t, [_row(t, session, persona) for persona in state.items]),
    ]
    if state.missing:
        back = [
            ft.Container(
                ft.Row(
                    [
                        persona_icon(t, one.icon, 20, t.text3),
                        text(t, one.name, "label", t.text2, expand=True),
                        button(
                            t,
                            _("Bring back"),
                            lambda one=one: session.personas.reset(one),
                            tip=_("Bring back {name}").format(name=one.name),
                        ),
                    ],
                    spacing=S4,
                ),
                padding=padding(S4, S2, S2, S2),
            )
            for one in state.missing
        ]
        body += [section(t, _("Deleted")), card(t, back)]
    return body


def _field(
    t: Tokens, hint: str, value: str, form: PersonaForm, name: str, limit: int, *, rows: int = 1, expand: bool | None = None
) -> ft.Container:
    field = bare_field(t, hint, value, lambda typed: setattr(form, name, typed), max_length=limit, lines=rows)
    if rows > 1:
        field.min_lines = 4
    return well(t, field, height=None if rows > 1 else 0, expand=expand)


def _starter(t: Tokens, form: PersonaForm, place: int) -> ft.Container:
    def typed(words: str) -> None:
        form._starters += [""] * (place + 1 - len(form._starters))
        form._starters[place] = words

    value = form._starters[place] if place < len(form._starters) else ""
    return well(t, bare_field(t, _("Starter {number}").format(number=place + 1), value, typed, max_length=STARTER_MAX_CHARACTERS))


def _icons(t: Tokens, form: PersonaForm) -> ft.Control:
    def one(name: str) -> ft.Control:
        on = name == form.icon
        face = ft.Container(persona_icon(t, name, 20, t.on_tint if on else t.text2), alignment=ft.Alignment.CENTER)
        body = tappable(
            face,
            lambda: setattr(form, "icon", name),
            tip=_("Icon: {name}").format(name=icon_name(name)),
            height=t.touch,
            radius=RADIUS_CARD,
            background=t.tint if on else t.well,
        )
        return ft.Container(described(body, selected=on), width=t.touch)

    return ft.Row([one(name) for name in ICONS], spacing=S2, run_spacing=S2, wrap=True)


def _memory(t: Tokens, form: PersonaForm) -> list[ft.Control]:
    chosen = "own" if form.own_memory else "shared"
    said = {
        "own": _(
            "What you tell it stays with it: its facts and memories go into its own chats and no others, and it "
            "knows nothing of what you told the rest."
        ),
        "shared": _("It knows everyone's facts and memories, and what you tell it belongs to everyone."),
    }[chosen]
    if form.used:
        fixed = _(" It has chats or facts already, so this stays as it is; copy the persona to choose otherwise.")
        return [text(t, dict(memories())[chosen], "label"), text(t, said + fixed, "small", t.text2)]
    choose = segmented(t, _("Memory"), memories(), chosen, lambda value: setattr(form, "own_memory", value == "own"))
    return [ft.Row([choose]), gap(S2), text(t, said, "small", t.text2)]


def _model(t: Tokens, session: PageSession, form: PersonaForm) -> list[ft.Control]:
    choices = [("", _("The default")), *((str(entry.path), entry.name) for entry in session.settings.models.entries)]
    if form.model and form.model not in dict(choices):
        choices.append((form.model, _("{name}, no longer here").format(name=Path(form.model).stem)))
    pick = choice(t, _("Model"), choices, form.model, lambda path: setattr(form, "model", path))
    sentence = _("Of its chats in which you choose none. Where it is gone, the default answers.")
    return [ft.Row([pick]), gap(S2), text(t, sentence, "small", t.text2)]


@ft.component
def Form(t: Tokens, session: PageSession, form: PersonaForm) -> ft.Control:
    numbers = [
        _labelled(t, label, _field(t, f"{label}: {otherwise}", value, form, name, 8))
        for label, otherwise, value, name in (
            (_("Temperature"), _("as in Settings"), form._temperature, "_temperature"),
            (_("Top p"), _("as usual"), form._top_p, "_top_p"),
        )
    ]
    body: list[ft.Control] = [
        section(t, _("Name and icon"), first=True),
        _field(t, _("Name"), form._name, form, "_name", NAME_MAX_CHARACTERS),
        gap(S3),
        _icons(t, form),
        section(t, _("Instructions")),
        _field(t, _("How it is to answer"), form._prompt, form, "_prompt", PROMPT_MAX_CHARACTERS, rows=12),
        gap(S2),
        text(t, _("The model reads this before everything else. A change is read from your next message on."), "small", t.text2),
        section(t, _("Memory")),
        *_memory(t, form),
        section(t, _("Model")),
        *_model(t, session, form),
        section(t, _("Starters")),
        *(control for place in range(STARTERS_MAX) for control in (_starter(t, form, place), gap(S2))),
        text(t, _("Offered in a new chat. Leave them empty for the general ones."), "small", t.text2),
        section(t, _("Sampling")),
        ft.Row(numbers, spacing=S3),
        gap(S4),
    ]
    if form.error:
        body += [text(t, form.error, "body", t.danger), gap(S2)]
    wide = None if t.wide else True
    acts: list[ft.Control] = [
        button(t, _("Cancel"), session.personas.close_form, expand=wide),
        button(t, _("Save"), session.personas.save, "fill", expand=wide),
    ]
    return stack([*body, ft.Row(acts, spacing=S2, alignment=ft.MainAxisAlignment.END)])


def _labelled(t: Tokens, label: str, control: ft.Control) -> ft.Control:
    return ft.Container(stack([text(t, label, "small", t.text2), gap(S1), control]), expand=True)


@ft.component
def PersonasPage(t: Tokens, session: PageSession, state: PersonasState) -> ft.Control:
    form = state.form
    title, sentence = _("Personas"), _("Who answers, how, and with which memory.")
    if form:
        title = _("Edit {name}").format(name=form._name) if form.id else _("New persona")
    back = session.personas.close_form if form else lambda: session.go("settings")
    new: list[ft.Control] = []
    if not form:
        new = [button(t, _("New persona"), session.personas.new, "tint", name=ft.Icons.ADD)]
    header = page_header(t, title, sentence, back, new)
    if t.wide:
        header = ft.Container(header, width=COLUMN + 2 * S8, align=ft.Alignment.TOP_CENTER)
    body: list[ft.Control] = [Form(t, session, form)] if form else _list(t, session, state)
    return stack([header, scrolled(body, S8 if t.wide else S4)], expand=True)
