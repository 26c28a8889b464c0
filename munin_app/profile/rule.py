"""What a rule is: a pattern anchored at the beginning of a clause, and a function from its match to a fact."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

from munin_app.profile.findings import Description

Build = Callable[[re.Match[str]], Description | None]


@dataclass(frozen=True, slots=True)
class Rule:
    name: str
    pattern: str
    build: Build
    cased: bool

    def describe(self, clause: str) -> Description | None:
        match = _compiled(self.pattern, self.cased).match(clause)
        return self.build(match) if match else None


@cache
def _compiled(pattern: str, cased: bool) -> re.Pattern[str]:
    """At first need: compiling them all takes about 0.1 s, which start-up need not pay."""
    return re.compile(pattern, 0 if cased else re.IGNORECASE)


def rule(name: str, pattern: str, build: Build, *, cased: bool = False) -> Rule:
    """`cased`: capitals count outside `(?i:…)`."""
    return Rule(name, pattern, build, cased)


def said(attribute: str, template: str, clean: Callable[[str], str | None], *, certain: bool = True) -> Build:
    """`template` with the cleaned value in it; nothing when the value is none."""

    def build(match: re.Match[str]) -> Description | None:
        value = clean(match["value"])
        return Description(template.format(value), attribute, value, certain) if value else None

    return build


def fixed(attribute: str, text: str, value: str) -> Build:
    return lambda _: Description(text, attribute, value)
