"""Splits what a user asserts into clauses that begin with their subject, so that rules can be anchored at the beginning.

"I live in Oslo and work as a nurse" is "I live in Oslo" and "I work as a nurse"; "my friend lives in Oslo" stays whole and
begins with somebody else.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from munin_app.profile.language import Splitter
from munin_app.profile.sentences import HIDDEN, Statement


@dataclass(frozen=True, slots=True)
class Clause:
    text: str
    """Begins with its subject, which may be supplied: "I work as a nurse"."""
    start: int
    """Where it begins in the message."""
    end: int
    supplied: int = 0
    """Characters at the beginning of `text` that are not in the message."""
    reordered: bool = False
    """The words of `text` do not stand in this order in the message."""

    def position(self, at: int) -> int:
        """Of a character of `text` in the message."""
        return self.start + max(0, at - self.supplied)


def clauses(statement: Statement, splitter: Splitter) -> Iterator[Clause]:
    """Left to right. A part without a subject gets the one before it, if that was real ("I want to …" is not)."""
    supplied_by = {"verb": splitter.verb, "complement": splitter.complement}
    for start, end, kind in _parts(statement.text, splitter):
        lead = splitter.lead.match(statement.text, start, end)
        begin = lead.end() if lead else start
        supplied = supplied_by.get(kind, "")
        if kind == "dangling":
            continue
        own = statement.text[begin:end].rstrip(" .!。！\n" + HIDDEN)
        if own.strip(" .!"):
            text = _reordered(supplied + own, splitter)
            moved = text != supplied + own
            yield Clause(text, statement.start + begin, statement.start + begin + len(own), len(supplied), moved)


def _reordered(text: str, splitter: Splitter) -> str:
    for pattern, by in splitter.reordered:
        text, count = pattern.subn(by, text, count=1)
        if count:
            return text
    return text


def _parts(text: str, splitter: Splitter) -> Iterator[tuple[int, int, str]]:
    """Start, end and kind of each part."""
    lead = splitter.lead.match(text)
    start, kind, subject_at = 0, "subject", lead.end() if lead else 0
    for found in splitter.next.finditer(text, subject_at):
        before = text[subject_at : found.start()]
        wanted = _kind(str(found.lastgroup), before, splitter)
        if not wanted or _goes_on(before, text[found.end() :], splitter):
            continue
        yield start, found.start(), kind
        start, kind = found.end(), wanted
        subject_at = found.end() if wanted == "subject" else subject_at
    yield start, len(text), kind


def _goes_on(before: str, after: str, splitter: Splitter) -> bool:
    """ "hotels that are quiet | and do not allow dogs": the hotels do not."""
    if not splitter.relative or not splitter.goes_on:
        return False
    return bool(splitter.relative.search(before) and splitter.goes_on.match(after))


def _kind(wanted: str, before: str, splitter: Splitter) -> str:
    """Empty where there is no break: ", a cat" goes on with a list unless the subject just said what it is."""
    if wanted == "complement":
        return wanted if splitter.takes_complement.match(before) and not splitter.unreal.match(before) else ""
    if wanted == "verb":
        return wanted if splitter.takes_verb.match(before) and not splitter.unreal.match(before) else "dangling"
    return wanted
