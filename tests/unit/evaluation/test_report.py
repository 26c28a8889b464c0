"""One object and one table from the same samples: shape, sums, and what is said where nothing was measured."""

import json

from munin_app.evaluation.speed.report import report, table
from munin_app.evaluation.speed.samples import Reopening, StopSample
from tests.unit.evaluation.examples import follow_up, result

FIGURE = {"count", "median", "p10", "p90"}


def test_the_object_has_a_figure_for_every_promise() -> None:
    pairs = (follow_up(munin_first=1.1), follow_up(munin_first=1.3))
    stops = (StopSample("prefill", 0.05), StopSample("prefill", 0.4), StopSample("decode", 0.1))
    shown = json.loads(
        json.dumps(
            report(result({5: pairs, 20: pairs}, added_waits=(0.1, 0.3), stops=stops, reopenings=(Reopening(30.0, 0.6, 0.3),)))
        )
    )
    assert [turn["turn"] for turn in shown["follow_up"]] == [5, 20]
    for name in ("first_token_ratio", "evaluated_tokens", "reused_tokens", "memory_tokens", "memory_evaluation_s", "recall_s"):
        assert shown["follow_up"][0][name].keys() == FIGURE
    assert shown["follow_up"][0]["first_token_ratio"]["median"] == 1.2
    assert shown["decode"]["ratio"] == {"count": 4, "median": 1.0, "p10": 1.0, "p90": 1.0}
    assert shown["learning"]["added_wait_s"]["median"] == 0.2
    assert shown["reopened"]["restored_to_warm_ratio"]["median"] == 2
    assert shown["reopened"]["cold_to_restored_ratio"]["median"] == 50
    assert shown["stop"]["prefill"]["within_limit"] == 1
    assert shown["stop"]["prefill"]["count"] == 2
    assert shown["stop"]["prefill"]["max_s"] == 0.4
    assert shown["machine"]["cores"] == 2
    assert shown["machine"]["load"] == 0.1


def test_tokens_that_munin_evaluated_and_bare_did_not_are_summed() -> None:
    shown = report(result({5: (follow_up(evaluated=103), follow_up(evaluated=102))}))
    assert shown["follow_up"][0]["evaluated_beyond_bare_tokens"] == 5


def test_the_most_that_memory_put_into_one_turn_is_told() -> None:
    shown = report(result({5: (follow_up(memory_tokens=30), follow_up(memory_tokens=128))}))
    assert shown["follow_up"][0]["memory_tokens_max"] == 128


def test_what_was_not_measured_is_null_and_said_so() -> None:
    shown = report(result({5: (follow_up(munin_decode=None),)}))
    assert shown["learning"]["added_wait_s"] is None
    assert shown["decode"]["ratio"] is None
    assert shown["stop"]["decode"]["count"] == 0
    assert any("wait added" in line and "not measured" in line for line in table(shown))


def test_a_busy_machine_is_named_in_object_and_table() -> None:
    busy, idle = (report(result({5: (follow_up(),)}, load=load)) for load in (1.4, 0.2))
    assert busy["machine"]["busy"]
    assert any("busy" in line for line in table(busy))
    assert not idle["machine"]["busy"]
    assert not any("busy" in line for line in table(idle))


def test_a_system_that_tells_no_load_is_not_called_busy() -> None:
    shown = report(result({5: (follow_up(),)}, load=None))
    assert not shown["machine"]["busy"]
    assert "load unknown" in table(shown)[0]


def test_the_table_gives_median_spread_and_count() -> None:
    shown = report(result({5: tuple(follow_up(munin_first=1.0 + n / 100) for n in range(11))}))
    assert any("first token, Munin : bare" in line and "1.05  (1.01 to 1.09, 11)" in line for line in table(shown))
