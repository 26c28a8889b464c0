"""What may happen at the same time: two senders, forgetting while a turn, a rebuild or learning is under way, failing disks."""

import asyncio

import pytest

from munin_app.bootstrap import AppEvent, Munin
from munin_app.domain.events import TurnFinished
from munin_app.domain.ids import now_ms
from munin_app.domain.inference import ModelInfo, Purpose
from munin_app.domain.memories import Memory, RecallOutcome, SearchResult
from munin_app.domain.messages import Exchange, MemoryState, Message, MessageStatus, Role
from munin_app.errors import MessageRefused, NotFound, StorageError
from munin_app.inference.scripted import ScriptedChatModel
from tests.chat.conftest import Talk


async def said(munin: Munin, text: str, parent: Message | None = None, conversation: str = "") -> Message:
    """A message in munin.db that no turn has seen."""
    where = conversation or (await munin.chats.create()).id
    return await munin.chats.append(
        where,
        Role.USER,
        text,
        parent_id=parent.id if parent else None,
        memory=MemoryState.PENDING,
        status=MessageStatus.COMPLETED,
    )


async def test_of_two_messages_sent_at_once_one_is_refused(munin: Munin) -> None:
    conversation = await munin.controller.new_conversation()
    sent = await asyncio.gather(
        munin.controller.send(conversation.id, "One."), munin.controller.send(conversation.id, "Two."), return_exceptions=True
    )
    await munin.controller.drain()
    assert sorted(type(one) for one in sent if isinstance(one, Exception)) == [MessageRefused]
    assert [message.role for message in await munin.chats.path(conversation.id)] == [Role.USER, Role.ASSISTANT]


async def test_a_conversation_of_more_than_a_thousand_messages_can_be_deleted(munin: Munin) -> None:
    last = None
    conversation = await munin.chats.create()
    for number in range(1100):
        last = await said(munin, f"Line {number}", last, conversation.id)
    await munin.forgetting.hide_conversation(conversation.id)
    await munin.forgetting.erase_hidden()
    assert await munin.chats.all_ids() == ()


async def test_what_is_forgotten_while_a_turn_waits_is_not_in_its_prompt(
    munin: Munin, talk: Talk, model: ScriptedChatModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    secret = await said(munin, "My secret locker code is 4521.")
    conversation = await munin.controller.new_conversation()

    async def recall_then_forget(*_: object, **__: object) -> RecallOutcome:
        await munin.forgetting.forget_memories([secret.id])
        return RecallOutcome((SearchResult(Memory(secret.id, "", Role.USER, secret.text, 0), 1.0, 0.9, ""),))

    monkeypatch.setattr(munin.memory, "recall", recall_then_forget)
    turn = await talk("What is the code?", conversation.id)
    assert turn.used.snippets == ()
    assert not any("4521" in message.text for request in model.requests for message in request.messages)


async def test_a_running_turn_that_was_sent_a_fact_stops_when_it_is_forgotten(munin: Munin, model: ScriptedChatModel) -> None:
    fact = (await munin.profile.add("Lives in Oslo")).fact
    conversation = await munin.controller.new_conversation()
    model.pause(after_words=1)
    await munin.controller.send(conversation.id, "Where do I live?")
    await model.wait_until_standing()
    await munin.forgetting.forget_fact(fact.id)
    _, reply = await munin.chats.path(conversation.id)
    assert reply.status is MessageStatus.STOPPED
    assert not munin.controller.running(conversation.id) or munin.profile.facts == ()


async def test_a_prefill_that_was_being_built_while_a_fact_was_forgotten_is_not_evaluated(
    munin: Munin, model: ScriptedChatModel
) -> None:
    fact = (await munin.profile.add("Lives in Oslo")).fact
    await asyncio.gather(munin.controller.new_conversation(), munin.forgetting.forget_fact(fact.id))
    await munin.controller.drain()
    prefills = [request for request in model.requests if request.purpose is Purpose.PREFILL]
    resident = [request for request in prefills if request.session_id not in model.forgotten]
    assert not any("Oslo" in request.messages[0].text for request in resident)


async def test_forgetting_all_memories_is_not_undone_by_a_rebuild_under_way(munin: Munin) -> None:
    conversation = await munin.chats.create()
    for number in range(20):
        await said(munin, f"Note number {number} about the lake.", conversation=conversation.id)
    await asyncio.gather(munin.controller.catch_up(), munin.forgetting.forget_all_memories())
    await munin.controller.catch_up()
    assert await munin.memory.count() == 0


async def test_a_message_forgotten_before_it_was_read_is_not_learned_from(munin: Munin) -> None:
    message = await said(munin, "I live in Oslo.")
    await munin.forgetting.forget_memories([message.id])
    await munin.controller.learn(Exchange(message))
    assert munin.profile.facts == ()


async def test_learning_that_failed_is_tried_again(munin: Munin, monkeypatch: pytest.MonkeyPatch) -> None:
    message = await said(munin, "I live in Oslo.")

    async def failing(*_: object) -> None:
        return None

    with monkeypatch.context() as patch:
        patch.setattr(munin.profile, "learn_from", failing)
        await munin.controller.learn(Exchange(message))
    assert await munin.chats.to_learn(before=now_ms() + 1) == (message,)
    await munin.controller.learn(Exchange(message))
    assert [fact.text for fact in munin.profile.facts] == ["Lives in Oslo"]
    assert await munin.chats.to_learn(before=now_ms() + 1) == ()


async def test_what_was_said_while_learning_was_off_is_not_learned_later(munin: Munin, talk: Talk) -> None:
    await munin.change_settings(learn_facts="off")
    await talk("I live in Oslo.")
    await munin.change_settings(learn_facts="automatic")
    await munin.controller.catch_up()
    assert munin.profile.facts == ()


async def test_a_reply_that_cannot_be_saved_is_shown_all_the_same(
    munin: Munin, talk: Talk, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def full(*_: object, **__: object) -> None:
        raise StorageError("The disk is full.")

    monkeypatch.setattr(munin.chats, "finish", full)
    turn = await talk("Hello.")
    assert turn.reply.status is MessageStatus.FAILED
    assert turn.reply.text == "All right, noted." and "disk is full" in turn.reply.error


async def test_a_page_that_is_gone_stops_nothing(munin: Munin, talk: Talk) -> None:
    def gone(_: AppEvent) -> None:
        raise BrokenPipeError

    munin.subscribe(gone)
    assert (await talk("Hello.")).reply.status is MessageStatus.COMPLETED


async def test_stop_does_not_wait_for_the_model_to_load(
    munin: Munin, model: ScriptedChatModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    loading, loaded = asyncio.Event(), asyncio.Event()

    async def slow() -> ModelInfo:
        loading.set()
        await loaded.wait()
        raise AssertionError

    conversation = await munin.controller.new_conversation()
    monkeypatch.setattr(model, "load", slow)
    await munin.controller.send(conversation.id, "Hello.")
    await loading.wait()
    async with asyncio.timeout(30):
        await munin.controller.stop_and_wait(conversation.id)
    _, reply = await munin.chats.path(conversation.id)
    assert reply.status is MessageStatus.STOPPED
    loaded.set()


async def test_deleting_a_message_drops_the_state_of_every_chat_that_was_sent_it(
    munin: Munin, talk: Talk, model: ScriptedChatModel
) -> None:
    told = await talk("The boathouse key hangs behind the green door.")
    other = await munin.controller.new_conversation()
    found = await talk("Where hangs the boathouse key, behind the green door?", other.id)
    assert found.used.snippets
    await munin.forgetting.delete_messages([told.user.id])
    assert {told.conversation.id, other.id} <= set(model.forgotten)


async def test_an_undo_that_comes_too_late_says_so(munin: Munin, talk: Talk) -> None:
    told = await talk("Hello.")
    await munin.forgetting.hide_conversation(told.conversation.id)
    await munin.forgetting.erase_hidden([told.conversation.id])
    with pytest.raises(NotFound):
        await munin.forgetting.unhide_conversation(told.conversation.id)


async def test_one_offer_of_undo_that_ends_leaves_another_open(munin: Munin) -> None:
    first, second = await said(munin, "One."), await said(munin, "Two.")
    for message in (first, second):
        await munin.forgetting.hide_conversation(message.conversation_id)
    await munin.forgetting.erase_hidden([first.conversation_id])
    await munin.forgetting.unhide_conversation(second.conversation_id)
    assert [conversation.id for conversation in await munin.chats.list()] == [second.conversation_id]
    await munin.controller.drain()
    assert await munin.memory.count() == 1  # remembered again


async def test_a_closed_munin_refuses_messages(munin: Munin) -> None:
    conversation = await munin.controller.new_conversation()
    await munin.controller.close()
    with pytest.raises(MessageRefused, match="closing"):
        await munin.controller.send(conversation.id, "Hello.")


async def test_half_a_character_from_a_terminal_is_no_crash(munin: Munin, talk: Talk) -> None:
    assert (await talk("hi \udcff")).user.text == "hi ?"


async def test_events_of_a_failed_turn_end_with_its_end(munin: Munin, talk: Talk, model: ScriptedChatModel) -> None:
    seen: list[AppEvent] = []
    munin.subscribe(seen.append)
    model.fail_next()
    await talk("Hello.")
    assert [event.turn.reply.status for event in seen if isinstance(event, TurnFinished)] == [MessageStatus.FAILED]
