"""The order of a turn, and what happens when a part of it fails."""

import asyncio
from pathlib import Path

import pytest

from munin_app.bootstrap import AppEvent, Munin
from munin_app.domain.events import FactsLearned, MessageSaved, ReplyDelta, ReplyStarted, TurnFinished
from munin_app.domain.inference import Purpose
from munin_app.domain.memories import RecallOutcome
from munin_app.domain.messages import MemoryState, MessageStatus, Role
from munin_app.errors import MessageRefused
from munin_app.inference.scripted import ScriptedChatModel
from tests.chat.conftest import Talk
from tests.conftest import StartMunin


async def test_the_events_of_a_turn_come_in_order(munin: Munin, talk: Talk) -> None:
    seen: list[AppEvent] = []
    munin.subscribe(seen.append)
    await talk("My name is Ada.")
    kinds = [
        type(event) for event in seen if isinstance(event, MessageSaved | ReplyStarted | ReplyDelta | TurnFinished | FactsLearned)
    ]
    assert kinds == [MessageSaved, ReplyStarted, *[ReplyDelta] * 3, TurnFinished, FactsLearned]


async def test_the_users_words_are_on_disk_before_the_model_is_asked(munin: Munin, model: ScriptedChatModel) -> None:
    model.pause()
    conversation = await munin.controller.new_conversation()
    message = await munin.controller.send(conversation.id, "Keep this.")
    assert not [request for request in model.requests if request.purpose is Purpose.REPLY]
    assert (await munin.chats.message(message.id)).text == "Keep this."
    model.resume()


async def test_a_reply_that_was_cut_off_by_a_kill_is_marked_at_the_next_start(
    start_munin: StartMunin, model: ScriptedChatModel
) -> None:
    munin = await start_munin(model)
    conversation = await munin.controller.new_conversation()
    user = await munin.chats.append(
        conversation.id, Role.USER, "Hello", parent_id=None, memory=MemoryState.PENDING, status=MessageStatus.COMPLETED
    )
    await munin.chats.append(
        conversation.id, Role.ASSISTANT, "Half a", parent_id=user.id, memory=MemoryState.PENDING, status=MessageStatus.STREAMING
    )
    await munin.chats.interrupted()
    _, reply = await munin.chats.path(conversation.id)
    assert reply.status is MessageStatus.FAILED and reply.text == "Half a" and "Retry" in reply.error


async def test_a_message_that_a_kill_left_unanswered_can_be_retried(munin: Munin) -> None:
    conversation = await munin.chats.create()
    await munin.chats.append(
        conversation.id, Role.USER, "Hello", parent_id=None, memory=MemoryState.PENDING, status=MessageStatus.COMPLETED
    )
    await munin.chats.interrupted()
    _, reply = await munin.chats.path(conversation.id)
    await munin.controller.retry(reply.id)
    await munin.controller.drain()
    assert [message.text for message in await munin.chats.path(conversation.id)] == ["Hello", "All right, noted."]


@pytest.mark.parametrize("text", ["", "   \n\t "])
async def test_an_empty_message_is_refused_and_nothing_is_saved(munin: Munin, text: str) -> None:
    conversation = await munin.controller.new_conversation()
    with pytest.raises(MessageRefused, match="nothing to send"):
        await munin.controller.send(conversation.id, text)
    assert await munin.chats.counts() == (0, 0)


@pytest.mark.parametrize("text", ["word " * 40_000, "x" * 10_000_000])
async def test_a_message_that_could_never_fit_is_refused_with_figures(munin: Munin, text: str) -> None:
    conversation = await munin.controller.new_conversation()
    with pytest.raises(MessageRefused, match=r"too long for the model: [\d,]+ (tokens|characters)"):
        await munin.controller.send(conversation.id, text)
    assert await munin.chats.counts() == (0, 0)


async def test_emoji_and_cjk_pass_through_whole(munin: Munin, talk: Talk) -> None:
    text = "👩‍🔬🇳🇴 こんにちは 世界"
    assert (await talk(text)).user.text == text


async def test_a_failed_reply_keeps_what_arrived_and_retry_writes_another(
    munin: Munin, model: ScriptedChatModel, talk: Talk
) -> None:
    model.fail_next("The model ran out of memory. Try a smaller one.", after_words=2)
    failed = await talk("My name is Ada.")
    assert failed.reply.status is MessageStatus.FAILED
    assert failed.reply.text == "All right," and "smaller" in failed.reply.error
    assert [fact.value for fact in munin.profile.facts] == ["Ada"]  # the user's words are learned from all the same

    await munin.controller.retry(failed.reply.id)
    await munin.controller.drain()
    user, reply = await munin.chats.path(failed.conversation.id)
    assert user.id == failed.user.id and reply.id != failed.reply.id and reply.status is MessageStatus.COMPLETED
    assert (await munin.chats.message(failed.reply.id)).text == "All right,"


async def test_stop_keeps_what_arrived(munin: Munin, model: ScriptedChatModel) -> None:
    model.pause(after_words=1)
    conversation = await munin.controller.new_conversation()
    await munin.controller.send(conversation.id, "Tell me.")
    await model.wait_until_standing()
    munin.controller.stop(conversation.id)
    await munin.controller.drain()
    _, reply = await munin.chats.path(conversation.id)
    assert (reply.status, reply.text) == (MessageStatus.STOPPED, "All")


async def test_a_second_message_waits_for_the_reply(munin: Munin, model: ScriptedChatModel) -> None:
    model.pause()
    conversation = await munin.controller.new_conversation()
    await munin.controller.send(conversation.id, "One.")
    with pytest.raises(MessageRefused, match="still answering"):
        await munin.controller.send(conversation.id, "Two.")
    model.resume()


async def test_a_model_that_cannot_load_fails_the_turn_and_keeps_the_text(start_munin: StartMunin) -> None:
    model = ScriptedChatModel()
    model.fail_to_load("No chat model was found. Add a GGUF file in Settings.")
    munin = await start_munin(model)
    assert munin.model_state.phase == "failed"
    conversation = await munin.controller.new_conversation()
    await munin.controller.send(conversation.id, "Hello?")
    await munin.controller.drain()
    user, reply = await munin.chats.path(conversation.id)
    assert user.text == "Hello?" and reply.status is MessageStatus.FAILED and "Add a GGUF file" in reply.error

    model.fail_to_load(None)
    await munin.controller.retry(reply.id)
    await munin.controller.drain()
    assert (await munin.chats.path(conversation.id))[-1].status is MessageStatus.COMPLETED


async def test_memory_that_breaks_does_not_break_chat(munin: Munin, talk: Talk, monkeypatch: pytest.MonkeyPatch) -> None:
    async def broken(*_: object, **__: object) -> None:
        raise RuntimeError("memory is on fire")

    for name in ("remember", "recall"):
        monkeypatch.setattr(munin.memory, name, broken)
    monkeypatch.setattr(munin.profile, "learn_from", broken)
    turn = await talk("Hello.")
    assert turn.reply.status is MessageStatus.COMPLETED and turn.used.snippets == ()


async def test_recall_that_takes_too_long_is_left_out(munin: Munin, talk: Talk, monkeypatch: pytest.MonkeyPatch) -> None:
    async def never(*_: object, **__: object) -> RecallOutcome:
        await asyncio.Event().wait()
        raise AssertionError

    monkeypatch.setattr(munin.memory, "recall", never)
    await munin.change_settings(recall_timeout_ms=20)
    assert (await talk("Hello.")).reply.status is MessageStatus.COMPLETED


async def test_a_temporary_chat_reads_learns_and_stores_nothing(munin: Munin, home: Path, model: ScriptedChatModel) -> None:
    await munin.profile.add("Name is Grace")
    conversation = await munin.controller.new_conversation(temporary=True)
    await munin.controller.send(conversation.id, "My name is Quixotina and I like tea.")
    await munin.controller.drain()
    assert [message.role for message in await munin.chats.path(conversation.id)] == [Role.USER, Role.ASSISTANT]
    assert "Grace" not in model.requests[-1].messages[0].text
    assert [fact.text for fact in munin.profile.facts] == ["Name is Grace"]
    assert await munin.chats.list() == ()
    await munin.controller.close_temporary(conversation.id)
    assert conversation.id in model.forgotten
    assert not any(b"Quixotina" in path.read_bytes() for path in home.rglob("*") if path.is_file())


async def test_with_memory_off_nothing_is_used_indexed_or_learned(munin: Munin, talk: Talk, model: ScriptedChatModel) -> None:
    await munin.profile.add("Name is Grace")
    conversation = await munin.controller.new_conversation(memory_on=False)
    turn = await talk("I live in Oslo.", conversation.id)
    assert turn.used.facts == () and "Grace" not in model.requests[-1].messages[0].text
    assert await munin.memory.count() == 0 and len(munin.profile.facts) == 1
    await munin.chats.set_memory_on(conversation.id, True)
    await munin.controller.catch_up()
    assert await munin.memory.count() == 0  # switched on later: what was said while it was off stays out


async def test_what_a_kill_left_unremembered_is_caught_up_with(munin: Munin, talk: Talk, monkeypatch: pytest.MonkeyPatch) -> None:
    async def killed(_: object) -> bool:
        return False

    with monkeypatch.context() as patch:
        patch.setattr(munin.memory, "remember", killed)
        await talk("The key is under the flowerpot.")
        assert await munin.memory.count() == 0
    await munin.controller.catch_up()
    assert await munin.memory.count() == 2


async def test_logs_hold_no_message_text(munin: Munin, talk: Talk, home: Path) -> None:
    await talk("My name is Quixotina.")
    log = (home / "logs" / "munin.log").read_text()
    assert "turn completed" in log and "Quixotina" not in log
