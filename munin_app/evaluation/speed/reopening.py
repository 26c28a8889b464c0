"""A conversation opened again after a restart: with its saved state, and as if that had been lost. Measures only."""

import shutil

from munin_app import paths
from munin_app.evaluation.speed.folder import StartMunin
from munin_app.evaluation.speed.history import Stage
from munin_app.evaluation.speed.observer import Observer
from munin_app.evaluation.speed.samples import Reopening


async def reopen(start: StartMunin, stage: Stage, times: int) -> tuple[Reopening, ...]:
    return tuple([await _reopen_once(start, stage) for _ in range(times)])


async def _reopen_once(start: StartMunin, stage: Stage) -> Reopening:
    """Three turns of as many new tokens, few, so that the state counts: nothing is recalled for such messages. They are sent at
    once: nothing was evaluated while somebody typed."""
    shutil.rmtree(paths.sessions_folder(), ignore_errors=True)
    cold, *_ = await _first_texts(start, stage, ["Go on."])
    restored, warm = await _first_texts(start, stage, ["Go on.", "And then?"])
    return Reopening(cold, restored, warm)


async def _first_texts(start: StartMunin, stage: Stage, messages: list[str]) -> list[float]:
    async with start() as munin:
        await munin.chats.move_leaf(stage.base)
        observer = Observer(munin)
        seconds: list[float] = []
        for message in messages:
            seen = await observer.turn(stage.conversation_id, message)
            await munin.controller.drain()
            seconds.append(seen.first_delta or seen.ended)
        return seconds
