"""Median and spread: checked against values that one can see."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from munin_app.evaluation.speed.figures import Figure, figure


def test_no_values_make_no_figure() -> None:
    assert figure([]) is None


def test_a_single_value_is_its_own_spread() -> None:
    assert figure([1.5]) == Figure(1, 1.5, 1.5, 1.5)


def test_median_and_percentiles_of_0_to_100() -> None:
    assert figure([float(value) for value in range(100, -1, -1)]) == Figure(101, 50, 10, 90)


def test_between_two_values_is_interpolated() -> None:
    found = figure([1.0, 2.0])
    assert found
    assert (found.count, found.median) == (2, 1.5)
    assert (found.p10, found.p90) == pytest.approx((1.1, 1.9))


@given(st.lists(st.floats(0, 1e6), min_size=1, max_size=40))
def test_the_spread_lies_within_the_values_and_around_the_median(values: list[float]) -> None:
    found = figure(values)
    assert found
    slack = 1e-6
    assert min(values) - slack <= found.p10 <= found.median + slack
    assert found.median - slack <= found.p90 <= max(values) + slack
