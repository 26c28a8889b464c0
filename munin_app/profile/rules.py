"""Deterministic extraction: what a message says outright about its user. Precision first; no model, no store.

Also describes a sentence that was typed or that a model wrote, in the same terms.
"""

import re
from collections.abc import Iterator

from munin_app.profile import rules_english_life, rules_english_self, rules_english_wishes
from munin_app.profile.clauses import LEAD, REMEMBER, Clause, clauses
from munin_app.profile.findings import Description, Finding
from munin_app.profile.notes import third_person_note
from munin_app.profile.rule import Rule
from munin_app.profile.sentences import Statement, statements
from munin_app.profile.third_person import attribute_and_value
from munin_app.profile.values import within_limit

RULES: tuple[Rule, ...] = rules_english_self.RULES + rules_english_life.RULES + rules_english_wishes.RULES
FINDINGS_MAX = 12
"""From one message; more is no conversation but a list."""

_SPEAKS_OF_USER = re.compile(r"(?i)^(?:(?:the )?user(?:'s)?|their|they)\s+")

_IN_FIRST_PERSON = re.compile(r"(?i)(?:i|i'm|i've|my)\b")


def find_facts(text: str) -> tuple[Finding, ...]:
    """What the rules are certain of, in the order it was said."""
    found: list[Finding] = []
    for statement in statements(text):
        by_clause = [finding for clause in clauses(statement) for finding in _from_clause(clause)]
        found += by_clause or _to_remember(statement)
    unique = {(finding.description.attribute, finding.description.text): finding for finding in found}
    return tuple(unique.values())[:FINDINGS_MAX]


def describe(text: str) -> Description:
    """A typed sentence: in the third person where a rule understands the whole of it, else as it is."""
    found = find_facts(text)
    if len(found) == 1 and _covers(found[0], text):
        return found[0].description
    plain = (third_person_note(text) if _IN_FIRST_PERSON.match(text) else None) or _SPEAKS_OF_USER.sub("", text)
    plain = plain[:1].upper() + plain[1:]
    return Description(plain, *attribute_and_value(plain))


def _covers(finding: Finding, text: str) -> bool:
    lead = LEAD.match(text)
    return finding.start <= (lead.end() if lead else 0) and not text[finding.end :].strip(" .!")


def _from_clause(clause: Clause) -> Iterator[Finding]:
    """The first match for each attribute: "I'm an engineer at Siemens" is a job and an employer."""
    seen: set[str] = set()
    for rule in RULES:
        description = rule.describe(clause.text)
        text = within_limit(description.text) if description else None
        if description and text and description.attribute not in seen:
            seen.add(description.attribute)
            start, end = clause.position(0), clause.position(_quote_end(clause.text, description.value))
            yield Finding(Description(text, description.attribute, description.value), start, end, f"rule:en.{rule.name}")


def _quote_end(text: str, value: str) -> int:
    """The end of the value's last word in the clause, else of the clause."""
    last = value.split()[-1].casefold()
    at = text.casefold().rfind(last)
    return at + len(last) if at >= 0 and len(text.casefold()) == len(text) else len(text.rstrip(" .!\n"))


def _to_remember(statement: Statement) -> list[Finding]:
    """ "Remember that …" that no other rule understands is a note."""
    asked = REMEMBER.search(statement.text)
    if not asked or (statement.text[: asked.start()].strip(" ,") and not LEAD.fullmatch(statement.text[: asked.end()])):
        return []
    quote = statement.text[asked.end() :].rstrip(" .!\n")
    note = third_person_note(quote)
    start = statement.start + asked.end()
    return [Finding(Description(note, "note", note), start, start + len(quote), "rule:en.remember")] if note else []
