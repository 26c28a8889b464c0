"""What a run has shown: one JSON object, or tables for people."""

from collections.abc import Iterator, Mapping
from statistics import quantiles
from typing import Any

from munin_app.evaluation.recall.dataset import Dataset
from munin_app.evaluation.recall.figures import by_category, cut_for, figures
from munin_app.evaluation.recall.run import Run

FALSE_SHARES = (0.02, 0.1, 0.2)
_COLUMNS = ("r5", "r10", "r25", "hit6", "macro_r5", "macro_r10", "session_r5", "mrr")


def report(dataset: Dataset, run: Run) -> dict[str, Any]:
    """Shares are 0 to 1, times milliseconds."""
    whole = figures(run.ungated)
    shown: dict[str, Any] = {
        "dataset": dataset.name,
        "questions": len(run.ungated),
        "skipped": dataset.skipped,
        "ungated": whole,
        "shipped": figures(run.shipped),
        "categories": by_category(run.ungated),
        "search_ms": {"p50": _quantile(run, 50), "p95": _quantile(run, 95)},
    }
    if run.unrelated:
        shown["unrelated"] = {
            "questions": len(run.unrelated),
            "false_at_shipped": run.unrelated_found / len(run.unrelated),
            "kept_r5_at_shipped": shown["shipped"]["r5"] / whole["r5"],
            "curve": [_kept(run, share, whole["r5"]) for share in FALSE_SHARES],
        }
    return shown


def _quantile(run: Run, percent: int) -> float:
    times = [one.search_ms for one in run.ungated]
    return quantiles(times, n=100)[percent - 1] if len(times) > 1 else times[0]


def _kept(run: Run, false_share: float, whole: float) -> dict[str, float]:
    least = cut_for(false_share, run.unrelated)
    r5 = figures([one.above(least) for one in run.ungated])["r5"]
    return {"false": false_share, "sureness": least, "r5": r5, "kept": r5 / whole}


def table(shown: Mapping[str, Any]) -> Iterator[str]:
    yield f"{shown['dataset']}: {shown['questions']} questions, {shown['skipped']} skipped for want of evidence"
    yield from rows({"ungated": shown["ungated"], "shipped bar": shown["shipped"]})
    for category, values in shown["categories"].items():
        yield f"  {category[:28]:28} R@5 {values['r5']:.3f}  R@10 {values['r10']:.3f}  ({values['questions']:.0f})"
    yield f"search: p50 {shown['search_ms']['p50']:.1f} ms, p95 {shown['search_ms']['p95']:.1f} ms"
    if unrelated := shown.get("unrelated"):
        yield (
            f"of {unrelated['questions']} unrelated questions {unrelated['false_at_shipped']:.1%} find something; "
            f"{unrelated['kept_r5_at_shipped']:.1%} of R@5 is kept"
        )
        for point in unrelated["curve"]:
            kept = f"R@5 {point['r5']:.3f}, {point['kept']:.1%} kept"
            yield f"  at {point['false']:.0%} false: {kept} (bar {point['sureness']:+.3f})"
    for one in shown.get("sizes", ()):
        found = f"{one['found_unrelated']:.1%} find something"
        yield f"  of {one['messages']:4} messages: {found}; {one['kept_r5']:.1%} of R@5 is kept"


def rows(lines: Mapping[str, Mapping[str, float]]) -> Iterator[str]:
    yield " " * 30 + "".join(f"{name:>11}" for name in _COLUMNS)
    for name, values in lines.items():
        yield f"{name:30}" + "".join(f"{values[column]:11.3f}" for column in _COLUMNS)
