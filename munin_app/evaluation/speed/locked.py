"""What locking costs: the same memories and the same conversation, readable and locked, in turn, in one run.

Ratios are locked by readable, so that more is slower; each is to be 1.15 at most.
"""

import os
import secrets
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from munin_app import paths
from munin_app.evaluation.recall.bench import WARM_UP, Life, TimedEmbedder, fill, manifest_of_bench, spread
from munin_app.evaluation.speed import texts
from munin_app.evaluation.speed.folder import StartMunin, settings_for, throw_away_folder
from munin_app.evaluation.speed.history import Stage, build_conversation, fill_memory
from munin_app.evaluation.speed.observer import Observer
from munin_app.evaluation.speed.samples import munin_decode
from munin_app.inference.machine import real_cores
from munin_app.locking.switching import turn_on
from munin_app.memory import MemoryService
from munin_app.storage.locks import let_go

BAR = 1.15
REPLY_TOKENS = 24
CONTEXT_SIZE = 2048
READABLE, LOCKED = "readable", "locked"

Progress = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Plan:
    memories: int = 20_000
    queries: int = 200
    rounds: int = 6
    """Munin is started so often on each of the two folders."""
    turns: int = 3
    """Measured in each round, after the first one."""
    context_tokens: int = 800
    """Of the conversation before them."""
    model: Path | None = None


async def measure(plan: Plan, progress: Progress) -> dict[str, Any]:
    """Milliseconds and tokens a second, and ratios. Raises MuninError."""
    settings = await settings_for(plan.model, CONTEXT_SIZE, REPLY_TOKENS, real_cores())
    async with throw_away_folder(settings) as start:
        readable = paths.data_folder()
        progress("a conversation to go on with")
        async with start() as munin:
            await fill_memory(munin)
            stage = await build_conversation(munin, 2, plan.context_tokens)
        homes = {READABLE: readable, LOCKED: _locked_copy(readable)}
        try:
            chat = await _chat(plan, start, homes, stage, progress)
            recall = await _recall(plan, homes, progress)
        finally:
            let_go(homes[LOCKED])
            shutil.rmtree(homes[LOCKED], ignore_errors=True)
    figures = {
        "recall_p95_ms": {name: spread(recall[name])["p95"] for name in homes},
        "first_text_ms": {name: median(chat[name]["first"]) for name in homes},
        "after_restart_ms": {name: median(chat[name]["restored"]) for name in homes},
        "decode_per_second": {name: median(chat[name]["decode"] or [0.0]) for name in homes},
    }
    ratios = {name: _ratio(name, both) for name, both in figures.items()}
    return {"memories": plan.memories, "queries": plan.queries, "rounds": plan.rounds, **figures, "ratios": ratios, "bar": BAR}


def _ratio(name: str, both: dict[str, float]) -> float:
    slower, quicker = (READABLE, LOCKED) if name == "decode_per_second" else (LOCKED, READABLE)
    return both[slower] / both[quicker] if both[quicker] else 0.0


def _locked_copy(home: Path) -> Path:
    """Beside it. Its passphrase is nobody's."""
    copy = home.with_name(home.name + "-locked")
    shutil.copytree(home, copy)
    turn_on(copy, secrets.token_hex(16), keyring=False, progress=lambda done, total: None)
    return copy


@contextmanager
def _at(home: Path) -> Iterator[None]:
    before = os.environ["MUNIN_HOME"]
    os.environ["MUNIN_HOME"] = os.fspath(home)
    try:
        yield
    finally:
        os.environ["MUNIN_HOME"] = before


async def _chat(
    plan: Plan, start: StartMunin, homes: dict[str, Path], stage: Stage, progress: Progress
) -> dict[str, dict[str, list[float]]]:
    found: dict[str, dict[str, list[float]]] = {name: {"first": [], "restored": [], "decode": []} for name in homes}
    for number in range(plan.rounds + 1):  # the first one reads the weights, and leaves the saved state behind
        progress(f"chat: round {number} of {plan.rounds}")
        for name in sorted(homes, reverse=number % 2 == 0):
            with _at(homes[name]):
                kept = found[name] if number else {"first": [], "restored": [], "decode": []}
                await _one_round(plan, start, stage, kept, number)
    return found


async def _one_round(plan: Plan, start: StartMunin, stage: Stage, kept: dict[str, list[float]], number: int) -> None:
    async with start() as munin:
        await munin.chats.move_leaf(stage.base)
        observer = Observer(munin)
        for turn in range(plan.turns + 1):
            seen = await observer.turn(stage.conversation_id, texts.question(10 * number + turn) if turn else "Go on.")
            await munin.controller.drain()
            kept["first" if turn else "restored"].append(1000 * (seen.first_delta or seen.ended))
            usage = seen.turn.usage
            decode = munin_decode(seen.first_delta, seen.last_delta, seen.first_text, usage.generated, REPLY_TOKENS)
            if decode:
                kept["decode"].append(decode)


async def _recall(plan: Plan, homes: dict[str, Path], progress: Progress) -> dict[str, list[float]]:
    """Each question to both, in turn."""
    manifest, services = manifest_of_bench(), {}
    encoder = TimedEmbedder(manifest)
    for name, home in homes.items():
        path = home / "bench_memory.db"
        await fill(path, Life(), encoder, plan.memories, progress)
        services[name] = MemoryService(path, manifest, load_encoder=lambda _: encoder)
    found: dict[str, list[float]] = {name: [] for name in homes}
    life = Life()
    progress("asking")
    for number in range(plan.queries + WARM_UP):
        question = life.question()
        for name in sorted(services, reverse=number % 2 == 0):
            outcome = await services[name].recall(question)
            if number >= WARM_UP:
                found[name].append(outcome.search_ms)
    for service in services.values():
        await service.close()
    return found


def table(shown: dict[str, Any]) -> Iterator[str]:
    yield f"{shown['memories']:,} memories, {shown['queries']} questions, {shown['rounds']} rounds of chat"
    for name, label in (
        ("recall_p95_ms", "recall, p95, ms"),
        ("first_text_ms", "first text of a reply, ms"),
        ("after_restart_ms", "the same after a restart, ms"),
        ("decode_per_second", "tokens a second"),
    ):
        both, ratio = shown[name], shown["ratios"][name]
        yield f"  {label:30} readable {both[READABLE]:8.1f}   locked {both[LOCKED]:8.1f}   ratio {ratio:.2f}"
    yield f"  each ratio is to be {BAR} at most"
