"""Words for dates, groups and counts."""

from datetime import date, datetime, timedelta

import pytest

from munin_app.domain.messages import Conversation, Role
from munin_app.inference.fit import Fit, Judgement
from munin_app.library.progress import Progress
from munin_app.ui.format import (
    arrived,
    bounds_of,
    day,
    facts_counted,
    fit_reason,
    greeting,
    grouped,
    languages,
    periods,
    plain_line,
    said_by,
    size,
    time_left,
    tokens_counted,
    used_label,
)

TODAY = date(2026, 11, 29)


def at(days_ago: int) -> int:
    return int((datetime(2026, 11, 29, 12) - timedelta(days=days_ago)).timestamp() * 1000)


def conversation(name: str, days_ago: int, pinned: bool = False) -> Conversation:
    return Conversation(name, name, at(days_ago), at(days_ago), pinned=pinned)


def test_conversations_stand_in_groups_and_a_pinned_one_in_no_other() -> None:
    given = [conversation("a", 0), conversation("b", 1), conversation("c", 5), conversation("d", 60), conversation("e", 0, True)]
    found = [(name, [item.id for item in items]) for name, items in grouped(given, TODAY)]
    assert found == [("Pinned", ["e"]), ("Today", ["a"]), ("Yesterday", ["b"]), ("Last week", ["c"]), ("Older", ["d"])]


def test_days_are_said_as_people_say_them() -> None:
    assert [day(at(days), TODAY) for days in (0, 1, 76, 400)] == ["today", "yesterday", "14 Sept", "25 Oct 2025"]
    assert said_by(Role.ASSISTANT, at(0), TODAY) == "Munin, today"


def test_periods_of_the_memory_page_meet_at_midnight_and_leave_no_gap() -> None:
    inside = {name: [days for days in range(60) if _within(at(days), *bounds_of(name, TODAY))] for name in periods()}
    assert inside == {
        "any": [*range(60)],
        "today": [0],
        "week": [*range(7)],
        "month": [*range(30)],
        "older": [*range(30, 60)],
    }


def _within(moment: int, since: int | None, before: int | None) -> bool:
    return (since is None or moment >= since) and (before is None or moment < before)


def test_chip_counts_what_was_used() -> None:
    assert used_label(2, 1) == "Used 2 facts · 1 memory"
    assert used_label(0, 2) == "Used 2 memories"
    assert used_label(0, 0) == ""


def test_greeting_knows_the_name_and_the_hour() -> None:
    assert greeting(8, "Ada") == "Good morning, Ada."
    assert greeting(23, "") == "Good evening."


def test_numbers_have_units() -> None:
    assert facts_counted(1) == "1 fact" and tokens_counted(4096) == "4,096 tokens"
    assert size(98_000_000) == "98 MB" and size(2_490_000_000) == "2.5 GB"
    assert plain_line("## A **bold**\nline") == "A bold line"


def test_languages_are_named_and_counted() -> None:
    assert languages(["en", "de"]) == "English, German"
    assert languages(["en", "zh", "es", "xx", "fr"]) == "English, Chinese, Spanish and 2 more"


def test_progress_of_a_download_in_the_unit_of_the_whole() -> None:
    assert arrived(Progress("receiving", 1_420_000_000, 2_490_000_000)) == "1.42 of 2.49 GB"
    assert arrived(Progress("receiving", 7_000_000, 98_362_432)) == "7 of 98 MB"
    assert arrived(Progress("receiving", 7_000_000, 0)) == "7 MB"


@pytest.mark.parametrize(
    ("seconds", "said"),
    [(None, ""), (0.2, "about 1 s left"), (40, "about 40 s left"), (150, "about 2 min left"), (5400, "about 1.5 h left")],
)
def test_time_left_in_the_unit_that_people_use(seconds: float | None, said: str) -> None:
    assert time_left(seconds) == said


def test_reason_of_a_fit_says_what_it_takes_and_what_there_is() -> None:
    well = Judgement(Fit.WELL, 8192, 2_200_000_000, 7_200_000_000, estimated=True)
    assert fit_reason(well) == "Takes an estimated 2.2 GB of memory, with at least 8,192 tokens of context."
    tight = Judgement(Fit.TIGHT, 2048, 2_200_000_000, 2_300_000_000)
    assert fit_reason(tight) == "Takes about 2.2 GB of the 2.3 GB of memory that are free, with 2,048 tokens of context."
    too_big = Judgement(Fit.TOO_BIG, 2048, 9_900_000_000, 2_000_000_000)
    assert fit_reason(too_big) == "Needs about 9.9 GB of memory with 2,048 tokens of context; about 2.0 GB are free."
    assert fit_reason(Judgement(None, 2048, 9_900_000_000, None)).startswith("Needs about 9.9 GB of memory")
