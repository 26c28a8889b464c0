"""One conversation with a scripted model: `talk(text)` sends, waits until everything is done and returns the turn."""

from collections.abc import Awaitable, Callable

import pytest

from munin_app.bootstrap import AppEvent, Munin
from munin_app.domain.events import Turn, TurnFinished
from munin_app.inference.scripted import ScriptedChatModel
from tests.conftest import StartMunin

Talk = Callable[..., Awaitable[Turn]]


@pytest.fixture
def model() -> ScriptedChatModel:
    return ScriptedChatModel(["All right, noted."])


@pytest.fixture
async def munin(start_munin: StartMunin, model: ScriptedChatModel) -> Munin:
    munin = await start_munin(model)
    await munin.change_settings(recall_timeout_ms=10_000)  # a busy machine must not change what is recalled
    return munin


@pytest.fixture
def talk(munin: Munin) -> Talk:
    turns: list[Turn] = []

    def listen(event: AppEvent) -> None:
        if isinstance(event, TurnFinished):
            turns.append(event.turn)

    munin.subscribe(listen)

    async def talk(text: str, conversation: str = "") -> Turn:
        known = [one.id for one in await munin.chats.list()]
        where = conversation or (known[0] if known else (await munin.controller.new_conversation()).id)
        await munin.controller.send(where, text)
        await munin.controller.drain()
        return turns[-1]

    return talk
