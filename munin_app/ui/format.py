"""Numbers, dates and groups in plain words. Pure functions; times are Unix milliseconds."""

import re
from collections.abc import Sequence
from datetime import date, datetime, time, timedelta

from munin_app.domain.messages import Conversation, Role

UNTITLED = "New chat"
PERIODS = {
    "any": "Any time",
    "today": "Today",
    "week": "Last 7 days",
    "month": "Last 30 days",
    "older": "Over 30 days ago",
}


def local_date(milliseconds: int) -> date:
    return datetime.fromtimestamp(milliseconds / 1000).date()


def day(milliseconds: int, today: date) -> str:
    """ "today", "yesterday", "14 Sep", "14 Sep 2025"."""
    said = local_date(milliseconds)
    if said == today:
        return "today"
    if said == today - timedelta(days=1):
        return "yesterday"
    return f"{said.day} {said:%b}" + ("" if said.year == today.year else f" {said.year}")


def bounds_of(period: str, today: date) -> tuple[int | None, int | None]:
    """From when on and before when, for one of PERIODS; days begin at local midnight."""
    if period == "any":
        return None, None
    if period == "older":
        return None, _midnight(today - timedelta(days=29))
    return _midnight(today - timedelta(days={"today": 0, "week": 6, "month": 29}[period])), None


def _midnight(day_: date) -> int:
    return int(datetime.combine(day_, time()).timestamp() * 1000)


def said_by(role: Role, milliseconds: int, today: date) -> str:
    return f"{'You' if role is Role.USER else 'Munin'}, {day(milliseconds, today)}"


def group_of(conversation: Conversation, today: date) -> str:
    if conversation.pinned:
        return "Pinned"
    age = (today - local_date(conversation.updated_at)).days
    if age <= 0:
        return "Today"
    if age == 1:
        return "Yesterday"
    return "Last week" if age <= 7 else "Older"


def grouped(conversations: Sequence[Conversation], today: date) -> list[tuple[str, list[Conversation]]]:
    """Pinned, Today, Yesterday, Last week, Older: those that have something, each newest first."""
    groups: dict[str, list[Conversation]] = {name: [] for name in ("Pinned", "Today", "Yesterday", "Last week", "Older")}
    for conversation in conversations:
        groups[group_of(conversation, today)].append(conversation)
    return [(name, items) for name, items in groups.items() if items]


def title_of(conversation: Conversation | None) -> str:
    if conversation is None:
        return UNTITLED
    return conversation.title or ("Temporary chat" if conversation.temporary else UNTITLED)


def plain_line(markdown: str, limit: int = 120) -> str:
    """The beginning of a text in one line, without Markdown's marks."""
    return " ".join(re.sub(r"[#*_`>|~]+", " ", markdown).split())[:limit]


def thought_label(milliseconds: int) -> str:
    """How long a model thought before it answered."""
    minutes, seconds = divmod(max(1, round(milliseconds / 1000)), 60)
    return f"Thought for {minutes} min {seconds} s" if minutes else f"Thought for {seconds} s"


def greeting(hour: int, name: str) -> str:
    part = "morning" if 5 <= hour < 12 else "afternoon" if 12 <= hour < 18 else "evening"
    return f"Good {part}, {name}." if name else f"Good {part}."


def counted(number: int, one: str, many: str | None = None) -> str:
    """ "1 fact", "2 facts"; thousands are set apart: "4 096 tokens"."""
    return f"{grouped_number(number)} {one if number == 1 else many or one + 's'}"


def grouped_number(number: int) -> str:
    return f"{number:,}".replace(",", "\u00a0")


def size(bytes_: int) -> str:
    if bytes_ >= 1_000_000_000:
        return f"{bytes_ / 1_000_000_000:.1f} GB"
    return f"{max(1, round(bytes_ / 1_000_000))} MB"


def used_label(facts: int, snippets: int) -> str:
    """What the chip under a reply says; empty when nothing was used."""
    parts = [counted(facts, "fact")] if facts else []
    if snippets:
        parts.append(counted(snippets, "memory", "memories"))
    return f"Used {' · '.join(parts)}" if parts else ""


ATTRIBUTES = {
    "name": "You",
    "age": "You",
    "birthday": "You",
    "origin": "You",
    "location": "Home",
    "job": "Work",
    "employer": "Work",
    "relationship": "People",
    "preference": "Likes",
    "diet": "Food",
    "language": "Language",
    "project": "Projects",
    "goal": "Goals",
    "note": "Notes",
}
"""Fact attribute to the heading it stands under."""


def heading(attribute: str) -> str:
    return ATTRIBUTES.get(attribute, attribute.capitalize() or "Notes")
