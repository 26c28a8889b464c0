"""Numbers, dates and groups in plain words. Pure functions; times are Unix milliseconds."""

import re
from collections.abc import Sequence
from datetime import date, datetime, time, timedelta

from munin_app.domain.events import Turn
from munin_app.domain.messages import Conversation, Role
from munin_app.inference.about import AboutFile
from munin_app.inference.fit import Fit, Judgement
from munin_app.library.progress import Progress

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


def plain_number(number: float) -> str:
    """As one types it."""
    return str(number) if isinstance(number, int) else f"{number:g}"


def shortened(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1].rstrip() + "…"


def size(bytes_: int) -> str:
    if bytes_ >= 1_000_000_000:
        return f"{bytes_ / 1_000_000_000:.1f} GB"
    return f"{max(1, round(bytes_ / 1_000_000))} MB"


def exact_size(bytes_: int) -> str:
    """Also of what is small."""
    return size(bytes_) if bytes_ >= 1_000_000 else f"{max(1, round(bytes_ / 1000))} kB"


LANGUAGES = {
    "ar": "Arabic",
    "de": "German",
    "en": "English",
    "es": "Spanish",
    "fr": "French",
    "hi": "Hindi",
    "it": "Italian",
    "ja": "Japanese",
    "ko": "Korean",
    "nl": "Dutch",
    "pt": "Portuguese",
    "ru": "Russian",
    "th": "Thai",
    "zh": "Chinese",
}
_NAMED_LANGUAGES = 4


def languages(codes: Sequence[str]) -> str:
    """ "English, German", "English, Chinese, Spanish and 8 more"; a code that is not known stands for itself."""
    names = [LANGUAGES.get(code, code) for code in codes]
    if len(names) <= _NAMED_LANGUAGES:
        return ", ".join(names)
    named = names[: _NAMED_LANGUAGES - 1]
    return f"{', '.join(named)} and {len(names) - len(named)} more"


def fit_reason(judgement: Judgement) -> str:
    """Why a model runs well, is tight or too big, in one sentence."""
    if not judgement.context_tokens:  # an encoder has none
        free = f"; about {size(judgement.free_bytes)} are free" if judgement.free_bytes is not None else ""
        return f"Takes an estimated {size(judgement.needed_bytes)} of memory beside the model{free}."
    least = "at least " if judgement.estimated else ""
    context = f"{grouped_number(judgement.context_tokens)} tokens of context"
    needed = f"{'an estimated' if judgement.estimated else 'about'} {size(judgement.needed_bytes)}"
    if judgement.free_bytes is None:
        return f"Needs {needed} of memory with {context}."
    free = size(judgement.free_bytes)
    if judgement.fit is Fit.TOO_BIG:
        return f"Needs {needed} of memory with {context}; about {free} are free."
    of_free = "of memory" if judgement.fit is Fit.WELL else f"of the {free} of memory that are free"
    return f"Takes {needed} {of_free}, with {least}{context}."


def parameter_count(about: AboutFile) -> str:
    """ "135 million", "3.2 billion"; as its maker puts it where it cannot be counted; empty where neither is known."""
    if about.size_label:
        return about.size_label
    if about.parameters >= 1e9:
        return f"{about.parameters / 1e9:.1f} billion"
    return f"{about.parameters / 1e6:.0f} million" if about.parameters >= 1e6 else f"{about.parameters:,}"


def template_sentence(about: AboutFile) -> str:
    if about.own_template:
        return "In the file"
    if about.fitting_template:
        return f"None in the file; that of {about.fitting_template} fits its vocabulary"
    return "None in the file, and no known one fits: a base model, most likely"


def time_left(seconds: float | None) -> str:
    """ "about 40 s left", "about 3 min left", "about 1.5 h left"; empty when it is not known."""
    if seconds is None:
        return ""
    if seconds < 60:
        return f"about {max(1, round(seconds))} s left"
    return f"about {round(seconds / 60)} min left" if seconds < 3600 else f"about {seconds / 3600:.1f} h left"


def arrived(progress: Progress) -> str:
    """ "1.42 of 2.49 GB", in the unit of the whole."""
    total = progress.total_bytes
    if not total:
        return size(progress.received_bytes)
    unit, name, digits = (1e9, "GB", 2) if total >= 1e9 else (1e6, "MB", 0)
    return f"{progress.received_bytes / unit:.{digits}f} of {total / unit:.{digits}f} {name}"


def speed(bytes_per_second: float) -> str:
    """Empty when it is not known."""
    return f"{bytes_per_second / 1e6:.1f} MB/s" if bytes_per_second else ""


def figures(turn: Turn) -> list[str]:
    """Speed, what was read, how full the context is, and why more was read than the new words. Nothing where nothing was."""
    usage, lines = turn.usage, []
    if usage.generated:
        first = f", the first after {turn.timings.first_token / 1000:.1f} s" if turn.timings.first_token else ""
        lines.append(f"Written: {counted(usage.generated, 'token')} at {usage.tokens_per_second:.0f} a second{first}")
    if usage.evaluated or usage.reused:
        lines.append(f"Read: {counted(usage.evaluated, 'token')}; {usage.reused:,} were known already")
    if usage.context_size:
        share = 100 * usage.context_used / usage.context_size
        lines.append(f"Context: {usage.context_used:,} of {usage.context_size:,} tokens ({share:.0f} %)")
    return [*lines, turn.prompt_reset] if turn.prompt_reset else lines


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
