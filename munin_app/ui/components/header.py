"""The bars on top: of the chat (model, context, offline) and of the other pages."""

from collections.abc import Sequence
from dataclasses import dataclass

import flet as ft

from munin_app.i18n import _
from munin_app.ui.components.base import Action, described, dot, headline, icon, padding, pill, sides, text, working
from munin_app.ui.components.buttons import icon_button, popup, popup_item
from munin_app.ui.format import grouped_number, percent, shortened
from munin_app.ui.state import ChatState, ModelView
from munin_app.ui.tokens import CLEAR, S1, S2, S3, S4, S6, S8, Tokens

NAME_CHARACTERS = 24
"""Of a model's name, at most; its menu has all of it."""
NEARLY_FULL = 0.7
"""Of the context: from here on a phone says how full it is. There is room for the model's name or for that."""


def context_ring(t: Tokens, used: int, size: int) -> ft.Control:
    share = min(1.0, used / size) if size else 0.0
    ring = ft.Row(
        [
            ft.ProgressRing(value=share, width=14, height=14, stroke_width=2.5, color=t.seed, bgcolor=t.line),
            text(t, percent(share), "micro", t.text2, wrap=False),
        ],
        spacing=6,
        tight=True,
        tooltip=_("{used} of {size} tokens of context in use").format(used=grouped_number(used), size=grouped_number(size))
        if size
        else _("Context in use"),
    )
    return described(ring)


def offline(t: Tokens, downloading: bool, *, narrow: bool = False) -> ft.Row:
    """The words change only while a model is downloaded."""
    name = ft.Icons.DOWNLOAD if downloading else ft.Icons.VERIFIED_USER_OUTLINED
    words = _("Online for a download only") if downloading else _("Offline · on this device")
    if narrow:
        words = _("Downloading") if downloading else _("Offline")
    return ft.Row(
        [icon(t, name, 14, t.text2), text(t, words, "micro", t.text2, wrap=False)],
        spacing=6,
        tight=True,
    )


def model_name(model: ModelView) -> str:
    if model.info:
        return model.name or model.info.name
    return {"loading": _("Loading the model"), "failed": _("No model")}.get(model.phase, _("Model"))


@dataclass(frozen=True)
class ModelChoice:
    """An entry of the header's menu."""

    label: str
    on_choose: Action
    note: str = ""
    name: ft.IconData | None = None


def _choice(t: Tokens, choice: ModelChoice) -> ft.PopupMenuItem:
    mark = icon(t, choice.name, 18, t.seed) if choice.name else ft.Container(width=18)
    role = "label" if choice.name is ft.Icons.CHECK else "body"
    row = [mark, text(t, choice.label, role, lines=1, expand=True, expand_loose=True)]
    note = [text(t, choice.note, "micro", t.text3, wrap=False)] if choice.note else []
    return popup_item(ft.Row([*row, *note], spacing=S3, tight=True), choice.on_choose)


def model_menu(t: Tokens, content: ft.Control, choices: Sequence[ModelChoice]) -> ft.Control:
    return popup(t, content, _("Change model"), [_choice(t, choice) for choice in choices])


def _state(t: Tokens, chat: ChatState, model: ModelView) -> list[ft.Control]:
    if model.phase == "loading":
        return [working(t), text(t, _("Loading"), "micro", t.text2, wrap=False)]
    if not chat.model_of.in_use:
        return [dot(t.text3), text(t, _("Not loaded yet"), "micro", t.text2, wrap=False)]
    if model.phase == "failed":
        return [dot(t.danger), text(t, _("Not loaded"), "micro", t.danger, wrap=False)]
    if chat.messages and not chat.context_used:
        return []  # a chat of earlier: known when it is continued
    size = chat.context_size or (model.info.context_size if model.info else 0)
    return [context_ring(t, chat.context_used, size)]


def _markers(t: Tokens, chat: ChatState, memory_on: bool) -> list[ft.Control]:
    if chat.conversation and chat.conversation.temporary:
        return [pill(t, _("Temporary chat"), name=ft.Icons.TIMER_OUTLINED, background=CLEAR, line=t.text3)]
    if not memory_on:
        return [
            ft.Row(
                [icon(t, "feather", 14, t.text3), text(t, _("Memory off"), "micro", t.text3, wrap=False)], spacing=6, tight=True
            )
        ]
    return []


def wide_chat_header(
    t: Tokens,
    chat: ChatState,
    model: ModelView,
    memory_on: bool,
    name_of_model: str,
    choices: Sequence[ModelChoice],
    who: ft.Control,
    more: ft.Control,
    *,
    narrow: bool,
) -> ft.Container:
    """`narrow`: a sheet stands beside the chat."""
    words = ft.Row(
        [text(t, shortened(name_of_model, NAME_CHARACTERS), "label", wrap=False), icon(t, ft.Icons.EXPAND_MORE, 18)],
        spacing=S1,
        tight=True,
    )
    name = model_menu(t, ft.Container(words, height=t.touch, padding=sides(S2)), choices)
    state = _state(t, chat, model)
    ready = model.phase == "ready" and chat.model_of.in_use and not narrow
    unit = [text(t, _("of context"), "micro", t.text2, wrap=False)] if ready and state else []
    divider = [ft.Container(width=1, height=16, bgcolor=t.line), ft.Container(width=S2)] if state else []
    row = [who, name, *divider, *state, *unit]
    markers = _markers(t, chat, memory_on)
    spacer = [ft.Container(width=S3)] if markers else []
    return ft.Container(
        ft.Row(
            [
                *row,
                ft.Container(expand=True),
                *markers,
                *spacer,
                offline(t, model.downloading, narrow=narrow),
                ft.Container(width=S1),
                more,
            ],
            spacing=6,
        ),
        height=t.high(56),
        padding=padding(left=S4, right=S3),
        border=ft.Border.only(bottom=ft.BorderSide(1, t.line)),
    )


def phone_chat_header(
    t: Tokens,
    chat: ChatState,
    model: ModelView,
    memory_on: bool,
    name_of_model: str,
    choices: Sequence[ModelChoice],
    title: str,
    on_chats: Action,
    on_new: Action,
    who: ft.Control,
    more: ft.Control,
) -> ft.Container:
    """Title and model are one button: a line of small print alone could not be hit."""
    name = ft.Container(text(t, name_of_model, "micro", t.text2, lines=1), expand=True, expand_loose=True)
    arrow = icon(t, ft.Icons.EXPAND_MORE, 14)
    below: list[ft.Control] = [name, arrow]
    nearly_full = chat.context_used > NEARLY_FULL * chat.context_size and chat.model_of.in_use
    temporary = bool(chat.conversation and chat.conversation.temporary)
    network = _("Downloading") if model.downloading else _("Offline")
    last = _("Temporary") if temporary else network if memory_on else _("Memory off")
    said: list[ft.Control] = [text(t, last, "micro", t.text2, wrap=False)]
    if model.phase in ("loading", "failed") and chat.model_of.in_use:
        below, said = [], [*_state(t, chat, model), arrow]  # the name would say the same
    elif nearly_full and last == network and not t.narrow:
        said = _state(t, chat, model)
    separator = [text(t, "·", "micro", t.text3)] if below else []
    below += [*separator, *said]
    words = ft.Column(
        [text(t, title, "label", lines=1), ft.Row(below, spacing=6)],
        spacing=2,
        tight=True,
        alignment=ft.MainAxisAlignment.CENTER,
    )
    return ft.Container(
        ft.Row(
            [
                icon_button(t, ft.Icons.MENU, _("Chats"), on_chats, colour=t.text, size=22),
                ft.Container(model_menu(t, ft.Container(words, height=t.high(48, 2)), choices), expand=True),
                who,
                more,
                icon_button(t, "new-chat", _("New chat"), on_new, colour=t.text),
            ],
            spacing=S1,
        ),
        height=t.high(64, 2),
        padding=sides(S2),
        border=ft.Border.only(bottom=ft.BorderSide(1, t.line)),
    )


def page_header(t: Tokens, title: str, sentence: str, on_back: Action, actions: Sequence[ft.Control] = ()) -> ft.Container:
    if not t.wide:
        back = icon_button(t, ft.Icons.ARROW_BACK, _("Back"), on_back, colour=t.text, size=22)
        heading = headline(text(t, title, "head", lines=1), expand=True)
        return ft.Container(ft.Row([back, heading, *actions], spacing=S1), height=t.high(64, 2), padding=sides(S2))
    words = ft.Column(
        [headline(text(t, title, "title")), text(t, sentence, "small", t.text2)], spacing=2, tight=True, expand=True
    )
    return ft.Container(ft.Row([words, *actions]), padding=padding(S8, S6, S8, S4))
