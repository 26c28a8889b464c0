"""One chat, two models in turn, the real one under two names: each goes on from what it had read itself."""

import os
import shutil
from pathlib import Path

import pytest

from munin_app.bootstrap import Munin
from munin_app.chat import prefix
from munin_app.domain.events import Turn, TurnFinished
from munin_app.domain.messages import MessageStatus

pytestmark = pytest.mark.model

STORY = " ".join(f"On day {n} the boat lay in harbour {n * 7}." for n in range(1, 20))


@pytest.fixture
def other(tmp_path: Path, model_path: Path) -> Path:
    """The same weights in another file: nothing that one has read is taken for the other's."""
    copy = tmp_path / "other.gguf"
    shutil.copyfile(model_path, copy)
    os.utime(copy, (1, 1))
    return copy


async def said(munin: Munin, conversation_id: str, text: str) -> Turn:
    turns: list[Turn] = []
    end = munin.subscribe(lambda event: turns.append(event.turn) if isinstance(event, TurnFinished) else None)
    await munin.controller.send(conversation_id, text)
    await munin.controller.drain()
    end()
    assert turns[-1].reply.status is MessageStatus.COMPLETED
    return turns[-1]


async def test_back_at_its_model_a_chat_goes_on_from_where_that_one_was(other: Path) -> None:
    async with await Munin.start() as munin:
        await munin.change_settings(memory_on=False, max_reply_tokens=16)
        chat = (await munin.controller.new_conversation()).id
        first = (await said(munin, chat, STORY)).usage
        await munin.chats.set_model(chat, str(other))
        second = await said(munin, chat, "Where was it on day 3?")
        assert (second.usage.reused, second.prompt_reset) == (0, prefix.OTHER_MODEL)
        assert munin.model.info and munin.model.info.path == other
        await munin.chats.set_model(chat, "")
        third = await said(munin, chat, "And on day 4?")
        assert munin.model.info and munin.model.info.path != other
        assert third.usage.reused >= first.context_used - 1
        assert third.usage.evaluated < second.usage.evaluated
        await munin.chats.set_model(chat, str(other))
        assert (await said(munin, chat, "And on day 5?")).usage.reused >= second.usage.context_used - 1
