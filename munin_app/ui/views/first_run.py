"""A new chat: greeting, one sentence of promise, four starters, the model's state, and an honest word about the tiny model."""

from datetime import datetime

import flet as ft

from munin_app.domain.personas import Persona
from munin_app.i18n import _
from munin_app.ui.components.base import column, gap, headline, icon, lines, sides, stack, text
from munin_app.ui.components.buttons import button, tappable
from munin_app.ui.components.message import writing_line
from munin_app.ui.components.persona import ICONS, persona_chips
from munin_app.ui.format import greeting
from munin_app.ui.session import PageSession
from munin_app.ui.state import ChatState, ModelView, PersonasPage, ProfileState
from munin_app.ui.tokens import RADIUS_CARD, S1, S2, S3, S4, S5, S6, Tokens
from munin_app.ui.views.models import load_anyway, offer_button


def starters() -> tuple[tuple[ft.IconData, str, str, str], ...]:
    """Icon, title, what stands below it, and what is put into the composer."""
    return (
        (
            ft.Icons.LIGHTBULB_OUTLINE,
            _("Explain something"),
            _("in five plain sentences"),
            _("Explain in five plain sentences: "),
        ),
        (
            ft.Icons.EDIT_OUTLINED,
            _("Help me write"),
            _("a short, kind reply"),
            _("Help me write a short, kind reply to this: "),
        ),
        (
            ft.Icons.MAP_OUTLINED,
            _("Plan a weekend"),
            _("around what you know of me"),
            _("Plan a weekend for me, around what you know of me."),
        ),
        (
            ft.Icons.TRANSLATE,
            _("Practise a language"),
            _("ten minutes, easy words"),
            _("Practise with me for ten minutes, in easy words: "),
        ),
    )


def _starter(t: Tokens, session: PageSession, name: ft.IconData | str, title: str, below: str, prompt: str) -> ft.Control:
    words: list[ft.Control] = [text(t, title, "label", lines=1 if below else 2)]
    if below:
        words.append(text(t, below, "small", t.text2))
    row = ft.Row([icon(t, name, 20, t.seed), lines(words)], spacing=S3)
    return tappable(
        row,
        lambda: session.chat.fill(prompt),
        expand=True if t.wide else None,
        background=t.raised,
        border=ft.Border.all(1, t.line),
        pad=sides(S4, S2),
        height=t.high(68 if t.wide else 62, 2),
    )


def _own_starter(t: Tokens, session: PageSession, persona: Persona, prompt: str) -> ft.Control:
    """Shown as it will stand in the composer; what is still to be written, as dots."""
    title = prompt.rstrip(": ") + (" …" if prompt.endswith(" ") else "")
    return _starter(t, session, ICONS[persona.icon], title, "", prompt)


def _starters(t: Tokens, session: PageSession, persona: Persona) -> list[ft.Control]:
    cards = [_own_starter(t, session, persona, prompt) for prompt in persona.starters]
    cards = cards or [_starter(t, session, *entry) for entry in starters()]
    if t.wide:
        return [ft.Row(cards[:2], spacing=S3), gap(S3), *([ft.Row(cards[2:], spacing=S3)] if cards[2:] else [])]
    return [control for one in cards for control in (one, gap(S2))]


def _box(t: Tokens, controls: list[ft.Control], line: str | None = None) -> ft.Container:
    return ft.Container(
        stack(controls, S3),
        bgcolor=t.panel,
        border=ft.Border.all(1, line) if line else None,
        border_radius=RADIUS_CARD,
        padding=S4 if t.wide else S3,
    )


def _tiny_note(t: Tokens, session: PageSession) -> ft.Control:
    words = lines(
        [
            text(t, _("You are on the small starter model"), "label"),
            text(
                t,
                _("It is quick, and often wrong. A better one is a download away, and runs on this device too."),
                "small",
                t.text2,
            ),
        ]
    )
    better = button(t, _("Choose a better model"), lambda: session.go("models"))
    if t.wide:
        return _box(t, [ft.Row([icon(t, ft.Icons.MEMORY), words, better], spacing=S3)])
    return _box(
        t, [ft.Row([icon(t, ft.Icons.MEMORY), words], spacing=S3, vertical_alignment=ft.CrossAxisAlignment.START), better]
    )


def _failed(t: Tokens, session: PageSession, model: ModelView) -> ft.Control:
    words = lines([text(t, _("The model could not be loaded"), "label"), text(t, model.error, "small", t.text2)], 2)
    acts = ft.Row(
        [
            *([offer_button(t, session, model.offer)] if model.offer else []),
            button(t, _("Try again"), session.settings.load_again, "plain" if model.offer else "tint", name=ft.Icons.REFRESH),
            *load_anyway(t, session, model),
            button(t, _("Choose a file"), lambda: session.go("models")),
        ],
        spacing=S2,
        wrap=True,
    )
    row = ft.Row(
        [icon(t, ft.Icons.ERROR_OUTLINE, 20, t.danger), words], spacing=S3, vertical_alignment=ft.CrossAxisAlignment.START
    )
    return _box(t, [row, acts], t.danger_line)


def model_note(t: Tokens, session: PageSession, model: ModelView) -> list[ft.Control]:
    """What there is to say about the model; nothing when a good one is ready, or this chat has another one."""
    if not session.chat.state.model_of.in_use:
        return []
    if model.phase == "failed":
        return [_failed(t, session, model)]
    if model.phase in ("loading", "idle"):
        words = _("Loading the model … You can write already.")
        if model.tiny:
            words = _("Loading SmolLM2, the small starter model … You can write already.")
        return [_box(t, [writing_line(t, words)])]
    return [_tiny_note(t, session)] if model.tiny else []


@ft.component
def NewChat(
    t: Tokens, session: PageSession, chat: ChatState, model: ModelView, profile: ProfileState, personas: PersonasPage
) -> ft.Control:
    temporary = bool(chat.conversation and chat.conversation.temporary)
    persona = session.personas.of(chat.conversation)
    hello = _("Temporary chat.") if temporary else greeting(datetime.now().hour, profile.name)
    promise = _("Nothing is read from memory, learned or stored here. It is gone when you leave it.")
    if not temporary:
        promise = (
            _("What you tell {name} stays with it, apart from what the others know.").format(name=persona.name)
            if persona.own_memory
            else _("What you write stays on this device. I remember what helps, and you can see all of it.")
        )
    raven: list[ft.Control] = [ft.Row([icon(t, "raven", 40, t.text)]), gap(S4)] if t.wide else []
    body = column(
        [
            *raven,
            headline(text(t, hello, "hello")),
            gap(S1 if t.wide else S2),
            text(t, promise, "chat" if t.wide else "body", t.text2),
            gap(S5 if t.wide else S4),
            persona_chips(t, personas.items, persona, session.personas.choose),
            gap(S5 if t.wide else S4),
            *_starters(t, session, persona),
            gap(S6 if t.wide else S2),
            *model_note(t, session, model),
        ],
        width=680,
    )
    return ft.Column(
        [ft.Container(body, padding=sides(S6 if t.wide else S5, S4))],
        expand=True,
        scroll=ft.ScrollMode.AUTO,
        alignment=ft.MainAxisAlignment.CENTER,
        horizontal_alignment=ft.CrossAxisAlignment.STRETCH,
    )
