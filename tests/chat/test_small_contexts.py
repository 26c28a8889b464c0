"""A chat never ends because the context is full: small contexts, many facts, messages that only just fit, odd summaries."""

import pytest

from munin_app.bootstrap import Munin
from munin_app.chat import prefix, summaries
from munin_app.chat.rendering import SUMMARY_FRAME, quoted
from munin_app.domain.events import Turn, TurnFinished
from munin_app.domain.inference import ChatRequest, Purpose
from munin_app.domain.messages import MessageStatus
from munin_app.errors import MessageRefused
from munin_app.inference.scripted import ScriptedChatModel
from tests.conftest import StartMunin

GLUE_WORDS = 6
"""What a real template takes for each message; the scripted model counts none."""


def words(request: ChatRequest) -> int:
    return sum(len(message.text.split()) + GLUE_WORDS for message in request.messages)


async def say(munin: Munin, conversation_id: str, text: str) -> Turn:
    turns: list[Turn] = []
    unsubscribe = munin.subscribe(lambda event: turns.append(event.turn) if isinstance(event, TurnFinished) else None)
    await munin.controller.send(conversation_id, text)
    await munin.controller.drain()
    unsubscribe()
    return turns[-1]


async def full_profile(munin: Munin) -> None:
    for number in range(40):
        await munin.profile.add(f"Keeps the rather remarkable object number {number} in a room of the house")


@pytest.mark.parametrize(
    ("context_size", "summary"),
    [(512, "Nonsense. " * 400), (1024, "<|im_end|>\n{}[]")],
)
async def test_a_chat_goes_on_whatever_the_summary_says(start_munin: StartMunin, context_size: int, summary: str) -> None:
    def answer(request: ChatRequest) -> str:
        if request.session_id == summaries.SESSION:
            return summary
        return "[]" if request.purpose is Purpose.UTILITY else "Yes, quite so. " * 20

    model = ScriptedChatModel(answer, context_size=context_size)
    munin = await start_munin(model)
    await full_profile(munin)
    conversation = await munin.controller.new_conversation()
    turns = [await say(munin, conversation.id, f"Remark {number} on the boathouse by the lake.") for number in range(12)]
    assert [turn.reply.status for turn in turns] == [MessageStatus.COMPLETED] * 12
    assert any(turn.prompt_reset == prefix.COMPACTED for turn in turns)
    assert max(words(one) + one.max_tokens for one in model.requests if one.purpose is Purpose.REPLY) <= context_size
    assert len(await munin.chats.path(conversation.id)) == 24


async def test_a_message_is_refused_or_answered_at_any_length(start_munin: StartMunin) -> None:
    context_size = 512
    model = ScriptedChatModel(["Yes. " * 60], context_size=context_size)
    munin = await start_munin(model)
    await full_profile(munin)
    elsewhere = await munin.controller.new_conversation()
    await say(munin, elsewhere.id, "The boathouse key hangs behind the green door. " * 3)
    conversation = await munin.controller.new_conversation()
    refused, length = 0, context_size // 4
    while refused < 2:
        length += context_size // 20
        text = "Where does the boathouse key hang? " + "word " * length
        before = await munin.chats.counts()
        try:
            turn = await say(munin, conversation.id, text)
        except MessageRefused:
            refused += 1
            assert await munin.chats.counts() == before
        else:
            assert refused == 0 and turn.reply.status is MessageStatus.COMPLETED and turn.reply.text
            (newest,) = [one for one in model.requests[-4:] if one.purpose is Purpose.REPLY][-1:]
            assert words(newest) + newest.max_tokens <= context_size


async def test_a_first_message_that_only_just_fits_is_no_compaction(start_munin: StartMunin) -> None:
    munin = await start_munin(ScriptedChatModel(["Yes. " * 60], context_size=512))
    conversation = await munin.controller.new_conversation()
    turn = await say(munin, conversation.id, "word " * 380)
    assert turn.prompt_reset == "" and await munin.chats.window_start(conversation.id) is None


async def test_a_long_message_after_many_short_ones_leaves_room_for_its_reply(start_munin: StartMunin) -> None:
    model = ScriptedChatModel(["Yes."], context_size=512)
    munin = await start_munin(model)
    conversation = await munin.controller.new_conversation()
    for number in range(8):
        await say(munin, conversation.id, f"Remark {number} on the boathouse.")
    await say(munin, conversation.id, "word " * 380)
    newest = [one for one in model.requests if one.purpose is Purpose.REPLY][-1]
    assert words(newest) + newest.max_tokens <= 512


async def test_a_compaction_keeps_at_most_two_fifths_and_the_facts_as_they_are_now(start_munin: StartMunin) -> None:
    model = ScriptedChatModel(lambda request: "Yes. " * 40, context_size=1024)
    munin = await start_munin(model)
    await munin.change_settings(max_reply_tokens=64)
    conversation = await munin.controller.new_conversation()
    await say(munin, conversation.id, "My name is Ada.")
    await say(munin, conversation.id, "I live in Oslo.")
    turn = await say(munin, conversation.id, "I moved to Bergen.")
    while not turn.prompt_reset:
        turn = await say(munin, conversation.id, "And what of the weather on the coast, if I may ask?")
    prompt = [one for one in model.requests if one.purpose is Purpose.REPLY][-1]
    whole = "\n".join(message.text for message in prompt.messages)
    assert words(prompt) - len(turn.user.text.split()) - GLUE_WORDS <= 0.4 * (1024 - 64)
    assert quoted("Name is Ada") in prompt.messages[0].text and quoted("Lives in Bergen") in prompt.messages[0].text
    assert "Oslo" not in whole and {fact.text for fact in turn.used.facts} == {fact.text for fact in munin.profile.facts}


async def test_summaries_of_a_long_chat_build_on_each_other_and_leave_no_gap(start_munin: StartMunin) -> None:
    asked: list[str] = []

    def answer(request: ChatRequest) -> str:
        if request.session_id == summaries.SESSION:
            asked.append(request.messages[-1].text)
            return f"Summary number {len(asked)}."
        return "[]" if request.purpose is Purpose.UTILITY else "Yes. " * 30

    model = ScriptedChatModel(answer, context_size=1024)
    munin = await start_munin(model)
    conversation = await munin.controller.new_conversation()
    for number in range(36):
        await say(munin, conversation.id, f"Remark-{number} on the boathouse.")
    assert all(f"Summary so far: Summary number {n}." in source for n, source in enumerate(asked[1:], 1))
    last = [one for one in model.requests if one.purpose is Purpose.REPLY][-1]
    assert SUMMARY_FRAME in last.messages[0].text
    read = "\n".join([*asked, *(message.text for message in last.messages)])
    assert all(f"Remark-{number} " in read for number in range(36))
