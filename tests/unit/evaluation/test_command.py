"""Arguments of `munin bench`, and the context that a plan asks for."""

import pytest

from munin_app.chat.summaries import DUE_AT
from munin_app.cli import parser
from munin_app.evaluation.speed.plan import Plan


def test_arguments_have_the_documented_defaults() -> None:
    options = parser().parse_args(["bench"])
    assert (options.turns, options.context_tokens, options.quick, options.json) == ((5, 20, 50), 3000, False, False)


def test_turn_numbers_are_a_list() -> None:
    assert parser().parse_args(["bench", "--turns", "3,7"]).turns == (3, 7)


@pytest.mark.parametrize("arguments", [["--turns", "1"], ["--turns", "x"], ["--turns", ""], ["--pairs", "0"], ["--pairs", "-2"]])
def test_senseless_arguments_are_wrong_usage(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        parser().parse_args(["bench", *arguments])
    assert stopped.value.code == 2
    assert "expected" in capsys.readouterr().err


def test_the_context_is_large_enough_that_no_summary_falls_into_a_measured_turn() -> None:
    plan = Plan(20, (5, 20, 50), 3000)
    assert plan.context_tokens + 512 < DUE_AT * plan.context_size
