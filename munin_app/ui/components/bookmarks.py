"""The list of bookmarked messages."""

from collections.abc import Callable, Mapping, Sequence
from datetime import date

import flet as ft

from munin_app.domain.messages import Message
from munin_app.ui.components.base import card, lines, padding, text
from munin_app.ui.components.buttons import tappable
from munin_app.ui.format import plain_line, said_by, untitled
from munin_app.ui.tokens import S3, S4, Tokens


def bookmark_list(
    messages: Sequence[Message], titles: Mapping[str, str], on_open: Callable[[Message], object]
) -> Callable[[Tokens], Sequence[ft.Control]]:
    """`titles`: conversation id to title."""

    def row(t: Tokens, message: Message) -> ft.Control:
        where = f"{titles.get(message.conversation_id, untitled())} · {said_by(message.role, message.created_at, date.today())}"
        words = lines([text(t, plain_line(message.text), "body", lines=2), text(t, where, "small", t.text3, lines=1)], 2)
        return tappable(ft.Row([words]), lambda: on_open(message), radius=0, pad=padding(S4, S3, S4, S3))

    return lambda t: [card(t, [row(t, message) for message in messages])] if messages else []
