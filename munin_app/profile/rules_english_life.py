"""Rules for what the speaker does and whom they belong to: job, employer, family and pets. English."""

import re

from munin_app.profile.findings import Description
from munin_app.profile.patterns import CAPITALISED_NAME, END, FAMILY, I_AM, KIN_COUNTED, OTHERS, PETS, WE, WE_ARE, WHICH_ONE
from munin_app.profile.rule import Rule, fixed, rule, said
from munin_app.profile.values import tidy
from munin_app.profile.vocabulary import BUSINESSES, LANGUAGES, NO_NAME, OCCUPATIONS, WORK_FIELDS, WORKPLACES
from munin_app.profile.words import word_set

_AFTER_JOB = re.compile(
    r"\s+(?:at|for|in|with|from|on|by|near|based|working|speciali[sz]\w+|and|or|here|that|to|living|of|when|where|right"
    r"|now|these)\b|/"
)
_AFTER_EMPLOYER = re.compile(
    r"\s+(?:as|and|with|since|where|for|from|right|every|all|on|doing|full-time|part-time|these|now|now)\b"
)
_AFTER_SUBJECT = re.compile(r"\s+(?:at|in|on|for|with|and|every|all|from|right|when|to|here|these|now|full-time|part-time|as)\b")
_NO_SUBJECT = word_set(
    "hard a an the my this that it every all better more best alone too abroad here for at in from them him her you people"
)
_NO_JOB = NO_NAME - OCCUPATIONS | {"team", "result", "whole", "rule", "kid", "child", "favour", "favor", "joke", "test"}


def _job(value: str, *, any_noun: bool = False) -> str | None:
    """The phrase up to its occupation: "34-year-old nurse at a clinic" is "nurse"."""
    words = re.sub(r"^\d+[- ]years?[- ]old\s+", "", _AFTER_JOB.split(tidy(value))[0]).split()
    if not 1 <= len(words) <= 5:
        return None
    last = words[-1].lower()
    known = last in OCCUPATIONS or last.split("-")[-1] in OCCUPATIONS
    return " ".join(words) if known or (any_noun and last not in _NO_JOB) else None


def _works_as(match: re.Match[str]) -> Description | None:
    """After "work as a": any noun; without an article only what is known as an occupation."""
    job = _job(match["value"], any_noun=match["article"].lower() in ("a ", "an "))
    return Description(f"Works as {_article(match, job)}{job}", "job", job) if job else None


def _works_as_known(match: re.Match[str]) -> Description | None:
    job = _job(match["value"])
    return Description(f"Works as {_article(match, job)}{job}", "job", job) if job else None


def _is_a(match: re.Match[str]) -> Description | None:
    job = _job(match["value"])
    return Description(f"Is {_article(match, job)}{job}", "job", job) if job else None


def _article(match: re.Match[str], job: str | None) -> str:
    article = match["article"].lower().strip()
    return "" if not article else "the " if article == "the" else "an " if job and job[0].lower() in "aeiou" else "a "


def _employer(value: str) -> str | None:
    """A name, or a kind of workplace: "Siemens", "a hospital in Bergen"; None for "home", "night"."""
    words = _AFTER_EMPLOYER.split(tidy(value))[0].split()
    head = words[1:] if words and words[0].lower() in ("a", "an", "the") else words
    if not head or len(words) > 7 or head[0].lower() in ("i", "home", "night", "christmas", "monday", "sunday"):
        return None
    return " ".join(words) if head[0][0].isupper() or any(word.lower().rstrip("s") in WORKPLACES for word in head[:3]) else None


def _employed(match: re.Match[str]) -> Description | None:
    """ "I'm an engineer at Siemens"."""
    workplace = _employer(match["value"])
    return Description(f"Works at {workplace}", "employer", workplace) if workplace and _job(match["job"]) else None


def _works_in(match: re.Match[str]) -> Description | None:
    words = tidy(match["value"]).split()
    if words and words[0].lower() in ("a", "an", "the"):
        workplace = _employer(match["value"])
        return Description(f"Works in {workplace}", "employer", workplace) if workplace and words[1].islower() else None
    field = words[0] if words else ""
    known = field.lower() in WORK_FIELDS and field not in ("it", "It")
    return Description(f"Works in {field}", "job", field) if known else None


def _subject(value: str) -> str | None:
    """What somebody studies or teaches; languages are the language rule's."""
    words = _AFTER_SUBJECT.split(tidy(value))[0].split()
    refused = not words or len(words) > 4 or words[0].lower() in _NO_SUBJECT | LANGUAGES or words[0].lower().endswith("ly")
    return None if refused else " ".join(words)


def _business(match: re.Match[str]) -> Description | None:
    words = _AFTER_SUBJECT.split(tidy(match["value"]))[0].split()
    if not 2 <= len(words) <= 6 or words[-1].lower() not in BUSINESSES:
        return None
    value = re.sub(r"(?i)^my (?:own )?", "a ", " ".join(words))
    return Description(f"{match['verb'].capitalize()}s {value}", "job", value)


def _relative(match: re.Match[str]) -> Description | None:
    """ "my wife's name is Ingrid": who they are; what they do is their own affair."""
    value = tidy(match["value"])
    if not value or value.split()[0].lower() in NO_NAME:
        return None
    who = match["who"].lower()
    return Description(f"{who[0].upper()}{who[1:]} is called {value}", "relationship", value)


def _relatives(match: re.Match[str]) -> Description | None:
    return Description(f"{match['who'].capitalize()} are called {match['value']}", "relationship", match["value"])


def _has(match: re.Match[str]) -> Description | None:
    who, name = re.sub(r"\b(?:new|big|little|small|cute|lovely|beautiful) ", "", match["who"].lower()), match["value"]
    return Description(f"Has {who} called {name}" if name else f"Has {who}", "relationship", name or who)


def _state(match: re.Match[str]) -> Description | None:
    spouse = match["spouse"] or ""
    value = match["value"].lower() + (f" to {tidy(spouse)}" if spouse[:1].isupper() else "")
    return Description(f"Is {value}", "relationship", tidy(spouse) if spouse[:1].isupper() else value)


RULES: tuple[Rule, ...] = (
    rule("job", rf"{WE}work as (?P<article>an? |the |)(?P<value>.+)", _works_as),
    rule("job", rf"{I_AM}(?:working|employed) as (?P<article>an? |the |)(?P<value>.+)", _works_as),
    rule("job", rf"{I_AM}(?P<article>an? )(?P<value>.+)", _is_a),
    rule(
        "job",
        r"my (?:job|profession|occupation|job title|day job)(?: is|'s) (?:being |to be )?(?P<article>an? |the |)(?P<value>.+)",
        _works_as_known,
    ),
    rule("job", rf"(?:{WE}study|{I_AM}studying) (?P<value>.+)", said("job", "Studies {}", _subject)),
    rule("job", rf"(?:{WE}study|{I_AM}studying) at (?P<value>.+)", said("job", "Studies at {}", _employer)),
    rule(
        "job",
        r"(?:i|i've|i have) (?:just |recently )?started (?:a new job |working )as (?P<article>an? )(?P<value>.+)",
        _works_as,
    ),
    rule("job", rf"{WE}teach (?P<value>.+)", said("job", "Teaches {}", _subject)),
    rule("job", rf"{I_AM}(?P<value>retired|unemployed|self-employed){END}", said("job", "Is {}")),
    rule("job", rf"{WE}(?P<verb>run|own|manage) (?P<value>.+)", _business),
    rule("job", rf"{WE}work in (?P<value>.+)", _works_in),
    rule("job", rf"{WE}work for myself\b", fixed("job", "Is self-employed", "self-employed")),
    rule(
        "employer",
        rf"(?:{WE}work|{WE_ARE}working|{WE_ARE}employed) (?:at|for|by|with) (?P<value>.+)",
        said("employer", "Works at {}", _employer),
    ),
    rule("employer", rf"(?:{WE}work as|{I_AM}(?:working as )?)\s*an? (?P<job>[\w -]+?) (?:at|for) (?P<value>.+)", _employed),
    rule("employer", r"my employer(?: is|'s) (?P<value>.+)", said("employer", "Works at {}", _employer)),
    rule(
        "relationship",
        rf"(?i:my (?P<who>{WHICH_ONE}(?:{FAMILY}|{PETS}|{OTHERS}))(?:'s name(?: is|'s)|'s called| is called| is named"
        rf"|'s named| name is))"
        rf" (?P<value>{CAPITALISED_NAME})",
        _relative,
        cased=True,
    ),
    rule(
        "relationship",
        rf"(?i:my (?P<who>{WHICH_ONE}(?:{FAMILY}|{PETS}))(?:,| is|'s)?) (?P<value>{CAPITALISED_NAME})"
        r"(?=\s*(?:[.,!]|$|(?i:and|is|has|loves?|likes?|lives?|works?|turns?|was)\b))",
        _relative,
        cased=True,
    ),
    rule(
        "relationship",
        rf"(?i:(?:i have|i've got|we have|we've got) (?P<who>{KIN_COUNTED}(?:(?:,| and"
        rf"|, and) {KIN_COUNTED})*))(?:(?i: called| named|, named|, called| whose name is) "
        rf"(?P<value>{CAPITALISED_NAME}))?{END}",
        _has,
        cased=True,
    ),
    rule(
        "relationship",
        rf"(?:i|we) (?:don't|do not) have (?:any )?(?P<value>kids|children|siblings|pets){END}",
        said("relationship", "Has no {}"),
    ),
    rule(
        "relationship",
        rf"(?i:my (?P<who>kids|children|sons|daughters|parents|brothers|sisters|twins|dogs|cats) are (?:called|named) )"
        rf"(?P<value>{CAPITALISED_NAME}(?:(?:, | and |, and ){CAPITALISED_NAME})*)",
        _relatives,
        cased=True,
    ),
    rule(
        "relationship", rf"{WE_ARE}(?P<value>married|engaged|divorced|widowed|single)(?: to (?P<spouse>[\w' -]+?))?{END}", _state
    ),
    rule(
        "relationship",
        rf"{I_AM}(?P<value>an? (?:single |proud |new |young |working |stay-at-home )*"
        r"(?:mother|father|mom|mum|dad|parent|grandmother|grandfather|grandma|grandpa)"
        rf"(?: (?:of|to) [\w-]+(?: kids| children| boys| girls| sons| daughters)?)?){END}",
        said("relationship", "Is {}"),
    ),
)
