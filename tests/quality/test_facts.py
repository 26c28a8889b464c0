"""Figures of quality that must not fall: `munin eval facts` over the set of our own."""

from pathlib import Path

import pytest

from munin_app.evaluation.facts.examples import Example, read_examples
from munin_app.evaluation.facts.learning import learn
from munin_app.evaluation.facts.scoring import Row, figures

SET = Path(__file__).parents[1] / "data" / "facts"


@pytest.mark.parametrize("part", ["tuning", "held-out"])
async def test_rules_alone_reach_the_bar_on_both_parts(part: str) -> None:
    """Precision 0.95, recall 0.80, at most 1 % false facts where there is nothing to learn."""
    examples = [one for one in read_examples(SET / f"{part}.jsonl") if isinstance(one, Example)]
    found = figures([Row(one, await learn(None, one.user, one.assistant, one.known)) for one in examples])
    assert found["precision"] >= 0.95
    assert found["recall"] >= 0.80
    assert found["no_fact_false_share"] <= 0.01
    assert all(figure["precision"] >= 0.95 and figure["recall"] >= 0.80 for figure in found["languages"].values())
