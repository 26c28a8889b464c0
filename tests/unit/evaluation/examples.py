"""A whole result of the bench, made up."""

from pathlib import Path
from typing import Any

from munin_app.domain.inference import ModelInfo
from munin_app.evaluation.speed.machine import Machine
from munin_app.evaluation.speed.plan import Plan, Result
from munin_app.evaluation.speed.samples import FollowUp, Reopening, Samples, StopSample

INFO = ModelInfo("tiny", "Tiny", Path("tiny.gguf"), 1000, "llama", "Q4_1", 8192, 4096)


def follow_up(**changes: Any) -> FollowUp:
    usual: dict[str, Any] = {
        "munin_first": 1.0,
        "bare_first": 1.0,
        "plain_first": 0.5,
        "evaluated": 100,
        "reused": 3000,
        "bare_evaluated": 100,
        "bare_reused": 3000,
        "memory_tokens": 60,
        "recall": 0.02,
        "munin_decode": 80.0,
        "bare_decode": 80.0,
    }
    return FollowUp(**{**usual, **changes})


def result(
    follow_ups: dict[int, tuple[FollowUp, ...]],
    added_waits: tuple[float, ...] = (),
    stops: tuple[StopSample, ...] = (),
    reopenings: tuple[Reopening, ...] = (),
    load: float | None = 0.1,
) -> Result:
    plan = Plan(max(1, *map(len, follow_ups.values())), tuple(follow_ups), 3000)
    return Result(plan, Machine("Linux x86_64", 2, load), 2, INFO, Samples(follow_ups, added_waits, stops, reopenings, 12.34))
