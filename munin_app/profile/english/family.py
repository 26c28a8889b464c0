"""Rules for whom the speaker belongs to: family, friends and pets. English."""

import re
from dataclasses import replace

from munin_app.profile.english.patterns import (
    CAPITALISED_NAME,
    END,
    FAMILY,
    I_AM,
    KIN_COUNTED,
    OTHERS,
    PETS,
    WE,
    WE_ARE,
    WHICH_ONE,
)
from munin_app.profile.english.values import third_person, tidy
from munin_app.profile.english.vocabulary import (
    NO_NAME,
)
from munin_app.profile.findings import Description
from munin_app.profile.rule import Rule, fixed, rule, said


def _relative(match: re.Match[str]) -> Description | None:
    """ "my wife's name is Ingrid": who they are; what they do is their own affair."""
    value = tidy(match["value"])
    if not value or value.split()[0].lower() in NO_NAME:
        return None
    who = match["who"].lower()
    return Description(f"{who[0].upper()}{who[1:]} is called {value}", "relationship", value)


_CLOSE = re.compile(
    r"(?i)(?:wife|husband|partner|spouse|girlfriend|boyfriend|fianc[ée]+|\w*son|\w*daughter|child|kid|baby|twin|sister"
    rf"|brother|mother|father|mom|mum|dad|best friend|{PETS})$"
)


def _in_passing(match: re.Match[str]) -> Description | None:
    """ "my uncle Ted lives in Rome" is about Ted: for review. "My son Leo loves cars", "my uncle Ted and I" tell of a family."""
    told = re.match(r"(?i)\s*(?:$|[.,!]|and i\b)", match.string[match.end() :])
    described = _relative(match)
    return replace(described, certain=bool(told or _CLOSE.search(match["who"]))) if described else None


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
        rf"(?i:my (?:\d+[- ](?:year|month)[- ]old )?(?P<who>{WHICH_ONE}(?:{FAMILY}|{PETS}|{OTHERS}))(?:,| is|'s)?) "
        rf"(?P<value>{CAPITALISED_NAME})"
        r"(?=\s*(?:[.,!]|$|(?i:and|is|has|loves?|likes?|lives?|works?|turns?|was|just|keeps?|wants?|needs?|hates?|can|will"
        r"|who|got|started"
        r"|passed|always|never|won't|doesn't|recently|plays?|sleeps?|eats?|goes|in|a)\b))",
        _in_passing,
        cased=True,
    ),
    rule(
        "relationship",
        rf"(?i:(?:i have|i've got|i got|we have|we've got|i'm the (?:\w+ )?(?:owner|mom|mum|dad|parent) of|(?:i|we) (?:just "
        rf"|recently )?(?:adopted"
        r"|rescued|got|own)|(?:i've|we've|i have|we have) (?:just |recently )?(?:adopted|rescued)|i'm (?:with )?(?=(?:no|one"
        r"|two|three|four|five|\d)\s))"
        rf" ?(?P<who>{KIN_COUNTED}(?:(?:,| and"
        rf"|, and) {KIN_COUNTED})*))(?:(?:(?i: called| named|, named|, called| whose name is|,) "
        rf"(?P<value>{CAPITALISED_NAME})(?!\w))|{END})",
        _has,
        cased=True,
    ),
    rule(
        "relationship",
        rf"(?:i|we) (?:don't|dont|do not) have (?:any )?(?P<value>kids|children|siblings|pets|brothers or sisters){END}",
        said("relationship", "Has no {}", tidy),
    ),
    rule(
        "relationship",
        rf"(?i:my (?P<who>kids|children|sons|daughters|parents|brothers|sisters|twins|dogs|cats) are (?:called|named) )"
        rf"(?P<value>{CAPITALISED_NAME}(?:(?:, | and |, and ){CAPITALISED_NAME})*)",
        _relatives,
        cased=True,
    ),
    rule(
        "relationship",
        rf"{WE_ARE}(?P<value>(?:happily |recently |newly )?(?:married|engaged|divorced|widowed|separated|single|a widow|a "
        rf"widower|an only child)"
        rf"|the (?:oldest|eldest|youngest|middle) (?:child|of \w+)(?: siblings| kids| children)?)(?: to "
        rf"(?P<spouse>[\w' -]+?))?{END}",
        _state,
    ),
    rule(
        "relationship",
        rf"{I_AM}(?P<value>an? (?:single |proud |new |young |working |stay-at-home )*"
        r"(?:mother|father|mom|mum|dad|parent|grandmother|grandfather|grandma|grandpa|twin|widow|widower)"
        rf"(?: (?:of|to|with) [\w-]+(?: kids| children| boys| girls| sons| daughters)?)?){END}",
        said("relationship", "Is {}", tidy),
    ),
    rule(
        "relatives",
        rf"(?i:(?:i have|i've got|we have)) .+? and (?P<value>(?:an?|one|two|three|four|five|\d) (?!class|object"
        rf"|struct)(?:[\w-]+ ){{0,2}}?(?:{FAMILY}|{PETS})s?){END}",
        said("relationship", "Has {}", tidy),
    ),
    rule(
        "relationship",
        rf"(?i:my (?P<who>{WHICH_ONE}(?:{FAMILY}|{PETS}|{OTHERS}))(?:,| is|'s)? )(?P<value>{CAPITALISED_NAME})$",
        _relative,
        cased=True,
    ),
    rule("relationship", r"(?:i've|i have) been married\b", fixed("relationship", "Is married", "married")),
    rule(
        "mentioned",
        rf"(?i:.*?\b(?:my|our) (?P<who>{WHICH_ONE}(?:{FAMILY}|{PETS})),? )(?P<value>{CAPITALISED_NAME})(?!'s? \w|\w)",
        _relative,
        cased=True,
    ),
    rule(
        "relationship",
        rf"{WE}live with (?P<value>(?:(?:my|our|an?|two|three|four|five|\d) (?:\w+ )?(?:{FAMILY}|{PETS})s?(?:, | and |, and "
        rf")?)+){END}",
        said("relationship", "Lives with {}", third_person),
    ),
    rule(
        "relationship",
        r"(?:i'm|i am|we're|we are) expecting (?P<value>(?:my|our|an?) (?:first |second |third )?(?:baby|child|kid|daughter"
        r"|son))\b",
        said("relationship", "Is expecting {}", third_person),
    ),
    rule(
        "relationship",
        rf"{WE}have (?P<value>(?:\w+ )?(?:twins|triplets|a newborn|a toddler|a big family|a large family))\b",
        said("relationship", "Has {}", tidy),
    ),
    rule(
        "relationship",
        rf"(?i:{I_AM}(?:dating|seeing|engaged to|married to|living with) )(?:(?i:an? \w+ (?:named|called) |my \w+,? "
        rf"))?(?P<value>{CAPITALISED_NAME})",
        said("relationship", "Is with {}", tidy),
        cased=True,
    ),
    rule(
        "relationship",
        r"my (?P<value>(?:kids|children|sons|daughters|twins|boys|girls) are (?:both )?\d{1,2}(?:,? (?:and|&) \d{1,2}|, "
        r"\d{1,2})*)",
        said("relationship", "Has children: {}", third_person),
    ),
    rule(
        "relationship",
        r"i (?:recently )?lost my (?P<value>(?:husband|wife|partner|mother|father|mom|mum|dad|son|daughter|brother|sister)) "
        r"(?:last|this|in|two|three|a few|recently|\d)",
        said("relationship", "Lost their {}", str),
    ),
    rule("relationship", rf"{I_AM}(?P<value>pregnant)\b", said("relationship", "Is {}", str)),
    rule(
        "relationship",
        rf"{I_AM}a (?P<value>(?:\w+ )?(?:mom|mum|dad|mother|father|parent) (?:to|of|with) (?:an? |two |three |four )?(?:\w+ "
        rf")?\w+){END}",
        said("relationship", "Is a {}", tidy),
    ),
    rule(
        "relationship",
        r"i (?:just |recently )?(?P<value>(?:became|become) an? (?:dad|mom|mum|father|mother|parent|grandmother|grandfather"
        r"|grandma|grandpa|aunt|uncle))\b",
        said("relationship", "{}", str.capitalize),
    ),
    rule(
        "relationship",
        r"(?:we're|we are|i have|we have) (?P<value>a family of (?:two|three|four|five|six|seven|eight|\d))\b",
        said("relationship", "Has {}", str.lower),
    ),
    rule(
        "relationship",
        r"(?:i|we) (?:just |recently )?(?P<value>got (?:married|divorced|engaged))\b",
        said("relationship", "{}", str.capitalize),
    ),
    rule(
        "relationship",
        rf"{WE}share (?P<value>an? (?:flat|apartment|house|room) with .+)",
        said("relationship", "Shares {}", third_person),
    ),
    rule(
        "relationship",
        r"(?:i|we) keep (?P<value>(?:bees|chickens|goats|sheep|pigeons|horses|ducks|rabbits|fish|hens|snakes|reptiles)(?:(?:,"
        r"| and|, and) (?:bees|chickens|goats|sheep|pigeons|horses|ducks|rabbits|fish|hens))*)",
        said("relationship", "Keeps {}", str.lower),
    ),
)
