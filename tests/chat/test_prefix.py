"""Where a prompt did not only grow, the turn says why, and says nothing where it did."""

from itertools import pairwise
from pathlib import Path

import pytest

from munin_app.bootstrap import Munin
from munin_app.chat import prefix
from munin_app.chat.prompt import Prompt
from munin_app.domain.events import Turn, TurnFinished
from munin_app.domain.inference import ChatRequest, ModelInfo, PromptMessage, PromptRole, Usage
from munin_app.inference.scripted import ScriptedChatModel
from tests.chat.conftest import Talk
from tests.conftest import StartMunin


async def retried(munin: Munin, told: Turn) -> Turn:
    turns: list[Turn] = []
    unsubscribe = munin.subscribe(lambda event: turns.append(event.turn) if isinstance(event, TurnFinished) else None)
    await munin.controller.retry(told.reply.id)
    await munin.controller.drain()
    unsubscribe()
    return turns[-1]


async def use_model(munin: Munin, model: ScriptedChatModel) -> None:
    munin.controller.use_model(model)
    munin.profile.use_model(model)
    await model.load()


async def test_a_chat_that_only_grows_gives_no_reason(munin: Munin, talk: Talk) -> None:
    turns = [await talk(text) for text in ("My name is Ada.", "I live in Oslo.", "Where do I live?")]
    assert [turn.prompt_reset for turn in turns] == ["", "", ""]


async def test_forgetting_is_named_as_the_reason(munin: Munin, talk: Talk) -> None:
    await talk("My name is Ada.")
    await talk("Tell me about the sea.")
    await munin.forgetting.forget_fact(munin.profile.facts[0].id)
    assert (await talk("And the lake?")).prompt_reset == prefix.FORGOTTEN
    assert (await talk("And the river?")).prompt_reset == ""


async def test_switching_memory_off_is_named_as_the_reason(munin: Munin, talk: Talk) -> None:
    await munin.profile.add("Name is Ada")
    told = await talk("Tell me about the sea.")
    await munin.chats.set_memory_on(told.conversation.id, False)
    assert (await talk("And the lake?")).prompt_reset == prefix.MEMORY_SWITCHED


async def test_switching_memory_off_where_it_added_nothing_is_no_reason(munin: Munin, talk: Talk) -> None:
    told = await talk("Tell me about the sea.")
    await munin.chats.set_memory_on(told.conversation.id, False)
    assert (await talk("And the lake?")).prompt_reset == ""


async def test_another_chat_in_between_is_named_as_the_reason(munin: Munin, talk: Talk, model: ScriptedChatModel) -> None:
    told = await talk("Tell me about the sea.")
    await talk("And this?", (await munin.controller.new_conversation()).id)
    assert (await talk("And the lake?", told.conversation.id)).prompt_reset == prefix.OTHER_CHAT


async def test_a_chat_that_was_read_again_while_the_user_typed_gives_no_reason(
    munin: Munin, talk: Talk, model: ScriptedChatModel
) -> None:
    told = await talk("Tell me about the sea.")
    await talk("And this?", (await munin.controller.new_conversation()).id)
    await munin.controller.open_conversation(told.conversation.id)
    await munin.controller.drain()
    turn = await talk("Go on.", told.conversation.id)
    assert turn.prompt_reset == "" and turn.usage.evaluated == len(model.requests[-1].messages[-1].text.split())


async def test_an_earlier_message_answered_again_is_named_as_the_reason(munin: Munin, talk: Talk) -> None:
    told = await talk("Tell me about the sea.")
    await talk("And the lake?")
    assert (await retried(munin, told)).prompt_reset == prefix.BRANCHED
    assert (await talk("And the river?")).prompt_reset == ""


async def test_the_newest_message_answered_again_reads_nothing_again(munin: Munin, talk: Talk) -> None:
    told = await talk("Tell me about the sea.")
    assert (await retried(munin, told)).prompt_reset == ""


async def test_another_model_is_named_as_the_reason(munin: Munin, talk: Talk) -> None:
    await talk("Tell me about the sea.")
    await use_model(munin, ScriptedChatModel(name="other"))
    assert (await talk("And the lake?")).prompt_reset == prefix.OTHER_MODEL


async def test_a_model_that_had_to_be_started_again_is_named_as_the_reason(
    munin: Munin, talk: Talk, model: ScriptedChatModel
) -> None:
    await talk("Tell me about the sea.")
    model.die()
    assert (await talk("And the lake?")).prompt_reset == prefix.RESTARTED


async def test_a_template_that_changes_earlier_messages_is_named_as_the_reason() -> None:
    watch = prefix.PrefixWatch()
    model = ModelInfo("rewriter", "Rewriter", Path("rewriter.gguf"), 0, "llama", "none", 4096, 4096, append_only=False)
    roles = [PromptRole.SYSTEM, PromptRole.USER, PromptRole.ASSISTANT, PromptRole.USER]
    messages = tuple(PromptMessage(role, "Words.") for role in roles)
    first = Prompt(ChatRequest("chat", messages[:2]), ("1",), "1", 9, compacted=False, left_out=0)
    second = Prompt(ChatRequest("chat", messages), ("1", "2", "3"), "1", 9, compacted=False, left_out=0)
    assert watch.reason(first, model, Usage(evaluated=40), with_memory=True) == ""
    assert watch.reason(second, model, Usage(evaluated=50, reused=30), with_memory=True) == prefix.TEMPLATE


async def test_compaction_is_named_as_the_reason_once(start_munin: StartMunin) -> None:
    munin = await start_munin(ScriptedChatModel(lambda request: "Yes. " * 40, context_size=512))
    conversation, turns = await munin.controller.new_conversation(), list[Turn]()
    munin.subscribe(lambda event: turns.append(event.turn) if isinstance(event, TurnFinished) else None)
    for number in range(14):
        await munin.controller.send(conversation.id, f"Message number {number}.")
        await munin.controller.drain()
    reasons = [turn.prompt_reset for turn in turns]
    assert set(reasons) == {"", prefix.COMPACTED}
    assert (prefix.COMPACTED, prefix.COMPACTED) not in pairwise(reasons)


@pytest.mark.parametrize("opened", [False, True])
async def test_a_chat_of_an_earlier_process_was_read_again_unless_it_was_opened_first(
    munin: Munin, talk: Talk, start_munin: StartMunin, opened: bool
) -> None:
    told = await talk("Tell me about the sea.")
    await munin.close()
    again, turns = await start_munin(), list[Turn]()
    again.subscribe(lambda event: turns.append(event.turn) if isinstance(event, TurnFinished) else None)
    if opened:
        await again.controller.open_conversation(told.conversation.id)
        await again.controller.drain()
    await again.controller.send(told.conversation.id, "And the lake?")
    await again.controller.drain()
    assert turns[0].prompt_reset == ("" if opened else prefix.REOPENED)
