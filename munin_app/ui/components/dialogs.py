"""Dialogs: confirm, ask for one text, show a list. Builders take tokens, so that a change of theme redraws them."""

from collections.abc import Callable, Sequence

import flet as ft

from munin_app.i18n import _
from munin_app.ui.components.base import Action, described, gap, padding, readable, stack, text
from munin_app.ui.components.buttons import Kind, button
from munin_app.ui.components.fields import bare_field, well
from munin_app.ui.state import DialogBuilder
from munin_app.ui.tokens import RADIUS_BUBBLE, S2, S4, S5, S6, Tokens

Choice = tuple[str, Kind, Action]
"""A button below a dialog: its label, its kind, and what it does."""


def framed(
    t: Tokens,
    title: str,
    body: Sequence[ft.Control],
    actions: Sequence[ft.Control],
    *,
    width: float = 420,
    scrollable: bool = True,
) -> ft.AlertDialog:
    return ft.AlertDialog(
        title=text(t, title, "head"),
        content=ft.Container(stack(body, S2, tight=True), width=width),
        scrollable=scrollable,
        actions=[*actions],
        actions_alignment=ft.MainAxisAlignment.END,
        actions_overflow_button_spacing=S2,
        bgcolor=t.panel,
        shape=ft.RoundedRectangleBorder(radius=RADIUS_BUBBLE, side=ft.BorderSide(1, t.line)),
        title_padding=padding(S6, S6, S6, S2),
        content_padding=padding(S6, 0, S6, S4),
        actions_padding=padding(S5, 0, S5, S5),
        inset_padding=S5,
    )


def confirm(
    title: str,
    sentence: str,
    label: str,
    on_confirm: Action,
    on_close: Action,
    *,
    kind: Kind = "danger",
    quote: str = "",
    cancel: str = "",
) -> DialogBuilder:
    def build(t: Tokens) -> ft.AlertDialog:
        body: list[ft.Control] = [text(t, sentence, "body", t.text2)]
        if quote:
            body.append(readable(text(t, quote, "small", t.text, selectable=True)))
        return framed(
            t, title, body, [button(t, cancel or _("Cancel"), on_close, autofocus=True), button(t, label, on_confirm, kind)]
        )

    return build


def ask_text(
    title: str,
    hint: str,
    label: str,
    on_done: Callable[[str], object],
    on_close: Action,
    *,
    value: str = "",
    help_: str = "",
    limit: int | None = None,
    secret: bool = False,
) -> Callable[[str], DialogBuilder]:
    """Gives a builder for each error sentence, so that a refused text stays in the field."""
    typed = {"text": value}

    def changed(new: str) -> None:
        typed["text"] = new

    def with_error(error: str) -> DialogBuilder:
        def build(t: Tokens) -> ft.AlertDialog:
            done = lambda: on_done(typed["text"] if secret else typed["text"].strip())  # noqa: E731
            field = bare_field(t, hint, typed["text"], changed, on_submit=done, autofocus=True, max_length=limit, secret=secret)
            body: list[ft.Control] = [text(t, help_, "small", t.text2)] if help_ else []
            body += [gap(2), well(t, field)]
            if error:
                body.append(text(t, error, "small", t.danger))
            return framed(t, title, body, [button(t, _("Cancel"), on_close), button(t, label, done, "tint")])

        return build

    return with_error


def listed(
    title: str,
    sentence: str,
    items: Sequence[ft.Control] | Callable[[Tokens], Sequence[ft.Control]],
    actions: Sequence[Choice],
    *,
    modal: bool = False,
) -> DialogBuilder:
    """A sentence, a list below it, and one button for each of `actions`. `modal`: only they close it."""

    def build(t: Tokens) -> ft.AlertDialog:
        rows = items(t) if callable(items) else items
        body = [text(t, sentence, "body", t.text2), gap(2), stack(rows, S2, tight=True)]
        dialog = framed(t, title, body, [button(t, label, action, kind) for label, kind, action in actions])
        dialog.modal = modal
        return dialog

    return build


def reading(title: str, body: str, actions: Sequence[Choice]) -> DialogBuilder:
    """A long text, to be read and copied."""

    def build(t: Tokens) -> ft.AlertDialog:
        words = described(readable(text(t, body, "small", t.text2, selectable=True)), live_region=True)
        return framed(t, title, [words], [button(t, label, action, kind) for label, kind, action in actions])

    return build


def facts(title: str, rows: Sequence[tuple[str, str]], on_close: Action) -> DialogBuilder:
    """Labels with what belongs to them, to be read and copied."""

    def build(t: Tokens) -> ft.AlertDialog:
        body = [
            stack([text(t, label, "smallb", t.text2), readable(text(t, value, "body", selectable=True))]) for label, value in rows
        ]
        return framed(t, title, [gap(2), *body], [button(t, _("Close"), on_close, autofocus=True)])

    return build
