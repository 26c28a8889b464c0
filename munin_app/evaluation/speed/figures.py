"""A figure: how many values, their median and their spread. Pure."""

import statistics
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Figure:
    """p10 and p90 are percentiles, interpolated between neighbours (`statistics.quantiles`, inclusive)."""

    count: int
    median: float
    p10: float
    p90: float


def figure(values: Sequence[float]) -> Figure | None:
    """None of no values at all."""
    if not values:
        return None
    if len(values) == 1:
        return Figure(1, values[0], values[0], values[0])
    tenths = statistics.quantiles(values, n=10, method="inclusive")
    return Figure(len(values), statistics.median(values), tenths[0], tenths[-1])
