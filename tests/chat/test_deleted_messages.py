"""One message deleted, with Undo: gone from the prompt and from memory at once, back as it was, or erased for good."""

import asyncio
import shutil
from collections.abc import Callable
from pathlib import Path

import apsw
import pytest

from munin_app.bootstrap import Munin
from munin_app.chat import prefix
from munin_app.chat.conversations import ConversationRepository
from munin_app.domain.events import Turn
from munin_app.domain.inference import Purpose
from munin_app.domain.messages import MemoryState, MessageStatus
from munin_app.errors import MessageRefused, NotFound, StorageError
from munin_app.inference.scripted import ScriptedChatModel
from tests.chat.conftest import Talk
from tests.conftest import StartMunin

KEY = "The Quixotina key hangs behind the green door."


def holds(home: Path, words: bytes) -> bool:
    return any(words in path.read_bytes() for path in home.rglob("*") if path.is_file())


async def test_a_deleted_message_leaves_prompt_and_memory_and_comes_back(
    munin: Munin, model: ScriptedChatModel, talk: Talk
) -> None:
    first = await talk(KEY)
    await munin.forgetting.hide_message(first.user.id)
    second = await talk("And then?")
    asked = [one for one in model.requests if one.purpose is Purpose.REPLY][-1]
    assert "Quixotina" not in str(asked.messages) and second.prompt_reset == prefix.FORGOTTEN
    assert first.user.id not in await munin.memory.indexed_ids()
    assert next(message.id for message in await munin.chats.path(first.conversation.id)) == first.reply.id

    await munin.forgetting.unhide_message(first.user)
    await munin.controller.drain()
    back = await munin.chats.message(first.user.id)
    assert (back.text, back.status, back.memory) == (KEY, MessageStatus.COMPLETED, MemoryState.INDEXED)
    assert (await talk("Go on.")).prompt_reset == prefix.FORGOTTEN
    with pytest.raises(NotFound, match="cannot be brought back"):
        await munin.forgetting.unhide_message(first.user)


async def test_when_the_offer_ends_nothing_of_it_is_left(munin: Munin, home: Path, talk: Talk) -> None:
    turn = await talk(KEY)
    await munin.forgetting.hide_message(turn.user.id)
    munin.forgetting.erase_when_quiet(turn.user)
    await munin.controller.drain()
    assert not holds(home, b"Quixotina key hangs")
    with pytest.raises(NotFound):
        await munin.forgetting.unhide_message(turn.user)


async def test_erasing_waits_for_the_reply_that_is_being_written(munin: Munin, model: ScriptedChatModel, talk: Talk) -> None:
    turn = await talk(KEY)
    await munin.forgetting.hide_message(turn.user.id)
    model.pause(after_words=1)
    await munin.controller.send(turn.conversation.id, "Go on.")
    await model.wait_until_standing()
    munin.forgetting.erase_when_quiet(turn.user)
    model.resume()
    await munin.controller.drain()
    assert (await munin.chats.path(turn.conversation.id))[-1].status is MessageStatus.COMPLETED


async def test_what_a_kill_left_hidden_is_erased_at_the_next_start(
    munin: Munin, home: Path, talk: Talk, start_munin: StartMunin
) -> None:
    turn = await talk(KEY)
    await munin.forgetting.hide_message(turn.user.id)
    killed = shutil.copytree(home, home.with_name("as it was when it was killed"))
    await munin.close()
    shutil.rmtree(home)
    killed.rename(home)
    assert holds(home, b"Quixotina key hangs")
    again = await start_munin()
    await again.close()
    assert not holds(home, b"Quixotina key hangs")


@pytest.mark.parametrize("whole", [False, True], ids=["message", "chat"])
async def test_closing_ends_the_offer_of_undo(munin: Munin, home: Path, talk: Talk, whole: bool) -> None:
    turn = await talk(KEY)
    await (munin.forgetting.hide_conversation(turn.conversation.id) if whole else munin.forgetting.hide_message(turn.user.id))
    await munin.close()
    assert not holds(home, b"Quixotina key hangs")


async def recalled_elsewhere(munin: Munin, talk: Talk) -> tuple[Turn, str]:
    """What is said in one chat, and the id of another that was given it."""
    first = await talk(KEY)
    other = (await munin.controller.new_conversation()).id
    assert [one.message_id for one in (await talk("Where hangs the Quixotina key?", other)).used.snippets] == [first.user.id]
    return first, other


async def test_an_erasing_that_closing_cuts_short_leaves_nothing_half_erased(
    munin: Munin, model: ScriptedChatModel, home: Path, talk: Talk, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, other = await recalled_elsewhere(munin, talk)
    await munin.forgetting.hide_message(first.user.id)
    await munin.controller.drain()
    model.forgotten.clear()
    write = munin.chats.database.write

    async def cut_short(work: Callable[[apsw.Connection], object]) -> None:
        monkeypatch.undo()
        await write(work)
        raise asyncio.CancelledError

    monkeypatch.setattr(munin.chats.database, "write", cut_short)
    munin.forgetting.erase_when_quiet(first.user)
    await munin.controller.drain()
    await munin.close()
    assert not holds(home, b"hangs behind")
    assert {first.conversation.id, other} <= {*model.forgotten}


async def test_an_offer_that_another_forgetting_ends_leaves_other_prompts_too(
    munin: Munin, model: ScriptedChatModel, home: Path, talk: Talk
) -> None:
    first, other = await recalled_elsewhere(munin, talk)
    unrelated = await talk("The boat is red.", other)
    await munin.forgetting.hide_message(first.user.id)
    model.forgotten.clear()
    await munin.forgetting.forget_memories([unrelated.user.id])
    assert not holds(home, b"hangs behind")
    assert {first.conversation.id, other} <= {*model.forgotten}


async def test_closing_does_not_wait_for_a_model_to_erase(
    munin: Munin, model: ScriptedChatModel, talk: Talk, monkeypatch: pytest.MonkeyPatch
) -> None:
    closed: list[bool] = []

    async def forget_session(_: str) -> None:
        closed.append(model.closed)

    turn = await talk(KEY)
    await munin.forgetting.hide_message(turn.user.id)
    monkeypatch.setattr(model, "forget_session", forget_session)
    await munin.close()
    assert closed and all(closed)


async def test_what_cannot_be_dropped_at_the_start_is_a_notice(start_munin: StartMunin, monkeypatch: pytest.MonkeyPatch) -> None:
    async def full(_: ConversationRepository) -> tuple[str, ...]:
        raise StorageError("The disk is full.")

    monkeypatch.setattr(ConversationRepository, "stale_sessions", full)
    munin = await start_munin()
    assert any("The disk is full." in notice for notice in munin.notices)


@pytest.mark.parametrize("whole", [False, True], ids=["message", "chat"])
async def test_what_was_recalled_of_it_leaves_other_prompts_with_it_and_comes_back(
    munin: Munin, model: ScriptedChatModel, talk: Talk, whole: bool
) -> None:
    first, other = await recalled_elsewhere(munin, talk)

    async def asked() -> tuple[str, str]:
        turn = await talk("And then?", other)
        return str([one for one in model.requests if one.purpose is Purpose.REPLY][-1].messages), turn.prompt_reset

    hide = munin.forgetting.hide_conversation if whole else munin.forgetting.hide_message
    message = await hide(first.conversation.id if whole else first.user.id)
    prompt, reset = await asked()
    assert "hangs behind" not in prompt and reset == prefix.FORGOTTEN
    await (munin.forgetting.unhide_message(message) if message else munin.forgetting.unhide_conversation(first.conversation.id))
    prompt, reset = await asked()
    assert "hangs behind" in prompt and reset == prefix.FORGOTTEN


async def test_forgetting_ends_the_offer_of_undo(munin: Munin, talk: Talk) -> None:
    turn = await talk("My name is Ada.")
    (fact,) = munin.profile.facts
    await munin.forgetting.hide_message(turn.user.id)
    await munin.forgetting.forget_fact(fact.id)
    with pytest.raises(NotFound):
        await munin.forgetting.unhide_message(turn.user)


async def test_deleting_one_of_two_replies_shows_the_other(munin: Munin, talk: Talk) -> None:
    turn = await talk("Hello.")
    await munin.controller.retry(turn.reply.id)
    await munin.controller.drain()
    chat = turn.conversation.id
    second = (await munin.chats.path(chat))[-1]
    await munin.forgetting.hide_message(second.id)
    assert (await munin.chats.path(chat))[-1].id == turn.reply.id
    await munin.forgetting.unhide_message(second)
    assert (await munin.chats.path(chat))[-1].id == second.id


async def test_nothing_is_deleted_under_a_running_reply(munin: Munin, model: ScriptedChatModel, talk: Talk) -> None:
    turn = await talk("Hello.")
    model.pause()
    await munin.controller.send(turn.conversation.id, "Go on.")
    with pytest.raises(MessageRefused, match="still answering"):
        await munin.forgetting.hide_message(turn.user.id)
    model.resume()


async def test_a_message_of_a_temporary_chat_is_deleted_too(munin: Munin) -> None:
    chat = await munin.controller.new_conversation(temporary=True)
    message = await munin.controller.send(chat.id, KEY)
    await munin.controller.drain()
    await munin.forgetting.hide_message(message.id)
    await munin.forgetting.unhide_message(message)
    assert (await munin.chats.message(message.id)).text == KEY
    await munin.forgetting.hide_message(message.id)
    munin.forgetting.erase_when_quiet(message)
    await munin.controller.drain()
    with pytest.raises(NotFound):
        await munin.forgetting.unhide_message(message)


async def test_bookmarks_are_listed_newest_first_and_go_with_their_message(munin: Munin, talk: Talk) -> None:
    one, two = await talk("One."), await talk("Two.")
    await munin.chats.set_bookmarked(one.user, True)
    await munin.chats.set_bookmarked(two.reply, True)
    assert [message.id for message in await munin.chats.bookmarks()] == [two.reply.id, one.user.id]
    await munin.forgetting.hide_message(two.reply.id)
    assert [message.id for message in await munin.chats.bookmarks()] == [one.user.id]
    await munin.forgetting.unhide_message(two.reply)
    await munin.chats.set_bookmarked(one.user, False)
    assert [message.id for message in await munin.chats.bookmarks()] == [two.reply.id]
    await munin.forgetting.hide_conversation(one.conversation.id)
    assert await munin.chats.bookmarks() == ()
