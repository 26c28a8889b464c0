"""The list of what Munin is built from, each with its licence."""

from collections.abc import Callable, Sequence

import flet as ft

from munin_app.about import Licensed
from munin_app.i18n import _
from munin_app.ui.components.base import card, gap, headline, padding, stack, text
from munin_app.ui.components.buttons import tappable
from munin_app.ui.tokens import S2, S3, Tokens

Groups = Sequence[tuple[str, Sequence[Licensed]]]


def licence_list(groups: Groups, on_open: Callable[[Licensed], object]) -> Callable[[Tokens], list[ft.Control]]:
    """What came without a text cannot be pressed."""

    def row(t: Tokens, one: Licensed) -> ft.Control:
        words: list[ft.Control] = [
            text(t, f"{one.name} {one.version}".strip(), "smallb"),
            text(t, one.licence or _("It does not say"), "small", t.text2),
        ]
        return tappable(stack(words), (lambda: on_open(one)) if one.text else None, radius=0, pad=padding(S3, S2, S3, S2))

    def build(t: Tokens) -> list[ft.Control]:
        found: list[ft.Control] = []
        for name, members in groups:
            if members:
                found += [gap(S2), headline(text(t, name, "smallb", t.text2)), card(t, [row(t, one) for one in members])]
        return found

    return build
