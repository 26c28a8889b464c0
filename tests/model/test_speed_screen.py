"""How fast it is here, over the starter model itself: the screen, and the command."""

import json
from pathlib import Path

import pytest

from munin_app.bootstrap import Munin
from munin_app.cli import main
from tests.ui.harness import OpenPage

pytestmark = pytest.mark.model


async def test_starter_model_is_measured_and_answers_again() -> None:
    async with await Munin.start() as munin:
        await munin.load_model()
        before = munin.model_state.info
        async with OpenPage(munin, 390, 844) as page:
            page.session.go("speed")
            await page.until(lambda: page.session.settings.models.entries)
            page.session.speed.measure()
            await page.until(lambda: page.session.speed.state.measuring)
            await page.until(lambda: not page.session.speed.state.running, seconds=180)
            (speed,) = page.session.speed.state.speeds
            assert not speed.error and speed.reading > speed.writing > 0
            assert 100e6 < speed.memory_bytes < 1e9 and not speed.estimated
            assert page.has("Reading") and page.has(f"{speed.writing:,.1f}")
        after = munin.model_state.info
        assert before and after and (after.path, after.context_size) == (before.path, before.context_size)


def test_command_measures_without_opening_the_data_folder(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "models", "--json"]) == 0
    (row,) = map(json.loads, capsys.readouterr().out.splitlines())
    assert row["reading"] > row["writing"] > 0 and row["error"] == ""
    assert not home.exists()
