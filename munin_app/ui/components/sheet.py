"""What a reply used: facts (always sent), recalled snippets with similarity, where each is from and why."""

from collections.abc import Callable, Mapping, Sequence
from datetime import date

import flet as ft

from munin_app.chat.attached.naming import place
from munin_app.domain.events import Turn, Used, UsedFact, UsedQuote, UsedSnippet
from munin_app.domain.facts import Fact
from munin_app.domain.messages import Message, Role
from munin_app.i18n import _, decimal
from munin_app.ui.components.base import Action, card, edge, gap, headline, padding, pill, sides, stack, text
from munin_app.ui.components.buttons import icon_button, link
from munin_app.ui.format import day, facts_counted, figures, heading, memories_counted, quoted, said_by
from munin_app.ui.tokens import S1, S2, S3, S4, S5, SHEET, Tokens


def side_frame(t: Tokens, content: list[ft.Control], on_close: Action) -> ft.Container:
    """A sheet beside the page, on a wide window."""
    bar = ft.Row([ft.Container(expand=True), icon_button(t, ft.Icons.CLOSE, _("Close (Esc)"), on_close)])
    body = ft.Container(stack(content), padding=sides(S5), expand=True)
    return ft.Container(
        stack([ft.Container(bar, height=t.high(56), padding=padding(right=S1)), body]),
        width=t.broad(SHEET),
        bgcolor=t.panel,
        border=edge(ft.BorderSide(1, t.line)),
    )


OpenMessage = Callable[[str, str], object]
"""Conversation id and message id."""


def meter(t: Tokens, similarity: float) -> ft.Row:
    bar = ft.ProgressBar(
        value=max(0.0, min(1.0, similarity)),
        width=72 if t.wide else 28,
        bar_height=4,
        color=t.memory,
        bgcolor=t.well,
        border_radius=2,
    )
    return ft.Row([bar, text(t, decimal(similarity, 2), "micro", t.text2)], spacing=S2, tight=True, tooltip=_("Similarity"))


def _entry(t: Tokens, key: str, value: ft.Control) -> ft.Row:
    return ft.Row(
        [text(t, key, "small", t.text3, width=round(48 * t.scale)), value],
        spacing=S2,
        vertical_alignment=ft.CrossAxisAlignment.CENTER,
    )


def _source(
    t: Tokens, words: str, conversation_id: str, message_id: str, titles: Mapping[str, str], on_open: OpenMessage
) -> ft.Control:
    """Where it was said; a link to the message while that chat is there."""
    title = titles.get(conversation_id)
    if not title:
        return text(t, words, "small", t.text2, expand=True)
    return ft.Row(
        [
            text(t, f"{words} ·", "small", t.text2, wrap=False),
            ft.Container(link(t, title, lambda: on_open(conversation_id, message_id)), expand=True, expand_loose=True),
        ],
        spacing=S2 / 2,
        expand=True,
    )


def _item(t: Tokens, kind: str, mark: ft.Control, words: ft.Control, source: ft.Control, why: str) -> ft.Container:
    head = ft.Row([text(t, kind, "micro", t.memory, expand=True), mark])
    reason = _entry(t, _("Why"), text(t, why, "small", t.text2, expand=True))
    return ft.Container(stack([head, words, _entry(t, _("From"), source), reason], S2 - 2), padding=S4)


def fact_source(t: Tokens, fact: Fact | None, titles: Mapping[str, str], today: date, on_open: OpenMessage) -> ft.Control:
    if fact is None:
        return text(t, _("A fact that has changed since"), "small", t.text2, expand=True)
    if not fact.sources:
        return text(t, _("Added by you, {day}").format(day=day(fact.created_at, today)), "small", t.text2, expand=True)
    source = fact.sources[-1]
    return _source(
        t, _("You, {day}").format(day=day(source.said_at, today)), source.conversation_id, source.message_id, titles, on_open
    )


def turn_figures(t: Tokens, turn: Turn, made_by: str) -> list[ft.Control]:
    """How the reply came about, in plain figures. `made_by`: name of the model; empty: none was loaded."""
    model = [_("Model: {name}").format(name=made_by)] if made_by else []
    lines = [text(t, line, "small", t.text2) for line in (*model, *figures(turn))]
    return [gap(S5), headline(text(t, _("How it was made"), "label")), gap(S2), stack(lines, 2, tight=True)] if lines else []


def quoted_content(t: Tokens, quotes: Sequence[UsedQuote]) -> list[ft.Control]:
    """What was quoted of attached files."""

    def item(quote: UsedQuote) -> ft.Control:
        mark: ft.Control = pill(t, _("Whole") if quote.whole else _("By words"), height=22)
        if quote.similarity is not None:
            mark = meter(t, quote.similarity)
        head = ft.Row([text(t, _("File"), "micro", t.text2, expand=True), mark])
        where = _entry(t, _("From"), text(t, place(quote), "small", t.text2, expand=True))
        why = _entry(t, _("Why"), text(t, quote.why, "small", t.text2, expand=True))
        words = text(t, quote.text, "body", lines=6)
        return ft.Container(stack([head, words, where, *([] if quote.whole else [why])], S2 - 2), padding=S4)

    title = headline(text(t, _("Quoted from your files"), "label"))
    return [gap(S2), title, gap(S2), card(t, [item(quote) for quote in quotes])]


def used_content(
    t: Tokens,
    used: Used,
    facts: Mapping[str, Fact],
    messages: Mapping[str, Message],
    titles: Mapping[str, str],
    on_open: OpenMessage,
) -> list[ft.Control]:
    """`facts`, `messages` and `titles` by id, as they are now: what is gone is said plainly."""
    today = date.today()

    def fact_item(item: UsedFact) -> ft.Control:
        fact = facts.get(item.fact_id)
        kind = _("Fact · {heading}").format(heading=heading(fact.attribute)) if fact else _("Fact")
        pinned = bool(fact and fact.pinned)
        mark = pill(
            t, _("Pinned") if pinned else _("Always sent"), name=ft.Icons.PUSH_PIN_OUTLINED if pinned else None, height=22
        )
        why = _("Facts about you go with every message")
        return _item(t, kind, mark, text(t, item.text, "label"), fact_source(t, fact, titles, today, on_open), why)

    def snippet_item(item: UsedSnippet) -> ft.Control:
        mark = meter(t, item.similarity) if item.similarity is not None else pill(t, _("By words"), height=22)
        message = messages.get(item.message_id)
        if message is None:
            where: ft.Control = text(t, _("A message that is no longer there"), "small", t.text2, expand=True)
        else:
            said = said_by(message.role, message.created_at, today)
            where = _source(t, said, message.conversation_id, message.id, titles, on_open)
        own = message is None or message.role is Role.USER
        words = text(t, quoted(item.text), "quote", lines=6) if own else text(t, item.text, "body", lines=6)
        return _item(t, _("Memory"), mark, words, where, item.why or _("Close in meaning"))

    rows = [*(fact_item(item) for item in used.facts), *(snippet_item(item) for item in used.snippets)]
    if not rows and used.quotes:
        return quoted_content(t, used.quotes)
    if not rows:
        return [text(t, _("Nothing but this chat itself."), "body", t.text2)]
    count = _("Sent along with your message: {facts}, {memories}").format(
        facts=facts_counted(len(used.facts)), memories=memories_counted(len(used.snippets))
    )
    content: list[ft.Control] = [text(t, count, "small", t.text2), gap(S4), card(t, rows)]
    if used.quotes:
        content += [gap(S5), *quoted_content(t, used.quotes)]
    if used.left_out:
        content += [
            gap(S3),
            text(
                t,
                _("{facts} had no room in this context and stayed out.").format(facts=facts_counted(used.left_out)),
                "small",
                t.text2,
            ),
        ]
    return content
