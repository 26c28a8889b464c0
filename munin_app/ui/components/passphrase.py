"""A dialog that asks for one or more passphrases."""

from collections.abc import Callable, Sequence

import flet as ft

from munin_app.i18n import _
from munin_app.ui.components.base import Action, failure, gap, text
from munin_app.ui.components.buttons import button
from munin_app.ui.components.dialogs import framed
from munin_app.ui.components.fields import bare_field, well
from munin_app.ui.state import DialogBuilder
from munin_app.ui.tokens import Tokens


def ask_passphrases(
    title: str, sentence: str, label: str, hints: Sequence[str], on_done: Callable[..., object], on_close: Action
) -> Callable[[str], DialogBuilder]:
    """Gives a builder for each error sentence. `on_done` is called with what was typed, one text for each hint."""
    typed = [""] * len(hints)

    def setter(number: int) -> Callable[[str], object]:
        return lambda new: typed.__setitem__(number, new)

    def with_error(error: str) -> DialogBuilder:
        def build(t: Tokens) -> ft.AlertDialog:
            done = lambda: on_done(*typed)  # noqa: E731
            body: list[ft.Control] = [text(t, sentence, "body", t.text2), gap(2)]
            for number, hint in enumerate(hints):
                field = bare_field(t, hint, typed[number], setter(number), on_submit=done, autofocus=number == 0, secret=True)
                body.append(well(t, field, ft.Icons.KEY_OUTLINED))
            if error:
                body.append(failure(t, error))
            return framed(t, title, body, [button(t, _("Cancel"), on_close), button(t, label, done, "tint")])

        return build

    return with_error
