"""Words for dates, groups and counts."""

from datetime import date, datetime, timedelta

from munin_app.domain.messages import Conversation, Role
from munin_app.ui.format import PERIODS, bounds_of, counted, day, greeting, grouped, plain_line, said_by, size, used_label

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
    assert [day(at(days), TODAY) for days in (0, 1, 76, 400)] == ["today", "yesterday", "14 Sep", "25 Oct 2025"]
    assert said_by(Role.ASSISTANT, at(0), TODAY) == "Munin, today"


def test_periods_of_the_memory_page_meet_at_midnight_and_leave_no_gap() -> None:
    inside = {name: [days for days in range(60) if _within(at(days), *bounds_of(name, TODAY))] for name in PERIODS}
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
    assert counted(1, "fact") == "1 fact" and counted(4096, "token") == "4\u00a0096 tokens"
    assert size(98_000_000) == "98 MB" and size(2_490_000_000) == "2.5 GB"
    assert plain_line("## A **bold**\nline") == "A bold line"
