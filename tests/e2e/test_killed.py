"""kill -9 while a reply streams, twenty times at random moments: nothing that was finished is lost."""

import random
import subprocess
import sys
from pathlib import Path

import pytest

from munin_app.chat.schema import MIGRATIONS
from munin_app.storage.database import Database
from tests.e2e.terminal import environment

pytestmark = pytest.mark.model

TALKER = Path(__file__).parent / "talker.py"


async def test_killed_twenty_times_while_streaming_loses_nothing_that_was_said(home: Path) -> None:
    moments = random.Random(7)
    said: dict[str, str] = {}
    finished: set[str] = set()
    for _ in range(20):
        new_said, new_finished = _talk_and_kill(home, events=moments.randint(1, 60))
        said |= new_said
        finished |= new_finished
        database = Database(home / "munin.db", MIGRATIONS)
        await database.open()
        assert await database.read(lambda connection: connection.pragma("integrity_check")) == "ok"
        kept = await database.read(lambda connection: dict(connection.execute("SELECT id, text FROM message").fetchall()))
        states = await database.read(lambda connection: dict(connection.execute("SELECT id, status FROM message").fetchall()))
        await database.close()
        assert said.items() <= kept.items()
        assert all(states[reply] == "completed" for reply in finished)
    assert len(said) >= 20 and finished


def _talk_and_kill(home: Path, *, events: int) -> tuple[dict[str, str], set[str]]:
    """Kills the talker after that many events of streaming; what it had acknowledged by then."""
    said: dict[str, str] = {}
    finished: set[str] = set()
    with subprocess.Popen([sys.executable, TALKER], env=environment(home), stdout=subprocess.PIPE, text=True) as talker:
        assert talker.stdout
        for line in talker.stdout:
            kind, _, rest = line.rstrip("\n").partition(" ")
            if kind == "said":
                identity, _, text = rest.partition(" ")
                said[identity] = text
            elif kind == "finished":
                finished.add(rest)
            elif kind == "delta":
                events -= 1
            if events <= 0:
                talker.kill()
                break
        talker.wait()
    assert said
    return said, finished
