"""Runs the bench: for each turn number pairs of a Munin turn and the same turn by bare llama.cpp, then stops.

Measures only; what the figures mean is in `samples`, how they look in `report`.
"""

import asyncio
import time
from collections.abc import Callable

from munin_app.bootstrap import Munin
from munin_app.domain.messages import MessageStatus
from munin_app.evaluation.speed import texts
from munin_app.evaluation.speed.baseline import Baseline
from munin_app.evaluation.speed.folder import settings_for, throw_away_folder
from munin_app.evaluation.speed.history import Stage, build_conversation, fill_memory, return_to
from munin_app.evaluation.speed.machine import this_machine
from munin_app.evaluation.speed.observer import Observer, SeenTurn
from munin_app.evaluation.speed.plan import Plan, Result
from munin_app.evaluation.speed.reopening import reopen
from munin_app.evaluation.speed.samples import FollowUp, Samples, StopSample, added_wait, bare_decode, munin_decode
from munin_app.inference.machine import real_cores

REPLY_TOKENS = 24
STOPPED_REPLY_TOKENS = 512
STOPPED_DOCUMENT_SHARE = 0.3  # of the context
WAIT_FOR_LEARNING = 2.0
REOPENINGS_SHARE = 5
"""Pairs to one reopening: each of those evaluates a whole conversation."""

Progress = Callable[[str], None]


async def measure(plan: Plan, progress: Progress) -> Result:
    """Raises MuninError. `progress` is told what comes next."""
    machine, started = this_machine(), time.perf_counter()
    settings = await settings_for(plan.model, plan.context_size, REPLY_TOKENS, real_cores())
    async with throw_away_folder(settings) as start:
        async with start() as munin:
            info = await munin.model.load()
            baseline = Baseline(info.path, info.context_size, settings.threads)
            try:
                await baseline.open()
                await fill_memory(munin)
                bench = _Bench(plan, munin, baseline, progress)
                follow_ups = {turn: await bench.follow_ups(turn) for turn in sorted(plan.turns)}
                stops = await bench.stops()
                stage = await build_conversation(munin, max(plan.turns) - 1, plan.context_tokens)
            finally:
                await baseline.close()
        times = max(1, plan.pairs // REOPENINGS_SHARE)
        progress(f"{times} times: a conversation opened after a restart, its saved state lost or kept")
        reopenings = await reopen(start, stage, times)
    samples = Samples(follow_ups, tuple(bench.added_waits), stops, reopenings, time.perf_counter() - started)
    return Result(plan, machine, settings.threads, info, samples)


class _Bench:
    def __init__(self, plan: Plan, munin: Munin, baseline: Baseline, progress: Progress) -> None:
        self._plan = plan
        self._munin = munin
        self._baseline = baseline
        self._progress = progress
        self._observer = Observer(munin)
        self._asked = max(plan.turns)
        self.added_waits: list[float] = []

    async def follow_ups(self, turn: int) -> tuple[FollowUp, ...]:
        """Pairs at one turn number. At the last one, each is followed by a message that is sent while learning runs."""
        self._progress(f"turn {turn}: evaluating {self._plan.context_tokens:,} tokens of conversation, twice")
        stage = await build_conversation(self._munin, turn - 1, self._plan.context_tokens)
        await self._evaluate(stage)
        self._progress(f"turn {turn}: {self._plan.pairs} pairs")
        return tuple([await self._pair(stage, interrupt=turn == max(self._plan.turns)) for _ in range(self._plan.pairs)])

    async def _evaluate(self, stage: Stage) -> None:
        """Both caches hold the conversation afterwards: one unmeasured turn."""
        await return_to(self._munin, stage)
        seen = await self._observer.turn(stage.conversation_id, self._question())
        await self._munin.controller.drain()
        await self._baseline.turn(seen.request, 1)

    async def _pair(self, stage: Stage, *, interrupt: bool) -> FollowUp:
        await return_to(self._munin, stage)
        seen = await self._observer.turn(stage.conversation_id, self._question(personal=interrupt))
        if interrupt:
            await self._send_while_learning(stage, seen)
        await self._munin.controller.drain()
        return await self._compare(seen)

    async def _compare(self, seen: SeenTurn) -> FollowUp:
        usage, timings = seen.turn.usage, seen.turn.timings
        plain, memory_tokens = await self._baseline.plain_turn(seen.request, seen.turn.user.text)
        bare = await self._baseline.turn(seen.request, max(usage.generated, 1))
        return FollowUp(
            munin_first=seen.first_delta or seen.ended,
            bare_first=bare.moments[0],
            plain_first=plain.moments[0],
            evaluated=usage.evaluated,
            reused=usage.reused,
            bare_evaluated=bare.evaluated,
            bare_reused=bare.reused,
            memory_tokens=memory_tokens,
            recall=(timings.embed + timings.search) / 1000,
            munin_decode=munin_decode(
                seen.first_delta, seen.last_delta, seen.first_text, usage.generated, seen.request.max_tokens
            ),
            bare_decode=bare_decode(bare.moments),
        )

    async def _send_while_learning(self, stage: Stage, idle: SeenTurn) -> None:
        """The idle turn has just ended; learning from it begins."""
        try:
            async with asyncio.timeout(WAIT_FOR_LEARNING):
                await self._observer.model.learning.wait()
        except TimeoutError:
            return  # nothing was asked of the model: nothing to wait for
        await asyncio.sleep(0.05 * (len(self.added_waits) % 4))  # not always at the same moment
        if not self._observer.model.learning.is_set():
            return
        busy = await self._observer.turn(stage.conversation_id, self._question())
        if idle.first_delta and busy.first_delta:  # neither reply was empty
            tokens = idle.turn.usage.evaluated, busy.turn.usage.evaluated
            self.added_waits.append(added_wait(idle.first_delta, tokens[0], busy.first_delta, tokens[1]))

    async def stops(self) -> tuple[StopSample, ...]:
        """As many of each kind as there are pairs, in a short conversation."""
        self._progress(f"Stop: {self._plan.pairs} times while the prompt is evaluated, {self._plan.pairs} while text comes")
        await self._munin.change_settings(max_reply_tokens=STOPPED_REPLY_TOKENS)
        stage = await build_conversation(self._munin, 1, 0)
        tries = range(self._plan.pairs)
        found = [await self._stop_prefill(stage, n) for n in tries] + [await self._stop_decode(stage, n) for n in tries]
        return tuple(stop for stop in found if stop)

    async def _stop_prefill(self, stage: Stage, n: int) -> StopSample | None:
        await return_to(self._munin, stage)
        sentences = int(self._plan.context_size * STOPPED_DOCUMENT_SHARE) // 30
        watch = await self._observer.send(stage.conversation_id, texts.document(sentences, first_day=1000 * (n + 1)))
        await watch.started.wait()
        await asyncio.sleep(0.05 * (1 + n % 5))
        pressed = time.perf_counter() - watch.sent_at
        self._munin.controller.stop(stage.conversation_id)
        seen = await self._observer.end(watch)
        await self._munin.controller.drain()
        return _stopped("prefill", seen, pressed) if seen.turn.usage.generated == 0 else None

    async def _stop_decode(self, stage: Stage, n: int) -> StopSample | None:
        await return_to(self._munin, stage)
        watch = await self._observer.send(stage.conversation_id, self._question())
        await watch.streaming.wait()
        await asyncio.sleep(0.02 * (n % 5))
        pressed = time.perf_counter() - watch.sent_at
        self._munin.controller.stop(stage.conversation_id)
        seen = await self._observer.end(watch)
        await self._munin.controller.drain()
        return _stopped("decode", seen, pressed)

    def _question(self, *, personal: bool = False) -> str:
        """A new one each time: what was said before is not recalled for itself."""
        self._asked += 1
        return texts.personal_question(self._asked) if personal else texts.question(self._asked)


def _stopped(phase: str, seen: SeenTurn, pressed: float) -> StopSample | None:
    """None when the turn was over before Stop was pressed."""
    return StopSample(phase, seen.ended - pressed) if seen.turn.reply.status is MessageStatus.STOPPED else None
