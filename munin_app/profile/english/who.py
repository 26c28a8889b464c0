"""Rules for who the speaker is: name, age, birthday, location, origin, languages. English."""

import re

from munin_app.profile.english.patterns import (
    CAPITALISED_NAME,
    DATE,
    END,
    FAMILY,
    FULL_NAME,
    I_AM,
    MONTH_AND_YEAR,
    PETS,
    WE,
    WE_ARE,
)
from munin_app.profile.english.values import place, third_person, tidy
from munin_app.profile.english.vocabulary import LANGUAGES, NATIONALITIES, NO_NAME, OCCUPATIONS
from munin_app.profile.findings import Description
from munin_app.profile.rule import Rule, rule, said

_PERSON = OCCUPATIONS | {"man", "woman", "guy", "girl", "boy", "person", "mother", "father", "mom", "mum", "dad", "native"}
_OF_LANGUAGES = {
    "teacher",
    "tutor",
    "translator",
    "interpreter",
    "student",
    "professor",
    "lecturer",
    "instructor",
    "chef",
    "native",
}
_STATE_ENDING = re.compile(r"(?i)\w{3,}(?:ful|less|ous|able|ible|ing|ly|ish)$")
_TAIL_OF_LANGUAGES = re.compile(
    r"\s+(?:at|with|to|for|in|as my|from|on|but|very|fluently|well|every|now|because|since|so|these|right|pretty|decently"
    r"|natively"
    r"|badly|using|though|too|lately|again|before|by|classes|lessons|online|languages?)\b"
)
_DEGREE = re.compile(
    r"(?i)^(?:(?:also|fluent|some|a little|a bit of|a little bit of|a little bit|basic|broken|good|native|both|a lot of"
    r"|decent|bits? of"
    r"|conversational|rusty|passable|intermediate|very|how to speak|to speak|a few words of)\s+)+"
)


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
    contracted = "'" in words[0] and words[0].split("'")[0].lower() in ("i", "it", "he", "she", "what", "who", "that")
    return None if ordinary or shouted or contracted or _STATE_ENDING.match(words[0]) else _stated_name(match)


def _called(match: re.Match[str]) -> Description | None:
    value = tidy(match["value"])
    ordinary = not value[:1].isupper() or value.split()[0].lower() in NO_NAME
    return None if ordinary else Description(f"Likes to be called {value}", "name", value)


def _age(match: re.Match[str]) -> Description | None:
    value = match["value"].lower()
    plausible = not value.isdigit() or 3 <= int(value) <= 120
    return Description(f"Is {value} years old", "age", value) if plausible else None


def _turning(match: re.Match[str]) -> Description | None:
    return Description(f"Is turning {match['value']}", "age", match["value"])


def _nationality(match: re.Match[str]) -> Description | None:
    value = match["value"].capitalize()
    return Description(f"Is {value}", "origin", value) if value.lower() in NATIONALITIES else None


def _mixed(match: re.Match[str]) -> Description | None:
    """ "Mexican-American", "half Irish, half Thai"."""
    both = [re.sub(r"half[ -]", "", match[name].lower()) for name in ("value", "other")]
    value = " and ".join(name.capitalize() for name in both)
    return Description(f"Is {value}", "origin", value) if all(name in NATIONALITIES for name in both) else None


def _nationality_and_job(match: re.Match[str]) -> Description | None:
    """ "a Norwegian nurse" is Norwegian; a French teacher need not be."""
    value, person = match["value"].capitalize(), match["person"].lower()
    known = value.lower() in NATIONALITIES and person in _PERSON and person not in _OF_LANGUAGES
    return Description(f"Is {value}", "origin", value) if known else None


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
        r"(?i:(?:please |just |you can )?call me|my nickname(?:'s| is)|(?:my |most |all my )?(?:friends|people|family)(?: all"
        r"| usually)? call me"
        r"|every(?:one|body) calls me|i (?:usually |mostly |just )?go by(?: the name)?"
        r"|(?:i'm|i am) called)\s+"
        rf"(?P<value>{FULL_NAME}){END}",
        _called,
        cased=True,
    ),
    rule("name", rf"(?i:{I_AM})(?P<value>{CAPITALISED_NAME}){END}", _bare_name, cased=True),
    rule("name", rf"(?P<value>{CAPITALISED_NAME}) (?i:here)(?=\s*[.,!\x00]|$)", _bare_name, cased=True),
    rule("age", rf"(?:{I_AM}turning|i turn|i'll be|i will be turning) (?P<value>\d{{2}})(?! (?:minutes|hours|late))", _turning),
    rule(
        "age",
        rf"{I_AM}in my (?P<value>(?:early|mid|late)?[ -]?(?:teens|twenties|thirties|forties|fifties|sixties|seventies|eighties"
        r"|[2-8]0'?s))",
        said("age", "Is in their {}", tidy),
    ),
    rule(
        "age",
        rf"{I_AM}(?:about |almost |nearly |an? )?(?P<value>\d{{1,3}}|[a-z]+ty(?:-[a-z]+)?|[a-z]+teen|eleven|twelve|ten)"
        r"(?:[ -]?(?:years?|yrs?)[ -]old|\s?y/?o\b| years of age)",
        _age,
    ),
    rule(
        "age",
        rf"(?:{I_AM}(?:about |almost |nearly |only )?|my age is |i (?:just |recently )?turned )(?P<value>\d{{1,3}}){END}",
        _age,
    ),
    rule(
        "birthday",
        rf"(?:my birthday(?:'s| is)(?: on)?|{WE}was born on)\s+(?:the )?(?P<value>{DATE})",
        said("birthday", "Birthday is {}", str),
    ),
    rule("birthday", rf"{WE}was born in (?P<value>{MONTH_AND_YEAR})", said("birthday", "Was born in {}", str)),
    rule(
        "location",
        rf"(?:{WE}(?:live|liv|reside|am based|stay)|{WE_ARE}(?:living|based|residing|located|settled))\s+(?:\w+ly |now |here "
        rf"|out |up |down |over |right |back )*in (?P<value>.+)",
        said("location", "Lives in {}", place),
    ),
    rule(
        "location",
        r"(?:i've|i have|we've|we have) (?:lived|been living|been based) in (?P<value>.+?)(?= (?:for|since|all my life)\b)",
        said("location", "Lives in {}", place),
    ),
    rule(
        "location",
        rf"{WE}live\s+(?:near|next to|close to|not far from|just outside(?: of)?|outside(?: of)?) (?P<value>.+)",
        said("location", "Lives near {}", place),
    ),
    rule(
        "location",
        rf"(?:{WE}|i've |i have |we've |we have )(?:just |recently )?(?:moved|relocated) (?:back |over "
        rf"|from [\w ]+? )?to (?P<value>.+)",
        said("location", "Lives in {}", place),
    ),
    rule(
        "location",
        r"(?:(?:my )?(?:home|house|flat|apartment) is(?: in)?|i have my home in) (?P<value>[A-Za-z ]+?)(?= for me| for us| "
        r"now|$|,)",
        said("location", "Lives in {}", place),
    ),
    rule("location", r"(?:here )?in (?P<value>[\w ,]+?),? where (?:i|we) live\b", said("location", "Lives in {}", place)),
    rule("location", r"i call (?P<value>[\w ,]+?) home\b", said("location", "Lives in {}", place)),
    rule(
        "home",
        rf"{WE}live (?P<value>(?:alone|by myself|off[- ]grid|with (?:my )?(?:roommates|flatmates|housemates)|in a (?:van"
        rf"|camper|caravan|houseboat|tiny house|studio(?: apartment)?)|on a farm|on a boat|on an island|with my (?:{FAMILY}"
        rf"|parents|family|grandparents"
        rf"|{PETS})s?)){END}",
        _home,
    ),
    rule("origin", rf"(?:{WE_ARE}|{WE}come )(?:originally |actually )?from (?P<value>.+)", said("origin", "Is from {}", place)),
    rule("origin", rf"{I_AM}an? [\w -]{{0,40}}?(?P<person>[\w-]+) from (?P<value>.+)", _person_from),
    rule("origin", rf"{WE}(?:was|were) born (?:and raised )?in (?P<value>.+)", said("origin", "Was born in {}", place)),
    rule("origin", rf"{WE}(?:grew up|was raised) in (?P<value>.+)", said("origin", "Grew up in {}", place)),
    rule("origin", r"my home ?(?:town|country|city)(?:'s| is) (?P<value>.+)", said("origin", "Is from {}", place)),
    rule(
        "origin",
        rf"{WE}(?:am |are )?(?:hail|immigrated|emigrated)(?: here)? from (?P<value>.+)",
        said("origin", "Is from {}", place),
    ),
    rule(
        "origin",
        r"my (?:family|parents)(?:'s| is| are)?(?: originally)? from (?P<value>.+)",
        said("origin", "Family is from {}", place),
    ),
    rule("origin", rf"{I_AM}(?:half )?(?P<value>[a-z]+)(?: by birth)?{END}", _nationality),
    rule(
        "origin",
        rf"{I_AM}an? (?:[\w-]+ ){{0,2}}?(?P<value>[a-z]+) (?:[\w-]+ ){{0,2}}?(?P<person>[a-z]+){END}",
        _nationality_and_job,
    ),
    rule("language", rf"{WE}(?:can )?(?:speak|know|read|understand) (?P<value>.+)", said("language", "Speaks {}", _languages)),
    rule("language", rf"{I_AM}(?:fluent|bilingual) in (?P<value>.+)", said("language", "Speaks {}", _languages)),
    rule(
        "language",
        r"i (?:don't|dont|do not|can't|cant|cannot) speak (?:any |a word of )?(?P<value>.+)",
        said("language", "Does not speak {}", _languages),
    ),
    rule(
        "language",
        rf"(?:{WE_ARE}(?:learning|studying|taking|(?:trying|starting) to learn|self-studying)|(?:i've|ive|i have) (?:just "
        rf")?(?:been "
        r"(?:learning|studying)|started (?:learning|to learn|studying))"
        rf"|{WE}(?:study|started (?:learning|to learn)|want to learn|take)) (?:to speak |how to speak )?(?P<value>.+)",
        said("language", "Is learning {}", _languages),
    ),
    rule(
        "language",
        r"my (?:native|first|mother|home) (?:language|tongue)(?: is|'s) (?P<value>.+)",
        said("language", "Native language is {}", _languages),
    ),
    rule("language", rf"{I_AM}an? native (?P<value>[a-z]+) speaker", said("language", "Native language is {}", _languages)),
    rule(
        "language",
        r"(?P<value>[a-z]+) is my (?:native|first|mother|second|third) (?:language|tongue)",
        said("language", "Speaks {}", _languages),
    ),
    rule("language", rf"{I_AM}(?:bi|tri)lingual(?: in|,|:)? \(?(?P<value>.+?)\)?$", said("language", "Speaks {}", _languages)),
    rule("language", r"my (?:second|third) language is (?P<value>.+)", said("language", "Speaks {}", _languages)),
    rule("age", rf"(?:{I_AM})?(?:an? )?(?P<value>\d{{2}}) ?(?:[fm]|yo|y/o)\b(?!\w)", _age),
    rule("age", r"at (?:age )?(?P<value>\d{2})(?: years old)?,? (?=i'm|i am|i feel|i have)", _age),
    rule("name", rf"(?i:(?:the name(?:'s| is)|my name:|name:))\s+(?P<value>{FULL_NAME}){END}", _stated_name, cased=True),
    rule(
        "called",
        rf"(?i:(?:everyone|everybody|people|friends|folks|colleagues)(?: at \w+| in \w+)? (?:calls?|knows?) me(?: as)?|(?:i'm"
        rf"|i am) known as)\s+(?P<value>{FULL_NAME})\b",
        _called,
        cased=True,
    ),
    rule("age", r"(?:just )?turned (?P<value>\d{2})(?= (?:last|this|yesterday|today|in|on)\b|$)", _age),
    rule(
        "birthday",
        rf"my (?:bday|b-day|birthdate|date of birth)(?:'s| is)?(?: on)? (?:the )?(?P<value>{DATE})",
        said("birthday", "Birthday is {}", str),
    ),
    rule("birthday", rf"{I_AM}an? (?P<value>(?:19|20)\d\d) baby", said("birthday", "Was born in {}", str)),
    rule(
        "location",
        rf"(?:{WE_ARE}|{WE})(?:living|live) (?:just )?(?:outside|near|close to)(?: of)? (?P<value>.+)",
        said("location", "Lives near {}", place),
    ),
    rule(
        "location",
        rf"{WE}live (?:on|by|at) (?P<value>(?:the )?(?:isle|island|coast|shores?|lake|edge|outskirts|banks?|peninsula)\b.+)",
        said("location", "Lives on {}", place),
    ),
    rule(
        "location",
        r"(?:i've|i have|we've|we have) been (?:living )?in (?P<value>.+?)(?= (?:for|since)\b)",
        said("location", "Lives in {}", place),
    ),
    rule(
        "location",
        rf"{WE}(?:just |recently )?moved (?:house|home|out|away|over|back|down|up|here)? ?to (?P<value>.+)",
        said("location", "Lives in {}", place),
    ),
    rule("location", rf"{WE_ARE}(?:moving|relocating) to (?P<value>.+)", said("location", "Is moving to {}", place)),
    rule(
        "location",
        rf"{I_AM}in the (?P<value>(?:pacific|eastern|central|mountain|cet|gmt|utc|est|pst)[\w +-]*?time ?zone)",
        said("location", "Is in the {}", str),
    ),
    rule("origin", r"originally (?:from|i'm from|i am from|i come from) (?P<value>.+)", said("origin", "Is from {}", place)),
    rule(
        "origin",
        rf"{I_AM}(?P<value>(?:half[ -])?[a-z]+)(?:,| and|-|/) ?(?:half[ -])?(?P<other>[a-z]+)(?: by birth)?{END}",
        _mixed,
    ),
    rule("language", r"i (?:grew up|was raised) speaking (?P<value>.+)", said("language", "Speaks {}", _languages)),
    rule("language", rf"{I_AM}an? native speaker of (?P<value>.+)", said("language", "Native language is {}", _languages)),
    rule("language", rf"{WE}speak (?:\w+ )?languages[:,]? ?(?P<value>.+)", said("language", "Speaks {}", _languages)),
    rule(
        "language",
        rf"{I_AM}(?:brushing up on|improving|practi[sc]ing|relearning) (?:my )?(?P<value>.+)",
        said("language", "Is learning {}", _languages),
    ),
    rule("name", rf"(?i:(?:the |my )?name'?s)\s+(?P<value>{CAPITALISED_NAME}){END}", _stated_name, cased=True),
    rule("name", rf"(?P<value>{CAPITALISED_NAME}) (?i:is my (?:real |full |first )?name)\b", _stated_name, cased=True),
    rule("age", r"(?:as an?|being an?|aged|being) (?P<value>\d{2})(?:[- ]?(?:years?|yrs?)[- ]old|yo\b)?(?=,| |$)", _age),
    rule(
        "age",
        rf"{I_AM}(?P<value>(?:twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)(?:[- ](?:one|two|three|four|five|six"
        rf"|seven|eight|nine))?){END}",
        _age,
    ),
    rule(
        "origin",
        rf"{WE}(?:grew up|was raised|was born) on (?P<value>an? (?:\w+ )?(?:farm|ranch|island|reservation|boat|base|dairy "
        rf"farm)\b.*)",
        said("origin", "Grew up on {}", tidy),
    ),
    rule(
        "location",
        rf"(?:{WE}live|{WE_ARE}living) (?:alone|by myself|here|together|with [\w' ]+?|on my own) in (?P<value>.+)",
        said("location", "Lives in {}", place),
    ),
    rule(
        "location",
        rf"(?:{WE}live|{WE_ARE}living) (?:[\w-]+ ){{0,5}}?(?:north|south|east|west|outside|miles?|minutes?|hours?|km) (?:of"
        rf"|from|away from|outside) (?P<value>.+)",
        said("location", "Lives near {}", place),
    ),
    rule("name", rf"(?i:it's|its|it is) (?P<value>{CAPITALISED_NAME})(?= (?i:with an?|spelled|spelt) )", _bare_name, cased=True),
    rule(
        "location", r"(?:my|our) (?:apartment|flat|house|home|place) is in (?P<value>.+)", said("location", "Lives in {}", place)
    ),
    rule(
        "location",
        rf"(?:{WE}|i've |we've |i have |we have )(?:just |recently )?bought (?:a|our|my) (?:\w+ )?(?:house|flat|apartment"
        rf"|home|condo) in (?P<value>.+)",
        said("location", "Has a house in {}", place),
    ),
    rule(
        "location",
        rf"{I_AM}an? [\w -]{{3,40}}? (?:living|based|residing) in (?P<value>.+)",
        said("location", "Lives in {}", place),
    ),
    rule("origin", rf"{I_AM}an? (?P<value>[a-z]+) (?:living|based|residing|studying|working) in\b", _nationality),
    rule(
        "language",
        r"my (?P<value>[a-z]+) is (?:pretty |very |quite |really |getting )?(?:good|fluent|decent|rusty|basic|okay|ok|better)\b",
        said("language", "Speaks {}", _languages),
    ),
    rule("language", rf"{WE}understand (?:spoken |written )?(?P<value>[a-z]+)\b", said("language", "Understands {}", _languages)),
    rule("language", rf"{I_AM}bilingual,? (?P<value>.+)", said("language", "Speaks {}", _languages)),
    rule("age", rf"{I_AM}(?P<value>\d{{2}})(?=,? (?:not|and not) \d)", _age),
)
