"""The parts of a message in which a user speaks in earnest: no code, quotation, pasted text, question, hypothesis or role-play.

Positions stay those of the message: what is hidden is overwritten, never cut out. The words that tell are each language's.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from munin_app.profile.language import Guard

HIDDEN = "\x00"
_LONG_MESSAGE = 2000
"""Characters. What is longer was mostly pasted: only its first paragraph is looked at."""

_HIDE = (
    re.compile(r"(?ms)^[ \t]*(```|~~~).*?(?:^[ \t]*\1[^\n]*$|\Z)"),
    re.compile(r"```.*?(?:```|\Z)", re.S),
    re.compile(r"`[^`\n]+`"),
    re.compile(r"(?m)^[ \t]*>.*$"),
    re.compile(r'"[^"]{1,2000}(?:"|\Z)'),
    re.compile(r"[“„«「『][^”“»」』]{1,2000}(?:[”“»」』]|\Z)"),
    re.compile(r"(?<!\w)'(?:[^'\n]|(?<=\w)'(?=\w))+'(?!\w)"),
    re.compile(r"<[^<>\n]{1,200}>|https?://\S+|\S+@\S+\.\S+"),
)
_PASTED = re.compile(
    r"(?im)^[ \t]*[*#]{0,3}[ \t]*(?:(?:user|assistant|human|ai|bot|system|munin|chatgpt|me|you|from|subject|von|betreff|nutzer"
    r"|de|asunto|usuario|objet|utilisateur|用户|助手|发件人|主题)[*]{0,2}[ \t]*[:：]"
    r"|(?:dear|sehr geehrte\w*|estimad[oa]s?|cher|chère|madame|尊敬的) ?[^\n]{1,30}[,，:：])|\[/?INST\]|<\|"
    r"|\[/?(?:system|sys|admin)\]|^[ \t]*(?:def|class|import|from|const|let|var|function|public|SELECT|#include)\b.*[;:({=]"
)
_ABBREVIATION = re.compile(r"(?i)(?:\b(?:st|dr|mr|mrs|ms|prof|jr|sr|vs|e\.g|i\.e|approx|mt|ft|z\.b|bzw|ca|nr|sra|ud)|\b[A-Z])\.$")
_ORDINAL = re.compile(
    r"(?i)\d\. ?(?:januar|februar|märz|april|mai|juni|juli|august|september|oktober|november|dezember)\b"
)  # "am 3. Mai"
_END = re.compile(r"[.!?…]+(?=[\s\x00)\]]|\Z)|\n+|[。！？]+")


_COLON = re.compile(r"[:：](?=\s|\Z)|：|(?<=[^\d\s]):(?=[^\s\d/)(pPdD-])")


@dataclass(frozen=True, slots=True)
class Statement:
    """Part of one sentence that the user asserts; `text` is `masked[start:end]`."""

    text: str
    start: int
    end: int


def masked(text: str) -> str:
    """The message with everything that is not the user's own speech overwritten, character for character."""
    own = text.replace("’", "'").replace("‘", "'").replace("\t", " ").replace("\r", "\n")
    if len(own) > _LONG_MESSAGE:
        first = own[:_LONG_MESSAGE].split("\n\n")[0]
        own = first if len(first) < _LONG_MESSAGE else ""
    pasted = _PASTED.search(own)
    if pasted:
        own = own[: pasted.start()]
    for pattern in _HIDE:
        own = pattern.sub(lambda found: HIDDEN * len(found.group()), own)
    return own


def statements(own: str, guard: Guard, everybodys: Iterable[Guard]) -> tuple[Statement, ...]:
    """What the user asserts in a masked message, in order; empty for one that asks to work on a text.

    `guard` is that of the message's language; a story may be asked for in another one than it is written in: `everybodys`.
    """
    found: list[Statement] = []
    for start, end in earnest(own, (guard, *everybodys)):
        for first, last in _asserted(own[start:end], guard):
            if own[start + first : start + last].strip(" \n" + HIDDEN):
                found.append(Statement(own[start + first : start + last], start + first, start + last))
    return tuple(found)


def earnest(own: str, guards: Iterable[Guard]) -> Iterator[tuple[int, int]]:
    """Start and end of each sentence of a masked message before the first that is invented; none of one that is about a text."""
    guards = tuple(guards)
    if any(one.about_a_text.search(own) for one in guards):
        return
    invented = (one.invented.search(own) for one in guards)
    invented_from = min((begin.start() for begin in invented if begin), default=len(own) + 1)
    for start, end in _sentences(own):
        if end > invented_from:
            return
        yield start, end


def _sentences(own: str) -> list[tuple[int, int]]:
    spans, start = [], 0
    for end in _END.finditer(own):
        if end.group() == "." and (_ABBREVIATION.search(own[start : end.end()]) or _ORDINAL.match(own, end.start() - 1)):
            continue
        spans.append((start, end.end()))
        start = end.end()
    return [*spans, (start, len(own))] if own[start:].strip() else spans


def _asserted(sentence: str, guard: Guard) -> Iterator[tuple[int, int]]:
    """Start and end of what is left of the sentence without questions and conditions."""
    if guard.composing.search(sentence) or guard.question.search(sentence):
        return
    end = _before_foreign_words(sentence, guard)
    if sentence.rstrip().endswith(("?", "？")):
        question = guard.question_within.search(sentence, 0, end)
        end = question.start() if question and not guard.asks_for_source.search(sentence, question.start()) else 0
    start = 0
    while condition := guard.condition.search(sentence, start, end):
        ends = [found.start() for found in guard.clause_end.finditer(sentence, start, condition.start())]
        if ends:
            yield start, ends[-1]
        contrast = guard.contrast.search(sentence, condition.end(), end)
        if not contrast:
            return
        start = contrast.end()
    yield start, end


def _before_foreign_words(sentence: str, guard: Guard) -> int:
    """Where a colon begins what need not be the speaker's own: "Shorten: I am a nurse"."""
    for colon in _COLON.finditer(sentence):
        if not guard.introduction.search(sentence[: colon.start()]):
            return colon.start()
    return len(sentence)
