"""The commands above the composer, while the draft begins with a slash."""

from typing import Protocol

import flet as ft

from munin_app.chat.commands import Command
from munin_app.i18n import _, translated
from munin_app.ui.components.base import described, memoised, padding, sides, stack, text
from munin_app.ui.components.buttons import tappable
from munin_app.ui.state import Completion
from munin_app.ui.tokens import RADIUS_CARD, S1, S2, S3, Tokens

USAGE_WIDTH = 152


class CompletionHandlers(Protocol):
    async def choose(self, command: Command) -> None: ...


def _row(t: Tokens, command: Command, chosen: bool, handlers: CompletionHandlers) -> ft.Control:
    words = ft.Row(
        [
            text(t, command.usage, "label", lines=1, width=t.broad(USAGE_WIDTH)),
            text(t, translated(command.help), "small", t.text2, lines=1, expand=True),
        ],
        spacing=S3,
    )
    row = tappable(
        words,
        lambda: handlers.choose(command),
        height=t.touch,
        background=(t.chosen if t.dark else t.well) if chosen else None,
        pad=sides(S3),
    )
    return described(row, selected=chosen)


def list_height(t: Tokens, state: Completion) -> float:
    """Pixels."""
    return len(state.entries) * t.touch + 2 * (S1 + 1) + S2 if state.entries else 0


def _list(t: Tokens, state: Completion, handlers: CompletionHandlers) -> ft.Control:
    rows = [_row(t, command, number == state.chosen, handlers) for number, command in enumerate(state.entries)]
    box = ft.Container(
        stack(rows, tight=True),
        bgcolor=t.raised,
        border=ft.Border.all(1, t.line),
        border_radius=RADIUS_CARD,
        padding=S1,
    )
    return ft.Container(described(box, label=_("Commands")), padding=padding(bottom=S2), visible=bool(rows))


CompletionList = memoised(_list)
