"""Whether a fact is right, and the figures over a set.

A fact is right when all content words of an expected value stand in it: folded, accents dropped, and cut to a common stem;
for scripts without spaces the value is a substring. Any other fact is a false one.
"""

import re
import unicodedata
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from munin_app.domain.facts import Fact
from munin_app.evaluation.facts.examples import Example, Expected
from munin_app.evaluation.facts.learning import Learned
from munin_app.profile.words import word_set

# Articles, prepositions and pronouns of the languages that the rules know; negations are content.
_STOP = word_set(
    """
    a an the and or of in on at to for from with by as is are am be was were do does has have had i me my mine we us our they
    them their it its this that so very really also just
    der die das den dem des ein eine einen einem einer eines und oder von vom zu zum zur im am an auf bei mit fur als ist bin
    sind hat habe ich mich mir mein meine meinen meinem meiner sein seine seinen seinem seiner ihr ihre ihren ihrem ihrer es sich
    el la los las un una unos unas y e o u de del al en con por para como es soy son ha he tiene tengo mi mis su sus me se le lo
    que yo
    le les l d un une des et ou du de a au aux en dans sur chez avec pour par comme est suis sont ai j je m me ma mon mes sa son
    ses se s que qu il elle
    """
)
_SPACELESS = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]")
_SUFFIX = re.compile(r"(?:ingly|ings?|edly|ied|ies|ed|es|en|er|em|ern|s|e|n|a|o|as|os|y)$")


@dataclass(frozen=True, slots=True)
class Row:
    """One exchange and what became of it."""

    example: Example
    learned: Learned

    @property
    def false(self) -> tuple[Fact, ...]:
        return tuple(fact for fact in self.learned.facts if not self.supporting(fact))

    @property
    def missed(self) -> tuple[Expected, ...]:
        said = (*self.learned.facts, *self.learned.repeated)
        return tuple(one for one in self.example.expect if not any(holds(fact.text, one.value) for fact in said))

    def supporting(self, fact: Fact) -> tuple[Expected, ...]:
        """The expected values that make the fact right."""
        return tuple(one for one in self.example.expect if holds(fact.text, one.value))


def holds(fact: str, value: str) -> bool:
    if _SPACELESS.search(value):
        return _folded(value).replace(" ", "") in _folded(fact).replace(" ", "")
    wanted, words = content_words(value), _words(fact)
    return bool(wanted) and (wanted <= content_words(fact) or wanted <= frozenset(words))


def content_words(text: str) -> frozenset[str]:
    """Stems; all the words where every one is a stop word ("IT")."""
    words = _words(text)
    return frozenset(_stem(word) for word in words if word not in _STOP) or frozenset(words)


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", _folded(text).replace("n't", " not"))


def _folded(text: str) -> str:
    decomposed = unicodedata.normalize("NFKD", text.casefold().replace("’", "'"))
    return "".join(character for character in decomposed if not unicodedata.combining(character))


def _stem(word: str) -> str:
    short = _SUFFIX.sub("", word)
    return short if len(short) >= 3 else word


def figures(rows: Iterable[Row]) -> dict[str, Any]:
    """Shares from 0 to 1; None where there is nothing to divide by."""
    rows = list(rows)
    nothing = [row for row in rows if not row.example.expect]
    return {
        **_measure(rows),
        "no_fact_exchanges": len(nothing),
        "no_fact_false": sum(len(row.false) for row in nothing),
        "no_fact_false_share": _share(sum(len(row.false) for row in nothing), len(nothing)),
        "candidates": sum(len(row.learned.candidates) for row in rows),
        "languages": _by_language(rows),
        "attributes": _by_attribute(rows),
        "extractors": _by_extractor(rows),
    }


def _measure(
    rows: list[Row], fact_counts: Callable[[Fact], bool] = lambda _: True, counts: Callable[[Expected], bool] = lambda _: True
) -> dict[str, Any]:
    produced = [(row, fact) for row in rows for fact in row.learned.facts if fact_counts(fact)]
    right = [(row, fact) for row, fact in produced if row.supporting(fact)]
    expected = [one for row in rows for one in row.example.expect if counts(one)]
    missed = [one for row in rows for one in row.missed if counts(one)]
    named = sum(fact.attribute in {one.attribute for one in row.supporting(fact)} for row, fact in right)
    return {
        "exchanges": len(rows),
        "produced": len(produced),
        "expected": len(expected),
        "precision": _share(len(right), len(produced)),
        "recall": _share(len(expected) - len(missed), len(expected)),
        "attribute_accuracy": _share(named, len(right)),
    }


def _by_language(rows: list[Row]) -> dict[str, Any]:
    languages = sorted({row.example.lang for row in rows})
    return {language: _measure_language([row for row in rows if row.example.lang == language]) for language in languages}


def _measure_language(rows: list[Row]) -> dict[str, Any]:
    nothing = [row for row in rows if not row.example.expect]
    return {**_measure(rows), "no_fact_false_share": _share(sum(len(row.false) for row in nothing), len(nothing))}


def _by_attribute(rows: list[Row]) -> dict[str, Any]:
    produced = {fact.attribute for row in rows for fact in row.learned.facts}
    attributes = sorted(produced | {one.attribute for row in rows for one in row.example.expect})
    return {
        name: _measure(rows, lambda fact, n=name: fact.attribute == n, lambda one, n=name: one.attribute == n)  # type: ignore[misc]
        for name in attributes
    }


def _by_extractor(rows: list[Row]) -> dict[str, Any]:
    """Precision only: which extractor should have found what was missed, nobody can say."""
    facts = [(row, fact, _extractor(fact)) for row in rows for fact in row.learned.facts]
    names = sorted({name for _, _, name in facts})
    by_name = {name: [(row, fact) for row, fact, its in facts if its == name] for name in names}
    return {
        name: {"produced": len(found), "precision": _share(sum(bool(row.supporting(fact)) for row, fact in found), len(found))}
        for name, found in by_name.items()
    }


def _extractor(fact: Fact) -> str:
    """ "rule:en", or the model with its name."""
    name = fact.sources[-1].extractor
    return name.split(".")[0] if name.startswith("rule:") else name


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None
