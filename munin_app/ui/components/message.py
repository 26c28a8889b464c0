"""One message: the person on the right in tint, the reply on the page. Rendered again only when this message changes."""

from pathlib import Path
from typing import Protocol

import flet as ft

from munin_app.chat.attached.naming import quotes_label
from munin_app.domain.attachments import Attachment
from munin_app.domain.facts import Fact, LearnedFact
from munin_app.domain.messages import MessageStatus, Role
from munin_app.i18n import _, decimal
from munin_app.ui.components.attachment import bubble_files, quotes_chip
from munin_app.ui.components.base import (
    Action,
    column,
    described,
    edge,
    edged,
    gap,
    icon,
    margin,
    memoised,
    mirrored,
    padding,
    readable,
    sides,
    stack,
    text,
    working,
)
from munin_app.ui.components.buttons import button, link, tappable
from munin_app.ui.components.markdown import rich_text
from munin_app.ui.components.message_actions import ActionHandlers, own_actions, reply_actions, versions
from munin_app.ui.format import thought_label, used_label
from munin_app.ui.state import MessageState
from munin_app.ui.tokens import RADIUS_BUBBLE, RADIUS_CARD, RADIUS_PILL, S1, S2, S3, S4, S5, S6, Tokens, style

FOOT_LETTERS = 22
"""Of the memory chip's label, at most, beside what can be done on a phone."""


class MessageHandlers(ActionHandlers, Protocol):
    """What can be done with a message. One object for all of them, so that it never is a reason to render."""

    def open_file(self, attachment: Attachment) -> object: ...
    def copy_code(self, code: str) -> object: ...
    def go_on(self, message: MessageState) -> object: ...
    def toggle_thought(self, message: MessageState) -> object: ...
    def undo(self, message: MessageState, learned: LearnedFact) -> object: ...
    def bring_back(self, message: MessageState, forgotten: Fact) -> object: ...
    def open_link(self, address: str) -> object: ...
    def model_name(self, path: Path) -> str: ...


def user_bubble(t: Tokens, message: MessageState, handlers: MessageHandlers) -> ft.Control:
    bottom_left, bottom_right = mirrored(RADIUS_BUBBLE, 6)
    bubble = ft.Container(
        readable(text(t, message.text, "chat", t.on_tint, selectable=True, own_direction=True)),
        bgcolor=t.tint,
        border=edged(t),
        border_radius=ft.BorderRadius.only(
            top_left=RADIUS_BUBBLE, top_right=RADIUS_BUBBLE, bottom_left=bottom_left, bottom_right=bottom_right
        ),
        padding=sides(S4, S3),
        margin=margin(left=72 if t.wide else 0),
        expand=True,
        expand_loose=True,
    )
    acts = ft.Row(
        [*versions(t, message, handlers), *own_actions(t, message, handlers)], spacing=0, alignment=ft.MainAxisAlignment.END
    )
    files = [bubble_files(t, message.files, handlers.open_file), gap(S2)] if message.files else []
    return stack([*files, ft.Row([bubble], alignment=ft.MainAxisAlignment.END), acts])


def memory_chip(t: Tokens, label: str, on_click: Action) -> ft.Control:
    """Opens the sheet. The visible chip is 32 px high, what can be pressed is 44."""
    chip = ft.Container(
        ft.Row(
            [
                icon(t, "feather", 16, t.memory),
                text(t, label, "smallb", t.memory, wrap=False),
                icon(t, ft.Icons.CHEVRON_RIGHT, 16, t.memory),
            ],
            spacing=6,
            tight=True,
        ),
        bgcolor=t.memory_bg,
        border=ft.Border.all(1, t.memory_line),
        border_radius=RADIUS_PILL,
        height=t.high(32),
        padding=padding(left=10, right=S2),
    )
    row = ft.Row([chip], tight=True)
    return tappable(row, on_click, tip=_("What this reply used"), height=t.touch, radius=RADIUS_PILL)


def fact_line(t: Tokens, done: str, fact: Fact, undo: Action) -> ft.Control:
    """`done`: "Munin noted:", say."""
    sentence = ft.Text(
        spans=[
            ft.TextSpan(f"{done} ", style(t, "small", t.text2)),
            ft.TextSpan(fact.text, style(t, "smallb", t.text)),
            ft.TextSpan("  ·", style(t, "small", t.text3)),
        ]
    )
    return ft.Row(
        [
            icon(t, ft.Icons.CHECK, 16, t.memory),
            sentence,
            link(t, _("Undo"), undo, width=52, tip=_("Undo: {text}").format(text=fact.text)),
        ],
        spacing=S1,
        wrap=True,
        vertical_alignment=ft.CrossAxisAlignment.CENTER,
    )


def writing_line(t: Tokens, label: str) -> ft.Control:
    return ft.Row([working(t), text(t, label, "small", t.text3)], spacing=S2, height=t.high(32))


def thought(t: Tokens, message: MessageState, handlers: MessageHandlers) -> ft.Control:
    """What the model thought, folded away under a line that says how long it took."""
    label = _("Thinking …") if message.thinking else thought_label(message.reasoning_ms)
    sign = ft.Icons.KEYBOARD_ARROW_DOWN if message.thought_open else ft.Icons.CHEVRON_RIGHT
    mark: ft.Control = icon(t, ft.Icons.PSYCHOLOGY_OUTLINED, 16, t.text3)
    if message.thinking:
        mark = working(t)
    line = ft.Row(
        [
            ft.Container(mark, width=16, height=16, alignment=ft.Alignment.CENTER),
            text(t, label, "small", t.text2, wrap=False),
            icon(t, sign, 16, t.text3),
        ],
        spacing=6,
        tight=True,
    )
    # no tooltip: it would hang over the first words
    row = described(
        tappable(line, lambda: handlers.toggle_thought(message), height=t.touch, radius=RADIUS_PILL),
        expanded=message.thought_open,
    )
    if not message.thought_open:
        return ft.Row([row])
    words = ft.Container(
        readable(text(t, message.reasoning, "small", t.text2, selectable=True, own_direction=True)),
        border=edge(ft.BorderSide(2, t.line)),
        padding=padding(left=S3),
        margin=margin(left=7, bottom=S2),
    )
    return stack([ft.Row([row]), words])


def _writing_label(message: MessageState) -> str:
    if not message.text:
        return _("Reading")
    speed = message.tokens_per_second
    return _("Writing · {speed} tokens/s").format(speed=decimal(speed)) if speed else _("Writing")


def _failure(t: Tokens, message: MessageState, handlers: MessageHandlers, last: bool) -> ft.Control:
    sentence = message.error or _("The reply could not be finished. Your message is safe.")
    kept = _("The unfinished reply is kept above.") if message.text else _("Your message is safe.")
    if message.reasoning and not message.text:
        kept = _("What it thought is kept above. Your message is safe.")
    words = ft.Column([text(t, sentence, "label"), text(t, kept, "small", t.text2)], spacing=2, expand=True, tight=True)
    return ft.Container(
        stack(
            [
                ft.Row(
                    [icon(t, ft.Icons.ERROR_OUTLINE, 20, t.danger), words],
                    spacing=S3,
                    vertical_alignment=ft.CrossAxisAlignment.START,
                ),
                ft.Row(
                    [
                        button(t, _("Retry"), lambda: handlers.retry(message), name=ft.Icons.REFRESH),
                        *([button(t, _("Continue"), lambda: handlers.go_on(message))] if last and message.text else []),
                    ],
                    spacing=S2,
                ),
            ],
            S3,
        ),
        bgcolor=t.raised,
        border=ft.Border.all(1, t.danger_line),
        border_radius=RADIUS_CARD,
        padding=S4,
    )


def _foot(t: Tokens, message: MessageState, handlers: MessageHandlers, last: bool) -> ft.Control:
    """Memory chip on the left, what can be done on the right."""
    used = message.used
    label = used_label(len(used.facts), len(used.snippets)) if used else ""
    left: ft.Control = text(t, _("No memory used") if used else "", "small", t.text3)
    if label:
        left = memory_chip(t, label, lambda: handlers.open_used(message))
    acts = reply_actions(t, message, handlers, last)
    shown = versions(t, message, handlers)
    if t.wide or not (shown or t.narrow or len(label) > FOOT_LETTERS):
        return ft.Row([left, ft.Container(expand=True), *shown, *acts], spacing=0)
    end = ft.MainAxisAlignment.END
    return stack([ft.Row([left]), ft.Row([*shown, *acts], spacing=0, alignment=end)])


def _unfinished(t: Tokens, words: str, message: MessageState, handlers: MessageHandlers, last: bool) -> ft.Control:
    """Why it ends where it ends, and the way on."""
    row: list[ft.Control] = [text(t, words, "micro", t.text3)]
    if last and message.text:
        row.append(link(t, _("Continue"), lambda: handlers.go_on(message), tip=_("Continue this reply")))
    return ft.Row(row, spacing=S2, wrap=True, vertical_alignment=ft.CrossAxisAlignment.CENTER)


def _reply(t: Tokens, message: MessageState, handlers: MessageHandlers, last: bool) -> ft.Control:
    content: list[ft.Control] = []
    if message.reasoning:
        content.append(thought(t, message, handlers))
    if message.text:
        content.append(
            rich_text(t, message.text, streaming=message.writing, on_link=handlers.open_link, on_copy=handlers.copy_code)
        )
    if message.thinking:
        return stack(content)
    if message.writing:
        return stack([*content, writing_line(t, _writing_label(message))], S1)
    if message.status is MessageStatus.STOPPED:
        content.append(_unfinished(t, _("Stopped"), message, handlers, last))
    if message.cut_off:
        content.append(_unfinished(t, _("Cut off at the length limit (Settings → Generation)"), message, handlers, last))
    if message.status is MessageStatus.FAILED:
        content.append(_failure(t, message, handlers, last))
    if label := quotes_label(message.used.quotes if message.used else ()):
        content.append(ft.Row([quotes_chip(t, label, lambda: handlers.open_used(message))]))
    if message.other_model:
        content.append(text(t, _("By {model}").format(model=handlers.model_name(message.other_model)), "micro", t.text3))
    content.append(_foot(t, message, handlers, last))
    content += [_noted_line(t, message, learned, handlers) for learned in message.noted]
    content += [_forgot_line(t, message, fact, handlers) for fact in message.forgotten]
    return stack(content, S2)


def _noted_line(t: Tokens, message: MessageState, learned: LearnedFact, handlers: MessageHandlers) -> ft.Control:
    return fact_line(t, _("Munin noted:"), learned.fact, lambda: handlers.undo(message, learned))


def _forgot_line(t: Tokens, message: MessageState, fact: Fact, handlers: MessageHandlers) -> ft.Control:
    return fact_line(t, _("Munin forgot:"), fact, lambda: handlers.bring_back(message, fact))


def _message(
    t: Tokens, message: MessageState, handlers: MessageHandlers, last: bool, marked: bool, key: str | None = None
) -> ft.Control:
    own = message.role is Role.USER
    content = user_bubble(t, message, handlers) if own else _reply(t, message, handlers, last)
    if marked:
        content = ft.Container(content, border=edge(ft.BorderSide(3, t.memory)), padding=padding(left=S3))
    side = S6 if t.wide else S5
    return ft.Container(column([content]), padding=padding(side, 0, side, t.space(S6)))


MessageView = memoised(_message)
