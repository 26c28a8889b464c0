"""Editing, answering again, going on and switching: what the tree holds, what the model reads, and what memory may bring."""

import pytest

from munin_app.bootstrap import AppEvent, Munin
from munin_app.chat import prefix
from munin_app.chat.tree import Node, Tree
from munin_app.domain.events import TurnFinished
from munin_app.domain.inference import PromptRole, Purpose
from munin_app.domain.messages import MemoryState, Message, MessageStatus
from munin_app.errors import MessageRefused
from munin_app.inference.scripted import ScriptedChatModel
from tests.chat.conftest import Talk


def texts(path: tuple[Message, ...]) -> list[str]:
    return [message.text for message in path]


def read(model: ScriptedChatModel) -> list[str]:
    """The messages of the last prompt that was answered, without the system block."""
    asked = [request for request in model.requests if request.purpose is Purpose.REPLY][-1]
    return [message.text for message in asked.messages[1:]]


def test_blanked_nodes_are_passed_over() -> None:
    tree = Tree([Node("1", None), Node("2", "1"), Node("3", "2", deleted=True), Node("4", "3"), Node("5", "2"), Node("6", "5")])
    assert tree.siblings("4") == tree.siblings("5") == ("4", "5")
    assert tree.siblings("1") == ("1",)
    assert tree.newest_below("1") == "6" and tree.newest_below("4") == "4"
    assert tree.below("2") == {"4", "5"}
    assert tree.others({"1", "2", "4"}) == {"5", "6"}


async def test_an_edited_message_stands_beside_the_old_one_and_nothing_is_lost(
    munin: Munin, model: ScriptedChatModel, talk: Talk
) -> None:
    await talk("Hello.")
    turn = await talk("Tell me of boats.")
    chat = turn.conversation.id
    edited = await munin.branches.edit(turn.user.id, "Tell me of ships.")
    await munin.controller.drain()
    assert texts(await munin.chats.path(chat)) == ["Hello.", "All right, noted.", "Tell me of ships.", "All right, noted."]
    assert read(model) == ["Hello.", "All right, noted.", "Tell me of ships."]
    assert len(await munin.chats.messages(chat)) == 6
    assert (await munin.chats.tree(chat)).siblings(edited.id) == (turn.user.id, edited.id)

    await munin.branches.show(turn.user.id)
    assert (await munin.chats.path(chat))[-1].id == turn.reply.id
    await talk("Go on.")
    assert read(model)[2:] == ["Tell me of boats.", "All right, noted.", "Go on."]


async def test_only_what_is_below_the_edited_message_is_read_again(munin: Munin, talk: Talk) -> None:
    await talk("My name is Ada.")
    turn = await talk("One two three four five.")
    before = turn.usage.reused
    await munin.branches.edit(turn.user.id, "Six seven.")
    await munin.controller.drain()
    again = await talk("And then?")
    assert again.prompt_reset == ""
    await munin.branches.show(turn.user.id)
    await munin.controller.drain()
    back = await talk("Where were we?")
    assert back.prompt_reset == prefix.BRANCHED
    assert back.usage.reused >= before


async def test_an_edited_first_message_keeps_the_system_block(munin: Munin, model: ScriptedChatModel, talk: Talk) -> None:
    await munin.profile.add("Likes the sea")
    turn = await talk("My name is Ada.")
    await munin.branches.edit(turn.user.id, "Plan my day.")
    await munin.controller.drain()
    assert [one.title for one in await munin.chats.list()] == ["Plan my day"]
    first, second = [request.messages for request in model.requests if request.purpose is Purpose.REPLY]
    assert first[0] == second[0] and "Name is Ada" in second[1].text  # learned from the abandoned branch, and sent along
    reply = (await munin.chats.path(turn.conversation.id))[-1]
    assert {fact.text for fact in (await munin.chats.used_by(reply.id)).facts} == {"Likes the sea", "Name is Ada"}


async def test_recall_brings_nothing_that_the_shown_branch_replaces(munin: Munin, talk: Talk) -> None:
    turn = await talk("The boathouse key hangs behind the green door.")
    chat = turn.conversation.id
    edited = await munin.branches.edit(turn.user.id, "The boathouse key hangs behind the red door.")
    await munin.controller.drain()
    reply = (await munin.chats.path(chat))[-1]
    assert (await munin.chats.used_by(reply.id)).snippets == ()
    asked = await talk("Behind which door does the boathouse key hang?")
    assert asked.used.snippets == ()
    elsewhere = await munin.controller.new_conversation()
    found = await talk("Behind which door does the boathouse key hang?", elsewhere.id)
    assert {edited.id, turn.user.id} <= {snippet.message_id for snippet in found.used.snippets}  # both are memory all the same


@pytest.mark.parametrize("text", ["", "  \n"])
async def test_an_empty_edit_is_refused_and_changes_nothing(munin: Munin, talk: Talk, text: str) -> None:
    turn = await talk("Hello.")
    with pytest.raises(MessageRefused):
        await munin.branches.edit(turn.user.id, text)
    with pytest.raises(MessageRefused, match="of your own"):
        await munin.branches.edit(turn.reply.id, "Something else")
    assert len(await munin.chats.messages(turn.conversation.id)) == 2


async def test_a_branch_is_not_switched_under_a_running_reply(munin: Munin, model: ScriptedChatModel, talk: Talk) -> None:
    turn = await talk("Hello.")
    model.pause()
    await munin.controller.send(turn.conversation.id, "Go on.")
    with pytest.raises(MessageRefused, match="still answering"):
        await munin.branches.show(turn.reply.id)
    model.resume()


async def test_an_instruction_is_read_for_one_reply_and_stored_nowhere(
    munin: Munin, model: ScriptedChatModel, talk: Talk
) -> None:
    turn = await talk("My name is Ada.")
    facts = [fact.text for fact in munin.profile.facts]
    await munin.controller.retry(turn.reply.id, "Answer in one sentence, by the Quixotina rule.")
    await munin.controller.drain()
    assert "My name is Ada.\n\n[Answer in one sentence" in read(model)[-1]
    assert [fact.text for fact in munin.profile.facts] == facts
    assert "Quixotina" not in model.requests[-1].messages[1].text  # the next prompt is evaluated without it at once
    again = await talk("And then?")
    assert "Quixotina" not in "".join(read(model)) and again.prompt_reset == ""
    assert not any("Quixotina" in message.text for message in await munin.chats.messages(turn.conversation.id))


async def test_a_stopped_reply_goes_on_as_the_same_message(munin: Munin, model: ScriptedChatModel, talk: Talk) -> None:
    await talk("Hello.")
    (conversation,) = await munin.chats.list()
    model.pause(after_words=2)
    await munin.controller.send(conversation.id, "Tell me.")
    await model.wait_until_standing()
    await munin.controller.stop_and_wait(conversation.id)
    model.resume()
    await munin.controller.drain()
    stopped = (await munin.chats.path(conversation.id))[-1]
    assert (stopped.status, stopped.text) == (MessageStatus.STOPPED, "All right,")
    indexed = await munin.memory.count()

    await munin.branches.go_on(stopped.id)
    await munin.controller.drain()
    request = [one for one in model.requests if one.purpose is Purpose.REPLY][-1]
    assert request.messages[-1].role is PromptRole.ASSISTANT and request.messages[-1].text == "All right,"
    whole = (await munin.chats.path(conversation.id))[-1]
    assert (whole.id, whole.status) == (stopped.id, MessageStatus.COMPLETED)
    assert whole.text == "All right,All right, noted."
    assert whole.memory is MemoryState.INDEXED and await munin.memory.count() == indexed
    assert (await talk("And then?")).prompt_reset == ""
    with pytest.raises(MessageRefused, match="has gone on"):
        await munin.branches.go_on(stopped.id)


@pytest.mark.parametrize("model", [ScriptedChatModel([" word" * 40])])
async def test_a_reply_cut_at_the_length_limit_goes_on_without_evaluating_twice(munin: Munin, talk: Talk) -> None:
    await munin.change_settings(max_reply_tokens=16)
    turn = await talk("Hello there.")
    assert turn.reply.truncated and (await munin.chats.message(turn.reply.id)).truncated
    ended: list[AppEvent] = []
    munin.subscribe(ended.append)
    await munin.branches.go_on(turn.reply.id)
    await munin.controller.drain()
    (finished,) = [event.turn for event in ended if isinstance(event, TurnFinished)]
    assert finished.usage.evaluated == 0 and finished.prompt_reset == ""
    assert finished.used == turn.used
    assert (await munin.chats.message(turn.reply.id)).text.split() == ["word"] * 32


async def test_a_finished_reply_is_not_gone_on_with(munin: Munin, talk: Talk) -> None:
    turn = await talk("Hello.")
    with pytest.raises(MessageRefused, match="nothing of this reply"):
        await munin.branches.go_on(turn.reply.id)
