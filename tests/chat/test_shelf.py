"""Conversations kept in order: pages, archive, tags, duplicates, drafts, temporary chats that stay, titles by the model."""

from pathlib import Path

import pytest

from munin_app.bootstrap import Munin
from munin_app.chat.titles import accepted, proposed_title
from munin_app.domain.inference import ChatRequest, Purpose
from munin_app.domain.messages import MemoryState
from munin_app.errors import MessageRefused, NotFound
from munin_app.inference.scripted import ScriptedChatModel
from tests.chat.conftest import Talk

KEY = "The boathouse key hangs behind the green door."
ASKED = "Where hangs the boathouse key, behind the green door?"
LONG = "Could you please help me to plan a long weekend in Lisbon with two small children and a dog?"


async def test_pages_hold_pinned_ones_first_and_say_whether_more_follow(munin: Munin, talk: Talk) -> None:
    made = [(await talk(f"hello {n}", (await munin.controller.new_conversation()).id)).conversation.id for n in range(5)]
    await munin.chats.set_pinned(made[0], True)
    page = await munin.shelf.page(3)
    assert [one.id for one in page.conversations] == [made[0], made[4], made[3]] and page.more
    assert page.snippets[made[0]] == "All right, noted."
    assert not (await munin.shelf.page(5)).more


async def test_archived_chats_leave_the_list_and_are_found(munin: Munin, talk: Talk) -> None:
    turn = await talk(KEY)
    await munin.shelf.set_archived([turn.conversation.id], True)
    assert (await munin.shelf.page(5)).conversations == () and (await munin.shelf.page(5)).archived == 1
    assert [one.id for one in (await munin.shelf.page(5, archived=True)).conversations] == [turn.conversation.id]
    assert [one.archived for one in await munin.shelf.search("boathouse")] == [True]
    await munin.shelf.set_archived([turn.conversation.id], False)
    assert len((await munin.shelf.page(5)).conversations) == 1


async def test_tags_are_spelled_alike_and_filter_the_list(munin: Munin, talk: Talk) -> None:
    first = (await talk("one", (await munin.controller.new_conversation()).id)).conversation.id
    second = (await talk("two", (await munin.controller.new_conversation()).id)).conversation.id
    await munin.shelf.tag([first, second], [" Work "])
    await munin.shelf.tag([first, "gone"], ["work", "boat  trip", "  "])
    assert (await munin.chats.get(first)).tags == ("Work", "boat trip")
    page = await munin.shelf.page(5, tag="boat trip")
    assert [one.id for one in page.conversations] == [first] and page.tags == ("Work", "boat trip")
    assert set(await munin.shelf.ids(tag="Work")) == {first, second}
    assert [one.id for one in await munin.shelf.search("trip")] == [first]
    await munin.shelf.tag([first, second], ["Boat Trip"], instead=True)
    assert (await munin.shelf.page(5)).tags == ("boat trip",)


async def test_a_duplicate_has_its_own_messages_and_is_never_recalled_beside_the_original(munin: Munin, talk: Talk) -> None:
    turn = await talk(KEY)
    copy = await munin.shelf.duplicate(turn.conversation.id)
    assert copy.title == "The boathouse key hangs behind the green door (copy)"
    original, copied = await munin.chats.path(turn.conversation.id), await munin.chats.path(copy.id)
    assert [message.text for message in copied] == [message.text for message in original]
    assert not {message.id for message in copied} & {message.id for message in original}
    assert {message.memory for message in copied} == {MemoryState.WIPED}
    await munin.controller.catch_up()
    assert await munin.memory.indexed_ids() == {message.id for message in original}
    elsewhere = (await munin.controller.new_conversation()).id
    assert [one.message_id for one in (await talk(ASKED, elsewhere)).used.snippets] == [turn.user.id]
    assert (await talk(ASKED, copy.id)).used.snippets == ()  # its prompt says so already
    await munin.chats.get(turn.conversation.id)


async def test_forgetting_reaches_the_copies(munin: Munin, talk: Talk, model: ScriptedChatModel) -> None:
    turn = await talk(KEY)
    copy = await munin.shelf.duplicate(turn.conversation.id)
    outcome = await munin.forgetting.forget_memories([turn.user.id])
    copied = (await munin.chats.path(copy.id))[0]
    assert copied.memory is MemoryState.FORGOTTEN and copied.id in {one.id for one in outcome.replies}
    assert (await munin.chats.get(copy.id)).title == "Chat"
    await talk("What now?", copy.id)
    assert not any("boathouse" in message.text for message in model.requests[-1].messages)


async def test_drafts_come_back_and_leave_with_their_conversation(munin: Munin, talk: Talk, home: Path) -> None:
    turn = await talk(KEY)
    await munin.shelf.save_drafts([("", "a new thought"), (turn.conversation.id, "quokkafish"), ("gone", "x")])
    assert await munin.shelf.drafts() == {"": "a new thought", turn.conversation.id: "quokkafish"}
    await munin.shelf.save_drafts([("", "")])
    await munin.forgetting.hide_conversation(turn.conversation.id)
    await munin.forgetting.erase_hidden()
    assert await munin.shelf.drafts() == {}
    assert not [file for file in home.rglob("*") if file.is_file() and b"quokkafish" in file.read_bytes()]


async def test_a_temporary_chat_leaves_no_byte(munin: Munin, talk: Talk, home: Path) -> None:
    conversation = await munin.controller.new_conversation(temporary=True)
    await talk(f"zanzibarite {KEY}", conversation.id)
    await munin.shelf.save_drafts([(conversation.id, "zanzibarite thoughts")])
    await munin.controller.close_temporary(conversation.id)
    await munin.chats.database.erase_traces()
    assert not [file for file in home.rglob("*") if file.is_file() and b"zanzibarit" in file.read_bytes()]


async def test_a_temporary_chat_that_is_kept_is_like_any_other_but_outside_of_memory(munin: Munin, talk: Talk) -> None:
    conversation = await munin.controller.new_conversation(temporary=True)
    await talk(KEY, conversation.id)
    await munin.controller.keep_temporary(conversation.id)
    (kept,) = await munin.chats.list()
    assert kept.id == conversation.id and not kept.temporary and kept.memory_on
    path = await munin.chats.path(kept.id)
    assert [message.text for message in path] == [KEY, "All right, noted."]
    assert {message.memory for message in path} == {MemoryState.OFF}
    turn = await talk("My name is Ada", kept.id)
    assert turn.user.memory is MemoryState.PENDING and turn.user.parent_id == path[-1].id
    await munin.controller.catch_up()
    assert await munin.memory.indexed_ids() == {turn.user.id, turn.reply.id}
    assert len(await munin.shelf.search_messages("boathouse")) == 1


async def test_a_temporary_chat_is_not_kept_while_a_reply_is_written(munin: Munin, model: ScriptedChatModel) -> None:
    conversation = await munin.controller.new_conversation(temporary=True)
    model.pause()
    await munin.controller.send(conversation.id, "Count")
    await model.wait_until_standing()
    with pytest.raises(MessageRefused):
        await munin.controller.keep_temporary(conversation.id)
    model.resume()
    await munin.controller.drain()
    await munin.controller.close_temporary(conversation.id)
    with pytest.raises(NotFound):
        await munin.chats.get(conversation.id)


@pytest.fixture
def asked(model: ScriptedChatModel) -> list[ChatRequest]:
    model._reply = lambda request: "Weekend in Lisbon" if request.purpose is Purpose.UTILITY else "So be it."
    return model.requests


async def test_a_long_first_message_gets_its_title_from_the_model(munin: Munin, talk: Talk, asked: list[ChatRequest]) -> None:
    await munin.change_settings(learn_facts="off")
    turn = await talk(LONG)
    assert (await munin.chats.get(turn.conversation.id)).title == "Weekend in Lisbon"
    await talk(LONG)  # the first exchange only
    assert len([request for request in asked if request.purpose is Purpose.UTILITY]) == 1
    await munin.forgetting.forget_memories([turn.user.id])
    assert (await munin.chats.get(turn.conversation.id)).title == "Chat"


async def test_a_short_first_message_is_its_own_title(munin: Munin, talk: Talk, asked: list[ChatRequest]) -> None:
    await munin.change_settings(learn_facts="off")
    turn = await talk("Plan a weekend in Lisbon.")
    assert (await munin.chats.get(turn.conversation.id)).title == "Plan a weekend in Lisbon"
    assert not [request for request in asked if request.purpose is Purpose.UTILITY]


async def test_the_users_own_title_is_never_replaced(munin: Munin, talk: Talk, asked: list[ChatRequest]) -> None:
    conversation = await munin.controller.new_conversation()
    message = await munin.controller.send(conversation.id, LONG)
    await munin.chats.rename(conversation.id, "Mine")
    await munin.controller.drain()
    assert (await munin.chats.get(conversation.id)).title == "Mine"
    assert not await munin.chats.replace_title(conversation.id, "Weekend in Lisbon", message.id)


@pytest.mark.parametrize(
    ("answer", "title"),
    [
        ("Weekend in Lisbon", "Weekend in Lisbon"),
        ('Title: "Lisbon weekend with children."', "Lisbon weekend with children"),
        ("Planning a weekend", ""),  # not the user's word
        ("Lisbon", ""),
        ("", ""),
        ("Weekend in Lisbon\nA trip", ""),
        ("A long weekend in Lisbon with two small children and a dog", ""),
        ("in a to", ""),
    ],
)
def test_only_a_title_of_the_users_words_is_taken(answer: str, title: str) -> None:
    assert accepted(answer, LONG) == title
    assert proposed_title(LONG) == "Could you please help me to plan a long weekend …"
