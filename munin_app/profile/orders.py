""" "Forget that …" said as an order to Munin, and the one fact it means. What is quoted, pasted, told or invented is none."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from munin_app.domain.facts import Fact
from munin_app.profile.languages import guards
from munin_app.profile.rules import find_facts
from munin_app.profile.sentences import HIDDEN, earnest, masked
from munin_app.profile.words import HAN, fold, is_negative, significant


@dataclass(frozen=True, slots=True)
class Order:
    start: int
    end: int
    """The sentence is `message.text[start:end]`."""
    what: str
    """What is to be forgotten, in the user's words: "I live in Oslo", "my birthday"."""


_END = r"[\s.!?。！？]*$"
_PATTERNS = tuple(
    re.compile(r"(?i)^\s*" + pattern + _END)
    for pattern in (
        r"(?:(?:hi|hey|munin|ok(?:ay)?|please|pls|actually|so|and|now|then|also|just|can you|could you|would you|you can"
        r"|i want you to|i'd like you to)[\s,:]+)*"
        r"forget\s+(?:about\s+)?(?:(?:the fact\s+)?that\s+)?(?P<what>(?:i|i'm|im|i've|my|we|our|(?:where|how old) i)\b.+?)"
        r"(?:[\s,]+(?:please|pls|thanks|thank you|again|now))*",
        r"(?:(?:hi|hey|hallo|munin|ok(?:ay)?|bitte|und|also|kannst du|du kannst)[\s,:]+)*"
        r"(?:vergiss|vergessen sie)[\s,]+(?:(?:bitte|doch|wieder)[\s,]+)*(?:dass\s+)?"
        r"(?P<what>(?:ich|mein(?:e[nmrs]?)?|wo ich|wie alt ich)\b.+?)(?:[\s,]+bitte)?",
        r"(?:(?:hola|munin|por favor|y|puedes)[\s,:]+)*(?:olvida|olvídate|olvidate|olvide|olvidar)\s+(?:de\s+)?(?:que\s+)?"
        r"(?P<what>.+?)(?:[\s,]+(?:por favor|gracias))?",
        r"(?:(?:salut|munin|s'il te pla[iî]t|s'il vous pla[iî]t|stp|et|peux-tu)[\s,:]+)*(?:oublie|oubliez|oublier)\s+"
        r"(?:que\s+|qu')?(?P<what>(?:je|j'|mon|ma|mes|où j)\W?.+?)(?:[\s,]+(?:s'il te pla[iî]t|stp|merci))?",
        r"(?:munin|你好|请你?|麻烦你?|[,，\s])*(?:忘记|忘掉)(?P<what>我.+?(?<!了))(?:这件事|的事)?吧?",
        r"(?:munin|你好|请你?|麻烦你?|[,，\s])*把(?P<what>我.+?)(?:这件事|的事)?(?:忘掉|忘记|忘了)吧?",
    )
)
_ATTRIBUTES = tuple(
    (attribute, re.compile(rf"(?i)(?:{names})"))
    for attribute, names in (
        ("name", "my name|meinen namen|mi nombre|mon (?:nom|prénom)|我的名字"),
        ("age", "my age|how old i am|mein alter|wie alt ich bin|mi edad|mon âge|我的年[龄纪]"),
        (
            "birthday",
            "my (?:birthday|birth ?date|date of birth)|meinen geburtstag|mein geburtsdatum|mi (?:cumpleaños|fecha de nacimiento)"
            "|mon anniversaire|ma date de naissance|我的生日",
        ),
        (
            "location",
            "my (?:address|home|location|home ?town|city)|where i live|meinen wohnort|meine (?:adresse|stadt)|wo ich wohne"
            "|(?:mi )?(?:dirección|ciudad)|dónde vivo|mon adresse|ma ville|où j'habite|我的(?:住址|地址)|我住(?:在)?哪里?",
        ),
        ("origin", "my origins?|where i(?:'m| am| come) from|meine herkunft|mi origen|mes origines|我的(?:老家|家乡)"),
        ("job", "my (?:job|occupation|profession)|mein(?:en)? (?:beruf|job)|mi (?:trabajo|profesión)|mon métier"
         "|我的(?:工作|职业)"),
        ("employer", "my (?:employer|company)|where i work|meinen arbeitgeber|meine firma|wo ich arbeite|dónde trabajo"
         "|mi empresa|mon employeur|mon entreprise|où je travaille|我的公司"),
        ("diet", "my (?:diet|allergy)|meine (?:diät|ernährung|allergie)|mi (?:dieta|alergia)|mon régime|mon allergie"
         "|我的(?:饮食|过敏)"),
    )
)  # fmt: skip
_SPANISH_OWN = re.compile(r"(?i)(?:me|mi|mis|soy|vivo|tengo|trabajo|nací|hablo|estoy|estudio|juego|como|no\s|dónde)\b")
_GERMAN_ORDER = re.compile(r"(?i)^(ich)\s+(.+?)\s+(\S+)$")
_SUBJECT = re.compile(
    r"(?i)^(?:i(?:'m|'ve)?|my|we|our|ich|mein(?:e[nmrs]?)?|mi|mis|je|j'|mon|ma|mes|我的?)(?:\b\s*|(?<=[的我'])\s*)"
)
_POSSESSIVE = re.compile(r"(?i)(?:my|our|mein(?:e[nmrs]?)?|mis?|mon|ma|mes)\b|我的")
_OWNED = {"relationship", "project", "goal", "diet", "job", "employer", "note"}
"""What "my dog" or "my novel" may be; "my coffee" is no taste."""


def find_orders(text: str) -> tuple[Order, ...]:
    own = masked(text)
    return tuple(order for start, end in earnest(own, guards()) if (order := _order(own, start, end)))


def without_orders(text: str, orders: tuple[Order, ...]) -> str:
    """The text, its orders blank: character positions stay."""
    for order in orders:
        text = text[: order.start] + " " * (order.end - order.start) + text[order.end :]
    return text


def meant_by(order: Order, facts: tuple[Fact, ...]) -> Fact | None:
    """Of `facts` (the active ones), the one that is to be forgotten. None where there is none, or several could be meant."""
    for attribute, names in _ATTRIBUTES:
        if names.fullmatch(order.what):
            return _only(fact for fact in facts if fact.attribute == attribute)
    found = find_facts(_main_clause(order.what))
    if not found:
        possible = (fact for fact in facts if fact.attribute in _OWNED or not _POSSESSIVE.match(order.what))
        return _only(fact for fact in possible if _says(fact, _SUBJECT.sub("", order.what), order.what))
    if len(found) > 1:
        return None
    wanted = found[0].description
    alike = [fact for fact in facts if fact.attribute == wanted.attribute and _says(fact, wanted.value, wanted.text)]
    return _only(fact for fact in alike if fold(fact.text) == fold(wanted.text)) or _only(iter(alike))


def _order(own: str, start: int, end: int) -> Order | None:
    sentence = own[start:end]
    if HIDDEN in sentence:
        return None
    for pattern in _PATTERNS:
        found = pattern.match(sentence)
        if found and ("olvid" not in sentence.casefold() or _SPANISH_OWN.match(found["what"])):
            return Order(start, end, found["what"])
    return None


def _main_clause(what: str) -> str:
    """German: "ich in Kiel wohne" is "ich wohne in Kiel"; only where the rules understand neither is it left."""
    return _GERMAN_ORDER.sub(r"\1 \3 \2", what)


def _says(fact: Fact, value: str, sentence: str) -> bool:
    """All content words of the value stand in the fact, which is of the same polarity."""
    if is_negative(fact.text) != is_negative(sentence):
        return False
    if HAN.search(value):
        return fold(value) in fold(fact.text)
    wanted = significant(value)
    return bool(wanted) and wanted <= significant(fact.text)


def _only(found: Iterator[Fact]) -> Fact | None:
    facts = tuple(found)
    return facts[0] if len(facts) == 1 else None
