"""kill -9 while backups are restored and merged: after the next start the data folder is that of before or after, whole."""

import random
from pathlib import Path

import apsw
import pytest

from munin_app.backup.pending import settle, stage
from munin_app.backup.writing import write_backup
from tests.backup.profiles import content_hash, fact, fill, write_profile
from tests.conftest import StartMunin
from tests.e2e.killing import SHARE, killed

RESTORER = Path(__file__).parent / "restorer.py"

pytestmark = pytest.mark.slow


async def test_killed_while_restoring_it_is_made_up_for(home: Path, tmp_path: Path, start_munin: StartMunin) -> None:
    steps = await _steps(home, tmp_path, start_munin)
    states = [_state_after(step, home) for step in steps]
    assert len(set(states)) == len(steps) and [_state_after(step, home) for step in steps] == states
    moments, number, midway = random.Random(13), len(steps) - 1, 0
    for _ in range(SHARE):
        last = ""
        for line in killed(RESTORER, home, number + 1, *steps, moments=moments, lines=range(1, 7)):
            last = line
        said, _, at = last.partition(" ")
        settle(home)  # as the next start does first
        now = states.index(content_hash(home))
        possible = {"begin": (int(at) - 1, int(at)), "staged": (int(at),), "done": (int(at),)}[said]
        number = next(one for one in possible if one % len(steps) == now)
        midway += said != "done"
        _is_sound(home)
    await start_munin()
    assert midway


async def _steps(home: Path, tmp_path: Path, start_munin: StartMunin) -> list[str]:
    """Of two devices: the first in place of everything, the second united with it, the second in place of everything."""
    files = []
    for label, likes in (("first ", "Likes tea"), ("second ", "Plays the violin")):
        home.mkdir(exist_ok=True)
        write_profile(home, [fact(likes)], key=label.encode().ljust(32))
        munin = await start_munin()
        await fill(munin, conversations=4, turns=20, label=label)
        await munin.close()
        files.append(write_backup(tmp_path / f"{label.strip()}.zip", [])[0])
        if label == "first ":
            home.rename(tmp_path / "first")
    return [f"replace {files[0]}", f"merge {files[1]}", f"replace {files[1]}"]


def _state_after(step: str, home: Path) -> str:
    how, _, file = step.partition(" ")
    stage(Path(file), home, merge=how == "merge")
    settle(home)
    _is_sound(home)
    return content_hash(home)


def _is_sound(home: Path) -> None:
    connection = apsw.Connection(str(home / "munin.db"))
    assert connection.pragma("integrity_check") == "ok"
    connection.close()
    assert not list(home.glob("restore.*"))
