"""What one cannot, will not or never does, in words that no rule knows: for review, so that no "not" is lost. English."""

import re

from munin_app.profile.english.clauses import ADVERBS
from munin_app.profile.english.notes import third_person_note
from munin_app.profile.english.patterns import OTHERS, SOMEBODY
from munin_app.profile.english.values import third_person
from munin_app.profile.english.vocabulary import OF_THIS_CHAT
from munin_app.profile.findings import Description
from munin_app.profile.limits import with_rest, within_limits
from munin_app.profile.words import count_negations, tokens

_NOT = r"(?:don't|dont|do not|can't|cant|cannot|can not|won't|wont|will not|must not|mustn't|should not|shouldn't|never)"
_PASSING = (
    r"(?:know|understand|remember|recall|think|see|find|get|figure|tell|say|mean|believe|imagine|decide|seem|wait|help|hear"
    r"|mind|worry|care|bother|complain|open|log|access|connect|install|download|upload|print|load|reach|quite|exactly"
    r"|have (?:time|access|(?:an? |any |the )?(?:clue|idea|problem|issue|choice|way|plans?|intention|doubt|questions?))"
    r"|feel like|wish)\b"
)
_OWN = re.compile(
    rf"(?i)i\s+{ADVERBS}(?P<do>{_NOT})\s+{ADVERBS}(?:even |ever )?(?!{_PASSING})(?P<rest>\w.+)"
    rf"|(?P<am>i'm|i am)\s+{ADVERBS}(?P<not>not (?:able|allowed|willing|comfortable|fond|keen|open|suited|one)\b.+|unable .+)"
    rf"|my (?P<mine>(?!{OTHERS}\b)[\w-]+(?: [\w-]+)? (?:don't|do not|doesn't|does not|can't|cannot|won't|will not|never) .+)"
)
_RULED_OUT = re.compile(
    r"(?i)(?!it\b|this|that|these|those|he\b|she\b|they|you|what|which|there|i\b)(?P<what>.{3,90}?) (?:is|are) (?:an? )?(?:\w+ )?"
    r"(?:no[- ]go(?:e?s)?|deal-?breakers?|out of the question|off[- ]limits|not an option|not for me|not my (?:thing|cup of tea))"
    r"(?: (?:for|to|with) me)?$"
)
_OF_WHAT_WAS_SAID = re.compile(
    r"(?i)(?P<which>they|these|those|it) (?P<rest>(?:\w+ )?(?:don't|do not|doesn't|does not|can't|cannot|won't|will not|never"
    r"|are not|aren't|is not|isn't|have no|has no) .+)"
)
_NAMES_A_THING = re.compile(r"\w+s|Does not \w+|Cannot \w+|Is .+ (?:of|to|with|by)|Has .+ (?:of|to|for)")
_DOING = re.compile(r"^\w+ing (?:(?:at|in|to|with|on|from) )?")
_OVER = re.compile(r" (?:over|rather than|instead of|to) .*")
_CHATTER = re.compile(r"(?i)(?:,? (?:lol|haha+|tbh|btw|though))+$")
_TASTES = ("preference", "diet")
_OF_NOW = OF_THIS_CHAT - {"above", "below"}
_NOTHING_NAMED = re.compile(r"(?i)\b(?:it|that|those|them|so|yet|either|anymore|any more)$")


def denial(clause: str, before: Description | None) -> str | None:
    """The clause in the third person, within the limits of a fact; None for one that denies nothing lasting.

    `before` is what was found in the clause before it, which "they" and "it" may stand for.
    """
    clause = _CHATTER.sub("", clause.strip(" .!"))
    if _OF_NOW & set(tokens(clause)) or _NOTHING_NAMED.search(clause):
        return None
    text = _own(clause) or _ruled_out(clause) or _of_what_was_said(clause, before)
    return within_limits(text[:1].upper() + text[1:]) if text else None


def unsaid_rest(clause: str, fact: Description) -> str | None:
    """The fact with the rest of its clause, where that denies something that the fact leaves out: "tea, not coffee"."""
    if fact.attribute not in _TASTES:
        return None
    last = (fact.value.split() or [""])[-1]
    at = clause.casefold().rfind(last.casefold())
    rest = clause[at + len(last) :].rstrip(" .!")
    if at < 0 or not count_negations(rest) or _OF_NOW & set(tokens(rest)) or SOMEBODY.search(rest):
        return None
    return with_rest(fact.text, third_person(rest))


def _own(clause: str) -> str | None:
    found = _OWN.fullmatch(clause)
    if not found or (found["mine"] and SOMEBODY.search(found["mine"])):
        return None
    if found["mine"]:
        return third_person(found["mine"])
    return third_person_note(f"I {found['do']} {found['rest']}" if found["do"] else f"{found['am']} {found['not']}")


def _ruled_out(clause: str) -> str | None:
    return third_person(clause) if _RULED_OUT.fullmatch(clause) else None


def _of_what_was_said(clause: str, before: Description | None) -> str | None:
    found = _OF_WHAT_WAS_SAID.fullmatch(clause)
    if not found or not before or before.attribute not in _TASTES or not before.text.endswith(" " + before.value):
        return None
    if not _NAMES_A_THING.fullmatch(before.text.removesuffix(" " + before.value)) or SOMEBODY.search(before.value):
        return None
    thing = _OVER.sub("", before.value if found["which"].lower() == "it" else _DOING.sub("", before.value))
    return f"{thing} {third_person(found['rest'])}"
