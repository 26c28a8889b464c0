"""Where the person writes. Typing renders nothing: the field keeps its own text, only Send learns that there is some."""

from typing import Protocol

import flet as ft

from munin_app.i18n import _
from munin_app.ui.components.base import Action, column, failure, gap, icon, memoised, one, padding, sides, text
from munin_app.ui.components.buttons import icon_button, link, ring
from munin_app.ui.components.fields import named
from munin_app.ui.state import ChatState, Draft, DraftFlag
from munin_app.ui.tokens import RADIUS_COMPOSER, RADIUS_PILL, S1, S2, S3, S4, S6, Tokens, style


def hint(name: str) -> str:
    """`name`: of who answers."""
    return _("Message {name}").format(name=name)


class ComposerHandlers(Protocol):
    def type(self, text: str) -> object: ...
    def focus(self, focused: bool) -> object: ...
    def stop_editing(self) -> object: ...
    async def send(self) -> None: ...
    async def send_by_button(self) -> None: ...
    def stop(self) -> None: ...
    async def set_memory(self, on: bool) -> None: ...


def _field(t: Tokens, draft: Draft, name: str, handlers: ComposerHandlers, key: str | None = None) -> ft.Control:
    field = ft.TextField(
        value=draft._text,
        hint_text=hint(name),
        hint_style=style(t, "chat", t.text3),
        text_style=style(t, "chat", t.text),
        border=ft.NoInputBorder(),
        collapsed=True,
        multiline=True,
        min_lines=1,
        max_lines=6,
        shift_enter=True,
        autofocus=t.wide or draft._autofocus,
        cursor_color=t.seed,
        content_padding=sides(0, 9),
        on_change=lambda event: handlers.type(event.control.value or ""),
        on_submit=handlers.send,
        on_focus=lambda: handlers.focus(True),
        on_blur=lambda: handlers.focus(False),
    )
    return named(hint(name), field)


Field = memoised(_field)


def _stop_button(t: Tokens, handlers: ComposerHandlers) -> ft.Control:
    stop = ft.TextButton(
        content=ft.Row([icon(t, ft.Icons.STOP, 18, t.text), text(t, _("Stop"), "label")], spacing=S1, tight=True),
        height=t.touch,
        tooltip=_("Stop (Esc)"),
        on_click=handlers.stop,
        style=ft.ButtonStyle(
            bgcolor=t.well, side=ring(t.seed), padding=sides(S4), shape=ft.RoundedRectangleBorder(radius=RADIUS_PILL)
        ),
    )
    return one(stop)


def _send_button(t: Tokens, flag: DraftFlag, busy: bool, handlers: ComposerHandlers, key: str | None = None) -> ft.Control:
    """`key`: built anew with the field, which does not get the keyboard while the button that Tab went to has it."""
    if busy:
        return _stop_button(t, handlers)
    return icon_button(
        t,
        ft.Icons.ARROW_UPWARD,
        _("Send"),
        handlers.send_by_button,
        colour=t.on_seed if flag.filled else t.text3,
        background=t.seed if flag.filled else t.well,
        round_=True,
    )


SendButton = memoised(_send_button)


def _box(t: Tokens, chat: ChatState, controls: list[ft.Control]) -> ft.Container:
    temporary = bool(chat.conversation and chat.conversation.temporary)
    return ft.Container(
        ft.Row(controls, spacing=S1, vertical_alignment=ft.CrossAxisAlignment.END),
        bgcolor=t.bg if temporary else t.raised,
        border=ft.Border.all(2 if temporary else 1, t.text3 if temporary else t.line),
        border_radius=RADIUS_COMPOSER,
        padding=5,
        shadow=ft.BoxShadow(blur_radius=24, offset=ft.Offset(0, 6), color=t.shadow),
    )


def composer(
    t: Tokens,
    chat: ChatState,
    draft: Draft,
    flag: DraftFlag,
    name: str,
    memory_on: bool,
    handlers: ComposerHandlers,
    completion: ft.Control,
    files: ft.Control,
    attach: Action,
) -> ft.Container:
    """`name`: of who answers. `completion`: the commands that the draft may become; `files`: what goes with it. The field keeps
    its place whatever is said around it: a field that is built anew loses the keyboard."""
    feather = icon_button(
        t,
        "feather",
        _("Memory is on for this chat. Turn off") if memory_on else _("Memory is off for this chat. Turn on"),
        lambda: handlers.set_memory(not memory_on),
        colour=t.memory if memory_on else t.text3,
        round_=True,
    )
    foot = _("Small models get things wrong. Check what matters.") if t.wide else _("Small models get things wrong.")
    refused = failure(t, chat.refused)
    cancel = link(t, _("Cancel"), handlers.stop_editing, tip=_("Stop editing (Esc)"))
    editing = ft.Row(
        [
            icon(t, ft.Icons.EDIT_OUTLINED, 16, t.text3),
            text(t, _("Editing. The old version is kept."), "small", t.text2, expand=True),
            cancel,
        ],
        spacing=S2,
    )
    body: list[ft.Control] = [
        completion,
        ft.Container(editing, padding=padding(left=S4, bottom=S2), visible=bool(chat.editing)),
        ft.Container(refused, padding=padding(bottom=S2), visible=bool(chat.refused)),
        files,
        _box(
            t,
            chat,
            [
                feather,
                icon_button(
                    t, ft.Icons.ATTACH_FILE, _("Attach files"), attach, colour=t.text2, round_=True, disabled=bool(chat.editing)
                ),
                Field(t, draft, name, handlers, key=f"field-{chat.field}"),
                SendButton(t, flag, chat.busy, handlers, key=f"send-{chat.field}"),
            ],
        ),
        gap(S2),
        text(t, foot, "micro", t.text3, align=ft.TextAlign.CENTER),
    ]
    side = S6 if t.wide else S3
    return ft.Container(column(body), padding=padding(side, S2, side, S3))
