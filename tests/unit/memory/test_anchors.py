"""What is taken for an event that gives a time, and which row it is."""

import numpy as np
import pytest

from munin_app.memory import anchors
from munin_app.memory.times import Window
from munin_app.memory.words import WordMatches

NOW = 1_000_000
_TABLE = np.dtype([("said_at", np.int64), ("question", np.float32), ("event_start", np.int64), ("event_end", np.int64)])


def windows(text: str, word: str, *rows: tuple[int, int], hidden: int | None = None) -> tuple[Window, ...]:
    """Of rows (said at, whether a question) that all hold the word."""
    table = np.array([(at, asks, at, at + 5) for at, asks in rows], _TABLE)
    allowed = np.array([index != hidden for index in range(len(rows))])
    found = WordMatches((word,), np.ones(1, np.float32), np.ones((1, len(rows)), np.float32) * allowed)
    return anchors.windows(text, NOW, found, table, allowed)


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("Where did I live before the move?", "move"),
        ("Where did I live before I moved?", "moved"),
        ("Wo wohnte ich, bevor ich umgezogen bin?", "umgezogen"),
        ("Wo habe ich vor dem Umzug gewohnt?", "umzug"),
        ("¿Dónde vivía antes de la mudanza?", "mudanza"),
        ("Où habitais-je avant le déménagement ?", "déménagement"),
    ],
)
def test_before_an_event_ends_with_it(text: str, word: str) -> None:
    (window,) = windows(text, word, (500, 0))
    assert window.start < 0 and window.end == 500


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("What changed after the wedding?", "wedding"),
        ("What changed since I moved?", "moved"),
        ("Was war nach der Hochzeit?", "hochzeit"),
        ("¿Qué pasó después de la boda?", "boda"),
        ("Et après le mariage ?", "mariage"),
        ("Et depuis que j'ai déménagé ?", "déménagé"),
    ],
)
def test_after_an_event_begins_with_its_end(text: str, word: str) -> None:
    assert windows(text, word, (500, 0)) == (Window(505, NOW),)


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("before lunch", "lunch"),
        ("after that", "that"),
        ("before you answer", "answer"),
        ("after all", "all"),
        ("since when", "when"),
    ],
)
def test_no_event_gives_no_time(text: str, word: str) -> None:
    assert windows(text, word, (500, 0)) == ()


def test_the_earliest_statement_that_may_be_seen_is_the_event() -> None:
    assert windows("after the move", "move", (700, 0), (100, 1), (200, 0), (300, 0), hidden=2) == (Window(305, NOW),)


def test_what_many_rows_hold_or_none_is_no_event() -> None:
    assert windows("after the move", "move", *[(at, 0) for at in range(6)]) == ()
    assert windows("after the move", "move", (100, 1)) == ()
    assert windows("after the wedding", "move", (100, 0)) == ()
