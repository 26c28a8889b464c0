""" "No, it's Bergen": a new value without its attribute. Which fact it corrects, the old value tells or the exchange before.

Only facts of which a person has one are corrected so, and only where exactly one can be meant.
"""

import re
from collections.abc import Iterator

from munin_app.domain.facts import Fact
from munin_app.domain.messages import Exchange
from munin_app.profile.findings import Description, Finding
from munin_app.profile.languages import guards
from munin_app.profile.limits import within_limits
from munin_app.profile.merge import slot
from munin_app.profile.sentences import HIDDEN, earnest, masked
from munin_app.profile.words import HAN, fold, word_set

WORDS_MAX = 4
AGES = range(1, 121)

_VALUE = r"[^\s,.;:!?()，。；：！？、\x00][^,.;:!?()，。；：！？、\x00]{0,40}?"


def _forms(lead: str, before: str, negation: str) -> re.Pattern[str]:
    """`lead` or a negated old value must be there: "no, it's Bergen", "Bergen, not Berlin". "I'm not Ada" has no new value."""
    new, old, sep = rf"(?:{before})?(?P<new>{_VALUE})", rf"(?:{before})?(?P<old>{_VALUE})", r"[\s,.:!，。：！]+"
    return re.compile(
        rf"(?i)\s*(?:(?P<lead>(?:{lead})(?:{sep}(?:{lead}))*){sep})?{new}(?:\s*[,，–—-]\s*{negation}\s*{old})?\s*(?=[.!\n。！]|$)"
    )


_PATTERNS = (
    (
        "en",
        _forms(
            r"no|nope|nah|actually|sorry|wait|wrong|that's wrong|not quite|i said|i meant|i mean|correction",
            r"(?:it's|it is|that's|i'm|i am|it was)\s+(?:(?:actually|in|at|from|called)\s+)?|(?:in|at|from)\s+",
            r"(?:and\s+)?not\b",
        ),
    ),
    (
        "de",
        _forms(
            r"nein|nee|nö|eigentlich|falsch|ich meinte|ich sagte|ich meine|korrektur",
            r"(?:es ist|das ist|ich bin|ich heiße|es heißt)\s+(?:(?:in|aus|bei)\s+)?|(?:in|aus|bei)\s+",
            r"(?:und\s+)?nicht\b",
        ),
    ),
    (
        "es",
        _forms(
            r"no|en realidad|perdón|quise decir|quería decir|dije|corrección",
            r"(?:es|soy de|tengo|vivo en|me llamo)\s+(?:en\s+)?|(?:en|de)\s+",
            r"(?:y\s+)?no\b",
        ),
    ),
    (
        "fr",
        _forms(
            r"non|en fait|pardon|désolée?|je voulais dire|je veux dire|j'ai dit|correction",
            r"(?:c'est|j'ai|je m'appelle|je suis de|j'habite à)\s+(?:(?:à|en|de)\s+)?|(?:à|en|de|chez)\s+",
            r"(?:et\s+)?pas\b",
        ),
    ),
    (
        "zh",
        re.compile(
            rf"\s*(?P<lead>(?:不[,，]|不对[,，]?|不是[,，]|我说的是|应该是)[\s,，]*)(?:是|我说的是|应该是|在)*(?P<new>{_VALUE})"
            rf"(?:[,，]?(?:而)?不是(?P<old>{_VALUE}))?\s*(?=[.!。！\n]|$)"
        ),
    ),
)
_YEARS = re.compile(r"(?i)\s+(?:years?(?: old)?|jahre(?: alt)?|años|ans)$|岁$")
_NO_VALUE = re.compile(
    r"(?i)(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day|(?:january|february|march|april|june|july|august|september|october|november"
    r"|december)|(?:mon|diens|donners|frei|sams|sonn)tag|mittwoch|ok(?:ay)?|thanks?|thank you|danke|gracias|merci|munin"
    r"|not|nicht|no|pas|i|i'm|it's|that's|what|who|why|where|when|how|but|and|because|please)\b"
)
_TO_THE_USER = re.compile(
    r"(?i)\b(?:you|your|you're|du|dein(?:e[nmrs]?)?|sie|ihr(?:e[nmrs]?)?|tú|tu|te|usted|vives|tienes|vous|votre|ton|ta)\b|[你您]"
)
_SHAPED = re.compile(r"\d+|(?<![.!?\n] )(?<!^)\b(?!I\b)[A-ZÀ-ÖØ-Þ][\w'-]*")
_PARTICLES = word_set("de del la le las los of the am an der den sur en upon do da dos")
_SENTENCE_END = re.compile(r"[.!?。！？]\s*|\n+")


def find_corrections(text: str, facts: tuple[Fact, ...], before: Exchange | None) -> tuple[Finding, ...]:
    """The correction that a message begins with, if it is one of exactly one of the active `facts`; else nothing."""
    own = masked(text)
    if not next(earnest(own, guards()), None) or own[:1] == HIDDEN:
        return ()
    correctable = tuple(fact for fact in facts if slot(fact) is not None and fact.value and fact.value in fact.text)
    for language, pattern in _PATTERNS:
        found = pattern.match(own)
        if not found or not (found["lead"] or found["old"]):
            continue
        old, new = (_YEARS.sub("", (found[name] or "").strip()) for name in ("old", "new"))
        if not old and HAN.search(new):
            continue  # no capitals tell names there: any word could be meant
        meant = _named(correctable, old) if old else _spoken_of(correctable, before)
        fitting = [fact for fact in meant if _alike(fact, new)]
        if len(fitting) == 1 and fold(new) != fold(fitting[0].value):
            return _finding(fitting[0], new, found.span("new"), f"rule:{language}.correction")
    return ()


def _finding(fact: Fact, new: str, span: tuple[int, int], extractor: str) -> tuple[Finding, ...]:
    corrected = within_limits(fact.text.replace(fact.value, new))
    return (Finding(Description(corrected, fact.attribute, new), *span, extractor),) if corrected else ()


def _named(facts: tuple[Fact, ...], old: str) -> Iterator[Fact]:
    return (fact for fact in facts if fold(fact.value) == fold(old))


def _spoken_of(facts: tuple[Fact, ...], before: Exchange | None) -> Iterator[Fact]:
    """What the reply before said to the user, or what was noted of a statement before, unless the reply names anything else."""
    if before is None:
        return
    reply = before.assistant.text if before.assistant else ""
    asked = "?" in before.user.text or "？" in before.user.text
    for fact in facts:
        noted = not asked and any(source.message_id == before.user.id for source in fact.sources)
        if (noted or _tells(reply, fact.value)) and _names_only(reply, fact):
            yield fact


def _tells(reply: str, value: str) -> bool:
    return any(
        _TO_THE_USER.search(sentence) and re.search(rf"(?<!\d){re.escape(value)}(?!\d)", sentence)
        for sentence in _SENTENCE_END.split(reply)
    )


def _names_only(reply: str, fact: Fact) -> bool:
    """No other number, for a number, and no other name, for a name."""
    number, known = fact.value.isdigit(), set(fact.value.split())
    return all(word in known for word in _SHAPED.findall(reply) if word.isdigit() == number)


def _alike(fact: Fact, new: str) -> bool:
    """A number for a number, a name for a name: "no, it's fine" corrects nothing."""
    if not new or len(new.split()) > WORDS_MAX or _NO_VALUE.match(new):
        return False
    if fact.attribute == "age":
        return new.isdecimal() and int(new) in AGES
    if fact.attribute == "birthday" or new.isdecimal():
        return False
    if HAN.search(fact.value):
        return bool(HAN.fullmatch(new[0])) and len(new) <= 8
    return fact.value[0].isupper() and all(word[0].isupper() or word in _PARTICLES for word in new.split())
