"""kill -9 while data is locked and unlocked: every time it is one or the other, whole, with everything that was in it.

Half of the kills come at a given step between two files, half at any moment.
"""

import asyncio
import random
import subprocess
import sys
import time
from pathlib import Path

import pytest

from munin_app.locking.opening import open_by_passphrase
from munin_app.locking.switching import settle
from munin_app.storage.locks import let_go, read_lock
from tests.conftest import StartMunin
from tests.e2e.killing import SHARE
from tests.e2e.locker import SECRET
from tests.locking.content import content_hash, found_in, say_everything

LOCKER = Path(__file__).parent / "locker.py"
KILLS = 2 * SHARE

pytestmark = pytest.mark.slow


async def test_killed_at_random_moments_the_data_is_locked_or_not_and_whole(home: Path, start_munin: StartMunin) -> None:
    munin = await start_munin()
    await say_everything(munin)
    await munin.memory.warm_up()
    await munin.close()
    await asyncio.to_thread(kill_often, home)


def kill_often(home: Path) -> None:
    chance, before, killed, ended = random.Random(5), content_hash(home), 0, set()
    steps, seconds = (max(pair) for pair in zip(run(home), run(home), strict=True))
    while killed < KILLS:
        locked = read_lock(home) is not None
        if killed % 2:
            killed += run(home, delay=chance.uniform(0, seconds))[0] == 0
        else:
            killed += run(home, last_step=chance.randint(1, int(steps)))[0] == 0
        let_go(home)
        settle(home)
        assert not list(home.glob("lock.[pr]*"))
        now = read_lock(home) is not None
        if now:
            open_by_passphrase(home, SECRET)
            assert found_in(home) == {}
        assert content_hash(home) == before
        ended.add((locked, now))
    assert {now for _, now in ended} == {False, True}
    assert len(ended) == 4 or KILLS < 30, "nothing was cut short, or nothing was finished, in one of the directions"


def run(home: Path, *, last_step: int = 0, delay: float = -1) -> tuple[float, float]:
    """The other way round; killed at a step or after `delay` seconds. How many steps it took (0: killed), and how long."""
    direction = "off" if read_lock(home) else "on"
    command = [sys.executable, str(LOCKER), str(home), direction, str(last_step)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as locker:
        assert locker.stdout and locker.stdout.readline() == "begin\n"
        begun = time.monotonic()
        if delay >= 0:
            time.sleep(delay)
            locker.kill()
        said = locker.stdout.read()
        took = time.monotonic() - begun
    return float(said.removeprefix("done ") or 0), took
