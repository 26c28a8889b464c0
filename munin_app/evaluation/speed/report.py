"""From samples to figures: one JSON object, or a small table. Pure."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict
from typing import Any

from munin_app.evaluation.speed.figures import Figure, figure
from munin_app.evaluation.speed.plan import Result
from munin_app.evaluation.speed.samples import FollowUp, StopSample

STOP_SECONDS = 0.3
"""What SPEC promises of Stop."""


def report(result: Result) -> dict[str, Any]:
    """Figures are objects of count, median, p10 and p90, or null where nothing was measured. Names end in their unit."""
    samples = result.samples
    everything = [pair for pairs in samples.follow_ups.values() for pair in pairs]
    return {
        "machine": {**asdict(result.machine), "threads": result.threads, "busy": result.machine.busy},
        "model": {
            "id": result.info.id,
            "quantisation": result.info.quantisation,
            "size_bytes": result.info.size_bytes,
            "context_size": result.info.context_size,
        },
        "pairs": result.plan.pairs,
        "context_tokens": result.plan.context_tokens,
        "follow_up": [_follow_up(turn, pairs) for turn, pairs in samples.follow_ups.items()],
        "decode": {
            "ratio": _figure(pair.decode_ratio for pair in everything),
            "munin_tokens_per_second": _figure(pair.munin_decode for pair in everything),
            "bare_tokens_per_second": _figure(pair.bare_decode for pair in everything),
        },
        "learning": {"added_wait_s": _figure(samples.added_waits)},
        "stop": {phase: _stop(samples.stops, phase) for phase in ("prefill", "decode")},
        "reopened": {
            "restored_to_warm_ratio": _figure(one.restored_to_warm for one in samples.reopenings),
            "cold_to_restored_ratio": _figure(one.cold_to_restored for one in samples.reopenings),
            "restored_first_token_s": _figure(one.restored for one in samples.reopenings),
            "warm_first_token_s": _figure(one.warm for one in samples.reopenings),
            "cold_first_token_s": _figure(one.cold for one in samples.reopenings),
        },
        "seconds": round(samples.seconds, 1),
    }


def _follow_up(turn: int, pairs: Sequence[FollowUp]) -> dict[str, Any]:
    return {
        "turn": turn,
        "first_token_ratio": _figure(pair.ratio for pair in pairs),
        "munin_first_token_s": _figure(pair.munin_first for pair in pairs),
        "bare_first_token_s": _figure(pair.bare_first for pair in pairs),
        "evaluated_tokens": _figure(pair.evaluated for pair in pairs),
        "reused_tokens": _figure(pair.reused for pair in pairs),
        "evaluated_beyond_bare_tokens": sum(pair.evaluated - pair.bare_evaluated for pair in pairs),
        "memory_tokens": _figure(pair.memory_tokens for pair in pairs),
        "memory_tokens_max": max((pair.memory_tokens for pair in pairs), default=0),
        "memory_evaluation_s": _figure(pair.memory_seconds for pair in pairs),
        "recall_s": _figure(pair.recall for pair in pairs),
    }


def _stop(stops: Sequence[StopSample], phase: str) -> dict[str, Any]:
    latencies = [stop.latency for stop in stops if stop.phase == phase]
    return {
        "count": len(latencies),
        "within_limit": sum(latency <= STOP_SECONDS for latency in latencies),
        "limit_s": STOP_SECONDS,
        "latency_s": _figure(latencies),
        "max_s": round(max(latencies, default=0.0), 4),
    }


def _figure(values: Iterable[float | None]) -> dict[str, float] | None:
    found = figure([value for value in values if value is not None])
    return {name: round(value, 4) for name, value in asdict(found).items()} if found else None


def table(shown: dict[str, Any]) -> list[str]:
    """The lines of what `report` returned."""
    return [*_head(shown), "", *_follow_up_lines(shown), "", *_other_lines(shown)]


def _head(shown: dict[str, Any]) -> list[str]:
    machine, model = shown["machine"], shown["model"]
    load = "unknown" if machine["load"] is None else f"{machine['load']:.2f}"
    lines = [
        f"{machine['system']}, {machine['cores']} cores, {machine['threads']} threads, load {load} at the start",
        f"{model['id']} ({model['quantisation']}), context {model['context_size']:,}, {shown['seconds']:.0f} s in all",
    ]
    return [*lines, "The machine was busy: do not trust these figures."] if machine["busy"] else lines


def _follow_up_lines(shown: dict[str, Any]) -> list[str]:
    lines = [f"Follow-up turn, about {shown['context_tokens']:,} tokens before it (median, p10 to p90, pairs)"]
    for turn in shown["follow_up"]:
        lines += [
            f"  turn {turn['turn']}",
            _line("first token, Munin : bare llama.cpp", turn["first_token_ratio"], "", 2),
            _line("first token, Munin", turn["munin_first_token_s"], "s", 3),
            _line("first token, bare llama.cpp", turn["bare_first_token_s"], "s", 3),
            _line("tokens evaluated", turn["evaluated_tokens"], "", 0),
            _line("tokens reused", turn["reused_tokens"], "", 0),
            f"    {'evaluated beyond bare, all pairs':38} {turn['evaluated_beyond_bare_tokens']}",
            _line("memory's own tokens", turn["memory_tokens"], "", 0),
            _line("evaluating them", turn["memory_evaluation_s"], "s", 3),
            _line("finding them", turn["recall_s"], "s", 3),
        ]
    return lines


def _other_lines(shown: dict[str, Any]) -> list[str]:
    decode = shown["decode"]
    lines = [
        "Other",
        _line("decode, Munin : bare llama.cpp", decode["ratio"], "", 3),
        _line("decode, Munin", decode["munin_tokens_per_second"], "tokens/s", 1),
        _line("decode, bare llama.cpp", decode["bare_tokens_per_second"], "tokens/s", 1),
        _line("wait added by background learning", shown["learning"]["added_wait_s"], "s", 3),
    ]
    reopened = shown["reopened"]
    lines += [
        _line("opened after a restart : warm", reopened["restored_to_warm_ratio"], "", 2),
        _line("state lost : opened after a restart", reopened["cold_to_restored_ratio"], "", 1),
        _line("opened after a restart", reopened["restored_first_token_s"], "s", 3),
    ]
    for phase, stop in shown["stop"].items():
        within = f"{stop['within_limit']} of {stop['count']} within {stop['limit_s']} s, longest {stop['max_s']:.3f} s"
        lines.append(f"    {'Stop during ' + phase:38} {within}")
    return lines


def _line(name: str, found: dict[str, float] | None, unit: str, digits: int) -> str:
    if found is None:
        return f"    {name:38} not measured"
    value = Figure(int(found["count"]), found["median"], found["p10"], found["p90"])
    unit = f" {unit}" if unit else ""
    spread = f"({value.p10:,.{digits}f} to {value.p90:,.{digits}f}, {value.count})"
    return f"    {name:38} {value.median:,.{digits}f}{unit}  {spread}"
