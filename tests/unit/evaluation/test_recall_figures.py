"""The figures of `munin eval recall`, by hand."""

import pytest

from munin_app.evaluation.recall.figures import Found, cut_for, figures, recall_at, reciprocal_rank, session_recall

HOMES = {"a": "1", "b": "1", "c": "2", "d": "3"}


def found(evidence: str, ranked: str, category: str = "x") -> Found:
    sureness = tuple(1 - place / 10 for place in range(len(ranked)))
    return Found("q", category, "?", tuple(evidence), tuple(ranked), sureness, HOMES)


def test_recall_is_the_share_of_the_evidence() -> None:
    assert recall_at(2, "ac", "abc") == 0.5
    assert recall_at(3, "ac", "abc") == 1


def test_reciprocal_rank_is_that_of_the_first_evidence() -> None:
    assert reciprocal_rank("cd", "abcd") == pytest.approx(1 / 3)
    assert reciprocal_rank("d", "abc") == 0


def test_a_session_stands_where_its_best_message_stands() -> None:
    assert session_recall(2, found("c", "abc")) == 1
    assert session_recall(1, found("c", "abc")) == 0


def test_macro_weighs_categories_alike() -> None:
    everything = [found("a", "a", "many"), found("a", "a", "many"), found("a", "a", "many"), found("a", "b", "few")]
    assert figures(everything)["r5"] == 0.75
    assert figures(everything)["macro_r5"] == 0.5


def test_a_cut_leaves_what_is_sure_enough() -> None:
    assert found("a", "abc").above(0.85).ranked == ("a", "b")


def test_the_bar_for_a_false_share_lets_no_more_than_that_through() -> None:
    unrelated = [number / 100 for number in range(100)]
    least = cut_for(0.1, unrelated)
    assert sum(sure >= least for sure in unrelated) == 10
