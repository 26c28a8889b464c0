"""Rules for what the speaker likes, eats, works on and wants. English."""

import re

from munin_app.profile.findings import Description
from munin_app.profile.patterns import END, I_NOT, WE, WE_ARE
from munin_app.profile.rule import Rule, rule, said
from munin_app.profile.values import lasting, liking, third_person, tidy
from munin_app.profile.vocabulary import LANGUAGES

_THIRD = {
    "can't stand": "Cannot stand", "cannot stand": "Cannot stand", "can not stand": "Cannot stand", "can't bear": "Cannot bear",
    "can't tolerate": "Cannot tolerate", "refuse": "Refuses", "avoid": "Avoids", "enjoy": "Enjoys", "despise": "Despises",
}  # fmt: skip
_DIETS = (
    r"(?:vegetarian|vegan|pescatarian|pescetarian|flexitarian|lactose[ -]intolerant|gluten[ -]intolerant|gluten[ -]free"
    r"|coeliac|celiac"
    r"|diabetic|teetotal|a teetotaller|on a [\w-]+(?: [\w-]+)? diet)"
)
_CONDITIONS = (
    r"(?:asthma|diabetes|type [12] diabetes|epilepsy|adhd|dyslexia|autism|arthritis|migraines|chronic migraines"
    r"|high blood pressure"
    r"|coeliac disease|celiac disease|ibs|crohn's disease|tinnitus|colou?r blindness|insomnia|anxiety|depression)"
)
_OPTIONAL = r"(?:really |particularly |even |much )?"
_TRANSIENT_WORK = re.compile(
    r"(?i)\b(?:error|bug|issue|problem|ticket|task|exercise|question|function|script|query|file|email|e-mail"
    r"|spreadsheet|code|part|section"
    r"|thing|stuff|something|answer|reply|homework|assignment|report|presentation|slides?|deadline)s?$"
)
_LASTING_WISHES = (
    r"(?:learn|become|run (?:a|my|for)|lose|quit|stop|start (?:a|my|an)|open (?:a|my)|move to|write (?:a|my) (?:book"
    r"|novel|memoir|thesis)|get (?:fit|better|into"
    r"|in shape|healthier|promoted|married|a (?:dog|cat|degree|promotion))|improve my|save|master|retire|own|build (?:a"
    r"|my)|travel|visit|climb|sail|live in"
    r"|be (?:a|an|more)|publish|finish my|graduate|study|work (?:as|in|for)|adopt|eat (?:less|more|healthier)|exercise"
    r"|read more|buy a (?:house|home|boat))\b"
)


def _liking(match: re.Match[str]) -> Description | None:
    value = liking(match["value"])
    if not value:
        return None
    verb = match["verb"].lower()
    return Description(f"{_THIRD.get(verb, verb.capitalize() + 's')} {value}", "preference", value)


def _not_liking(match: re.Match[str]) -> Description | None:
    value = liking(match["value"])
    return Description(f"Does not {match['verb'].lower()} {value}", "preference", value) if value else None


def _favourite(match: re.Match[str]) -> Description | None:
    kind, value = match["kind"].lower(), tidy(match["value"])
    vague = not value or value.split()[0].lower() in {
        "when",
        "that",
        "this",
        "the",
        "probably",
        "not",
        "how",
        "what",
        "it",
        "those",
        "these",
    }
    if kind.split()[0] in {"part", "thing", "bit", "one", "of", "answer"} or (
        vague and not (value[:4].lower() == "the " and value[4:5].isupper())
    ):
        return None
    spelling = match["favourite"].lower()
    return Description(f"{spelling.capitalize()} {kind} is {third_person(value)}", "preference", third_person(value))


def _food(value: str) -> str | None:
    value = tidy(value)
    first = value.split()[0].lower() if value else ""
    refused = {
        "it",
        "that",
        "this",
        "these",
        "those",
        "them",
        "there",
        "here",
        "much",
        "until",
        "before",
        "after",
        "when",
        "at",
        "out",
        "in",
        "on",
        "the",
        "enough",
        "well",
        "with",
        "for",
        "like",
    }
    return None if not value or first in refused or len(value.split()) > 8 else lasting(value)


def _diet_not(match: re.Match[str]) -> Description | None:
    value = _food(match["value"])
    if not value:
        return None
    negation = (
        "Cannot"
        if re.search(r"(?i)\bcan(?:'t|not| not)\b", match.group())
        else "Never"
        if "never" in match.group().lower()
        else "Does not"
    )
    verb = match["verb"].lower() + ("s" if negation == "Never" else "")
    return Description(f"{negation} {verb} {value}", "diet", value)


def _plain(match: re.Match[str]) -> Description:
    value = re.sub(r"(?i)^an? (?=vegetarian|vegan|pesc|flex|diab)", "", match["value"].lower())
    return Description(f"Is {value}", "diet", value)


def _project(match: re.Match[str]) -> Description | None:
    value = lasting(match["value"])
    head = re.split(r"(?i)\s+(?:about|for|on|in|with|that|of|at|to)\b", value)[0] if value else ""
    if not value or _TRANSIENT_WORK.search(head):
        return None
    return Description(f"Is {match['verb'].lower()} {value}", "project", value)


def _goal(match: re.Match[str]) -> Description | None:
    value = lasting(match["value"])
    if not value or re.search(r"(?i)\b(?:more about|how (?:to fix|this|that))\b|^learn (?:about|more|what|why|if)\b", value):
        return None
    return Description(f"Wants to {value}", "goal", value)


def _learning(match: re.Match[str]) -> Description | None:
    """Languages are the language rule's."""
    value = lasting(match["value"])
    first = value.split()[0].lower() if value else ""
    if not value or first in LANGUAGES | {"a", "about", "from", "more", "the", "new", "that"}:
        return None
    return Description(f"Is learning {value}", "goal", value)


RULES: tuple[Rule, ...] = (
    rule("diet", rf"{WE_ARE}(?P<value>(?:an? )?(?:strict |lifelong )?{_DIETS}){END}", _plain),
    rule("diet", rf"{WE_ARE}(?:severely |deathly |highly )?allergic to (?P<value>.+)", said("diet", "Is allergic to {}", _food)),
    rule(
        "diet",
        rf"(?:i have|i've got|i suffer from) (?P<value>an? (?:severe |bad )?[\w-]+(?: [\w-]+)? allergy){END}",
        said("diet", "Has {}"),
    ),
    rule("diet", rf"{I_NOT}(?P<verb>eat|drink|consume) (?P<value>.+)", _diet_not),
    rule("diet", rf"(?:i|we) (?:don't|do not|never) (?P<value>drink|smoke){END}", said("diet", "Does not {}")),
    rule(
        "diet",
        rf"{WE}(?:eat|keep) (?P<value>halal|kosher|vegan|vegetarian|gluten-free|gluten free){END}",
        said("diet", "Eats {}"),
    ),
    rule("health", rf"(?:i have|i've got|i suffer from) (?P<value>{_CONDITIONS}){END}", said("note", "Has {}")),
    rule(
        "favourite",
        r"my (?:all-time |absolute )?(?P<favourite>favou?rite) (?P<kind>[\w' -]+?)(?:'s| is| are) (?P<value>.+)",
        _favourite,
    ),
    rule("diet", r"(?:i|we) only eat (?P<value>.+)", said("diet", "Only eats {}", _food)),
    rule("dislikes", rf"{WE}refuse to (?P<value>.+)", said("preference", "Refuses to {}", lasting)),
    rule(
        "likes",
        rf"{WE}(?P<verb>love|like|enjoy|adore|hate|dislike|prefer|detest|loathe|despise|avoid|can't stand|cannot stand"
        rf"|can not stand|can't bear"
        r"|can't tolerate) (?P<value>.+)",
        _liking,
    ),
    rule("dislikes", rf"{WE}(?:don't|do not|never|didn't) {_OPTIONAL}(?P<verb>like|enjoy|love|want) (?P<value>.+)", _not_liking),
    rule(
        "likes",
        rf"{WE_ARE}(?:a (?:big |huge |great |massive )?fan of|into|fond of|passionate about|crazy about"
        rf"|obsessed with) (?P<value>.+)",
        said("preference", "Likes {}", liking),
    ),
    rule(
        "dislikes",
        rf"{WE_ARE}not (?:(?:really |much of )?(?:a (?:big |huge )?fan of|into|fond of)) (?P<value>.+)",
        said("preference", "Does not like {}", liking),
    ),
    rule(
        "dislikes",
        r"i have an? (?P<value>(?:strong |deep |real )?(?:aversion to|dislike (?:of|for)|distaste for) .+)",
        said("preference", "Has a {}", liking),
    ),
    rule("project", rf"{WE_ARE}(?P<verb>working on) (?P<value>(?:my|our|an?) .+)", _project),
    rule(
        "project",
        rf"{WE_ARE}(?P<verb>writing|building|renovating|restoring|developing|making|recording|running) "
        r"(?P<value>(?:my|our|an?) (?:[\w'-]+ ){0,3}?(?:book|novel|memoir|thesis|dissertation|phd|house|home|boat|cabin"
        r"|game|app|business|startup|album|film"
        r"|documentary|podcast|blog|car|kitchen|garden|robot|opera|symphony|company|website|church|farm)\b.*)",
        _project,
    ),
    rule("project", rf"{WE_ARE}(?P<verb>training for|saving (?:up )?for|preparing for) (?P<value>.+)", _project),
    rule("goal", rf"{WE_ARE}learning (?P<value>.+)", _learning),
    rule(
        "goal",
        rf"(?:{WE}(?:want|hope|plan|aim|intend|would like|would love)|i'd (?:like|love|really like|really love)"
        rf"|{WE_ARE}(?:hoping|planning|trying)) to"
        rf" (?P<value>{_LASTING_WISHES}.*)",
        _goal,
    ),
    rule(
        "goal",
        r"my (?:goal|dream|ambition|aim|life goal|new year's resolution)(?: in life| this year)?(?: is|'s) to (?P<value>.+)",
        _goal,
    ),
    rule("goal", r"(?:i've always wanted|i have always wanted) to (?P<value>.+)", _goal),
)
