"""What the languages beside English share: cleaners over a language's word lists, and rules written as a table."""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from munin_app.profile.findings import Description
from munin_app.profile.rule import Rule, rule, said
from munin_app.profile.sentences import HIDDEN

Clean = Callable[[str], str | None]
Entry = tuple[str, str, str, str, Clean]
"""Name, attribute, pattern with the group `value`, third-person sentence with {}, cleaner."""

VALUE_WORDS_MAX = 20
_ENDS = re.compile(rf"\s*[;:()!?{HIDDEN}–—。！？；：，]|\s+-{{1,2}}\s|\.(?:\s|$)")
_NAME = re.compile(r"[^\W\d_][\w'’-]*(?: (?:(?:van|von|der|de|del|la|di|da|le|du|el|al|bin) )*[^\W\d_][\w'’-]*){0,3}")


@dataclass(frozen=True, slots=True)
class Words:
    """A language's word lists, all folded."""

    cut: re.Pattern[str]
    """From here on a value is over: "weil", "porque"."""
    trailing: re.Pattern[str]
    """At its end, and of no account: "sehr", "mucho"."""
    transient: frozenset[str]
    no_taste: frozenset[str]
    """First words of what no lasting taste is about: "diese", "tu"."""
    village: re.Pattern[str]
    """A place that is told by another: "einem Dorf bei Passau"."""
    no_place: frozenset[str]
    no_name: frozenset[str]
    jobs: re.Pattern[str]
    """Matches the whole of an occupation, its last word for compounds."""
    languages: frozenset[str]
    joiners: re.Pattern[str]
    """Between the items of a list."""
    degree: re.Pattern[str]
    """Before a language: "etwas", "un poco de"."""
    mine: tuple[tuple[re.Pattern[str], str], ...] = ()
    """First person to third."""

    def tidy(self, value: str) -> str:
        """Up to the end of its clause, without trailing adverbs."""
        for pattern in (_ENDS, self.cut):
            found = pattern.search(value)
            value = value[: found.start()] if found else value
        value = value.strip(" ,.'\"*_\n")
        while (shorter := self.trailing.sub("", value)) != value:
            value = shorter
        return " ".join(value.strip(" ,.'\"*_").split())

    def third(self, value: str) -> str:
        for pattern, by in self.mine:
            value = pattern.sub(by, value)
        return value

    def lasting(self, value: str) -> str | None:
        value = self.tidy(value)
        words = value.casefold().split()
        refused = not words or len(words) > VALUE_WORDS_MAX or words[0] in self.no_taste or self.transient & set(words)
        return None if refused else self.third(value)

    def place(self, value: str) -> str | None:
        """At most four words; capitals where the user typed none."""
        value = self.tidy(value.split(",")[0])
        words = value.split()
        if self.village.match(value):
            return value if len(words) <= 7 else None
        if not 1 <= len(words) <= 5 or self.no_place & {word.casefold() for word in words} or re.search(r"\d", value):
            return None
        return value if any(word[0].isupper() for word in words) else self._capitalised(words)

    def _capitalised(self, words: list[str]) -> str | None:
        return " ".join(word[:1].upper() + word[1:] for word in words) if len(words) <= 2 else None

    def job(self, value: str) -> str | None:
        """The phrase, if it ends in an occupation or begins with one."""
        words = self.tidy(value.split(",")[0]).split()
        for end in range(1, min(len(words), 5) + 1):
            if words[end - 1].casefold() in self.no_name:
                return None
            if self.jobs.fullmatch(words[end - 1].casefold()):
                return " ".join(words[:end])
        return None

    def any_job(self, value: str) -> str | None:
        """After "works as": whatever it is called."""
        words = self.tidy(value.split(",")[0]).split()
        return " ".join(words) if 1 <= len(words) <= 5 and not self.no_taste & {words[0].casefold()} else None

    def some_languages(self, value: str) -> str | None:
        """None when one of them is no language."""
        parts = [self.degree.sub("", part).strip(" .!") for part in self.joiners.split(self.tidy(value)) if part.strip(" .!")]
        return ", ".join(parts) if parts and all(part.casefold() in self.languages for part in parts) else None

    def name(self, value: str) -> str | None:
        found = _NAME.match(self.tidy(value.split(",")[0]))
        if not found or found.group().split()[0].casefold() in self.no_name:
            return None
        words = found.group().split()
        capital = [word for word in words if word[0].isupper()]
        if not capital:
            return " ".join(word[:1].upper() + word[1:] for word in words) if len(words) <= 2 else None
        return found.group() if words[0][0].isupper() else None

    def proper(self, value: str) -> str | None:
        """A name that is written with a capital."""
        named = self.name(value)
        return named if named and value.strip()[:1].isupper() else None


def rules(table: Iterable[Entry], *, cased: frozenset[str] = frozenset()) -> tuple[Rule, ...]:
    """`cased`: names of rules in which capitals count outside `(?i:…)`."""
    return tuple(
        rule(name, pattern, _filled(attribute, template, clean), cased=name in cased)
        for name, attribute, pattern, template, clean in table
    )


def _filled(attribute: str, template: str, clean: Clean) -> Callable[[re.Match[str]], Description | None]:
    """`template` may use the other groups of the pattern by their names."""
    plain = said(attribute, template, clean)

    def build(match: re.Match[str]) -> Description | None:
        groups = {name: value.strip() for name, value in match.groupdict().items() if name != "value" and value}
        if not groups:
            return plain(match)
        value = clean(match["value"])
        text = template.format(value, **groups) if value else ""
        return Description(text[:1].upper() + text[1:], attribute, value) if value else None

    return build


def describer(table: Iterable[Entry]) -> Callable[[str], tuple[str, str]]:
    """From the sentences that the rules make: "Wohnt in Kiel" is a location and "Kiel"."""
    forms = [
        (attribute, re.compile(_form(template)))
        for _, attribute, _, template, _ in table
        if re.match(r"[^{]*\w\w|[^{]*[\u4e00-\u9fff]", template)
    ]

    def describe(text: str) -> tuple[str, str]:
        for attribute, form in forms:
            found = form.fullmatch(text.rstrip(".。"))
            if found:
                return attribute, found["value"].strip()
        return "note", text

    return describe


def _form(template: str) -> str:
    before, after = (re.sub(r"\\\{\w+\\\}", ".+?", re.escape(part)) for part in template.split("{}"))
    return rf"(?i){before}(?P<value>.+){after}"
