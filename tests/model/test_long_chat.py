"""A hundred turns in a context of 2,048 tokens, 300 in `make soak`: real model, real encoder, memory and learning on."""

import asyncio
import os
import random
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from pathlib import Path

import pytest

from munin_app import paths
from munin_app.bootstrap import AppEvent, Munin
from munin_app.chat import prefix
from munin_app.chat.rendering import SUMMARY_FRAME, quoted
from munin_app.domain.events import Turn, TurnFinished
from munin_app.domain.inference import Cancelled, ChatRequest, Completed, Failed, ModelEvent, PromptMessage, PromptRole, Purpose
from munin_app.domain.messages import MessageStatus
from munin_app.inference.bare import PromptTokens
from munin_app.inference.host import LlamaChatModel

pytestmark = [pytest.mark.model, pytest.mark.slow]

TURNS = int(os.environ.get("MUNIN_TURNS", "60"))
CONTEXT = 2048
REPLY_TOKENS = 16
PAUSE_EVERY = 25
"""Turns: then the user stops to think, and what works in the background catches up."""

PEOPLE = ("the ferryman", "a baker", "the choir", "the neighbour", "the archivist", "two students", "the old captain")
DEEDS = ("repaired", "painted", "measured", "sold", "described", "borrowed", "forgot", "photographed")
THINGS = ("the north bridge", "a brass compass", "seven chairs", "the tide table", "a map of the valley", "the reading room")
WHEN = ("before the storm", "last winter", "on market day", "without telling anybody", "for the third time", "at dawn")
QUESTIONS = ("What follows from that?", "How would you put it?", "Is that likely?", "Which of them matters most?", "And why?")
FACTS = {
    0: "My name is Theodora.",
    40: "I live in Tromsø.",
    90: "I work as a carpenter.",
    150: "I moved to Bergen.",
    220: "I am vegetarian.",
}


class WatchedModel(LlamaChatModel):
    """Remembers every request on the chat's context, and how much of it was evaluated."""

    def __init__(self, path: Path) -> None:
        super().__init__(path, context_size=CONTEXT, sessions_folder=paths.sessions_folder())
        self.seen: list[tuple[ChatRequest, int]] = []

    async def stream(self, request: ChatRequest) -> AsyncGenerator[ModelEvent, None]:
        async with aclosing(super().stream(request)) as events:
            async for event in events:
                if isinstance(event, Completed | Cancelled | Failed) and request.purpose is not Purpose.UTILITY:
                    self.seen.append((request, event.usage.evaluated))
                yield event


def message(turn: int, chance: random.Random) -> str:
    """A question, often after a sentence or two, one in fifty after ten, five times a fact."""
    if turn in FACTS:
        return FACTS[turn]
    sentences = chance.choices((0, 1, 2, 10), (55, 33, 10, 2))[0]
    told = [" ".join(map(chance.choice, (PEOPLE, DEEDS, THINGS, WHEN))).capitalize() for _ in range(sentences)]
    return ". ".join([*told, chance.choice(QUESTIONS)])


async def test_a_long_chat_never_ends_and_is_hardly_read_again(model_path: Path) -> None:
    """Evaluated: the prompt tokens of every request on the chat's context, prefills included, as the model counts them.
    Submitted for the first time: of each turn's newest message, the user's words with what memory put before them; the template's
    glue around two messages a turn; the first system block; each summary once. All counted by the model's tokeniser from the
    requests. Replies are in neither: they were generated. (Evaluated again after a compaction, they count as evaluated.)"""
    model: WatchedModel | None = None

    def make_model(path: Path, _: object) -> WatchedModel:
        nonlocal model
        model = WatchedModel(path)
        return model

    finished: asyncio.Queue[Turn] = asyncio.Queue()

    def listen(event: AppEvent) -> None:
        if isinstance(event, TurnFinished):
            finished.put_nowait(event.turn)

    chance = random.Random(1)
    said = [message(turn, chance) for turn in range(TURNS)]
    turns: list[Turn] = []
    async with await Munin.start(make_model=make_model) as munin:
        await munin.change_settings(max_reply_tokens=REPLY_TOKENS)
        await munin.warm_up()
        munin.subscribe(listen)
        conversation = await munin.controller.new_conversation()
        for number, text in enumerate(said):
            if number % PAUSE_EVERY == 0:
                await munin.controller.drain()
            await munin.controller.send(conversation.id, text)
            turns.append(await finished.get())
        await munin.controller.drain()
        path = await munin.chats.path(conversation.id)

    assert [turn.reply.status for turn in turns] == [MessageStatus.COMPLETED] * TURNS
    assert [one.text for one in path] == [
        text for turn, sent in zip(turns, said, strict=True) for text in (sent, turn.reply.text)
    ]
    assert model is not None
    replies = [request for request, _ in model.seen if request.purpose is Purpose.REPLY]
    assert quoted("Name is Theodora") in "\n".join(one.text for one in replies[-1].messages)

    evaluated = sum(tokens for _, tokens in model.seen)
    submitted = first_time(replies, model_path)
    compactions = sum(turn.prompt_reset == prefix.COMPACTED for turn in turns)
    firsts = sorted(turn.timings.first_token for turn in turns)
    print(
        f"\nevaluated {evaluated} / submitted {submitted} = {evaluated / submitted:.2f}; {compactions} compactions; "
        f"first token p50 {firsts[TURNS // 2]:.0f} ms, p95 {firsts[TURNS * 95 // 100]:.0f} ms; "
        f"snippets in {sum(bool(turn.used.snippets) for turn in turns)} turns"
    )
    assert {turn.prompt_reset for turn in turns} == {"", prefix.COMPACTED}
    assert evaluated <= 2.0 * submitted


def first_time(replies: Sequence[ChatRequest], model_path: Path) -> int:
    """Tokens, as the test's docstring defines them."""
    tokens = PromptTokens(model_path)

    def length(*messages: PromptMessage) -> int:
        return len(tokens.prompt(messages, 0))

    try:
        bare = [PromptMessage(role, "") for role in (PromptRole.SYSTEM, PromptRole.USER, PromptRole.ASSISTANT, PromptRole.USER)]
        glue = length(*bare) - length(*bare[:2])
        plain = length(*bare[:2])
        summaries = {text for one in replies if (text := one.messages[0].text.partition(SUMMARY_FRAME)[2])}
        texts = [replies[0].messages[0].text, *(one.messages[-1].text for one in replies), *summaries]
        content = sum(length(bare[0], PromptMessage(PromptRole.USER, text)) - plain for text in texts)
        return content + glue * len(replies)
    finally:
        tokens.close()
