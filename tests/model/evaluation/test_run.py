"""One real pair: real model, real encoder, in a data folder of its own."""

import os
from pathlib import Path

import pytest

from munin_app.errors import ModelError
from munin_app.evaluation.speed.plan import Plan
from munin_app.evaluation.speed.run import measure


@pytest.mark.slow
@pytest.mark.model
async def test_both_sides_evaluate_the_same_tokens_and_the_users_folder_is_left_alone(home: Path) -> None:
    told: list[str] = []
    result = await measure(Plan(1, (2, 3), 120), told.append)
    assert list(result.samples.follow_ups) == [2, 3]
    for pairs in result.samples.follow_ups.values():
        for pair in pairs:
            assert (pair.evaluated, pair.reused) == (pair.bare_evaluated, pair.bare_reused)
            assert 0 < pair.memory_tokens < pair.evaluated
            assert pair.reused > 120
    assert {stop.phase for stop in result.samples.stops} <= {"prefill", "decode"}
    (reopening,) = result.samples.reopenings
    assert min(reopening.cold, reopening.restored, reopening.warm) > 0
    assert told
    assert not home.exists()
    assert os.environ["MUNIN_HOME"] == os.fspath(home)


@pytest.mark.model
async def test_a_model_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"nowhere\.gguf"):
        await measure(Plan(1, (2,), 0, tmp_path / "nowhere.gguf"), lambda text: None)
