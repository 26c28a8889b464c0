"""What was imported is outside of memory until the user wants it remembered; then in the background, paused, resumed, killed."""

import asyncio
from pathlib import Path

import pytest

from munin_app.bootstrap import AppEvent, Munin
from munin_app.chat import rows
from munin_app.domain.messages import MemoryState, Role
from munin_app.errors import ChatImportError, StorageError
from munin_app.imports import importing
from munin_app.imports.remembering import ImportsRemembered
from munin_app.imports.writing import Wish
from tests.conftest import StartMunin
from tests.imports.exports import OSLO, as_json, chatgpt, node

EVERYTHING = Wish(remember=True, facts=True)


async def states(munin: Munin) -> set[MemoryState]:
    (conversation,) = await munin.chats.list()
    return {one.memory for one in await munin.chats.messages(conversation.id)}


async def test_without_a_wish_it_stays_out_of_memory(start_munin: StartMunin, tmp_path: Path) -> None:
    munin = await start_munin()
    await munin.import_chats(as_json(tmp_path, [chatgpt()]), Wish())
    await munin.warm_up()
    await munin.controller.drain()
    assert await states(munin) == {MemoryState.OFF}
    (conversation,) = await munin.chats.list()
    assert not conversation.memory_on and await munin.memory.count() == 0
    assert munin.profile.facts == munin.profile.candidates == ()


async def test_a_chat_that_was_deleted_just_now_is_back_with_its_memory(start_munin: StartMunin, tmp_path: Path) -> None:
    munin = await start_munin()
    file = as_json(tmp_path, [chatgpt()])
    await munin.import_chats(file, EVERYTHING)
    await munin.controller.drain()
    (conversation,), remembered = await munin.chats.list(), await munin.memory.count()
    await munin.forgetting.hide_conversation(conversation.id)
    assert remembered and not await munin.memory.count()
    await munin.import_chats(file, Wish())
    await munin.controller.drain()
    assert await munin.memory.count() == remembered
    await munin.forgetting.erase_hidden([conversation.id])  # the offer of Undo ends
    assert await munin.chats.list() and await munin.memory.count() == remembered


async def test_remembered_and_facts_for_review_only(start_munin: StartMunin, tmp_path: Path) -> None:
    munin = await start_munin()
    heard: list[AppEvent] = []
    munin.subscribe(heard.append)
    said_by_the_model = node("n8", "n7", "user", "Who are you?")
    reply = node("n9", "n8", "assistant", "I live in Bergen and my name is Bo.")
    await munin.import_chats(as_json(tmp_path, [chatgpt("c-1", said_by_the_model, reply, leaf="n9")]), EVERYTHING)
    await munin.controller.drain()
    assert await states(munin) == {MemoryState.INDEXED}
    (conversation,) = await munin.chats.list()
    assert conversation.memory_on
    found = await munin.memory.recall("in which town do I live, Oslo")
    assert OSLO in [one.memory.text for one in found.results]
    assert munin.profile.facts == ()
    assert {fact.text for fact in munin.profile.candidates} == {"Lives in Oslo", "Name is Ada"}
    assert await munin.remembering.progress() == ImportsRemembered()
    assert [event for event in heard if isinstance(event, ImportsRemembered)][-1] == ImportsRemembered()


async def test_a_fact_that_is_there_stays_as_it_is(start_munin: StartMunin, tmp_path: Path) -> None:
    munin = await start_munin()
    await munin.profile.add("Lives in Bergen")
    await munin.import_chats(as_json(tmp_path, [chatgpt()]), EVERYTHING)
    await munin.controller.drain()
    assert [fact.text for fact in munin.profile.facts] == ["Lives in Bergen"]
    assert "Lives in Oslo" in {fact.text for fact in munin.profile.candidates}


async def test_an_order_of_long_ago_is_not_obeyed(start_munin: StartMunin, tmp_path: Path) -> None:
    munin = await start_munin()
    await munin.profile.add("Lives in Oslo")
    order = node("n8", "n7", "user", "Forget that I live in Oslo.")
    await munin.import_chats(as_json(tmp_path, [chatgpt("c-1", order, leaf="n8")]), EVERYTHING)
    await munin.controller.drain()
    assert [fact.text for fact in munin.profile.facts] == ["Lives in Oslo"]


async def test_closing_ends_an_import_and_the_next_start_goes_on(
    start_munin: StartMunin, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(importing, "BATCH_MESSAGES", 5)  # one chat
    munin = await start_munin()
    file = as_json(tmp_path, [chatgpt(f"c-{n}") for n in range(40)])
    begun = asyncio.Event()
    work = asyncio.create_task(munin.import_chats(file, Wish(remember=True), report=lambda done: begun.set()))
    await begun.wait()
    await munin.close()
    with pytest.raises(asyncio.CancelledError):
        await work
    munin = await start_munin()
    assert 0 < len(await munin.chats.list()) < 40
    await munin.warm_up()
    await munin.controller.drain()
    assert {one.memory for chat in await munin.chats.list() for one in await munin.chats.messages(chat.id)} == {
        MemoryState.INDEXED
    }


async def test_a_disk_that_is_full_to_the_end_does_not_hide_why_an_import_failed(
    start_munin: StartMunin, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    munin = await start_munin()
    hidden = munin.chats.hidden

    async def once() -> tuple[str, ...]:
        monkeypatch.setattr(munin.chats, "hidden", full)
        return await hidden()

    async def full() -> tuple[str, ...]:
        raise StorageError("The disk is full.")

    monkeypatch.setattr(munin.chats, "hidden", once)
    (file := tmp_path / "conversations.json").write_text("no chats")
    with pytest.raises(ChatImportError):
        await munin.import_chats(file, EVERYTHING)


async def test_paused_over_a_restart_then_resumed(start_munin: StartMunin, tmp_path: Path) -> None:
    munin = await start_munin()
    await munin.import_chats(as_json(tmp_path, [chatgpt()]), Wish(remember=True))
    await munin.remembering.pause()
    await munin.controller.drain()
    progress = await munin.remembering.progress()
    assert progress.paused and progress.done < progress.total
    await munin.close()
    munin = await start_munin()
    await munin.warm_up()
    await munin.controller.drain()
    assert await munin.remembering.progress() == progress and MemoryState.OFF in await states(munin)
    await munin.remembering.resume()
    await munin.controller.drain()
    assert await states(munin) == {MemoryState.INDEXED}


async def test_it_goes_on_after_a_restart(start_munin: StartMunin, tmp_path: Path) -> None:
    munin = await start_munin()
    await munin.import_chats(as_json(tmp_path, [chatgpt()]), EVERYTHING)
    await munin.close()  # before it has begun
    munin = await start_munin()
    assert (await munin.remembering.progress()).total == 5
    await munin.warm_up()
    await munin.controller.drain()
    assert await states(munin) == {MemoryState.INDEXED} and munin.profile.candidates and not munin.profile.facts


async def test_given_up_and_wiped(start_munin: StartMunin, tmp_path: Path) -> None:
    munin = await start_munin()
    file = as_json(tmp_path, [chatgpt()])
    await munin.import_chats(file, EVERYTHING)
    await munin.forgetting.forget_all_memories()
    await munin.controller.drain()
    assert await munin.memory.count() == 0 and (await munin.remembering.progress()).total == 0
    await munin.chats.database.write(lambda connection: connection.execute("UPDATE message SET memory = 'off'"))
    await munin.import_chats(file, EVERYTHING)
    await munin.remembering.give_up()
    await munin.controller.drain()
    assert (await munin.remembering.progress()).total == 0 and await munin.memory.count() <= 1


async def test_what_was_forgotten_is_not_remembered_by_importing_again(start_munin: StartMunin, tmp_path: Path) -> None:
    munin = await start_munin()
    file = as_json(tmp_path, [chatgpt()])
    await munin.import_chats(file, EVERYTHING)
    await munin.controller.drain()
    (conversation,) = await munin.chats.list()
    first = (await munin.chats.path(conversation.id))[0]
    for fact in munin.profile.candidates:
        await munin.forgetting.forget_fact(fact.id)
    await munin.forgetting.erase_hidden()
    await munin.import_chats(file, EVERYTHING)
    await munin.controller.drain()
    assert first.id not in await munin.memory.indexed_ids() and munin.profile.candidates == ()
    await munin.forgetting.hide_conversation(conversation.id)
    await munin.forgetting.erase_hidden()
    await munin.import_chats(file, EVERYTHING)  # the whole chat again: its ids are the same, and so is what is closed
    await munin.controller.drain()
    assert munin.profile.candidates == ()


async def test_a_chat_goes_on_after_the_import(start_munin: StartMunin, tmp_path: Path) -> None:
    munin = await start_munin()
    await munin.import_chats(as_json(tmp_path, [chatgpt()]), Wish())
    (conversation,) = await munin.chats.list()
    await munin.controller.send(conversation.id, "And what colour is the sea?")
    await munin.controller.drain()
    path = await munin.chats.path(conversation.id)
    assert [one.role for one in path[-2:]] == [Role.USER, Role.ASSISTANT] and path[-1].text == "All right."
    await munin.controller.retry(path[3].id)
    await munin.controller.drain()
    assert len(await munin.chats.path(conversation.id)) == 4


async def test_forgetting_the_beginning_drops_the_title(start_munin: StartMunin, tmp_path: Path) -> None:
    munin = await start_munin()
    await munin.import_chats(as_json(tmp_path, [chatgpt()]), Wish(remember=True))
    await munin.controller.drain()
    (conversation,) = await munin.chats.list()
    await munin.forgetting.forget_memories([(await munin.chats.path(conversation.id))[0].id])
    assert (await munin.chats.get(conversation.id)).title == rows.UNTITLED_AFTER_FORGETTING
