"""The fake keeps the port's promises, so that what is tested over it holds over a real model."""

import asyncio

from munin_app.domain.inference import Cancelled, ChatModel, ChatRequest, Completed, Failed, ModelEvent, Purpose, TextDelta, Usage
from munin_app.inference.scripted import ScriptedChatModel
from tests.unit.inference.requests import assistant, request, system, user


async def collect(model: ChatModel, wanted: ChatRequest) -> list[ModelEvent]:
    return [event async for event in model.stream(wanted)]


async def end_of(model: ChatModel, wanted: ChatRequest) -> Completed | Cancelled | Failed:
    end = (await collect(model, wanted))[-1]
    assert not isinstance(end, TextDelta)
    return end


async def test_replies_come_in_order_and_the_last_for_ever() -> None:
    model = ScriptedChatModel(["First.", "Then this."])
    texts = [(await collect(model, request(user("?"), tokens=9)))[-1].text for _ in range(3)]
    assert texts == ["First.", "Then this.", "Then this."]
    assert len(model.requests) == 3


async def test_deltas_are_words_and_joined_they_are_the_reply() -> None:
    model = ScriptedChatModel(lambda wanted: f" You said:\n{wanted.messages[-1].text} \n")
    *deltas, end = await collect(model, request(user("good  day"), tokens=9))
    assert [delta.text for delta in deltas if isinstance(delta, TextDelta)] == [" You", " said:", "\ngood", "  day", " \n"]
    assert end.text == " You said:\ngood  day \n"


async def test_prompt_words_that_were_there_are_reused() -> None:
    model = ScriptedChatModel(["Good day."])
    history = [system("Be kind."), user("Hello")]
    opening = await end_of(model, request(*history[:1], purpose=Purpose.PREFILL))
    first = await end_of(model, request(*history))
    second = await end_of(model, request(*history, assistant("Good day."), user("And now ?")))
    assert [(end.usage.evaluated, end.usage.reused) for end in (opening, first, second)] == [(2, 0), (1, 2), (3, 5)]


async def test_utility_work_has_a_context_of_its_own() -> None:
    model = ScriptedChatModel(["[]"])
    await collect(model, request(user("Hello")))
    await collect(model, request(user("List the facts"), purpose=Purpose.UTILITY))
    assert (await end_of(model, request(user("Hello"), assistant("[]"), user("More")))).usage.reused == 2


async def test_fails_when_told_and_only_once() -> None:
    model = ScriptedChatModel(["one two three"])
    model.fail_next("Out of memory.", after_words=2)
    assert (await collect(model, request(user("?"), tokens=9)))[-1] == Failed(
        "Out of memory.", "one two", Usage(evaluated=1, generated=2, decode_ms=2.0, context_used=1, context_size=4096)
    )
    assert isinstance((await collect(model, request(user("?"), tokens=9)))[-1], Completed)


async def test_fails_to_load_when_told() -> None:
    model = ScriptedChatModel()
    model.fail_to_load("There is no model file.")
    assert await collect(model, request(user("?"))) == [Failed("There is no model file.")]
    model.fail_to_load(None)
    assert isinstance((await collect(model, request(user("?"))))[-1], Completed)


async def test_stands_still_until_released() -> None:
    model = ScriptedChatModel(["one two three"])
    model.pause(after_words=1)
    running = asyncio.ensure_future(collect(model, request(user("?"), tokens=9)))
    await model.wait_until_standing()
    assert not running.done()
    model.resume()
    assert (await running)[-1].text == "one two three"


async def test_can_be_cancelled_while_it_stands_still() -> None:
    model = ScriptedChatModel(["one two three"])
    model.pause(after_words=2)
    wanted = request(user("?"), tokens=9)
    running = asyncio.ensure_future(collect(model, wanted))
    await model.wait_until_standing()
    model.cancel(wanted.id)
    end = (await running)[-1]
    assert isinstance(end, Cancelled)
    assert end.text == "one two"


async def test_reply_ends_at_max_tokens_as_truncated() -> None:
    end = (await collect(ScriptedChatModel(["one two three"]), request(user("?"), tokens=2)))[-1]
    assert isinstance(end, Completed)
    assert (end.text, end.truncated) == ("one two", True)
