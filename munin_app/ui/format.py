"""Numbers, dates and groups in plain words. Pure functions; times are Unix milliseconds."""

import re
from collections.abc import Sequence
from datetime import date, datetime, time, timedelta

from babel.dates import format_skeleton
from babel.numbers import format_percent

from munin_app.domain.events import Turn
from munin_app.domain.messages import Conversation, Role
from munin_app.i18n import _, decimal, locale, ngettext, translated
from munin_app.inference.about import AboutFile
from munin_app.inference.fit import Fit, Judgement
from munin_app.library.progress import Progress


def untitled() -> str:
    return _("New chat")


def periods() -> dict[str, str]:
    return {
        "any": _("Any time"),
        "today": _("Today"),
        "week": _("Last 7 days"),
        "month": _("Last 30 days"),
        "older": _("Over 30 days ago"),
    }


def local_date(milliseconds: int) -> date:
    return datetime.fromtimestamp(milliseconds / 1000).date()


def day(milliseconds: int, today: date) -> str:
    """ "today", "yesterday", "14 Sept", "14 Sept 2025"."""
    said = local_date(milliseconds)
    if said == today:
        return _("today")
    if said == today - timedelta(days=1):
        return _("yesterday")
    return format_skeleton("MMMd" if said.year == today.year else "yMMMd", said, locale=locale())


def bounds_of(period: str, today: date) -> tuple[int | None, int | None]:
    """From when on and before when, for one of `periods`; days begin at local midnight."""
    if period == "any":
        return None, None
    if period == "older":
        return None, _midnight(today - timedelta(days=29))
    return _midnight(today - timedelta(days={"today": 0, "week": 6, "month": 29}[period])), None


def _midnight(day_: date) -> int:
    return int(datetime.combine(day_, time()).timestamp() * 1000)


def said_by(role: Role, milliseconds: int, today: date) -> str:
    when = day(milliseconds, today)
    return _("You, {when}").format(when=when) if role is Role.USER else _("Munin, {when}").format(when=when)


def group_of(conversation: Conversation, today: date) -> str:
    if conversation.pinned:
        return _("Pinned")
    age = (today - local_date(conversation.updated_at)).days
    if age <= 0:
        return _("Today")
    if age == 1:
        return _("Yesterday")
    return _("Last week") if age <= 7 else _("Older")


def grouped(conversations: Sequence[Conversation], today: date) -> list[tuple[str, list[Conversation]]]:
    """Pinned, Today, Yesterday, Last week, Older: those that have something, each newest first."""
    names = (_("Pinned"), _("Today"), _("Yesterday"), _("Last week"), _("Older"))
    groups: dict[str, list[Conversation]] = {name: [] for name in names}
    for conversation in conversations:
        groups[group_of(conversation, today)].append(conversation)
    return [(name, items) for name, items in groups.items() if items]


def title_of(conversation: Conversation | None) -> str:
    if conversation is None:
        return untitled()
    return conversation.title or (_("Temporary chat") if conversation.temporary else untitled())


def plain_line(markdown: str, limit: int = 120) -> str:
    """The beginning of a text in one line, without Markdown's marks."""
    return " ".join(re.sub(r"[#*_`>|~]+", " ", markdown).split())[:limit]


def thought_label(milliseconds: int) -> str:
    """How long a model thought before it answered."""
    minutes, seconds = divmod(max(1, round(milliseconds / 1000)), 60)
    return (
        _("Thought for {minutes} min {seconds} s").format(minutes=minutes, seconds=seconds)
        if minutes
        else _("Thought for {seconds} s").format(seconds=seconds)
    )


def greeting(hour: int, name: str) -> str:
    if 5 <= hour < 12:
        return _("Good morning, {name}.").format(name=name) if name else _("Good morning.")
    if 12 <= hour < 18:
        return _("Good afternoon, {name}.").format(name=name) if name else _("Good afternoon.")
    return _("Good evening, {name}.").format(name=name) if name else _("Good evening.")


def counted(number: int, words: str) -> str:
    """`counted(n, ngettext("{n} fact", "{n} facts", n))`."""
    return words.format(n=grouped_number(number))


def facts_counted(number: int) -> str:
    return counted(number, ngettext("{n} fact", "{n} facts", number))


def memories_counted(number: int) -> str:
    return counted(number, ngettext("{n} memory", "{n} memories", number))


def chats_counted(number: int) -> str:
    return counted(number, ngettext("{n} chat", "{n} chats", number))


def messages_counted(number: int) -> str:
    return counted(number, ngettext("{n} message", "{n} messages", number))


def quoted(text: str) -> str:
    """In the language's own marks."""
    return _("“{text}”").format(text=text)


def tokens_counted(number: int) -> str:
    return counted(number, ngettext("{n} token", "{n} tokens", number))


def grouped_number(number: int) -> str:
    """ "4,096"; "4.096" in German."""
    return decimal(number)


def percent(share: float) -> str:
    """Of 0 to 1."""
    return format_percent(share, locale=locale())


def plain_number(number: float) -> str:
    """As one types it."""
    return str(number) if isinstance(number, int) else f"{number:g}"


def shortened(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1].rstrip() + "…"


def size(bytes_: int) -> str:
    if bytes_ >= 1_000_000_000:
        return f"{decimal(bytes_ / 1e9, 1)} GB"
    return f"{grouped_number(max(1, round(bytes_ / 1_000_000)))} MB"


def exact_size(bytes_: int) -> str:
    """Also of what is small."""
    return size(bytes_) if bytes_ >= 1_000_000 else f"{grouped_number(max(1, round(bytes_ / 1000)))} kB"


_NAMED_LANGUAGES = 4


def languages(codes: Sequence[str]) -> str:
    """ "English, German", "English, Chinese, Spanish and 8 more"; a code that is not known stands for itself."""
    names = [locale().languages.get(code, code) for code in codes]
    if len(names) <= _NAMED_LANGUAGES:
        return ", ".join(names)
    named = names[: _NAMED_LANGUAGES - 1]
    return _("{languages} and {number} more").format(languages=", ".join(named), number=len(names) - len(named))


def fit_reason(judgement: Judgement) -> str:
    """Why a model runs well, is tight or too big, in one sentence."""
    free = size(judgement.free_bytes) if judgement.free_bytes is not None else ""
    needed = size(judgement.needed_bytes)
    if not judgement.context_tokens:  # an encoder has none
        if free:
            return _("Takes an estimated {size} of memory beside the model; about {free} are free.").format(
                size=needed, free=free
            )
        return _("Takes an estimated {size} of memory beside the model.").format(size=needed)
    needed = (_("an estimated {size}") if judgement.estimated else _("about {size}")).format(size=needed)
    context = _("{number} tokens of context").format(number=grouped_number(judgement.context_tokens))
    if not free:
        return _("Needs {needed} of memory with {context}.").format(needed=needed, context=context)
    if judgement.fit is Fit.TOO_BIG:
        return _("Needs {needed} of memory with {context}; about {free} are free.").format(
            needed=needed, context=context, free=free
        )
    if judgement.estimated:
        context = _("at least {context}").format(context=context)
    if judgement.fit is Fit.WELL:
        return _("Takes {needed} of memory, with {context}.").format(needed=needed, context=context)
    return _("Takes {needed} of the {free} of memory that are free, with {context}.").format(
        needed=needed, free=free, context=context
    )


def parameter_count(about: AboutFile) -> str:
    """ "135 million", "3.2 billion"; as its maker puts it where it cannot be counted; empty where neither is known."""
    if about.size_label:
        return about.size_label
    if about.parameters >= 1e9:
        return _("{number} billion").format(number=decimal(about.parameters / 1e9, 1))
    if about.parameters >= 1e6:
        return _("{number} million").format(number=decimal(about.parameters / 1e6))
    return grouped_number(about.parameters)


def template_sentence(about: AboutFile) -> str:
    if about.own_template:
        return _("In the file")
    if about.fitting_template:
        return _("None in the file; that of {fitting_template} fits its vocabulary").format(
            fitting_template=about.fitting_template
        )
    return _("None in the file, and no known one fits: a base model, most likely")


def time_left(seconds: float | None) -> str:
    """ "about 40 s left", "about 3 min left", "about 1.5 h left"; empty when it is not known."""
    if seconds is None:
        return ""
    if seconds < 60:
        return _("about {number} s left").format(number=max(1, round(seconds)))
    if seconds < 3600:
        return _("about {number} min left").format(number=round(seconds / 60))
    return _("about {number} h left").format(number=decimal(seconds / 3600, 1))


def arrived(progress: Progress) -> str:
    """ "1.42 of 2.49 GB", in the unit of the whole."""
    total = progress.total_bytes
    if not total:
        return size(progress.received_bytes)
    unit, name, digits = (1e9, "GB", 2) if total >= 1e9 else (1e6, "MB", 0)
    return _("{done} of {total} {unit}").format(
        done=decimal(progress.received_bytes / unit, digits), total=decimal(total / unit, digits), unit=name
    )


def speed(bytes_per_second: float) -> str:
    """Empty when it is not known."""
    return f"{decimal(bytes_per_second / 1e6, 1)} MB/s" if bytes_per_second else ""


def figures(turn: Turn) -> list[str]:
    """Speed, what was read, how full the context is, and why more was read than the new words. Nothing where nothing was."""
    usage, lines = turn.usage, []
    if usage.generated:
        written = _("Written: {tokens} at {speed} a second").format(
            tokens=tokens_counted(usage.generated), speed=decimal(usage.tokens_per_second)
        )
        if turn.timings.first_token:
            seconds = decimal(turn.timings.first_token / 1000, 1)
            written = _("{written}, the first after {seconds} s").format(written=written, seconds=seconds)
        lines.append(written)
    if usage.evaluated or usage.reused:
        lines.append(
            _("Read: {tokens}; {reused} were known already").format(
                tokens=tokens_counted(usage.evaluated), reused=grouped_number(usage.reused)
            )
        )
    if usage.context_size:
        lines.append(
            _("Context: {used} of {size} tokens ({share})").format(
                used=grouped_number(usage.context_used),
                size=grouped_number(usage.context_size),
                share=percent(usage.context_used / usage.context_size),
            )
        )
    return [*lines, translated(turn.prompt_reset)] if turn.prompt_reset else lines


def used_label(facts: int, snippets: int) -> str:
    """What the chip under a reply says; empty when nothing was used."""
    parts = [facts_counted(facts)] if facts else []
    if snippets:
        parts.append(memories_counted(snippets))
    return _("Used {things}").format(things=" · ".join(parts)) if parts else ""


def heading(attribute: str) -> str:
    """What a fact's attribute stands under."""
    headings = {
        "name": _("You"),
        "age": _("You"),
        "birthday": _("You"),
        "origin": _("You"),
        "location": _("Home"),
        "job": _("Work"),
        "employer": _("Work"),
        "relationship": _("People"),
        "preference": _("Likes"),
        "diet": _("Food"),
        "language": _("Language"),
        "project": _("Projects"),
        "goal": _("Goals"),
        "note": _("Notes"),
    }
    return headings.get(attribute, attribute.capitalize() or headings["note"])
