"""The real model under two names, in two processes: one chats, the other does the background work."""

import os
import shutil
from pathlib import Path

import pytest

from munin_app import paths
from munin_app.bootstrap import Munin
from munin_app.domain.ids import now_ms
from munin_app.domain.inference import ChatRequest, Completed, PromptMessage, PromptRole, Purpose

pytestmark = pytest.mark.model

PERSONAL = "I usually wake up at five"
"""No rule finds the fact in it: a model is asked."""


@pytest.fixture
def second(tmp_path: Path, model_path: Path) -> Path:
    path = tmp_path / "second.gguf"
    try:
        os.link(model_path, path)
    except OSError:  # on another disk
        shutil.copyfile(model_path, path)
    return path


async def test_message_is_learned_from_through_the_second_model_and_its_removal_goes_unnoticed(second: Path) -> None:
    async with await Munin.start() as munin:
        await munin.load_model()
        await munin.change_settings(background_model=str(second), max_reply_tokens=16)
        chat = (await munin.controller.new_conversation()).id
        await munin.controller.send(chat, PERSONAL)
        await munin.controller.drain()
        utility = munin.controller.utility
        assert utility.info and utility.info.path == second and munin.notices == []
        assert munin.model.info and munin.model.info.path != second
        assert await munin.chats.to_learn(before=now_ms() + 1) == ()
        forgotten = await munin.forgetting.forget_memories([(await munin.chats.messages(chat))[0].id])
        assert forgotten.failures == () and list(paths.sessions_folder().glob("*")) == []
        second.unlink()
        asked = ChatRequest("utility:test", (PromptMessage(PromptRole.USER, "Hi"),), max_tokens=4, purpose=Purpose.UTILITY)
        events = [event async for event in utility.stream(asked)]
        assert isinstance(events[-1], Completed) and events[-1].usage.generated
        assert utility.info.path != second and len(munin.notices) == 1
