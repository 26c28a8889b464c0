"""Models to choose one from, in a dialog."""

from collections.abc import Callable, Sequence
from pathlib import Path

import flet as ft

from munin_app.ui.components.base import icon, padding, text
from munin_app.ui.components.buttons import tappable
from munin_app.ui.tokens import S2, S3, Tokens


def model_list(models: Sequence[tuple[str, Path]], on_choose: Callable[[Path], object]) -> Callable[[Tokens], list[ft.Control]]:
    """`models`: name and file of each."""

    def row(t: Tokens, name: str, path: Path) -> ft.Control:
        words = ft.Row([icon(t, ft.Icons.MEMORY, 18), text(t, name, "label", expand=True)], spacing=S3)
        return tappable(words, lambda: on_choose(path), tip=name, background=t.raised, pad=padding(S3, S2, S3, S2))

    return lambda t: [row(t, name, path) for name, path in models]
