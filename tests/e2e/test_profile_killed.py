"""kill -9 while facts are learned, edited and wiped: the profile opens, nothing acknowledged is lost, nothing forgotten is back.

30 times; `make soak` does it 200 times (MUNIN_KILLS).
"""

import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

from munin_app.domain.facts import FactStatus
from munin_app.profile.store import ProfileStore

FORGETTER = Path(__file__).parent / "forgetter.py"
KILLS = int(os.environ.get("MUNIN_KILLS", "30"))

pytestmark = pytest.mark.slow


class Told:
    """What the killed process acknowledged: the facts that are there, and those that may or may not be."""

    def __init__(self) -> None:
        self.there: set[str] = set()
        self.unsure: set[str] = set()
        self.gone: set[str] = set()

    def hear(self, line: str) -> None:
        if line == "done":
            self.unsure = set()
            return
        _, what, text = [*line.split(" ", 2), ""][:3]
        if what == "wipe":
            self.gone |= self.there
            self.unsure |= self.there
            self.there = set()
        elif what == "edit":
            old, new = text.split("|")
            self.there = self.there - {old} | {new}
            self.unsure = {old, new}
        elif what == "remove":
            self.there -= {text}
            self.gone.add(text)
            self.unsure = {text}
        else:
            self.there.add(text)
            self.unsure = {text}

    def found(self, active: set[str]) -> None:
        """The state after a kill is the state before the next run."""
        assert self.there - self.unsure <= active <= self.there | self.unsure
        self.gone -= active
        self.there, self.unsure = active, set()


def test_killed_at_random_moments_the_profile_keeps_what_it_acknowledged(tmp_path: Path) -> None:
    moments, told, path = random.Random(11), Told(), tmp_path / "profile.json"
    for run in range(1, KILLS + 1):
        _forget_and_kill(path, run, moments.randint(1, 40), told)
        profile, set_aside = ProfileStore(path).read()
        assert set_aside is None
        told.found({fact.text for fact in profile.facts if fact.status is FactStatus.ACTIVE})
        content = path.read_text() if path.exists() else ""
        assert not [text for text in told.gone if f'"{text}"' in content]
    assert told.gone


def _forget_and_kill(path: Path, seed: int, lines: int, told: Told) -> None:
    """Kills it after that many lines: half the time in the middle of a change."""
    with subprocess.Popen([sys.executable, FORGETTER, path, str(seed)], stdout=subprocess.PIPE, text=True) as forgetter:
        assert forgetter.stdout
        for line in forgetter.stdout:
            told.hear(line.rstrip("\n"))
            lines -= 1
            if lines <= 0:
                forgetter.kill()
        forgetter.wait()
