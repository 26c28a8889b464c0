"""Rules for who the speaker is: name, age, birthday, location, origin, languages. English."""

import re

from munin_app.profile.findings import Description
from munin_app.profile.patterns import CAPITALISED_NAME, DATE, END, FAMILY, FULL_NAME, I_AM, MONTH_AND_YEAR, PETS, WE, WE_ARE
from munin_app.profile.rule import Rule, rule, said
from munin_app.profile.values import place, third_person, tidy
from munin_app.profile.vocabulary import LANGUAGES, NATIONALITIES, NO_NAME, OCCUPATIONS

_PERSON = OCCUPATIONS | {"man", "woman", "guy", "girl", "boy", "person", "mother", "father", "mom", "mum", "dad", "native"}
_STATE_ENDING = re.compile(r"(?i)\w{3,}(?:ful|less|ous|able|ible|ing|ly|ish)$")
_TAIL_OF_LANGUAGES = re.compile(
    r"\s+(?:at|with|to|for|in|as my|from|on|but|very|fluently|well|every|now|because|since|so|these|right)\b"
)
_DEGREE = re.compile(r"(?i)^(?:fluent|some|a little|a bit of|a little bit of|basic|broken|good|native|both|a lot of)\s+")


def _stated_name(match: re.Match[str]) -> Description | None:
    """After "my name is": a lowercase word counts too unless it is an ordinary one."""
    value = tidy(match["value"])
    first = value.split()[0] if value else ""
    if first[:1].islower() and (first in NO_NAME or first.endswith(("ing", "ed", "ly"))):
        return None
    name = " ".join(
        word if any(map(str.isupper, word)) or " " in value else word[:1].upper() + word[1:] for word in value.split()
    )
    return Description(f"Name is {name}", "name", name) if name else None


def _bare_name(match: re.Match[str]) -> Description | None:
    """After "I'm": capitals only, and no word that says how or what somebody is."""
    words = match["value"].split()
    ordinary = any(part in NO_NAME for part in match["value"].lower().replace("-", " ").split())
    shouted = any(word.isupper() and len(word) > 1 for word in words)
    return None if ordinary or shouted or _STATE_ENDING.match(words[0]) else _stated_name(match)


def _called(match: re.Match[str]) -> Description | None:
    value = tidy(match["value"])
    ordinary = not value[:1].isupper() or value.split()[0].lower() in NO_NAME
    return None if ordinary else Description(f"Likes to be called {value}", "name", value)


def _age(match: re.Match[str]) -> Description | None:
    value = match["value"].lower()
    plausible = not value.isdigit() or 3 <= int(value) <= 120
    return Description(f"Is {value} years old", "age", value) if plausible else None


def _nationality(match: re.Match[str]) -> Description | None:
    value = match["value"].capitalize()
    return Description(f"Is {value}", "origin", value) if value.lower() in NATIONALITIES else None


def _person_from(match: re.Match[str]) -> Description | None:
    value = place(match["value"])
    known = value and match["person"].lower() in _PERSON
    return Description(f"Is from {value}", "origin", value) if known and value else None


def _languages(value: str) -> str | None:
    """ "fluent norwegian and english" is "Norwegian and English"; None when one of them is no language."""
    parts = re.split(r"(?i)\s*(?:,|/|&|\band\b|\bas well as\b|\bplus\b)\s*", _TAIL_OF_LANGUAGES.split(value)[0])
    names = [_DEGREE.sub("", part).strip(" .!") for part in parts if part.strip(" .!")]
    if not names or not all(name.lower() in LANGUAGES for name in names):
        return None
    names = [name if name in ("ASL", "BSL") else name.capitalize() for name in names]
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))


def _home(match: re.Match[str]) -> Description | None:
    value = third_person(match["value"])
    return Description(f"Lives {value}", "note", value)


RULES: tuple[Rule, ...] = (
    rule(
        "name",
        rf"(?i:my (?:full |first |real |given )?name(?:'s| is)(?: actually| really)?)\s+(?P<value>{FULL_NAME}){END}",
        _stated_name,
        cased=True,
    ),
    rule(
        "called",
        r"(?i:(?:please |just )?call me|my nickname(?:'s| is)|my friends call me|every(?:one|body) calls me|i go by"
        r"|(?:i'm|i am) called)\s+"
        rf"(?P<value>{FULL_NAME}){END}",
        _called,
        cased=True,
    ),
    rule("name", rf"(?i:{I_AM})(?P<value>{CAPITALISED_NAME}){END}", _bare_name, cased=True),
    rule(
        "age",
        rf"{I_AM}(?:about |turning |an? )?(?P<value>\d{{1,3}}|[a-z]+ty(?:-[a-z]+)?|[a-z]+teen|eleven|twelve|ten)"
        r"(?:[ -]?(?:years?|yrs?)[ -]old|\s?y/?o\b| years of age)",
        _age,
    ),
    rule("age", rf"(?:{I_AM}|my age is |i (?:just |recently )?turned )(?P<value>\d{{1,3}}){END}", _age),
    rule(
        "birthday",
        rf"(?:my birthday(?:'s| is)(?: on)?|{WE}was born on)\s+(?:the )?(?P<value>{DATE})",
        said("birthday", "Birthday is {}"),
    ),
    rule("birthday", rf"{WE}was born in (?P<value>{MONTH_AND_YEAR})", said("birthday", "Was born in {}")),
    rule(
        "location",
        rf"(?:{WE}(?:live|reside|am based)|{WE_ARE}(?:living|based|residing|located|settled))\s+(?:\w+ly |now )?in (?P<value>.+)",
        said("location", "Lives in {}", place),
    ),
    rule(
        "location",
        r"(?:i've|i have|we've|we have) (?:lived|been living|been based) in (?P<value>.+?)(?= (?:for|since|all my life)\b)",
        said("location", "Lives in {}", place),
    ),
    rule(
        "location",
        rf"{WE}live\s+(?:near|close to|just outside(?: of)?|outside(?: of)?) (?P<value>.+)",
        said("location", "Lives near {}", place),
    ),
    rule(
        "location",
        rf"(?:{WE}|i've |i have |we've |we have )(?:just |recently )?(?:moved|relocated) (?:back |over "
        rf"|from [\w ]+? )?to (?P<value>.+)",
        said("location", "Lives in {}", place),
    ),
    rule(
        "home",
        rf"{WE}live (?P<value>(?:alone|on a farm|on a boat|on an island|with my (?:{FAMILY}|parents|family|grandparents"
        rf"|{PETS})s?)){END}",
        _home,
    ),
    rule("origin", rf"(?:{WE_ARE}|{WE}come )(?:originally )?from (?P<value>.+)", said("origin", "Is from {}", place)),
    rule("origin", rf"{I_AM}an? [\w -]{{0,40}}?(?P<person>[\w-]+) from (?P<value>.+)", _person_from),
    rule("origin", rf"{WE}(?:was|were) born (?:and raised )?in (?P<value>.+)", said("origin", "Was born in {}", place)),
    rule("origin", rf"{WE}(?:grew up|was raised) in (?P<value>.+)", said("origin", "Grew up in {}", place)),
    rule("origin", r"my home ?town(?:'s| is) (?P<value>.+)", said("origin", "Is from {}", place)),
    rule("origin", rf"{I_AM}(?P<value>[a-z]+){END}", _nationality),
    rule("language", rf"{WE}(?:can )?speak (?P<value>.+)", said("language", "Speaks {}", _languages)),
    rule("language", rf"{I_AM}(?:fluent|bilingual) in (?P<value>.+)", said("language", "Speaks {}", _languages)),
    rule(
        "language",
        r"i (?:don't|do not|can't|cannot) speak (?:any )?(?P<value>.+)",
        said("language", "Does not speak {}", _languages),
    ),
    rule(
        "language",
        rf"(?:{WE_ARE}(?:learning|studying)|i've been learning|{WE}study) (?:to speak )?(?P<value>.+)",
        said("language", "Is learning {}", _languages),
    ),
    rule(
        "language",
        r"my (?:native|first|mother) (?:language|tongue)(?: is|'s) (?P<value>.+)",
        said("language", "Native language is {}", _languages),
    ),
    rule("language", rf"{I_AM}an? native (?P<value>[a-z]+) speaker", said("language", "Native language is {}", _languages)),
)
