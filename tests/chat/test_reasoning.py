"""What the model thinks: shown and saved with its reply, and otherwise nowhere."""

from dataclasses import replace
from pathlib import Path

import pytest

from munin_app.bootstrap import AppEvent, Munin
from munin_app.chat.turn import RAN_OUT
from munin_app.domain.events import ReplyDelta, ThoughtDelta
from munin_app.domain.inference import ChatRequest, ModelInfo, PromptRole, Purpose
from munin_app.domain.messages import MessageStatus
from munin_app.inference.scripted import ScriptedChatModel
from tests.chat.conftest import Talk
from tests.chat.test_forgetting import files_that_hold


def _answer(request: ChatRequest) -> str:
    if request.purpose is not Purpose.REPLY:
        return "[]"
    asked = request.messages[-1].text
    if "for ever" in asked:
        return "<think>Quarzite, quarzite and"
    return "<think>\nThe quarzite is called Zebulonia.\n</think>\n\nAll right."


@pytest.fixture
def model() -> ScriptedChatModel:
    return ScriptedChatModel(_answer)


async def test_thought_and_answer_are_told_and_saved_apart(munin: Munin, talk: Talk) -> None:
    seen: list[AppEvent] = []
    munin.subscribe(seen.append)
    turn = await talk("A stone?")
    assert "".join(event.text for event in seen if isinstance(event, ThoughtDelta)) == "The quarzite is called Zebulonia."
    assert "".join(event.text for event in seen if isinstance(event, ReplyDelta)) == "All right."
    saved = await munin.chats.message(turn.reply.id)
    assert (saved.text, saved.reasoning) == ("All right.", "The quarzite is called Zebulonia.")
    assert saved.reasoning_ms <= turn.timings.total


async def test_thought_without_an_answer_says_so_and_is_kept(munin: Munin, talk: Talk) -> None:
    reply = (await talk("Think for ever")).reply
    assert (reply.status, reply.error) == (MessageStatus.FAILED, RAN_OUT)
    assert (reply.text, reply.reasoning) == ("", "Quarzite, quarzite and")


async def test_thought_that_the_user_stopped_is_kept_as_stopped(munin: Munin, model: ScriptedChatModel) -> None:
    model.pause(after_words=3)
    conversation = await munin.controller.new_conversation()
    await munin.controller.send(conversation.id, "A stone?")
    await model.wait_until_standing()
    munin.controller.stop(conversation.id)
    await munin.controller.drain()
    reply = (await munin.chats.path(conversation.id))[-1]
    assert (reply.status, reply.text, reply.reasoning) == (MessageStatus.STOPPED, "", "The quarzite")


async def test_thought_is_neither_remembered_nor_found_nor_learned(munin: Munin, talk: Talk, home: Path) -> None:
    await talk("A stone?")
    assert files_that_hold(home, b"Zebulonia") <= {"munin.db", "munin.db-wal"}
    assert munin.profile.facts == ()
    assert await munin.shelf.search("quarzite") == ()
    found = await munin.memory.recall("The quarzite is called Zebulonia.", threshold=-1.0)
    assert not any("quarzite" in result.memory.text for result in found.results)


async def test_later_prompts_hold_it_only_where_the_model_is_shown_it(
    munin: Munin, talk: Talk, model: ScriptedChatModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    await talk("A stone?")
    await talk("Another?")
    assert not any(message.reasoning for message in model.requests[-1].messages)
    info = await model.load()
    monkeypatch.setattr(ScriptedChatModel, "load", lambda self: _loaded(info))
    await talk("A third?")
    (prompt,) = [one for one in model.requests if one.messages[-1].text.endswith("A third?") and one.purpose is Purpose.REPLY]
    replies = [message.reasoning for message in prompt.messages if message.role is PromptRole.ASSISTANT]
    assert replies == ["The quarzite is called Zebulonia."] * 2


async def _loaded(info: ModelInfo) -> ModelInfo:
    return replace(info, keeps_reasoning=True)


@pytest.mark.parametrize("way", ["fact", "facts", "message", "delete", "conversations", "memories"])
async def test_every_way_of_forgetting_takes_the_thoughts_of_its_conversations_along(
    munin: Munin, talk: Talk, home: Path, way: str
) -> None:
    await munin.change_settings(recall_timeout_ms=10_000)
    await munin.profile.add("Collects quarzite")
    told = await talk("The harbour museum shows a stone that is grey and old.")
    other = (await munin.controller.new_conversation()).id
    recalled = await talk("Which stone does the harbour museum show, the grey and old one?", other)
    assert recalled.used.snippets and recalled.used.facts
    ways = {
        "fact": lambda: munin.forgetting.forget_fact(munin.profile.facts[0].id),
        "facts": munin.forgetting.forget_all_facts,
        "message": lambda: munin.forgetting.forget_memories([told.user.id]),
        "delete": lambda: munin.forgetting.delete_messages([told.user.id]),
        "conversations": munin.forgetting.clear_chats,
        "memories": munin.forgetting.forget_all_memories,
    }
    await ways[way]()
    assert not any(message.reasoning for message in await munin.chats.messages(other))
    if way != "memories":  # there the other conversation was given nothing that is gone
        assert files_that_hold(home, b"Zebulonia") == set()
