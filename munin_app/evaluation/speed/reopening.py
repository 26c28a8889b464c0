"""A conversation opened again after a restart: with its saved state, and as if that had been lost. Measures only."""

import shutil

from munin_app import paths
from munin_app.evaluation.speed import texts
from munin_app.evaluation.speed.folder import StartMunin
from munin_app.evaluation.speed.history import Stage
from munin_app.evaluation.speed.observer import Observer
from munin_app.evaluation.speed.samples import Reopening

FIRST_QUESTION = 100_000
"""Questions that nothing else in the bench asks: what was said before is not recalled for itself."""


async def reopen(start: StartMunin, stage: Stage, times: int) -> tuple[Reopening, ...]:
    return tuple([await _reopen_once(start, stage, FIRST_QUESTION + 3 * n) for n in range(times)])


async def _reopen_once(start: StartMunin, stage: Stage, question: int) -> Reopening:
    """Three turns of about as many new tokens. The message is sent at once: nothing was evaluated while somebody typed."""
    shutil.rmtree(paths.sessions_folder(), ignore_errors=True)
    cold, *_ = await _first_texts(start, stage, [question])
    restored, warm = await _first_texts(start, stage, [question + 1, question + 2])
    return Reopening(cold, restored, warm)


async def _first_texts(start: StartMunin, stage: Stage, questions: list[int]) -> list[float]:
    async with start() as munin:
        await munin.chats.move_leaf(stage.base)
        observer = Observer(munin)
        seconds: list[float] = []
        for question in questions:
            seen = await observer.turn(stage.conversation_id, texts.question(question))
            await munin.controller.drain()
            seconds.append(seen.first_delta or seen.ended)
        return seconds
