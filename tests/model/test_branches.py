"""What branches cost the real model: the common part is reused, token by token, and a continued reply is evaluated once."""

from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest

from munin_app.bootstrap import AppEvent, Munin
from munin_app.chat import prefix
from munin_app.domain.events import ReplyDelta, Turn, TurnFinished
from munin_app.domain.messages import MessageStatus
from munin_app.inference.host import LlamaChatModel
from munin_app.inference.links import ThreadLink

pytestmark = pytest.mark.model

LONG = "Here is what I know of the harbour: " + " ".join(f"boat {n} lies at pier {n % 7}." for n in range(60))
TurnOf = Callable[[Awaitable[object]], Awaitable[Turn]]


@pytest.fixture
async def munin(model_path: Path) -> AsyncIterator[Munin]:
    model = LlamaChatModel(model_path, context_size=2048, start_link=ThreadLink)
    async with await Munin.start(make_model=lambda path, settings: model) as munin:
        await munin.load_model()
        await munin.change_settings(temperature=0.0, max_reply_tokens=16, memory_on=False)
        yield munin


@pytest.fixture
def turn_of(munin: Munin) -> TurnOf:
    turns: list[Turn] = []
    munin.subscribe(lambda event: turns.append(event.turn) if isinstance(event, TurnFinished) else None)

    async def turn_of(work: Awaitable[object]) -> Turn:
        await work
        await munin.controller.drain()
        return turns[-1]

    return turn_of


async def test_editing_and_coming_back_evaluate_only_what_differs(munin: Munin, turn_of: TurnOf) -> None:
    chat = (await munin.controller.new_conversation()).id
    first = await turn_of(munin.controller.send(chat, LONG))
    second = await turn_of(munin.controller.send(chat, "Which boat lies at pier three?"))
    common = first.usage.evaluated + first.usage.reused

    edited = await turn_of(munin.branches.edit(second.user.id, "And which one at pier five?"))
    assert edited.prompt_reset == prefix.BRANCHED
    assert edited.usage.reused > common and edited.usage.evaluated < 40

    await turn_of(munin.branches.show(second.user.id))  # the branch is evaluated while the user reads
    back = await turn_of(munin.controller.send(chat, "Thank you."))
    assert back.prompt_reset == prefix.BRANCHED
    assert back.usage.reused > common + 20 and back.usage.evaluated < 40


async def test_a_reply_goes_on_from_the_state_that_is_there(munin: Munin, turn_of: TurnOf) -> None:
    chat = (await munin.controller.new_conversation()).id
    cut = await turn_of(munin.controller.send(chat, LONG + " Tell me a long story about one of them."))
    assert cut.truncated and cut.usage.generated == 16
    longer = await turn_of(munin.branches.go_on(cut.reply.id))
    assert longer.reply.id == cut.reply.id and longer.reply.text.startswith(cut.reply.text)
    assert longer.usage.evaluated == 1 and longer.prompt_reset == ""
    after = await turn_of(munin.controller.send(chat, "Thank you."))
    assert after.prompt_reset == "" and after.usage.reused >= longer.usage.context_used - 1

    await munin.change_settings(max_reply_tokens=32)
    at_once = await turn_of(munin.controller.retry(cut.reply.id))
    assert at_once.reply.text == longer.reply.text


async def test_a_stopped_reply_goes_on_too(munin: Munin, turn_of: TurnOf) -> None:
    await munin.change_settings(max_reply_tokens=64)
    chat = (await munin.controller.new_conversation()).id
    words = 0

    def stop_soon(event: AppEvent) -> None:
        nonlocal words
        words += isinstance(event, ReplyDelta)
        if words == 5:
            munin.controller.stop(chat)

    unsubscribe = munin.subscribe(stop_soon)
    stopped = await turn_of(munin.controller.send(chat, LONG + " Tell me a long story about one of them."))
    unsubscribe()
    assert stopped.reply.status is MessageStatus.STOPPED
    longer = await turn_of(munin.branches.go_on(stopped.reply.id))
    assert longer.reply.text.startswith(stopped.reply.text) and longer.usage.evaluated == 1
