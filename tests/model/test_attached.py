"""A PDF of twelve pages, the real encoder and the real model: the page that answers is quoted, and deleting leaves no byte."""

from pathlib import Path

import numpy as np
import pytest

from munin_app.bootstrap import Munin, encoder_manifest, model_library
from munin_app.chat.attached.files import read_content
from munin_app.chat.attached.passages import passages
from munin_app.domain.events import Turn, TurnFinished
from munin_app.memory.encoder import OnnxEmbedder
from tests.chat.attached.test_files import made_pdf

pytestmark = [pytest.mark.model, pytest.mark.slow]

TOPICS = (
    "the history of the harbour and the families who built it",
    "how the timber was felled, floated down the river and dried",
    "the ropes, the knots and the sails that a sloop needs",
    "what the weather does in spring, and how storms are seen coming",
    "the engines, their oil, their filters and their spare parts",
    "the tides, with tables for each month of the year",
    "what is eaten on board, and how water is kept fresh",
    "the lights and the marks of the coast, from south to north",
    "",
    "the rules of the race and how points are counted",
    "the first aid that everyone on board must know",
    "the addresses of sailmakers, surveyors and chandlers",
)
ANSWER = "Members who leave the club before June get two thirds of their yearly fee back."
ASKED = "How much of the fee is refunded when somebody quits in spring?"


def manual() -> bytes:
    pages = []
    for topic in TOPICS:
        lines = [f"This chapter deals with {topic}." for _ in range(3)]
        lines += [f"Much more could be said of {topic}, were there room." for _ in range(20)]
        pages.append("\n".join(lines))
    pages[8] = "\n".join(["Membership", "", ANSWER, "Whoever stays longer gets nothing."])
    return made_pdf(pages)


async def test_the_page_that_answers_is_quoted_and_leaves_with_the_chat(home: Path) -> None:
    turns: list[Turn] = []
    manifest = await encoder_manifest(model_library())
    assert manifest
    async with await Munin.start() as munin:
        await munin.change_settings(max_reply_tokens=24, temperature=0.0, context_tokens=2048)
        await munin.warm_up()
        munin.subscribe(lambda event: turns.append(event.turn) if isinstance(event, TurnFinished) else None)
        chat = (await munin.controller.new_conversation()).id
        file = await munin.controller.attachments.add("", await read_content("manual.pdf", manual()))
        await munin.controller.send(chat, ASKED, [file.id])
        await munin.controller.drain()
        quotes = turns[-1].used.quotes
        best = max(quotes, key=lambda quote: quote.similarity or 0.0)
        assert best.page == 9 and ANSWER in best.text and not any(quote.whole for quote in quotes)
        assert turns[-1].reply.text
        other = (await munin.controller.new_conversation()).id
        await munin.controller.send(other, ASKED)
        await munin.controller.drain()
        assert turns[-1].used.quotes == () and not any("thirds" in one.text for one in turns[-1].used.snippets)

        await munin.memory.back_filled()
        (passage,) = [one for one in passages(await munin.controller.attachments.text(file), paged=True) if ANSWER in one.text]
        vector = OnnxEmbedder(manifest).embed_documents([passage.text])[0].astype(np.float32).tobytes()[:64]
        assert held(home, vector) and held(home, ANSWER.encode()) and held(home, chat.encode(), "*.kv")
        await munin.forgetting.hide_conversation(chat)
        await munin.forgetting.erase_hidden()
        assert not held(home, vector) and not held(home, ANSWER.encode()) and not held(home, b"thirds of their")
        assert not held(home, chat.encode(), "*.kv")
    assert not held(home, vector) and not held(home, ANSWER.encode())


def held(home: Path, wanted: bytes, pattern: str = "*") -> set[str]:
    return {file.name for file in home.rglob(pattern) if file.is_file() and wanted in file.read_bytes()}
