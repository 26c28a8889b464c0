"""kill -9 while facts are learned, edited and wiped: nothing acknowledged is lost, nothing that was forgotten is back."""

import random
from pathlib import Path

import pytest

from munin_app.domain.facts import FactStatus
from munin_app.profile.store import ProfileStore
from tests.e2e.killing import SHARE, killed

FORGETTER = Path(__file__).parent / "forgetter.py"

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
    for run in range(1, SHARE + 1):
        for line in killed(FORGETTER, path, run, moments=moments, lines=range(1, 41)):
            told.hear(line)
        profile, set_aside = ProfileStore(path).read()
        assert set_aside is None
        told.found({fact.text for fact in profile.facts if fact.status is FactStatus.ACTIVE})
        content = path.read_text() if path.exists() else ""
        assert not [text for text in told.gone if f'"{text}"' in content]
    assert told.gone
