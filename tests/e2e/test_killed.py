"""kill -9 while a real model answers and facts are learned: nothing that was said, finished or learned is lost."""

import random
from pathlib import Path

import pytest

from munin_app.chat.schema import MIGRATIONS
from munin_app.config import Settings, save_settings
from munin_app.memory.schema import MIGRATIONS as MEMORY_MIGRATIONS
from munin_app.profile.store import ProfileStore
from munin_app.storage.database import Database
from tests.e2e.killing import SHARE, killed
from tests.e2e.terminal import environment

pytestmark = [pytest.mark.model, pytest.mark.slow]

TALKER = Path(__file__).parent / "talker.py"


class Told:
    """What the killed processes acknowledged."""

    def __init__(self) -> None:
        self.said: dict[str, str] = {}
        self.finished: set[str] = set()
        self.learned: set[str] = set()

    def hear(self, line: str) -> None:
        kind, _, rest = line.partition(" ")
        if kind == "said":
            identity, _, text = rest.partition(" ")
            self.said[identity] = text
        elif kind == "finished":
            self.finished.add(rest)
        elif kind == "learned":
            self.learned.add(rest)


async def test_killed_while_chatting_and_learning_it_loses_nothing_that_it_acknowledged(home: Path) -> None:
    moments, told = random.Random(7), Told()
    home.mkdir()
    save_settings(home / "settings.json", Settings(max_reply_tokens=16, threads=1))
    for run in range(1, SHARE + 1):
        for line in killed(TALKER, run, moments=moments, lines=range(1, 41), environment=environment(home)):
            told.hear(line)
        database = await _sound(home / "munin.db", MIGRATIONS)
        kept = await database.read(lambda connection: dict(connection.execute("SELECT id, text FROM message").fetchall()))
        states = await database.read(lambda connection: dict(connection.execute("SELECT id, status FROM message").fetchall()))
        await database.close()
        assert told.said.items() <= kept.items()
        assert all(states[reply] == "completed" for reply in told.finished)
        if (home / "munin_memory.db").exists():
            await (await _sound(home / "munin_memory.db", MEMORY_MIGRATIONS)).close()
        profile, set_aside = ProfileStore(home / "profile.json").read()
        assert set_aside is None
        assert told.learned <= {fact.text for fact in profile.facts}
    assert told.said and told.finished and told.learned


async def _sound(path: Path, migrations: tuple[object, ...]) -> Database:
    database = Database(path, migrations)  # type: ignore[arg-type]
    await database.open()
    assert await database.read(lambda connection: connection.pragma("integrity_check")) == "ok"
    return database
