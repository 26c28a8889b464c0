"""Guesses attribute and value of a short third-person sentence ("Lives in Oslo"), typed or written by a model. English."""

import re

from munin_app.profile.english.patterns import FAMILY, OTHERS, PETS, WHICH_ONE
from munin_app.profile.english.vocabulary import LANGUAGES, NATIONALITIES, OCCUPATIONS

_LANGUAGE = "|".join(sorted(LANGUAGES))
_FORMS = tuple(
    (attribute, re.compile(rf"(?i)^(?:{pattern})[.!]?$"))
    for attribute, pattern in (
        ("name", r"(?:full |first )?name is (?P<value>.+)"),
        ("name", r"(?:is|likes to be|goes by|prefers to be) called (?P<value>.+)"),
        ("age", r"(?:is|age is) (?P<value>\d{1,3}|[\w-]+) years old"),
        ("birthday", r"birthday is (?:on )?(?P<value>.+)"),
        ("birthday", r"was born (?:on|in) (?P<value>.*\d{4}.*)"),
        ("location", r"(?:lives|resides|is based|is living|home is) (?:in|near) (?P<value>.+)"),
        ("location", r"(?:moved|relocated) to (?P<value>.+)"),
        ("origin", r"(?:is|comes) (?:originally )?from (?P<value>.+)"),
        ("origin", r"(?:was born|grew up) in (?P<value>.+)"),
        ("job", r"works as (?:an? |the )?(?P<value>.+)"),
        ("job", r"(?:studies|teaches|job is|occupation is|profession is) (?P<value>.+)"),
        ("employer", r"(?:(?:works|is employed) (?:at|for|by)|employer is) (?P<value>.+)"),
        ("diet", r"is allergic to (?P<value>.+)"),
        ("diet", r"(?:does not|doesn't|cannot|never) (?:eats?|drinks?) (?P<value>.+)"),
        ("diet", r"is (?:an? )?(?P<value>vegetarian|vegan|pescatarian|lactose intolerant|gluten[ -]free|coeliac|celiac)"),
        (
            "language",
            rf"(?:speaks|is learning|is fluent in|native language is|does not speak) (?P<value>(?:.*\b)?(?:{_LANGUAGE})\b.*)",
        ),
        (
            "preference",
            r"(?:likes|loves|enjoys|hates|dislikes|prefers|adores|cannot stand|avoids|does not (?:like|enjoy|love)|doesn't like)"
            r" (?P<value>.+)",
        ),
        ("preference", r"favou?rite [\w' -]+ (?:is|are) (?P<value>.+)"),
        ("project", r"is (?:working on|building|writing|developing|renovating|training for) (?P<value>.+)"),
        ("goal", r"(?:(?:wants|hopes|plans|would like|aims|intends|goal is) to|is learning) (?P<value>.+)"),
        ("relationship", rf"(?:{WHICH_ONE}(?:{FAMILY}|{PETS}|{OTHERS}))(?:'s name)? is (?:called |named )?(?P<value>.+)"),
        ("relationship", rf"has (?P<value>(?:an?|no|\w+) (?:\w+ )?(?:{FAMILY}|{PETS}|children)s?\b.*)"),
        ("relationship", r"is (?P<value>(?:married|engaged|divorced|single|widowed)\b.*)"),
    )
)
_IS = re.compile(r"(?i)^is (?:an? )?(?P<value>(?:[\w-]+ )*?(?P<last>[\w-]+))[.!]?$")


def attribute_and_value(text: str) -> tuple[str, str]:
    """("location", "Oslo"); ("note", the whole text) where no form fits."""
    for attribute, form in _FORMS:
        found = form.match(text)
        if found:
            return attribute, found["value"].strip()
    found = _IS.match(text)
    if found and found["last"].lower() in OCCUPATIONS:
        return "job", found["value"]
    if found and found["last"].lower() in NATIONALITIES:
        return "origin", found["value"]
    return "note", text
