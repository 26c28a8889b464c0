"""Deterministic extraction: what a message says outright about its user. Precision first; no model, no store.

Also describes a sentence that was typed or that a model wrote, in the same terms.
"""

import re
from collections.abc import Iterator
from dataclasses import replace

from munin_app.profile.clauses import Clause, clauses
from munin_app.profile.findings import Description, Finding
from munin_app.profile.language import Language
from munin_app.profile.languages import guards, language_of, languages
from munin_app.profile.limits import within_limits
from munin_app.profile.rule import Rule
from munin_app.profile.sentences import Statement, masked, statements

FINDINGS_MAX = 12
"""From one message; more is no conversation but a list."""

_SPEAKS_OF_USER = re.compile(r"(?i)^(?:(?:the )?user(?:'s)?|their|they)\s+")


def find_facts(text: str) -> tuple[Finding, ...]:
    """What the rules found, in the order it was said."""
    own = masked(text)
    language = language_of(own)
    if language is None:
        return ()
    found: list[Finding] = []
    denied: list[Finding] = []
    for statement in statements(own, language.guard, guards()):
        by_clause: list[Finding] = []
        for clause in clauses(statement, language.splitter):
            said = list(_from_clause(clause, language))
            denied += _denied(clause, said, by_clause, language)
            by_clause += said
        found += by_clause or _to_remember(statement, language)
    if any(one.description.certain for one in found):  # who tells of themselves; else it is the task that cannot be done
        found += denied
    unique = {(finding.description.attribute, finding.description.text): finding for finding in found}
    return tuple(unique.values())[:FINDINGS_MAX]


def describe(text: str) -> Description:
    """A typed sentence: in the third person where a rule understands the whole of it, else as it is."""
    found = find_facts(text)
    language = language_of(text) or languages()["en"]
    if len(found) == 1 and _covers(found[0], text, language):
        return replace(found[0].description, certain=True)
    plain = (language.note(text) if language.first_person.match(text) else None) or _SPEAKS_OF_USER.sub("", text)
    plain = plain[:1].upper() + plain[1:]
    described = (one.describe(plain) for one in languages().values())
    return Description(plain, *next((each for each in described if each[0] != "note"), ("note", plain)))


def _covers(finding: Finding, text: str, language: Language) -> bool:
    lead = language.splitter.lead.match(text)
    return finding.start <= (lead.end() if lead else 0) and not text[finding.end :].strip(" .!。！")


def _from_clause(clause: Clause, language: Language) -> Iterator[Finding]:
    """The first match for each attribute: "I'm an engineer at Siemens" is a job and an employer."""
    seen: set[str] = set()
    for rule in language.rules:
        description = rule.describe(clause.text)
        text = within_limits(description.text) if description else None
        if description and text and not seen & {text, _kind(rule, description)}:
            if any(one.startswith(text) for one in seen):
                continue
            seen |= {text, _kind(rule, description)}
            start, end = _span(clause, description.value)
            yield Finding(replace(description, text=text), start, end, f"rule:{language.code}.{rule.name}")


def _denied(clause: Clause, said: list[Finding], before: list[Finding], language: Language) -> Iterator[Finding]:
    """For review: what the clause denies and what was found in it (`said`) leaves out."""
    if said and language.unsaid_rest:
        text = language.unsaid_rest(clause.text, said[-1].description)
    elif not said and language.denial:
        text = language.denial(clause.text, before[-1].description if before else None)
    else:
        return
    if text:
        yield Finding(
            Description(text, *language.describe(text), certain=False), clause.start, clause.end, f"rule:{language.code}.denial"
        )


def _kind(rule: Rule, description: Description) -> str:
    """A clause tells of one home and one job, but maybe of a dog and two cats."""
    return rule.name if description.attribute == "relationship" else description.attribute


def _span(clause: Clause, value: str) -> tuple[int, int]:
    """To the end of the value's last word in the clause, else of the clause."""
    last = (value.split() or [""])[-1].casefold()
    at = clause.text.casefold().rfind(last)
    if clause.reordered or at < 0 or len(clause.text.casefold()) != len(clause.text):
        return clause.start, clause.end
    return clause.start, clause.position(at + len(last))


def _to_remember(statement: Statement, language: Language) -> list[Finding]:
    """ "Remember that …" that no other rule understands is a note."""
    splitter = language.splitter
    asked = splitter.remember.search(statement.text)
    if not asked or (statement.text[: asked.start()].strip(" ,") and not splitter.lead.fullmatch(statement.text[: asked.end()])):
        return []
    quote = statement.text[asked.end() :].rstrip(" .!。！\n")
    note = language.note(quote)
    start = statement.start + asked.end()
    found = Finding(Description(note or "", "note", note or ""), start, start + len(quote), f"rule:{language.code}.remember")
    return [found] if note else []
