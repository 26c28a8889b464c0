"""From a query to results: what speaks for each row, a bar, one result for each message and thing said. Knows no encoder.

The bar was measured with all-MiniLM-L6-v2 int8 (`munin eval recall FILE --sizes`). Of questions about other people's lives 6 %
find something among 2,200 turns of LoCoMo, 4 to 7 % among 10 to 300; 89 % of R@5 is left, 91 to 97 % there. PrefEval's questions
share little with their answers: among 480 preferences that do not answer them 11 % find something, and a third of R@5 is left;
three quarters among 10. No bar on these measures does better: the best cut at 10 % false recall leaves 31 %.
"""

import itertools
import logging
import math
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import apsw
import numpy as np

from munin_app.domain.memories import Memory, RecallOutcome, SearchResult, Signal
from munin_app.i18n import _
from munin_app.memory import anchors, store, times, words
from munin_app.memory.rows import Rows
from munin_app.memory.signals import SHIPPED, Asked, Signals, Weights, weigh
from munin_app.memory.vectors import Exact

if TYPE_CHECKING:
    from numpy.typing import NDArray

log = logging.getLogger(__name__)

NEAR_IDENTICAL = 0.97
"""Cosine from which two texts say the same."""
SMALL_STORE = 5
"""Rows up to which the encoder's bare threshold holds."""
WORDS_RAISE = 0.3
"""What a word share of 1 is worth at the bar, as similarity."""
SIMILARITY_FLOOR = 0.2
"""Below it shared words alone open nothing, where there is a vector to ask."""
FIRST = 5
FALL = 0.15
"""How far below the bar one may be where another opens it."""
FALL_SHARE = 0.5
"""But not less than this share of the best one's evidence."""
SHARE_ALONE = 0.4
"""Without a vector: this share of the query's words must be there."""
LOOKED_AT = 4
"""Candidates that are looked at, for each result that is asked for: some repeat others, and some are refused."""
READ_AT_ONCE = 24
NAME_CHARACTERS_MIN = 3


@dataclass(frozen=True, slots=True)
class Query:
    text: str
    vector: "NDArray[np.float32] | None"
    """None: words only."""
    scopes: Collection[str]
    excluded: Collection[str]
    top_k: int
    threshold: float | None
    """A plain cut by similarity instead of the bar."""
    now: int
    """When it is asked, Unix ms: “last week” is seen from there."""


@dataclass(frozen=True, slots=True)
class Bar:
    """What lets results through. First the memory as a whole must look as if it knew: the best of the first few candidates
    reaches `height`. Then each of them must come near to it."""

    height: float
    best: float
    """Evidence of the best of the first few."""
    plain: float | None

    @classmethod
    def of(cls, query: Query, threshold: float, growth: float, rows: int, first: Sequence["Candidate"]) -> "Bar":
        height = threshold + growth * math.log10(max(rows, SMALL_STORE) / SMALL_STORE)
        close = [one.evidence for one in first if one.similarity is not None and one.similarity >= SIMILARITY_FLOOR]
        return cls(height, max(close, default=-1.0), query.threshold)

    def sureness(self, candidate: "Candidate") -> float:
        """How far above the bar: 0 or more is let through."""
        if candidate.similarity is None:
            return WORDS_RAISE * (candidate.share - SHARE_ALONE) if candidate.shared else -1.0
        if candidate.evidence < FALL_SHARE * self.best:
            return -1.0
        return min(self.best, candidate.evidence + FALL) - self.height

    def refuses(self, candidate: "Candidate") -> str:
        """Why it is not let through; empty when it is."""
        if self.plain is None:
            return _("Not sure enough") if self.sureness(candidate) < 0 else ""
        if candidate.similarity is None:
            return ""
        return _("Not close enough") if candidate.similarity < self.plain else ""


@dataclass(frozen=True, slots=True)
class Candidate:
    memory: Memory
    folded: str
    vector: "NDArray[np.float32] | None"
    similarity: float | None
    shared: tuple[str, ...]
    """Words of the query, the rarest first."""
    share: float
    index: int
    """Among the signals."""

    @property
    def evidence(self) -> float:
        return (self.similarity or 0.0) + WORDS_RAISE * self.share


def search(
    connection: apsw.Connection,
    rows: Rows,
    query: Query,
    exact: Exact,
    threshold: float,
    growth: float,
    weights: Weights = SHIPPED,
) -> RecallOutcome:
    """At most `top_k`, best first; one for each message."""
    rows.refresh(connection)
    asked = _asked(connection, rows, query)
    signals = weigh(rows, asked, weights)
    candidates = _candidates(connection, rows, query, asked, signals, exact)
    first = list(itertools.islice(candidates, FIRST))
    bar = Bar.of(query, threshold, growth, int(np.count_nonzero(asked.allowed)), first)
    passed: list[SearchResult] = []
    left_out: list[SearchResult] = []
    kept = _Kept(query)
    for candidate in itertools.chain(first, candidates):
        if len(kept) == query.top_k:
            break
        if not (reason := bar.refuses(candidate) or kept.repeated_by(candidate)):
            kept.add(candidate)
            passed.append(_result(candidate, signals, bar))
        elif len(left_out) < query.top_k:
            left_out.append(_result(candidate, signals, bar, reason))
    return RecallOutcome(tuple(passed), left_out=tuple(left_out))


def _asked(connection: apsw.Connection, rows: Rows, query: Query) -> Asked:
    allowed = rows.in_scopes(query.scopes)
    allowed[rows.places(store.chunk_ids(connection, query.excluded))] = False
    found = _words(connection, rows, query.text, allowed)
    return Asked(
        allowed,
        found,
        None if query.vector is None else rows.similarities(query.vector),
        _named_speaker(rows, query.text, allowed),
        times.windows(query.text, query.now) or anchors.windows(query.text, query.now, found, rows.table, allowed),
    )


def _words(connection: apsw.Connection, rows: Rows, text: str, allowed: "NDArray[np.bool_]") -> words.WordMatches:
    try:
        return words.matches(connection, rows, text, allowed)
    except apsw.Error as error:  # vectors still find
        log.warning("Recall goes on by meaning only: the word index cannot be searched (%s)", type(error).__name__)
        return words.nothing_found(rows)


def _named_speaker(rows: Rows, text: str, allowed: "NDArray[np.bool_]") -> int | None:
    """The one speaker whose name, or its beginning, stands in the text; None when there are more, or none."""
    if not rows.speakers:
        return None
    said = {word for word in re.findall(r"\w+", text.casefold()) if len(word) >= NAME_CHARACTERS_MIN}
    meant = [number for name, number in rows.speakers.items() if any(name == word or name.startswith(word) for word in said)]
    speakers = rows.table["speaker"]
    present = [number for number in meant if (allowed & (speakers == number)).any()]
    return present[0] if len(present) == 1 else None


def _candidates(
    connection: apsw.Connection, rows: Rows, query: Query, asked: Asked, signals: Signals, exact: Exact
) -> Iterator[Candidate]:
    """Best first, read from the database a few at a time."""
    order = np.lexsort((signals.places, -signals.score))
    order = order[: READ_AT_ONCE + LOOKED_AT * query.top_k]
    for start in range(0, len(order), READ_AT_ONCE):
        some = order[start : start + READ_AT_ONCE]
        ids = rows.table["id"][signals.places[some]].tolist()
        read = store.read_chunks(connection, ids)
        similar = exact(connection, query.vector, ids) if query.vector is not None else {}
        for index, chunk_id in zip(some.tolist(), ids, strict=True):
            memory, embedding = read[chunk_id]
            place = int(signals.places[index])
            yield Candidate(
                memory,
                fold(memory.text),
                _vector(embedding),
                similar.get(chunk_id),
                tuple(asked.words.shared_with(place)),
                float(signals.word_share[index]),
                index,
            )


def _vector(embedding: bytes | None) -> "NDArray[np.float32] | None":
    """None also for the zero vector, which stands for a text that the encoder cannot read."""
    vector = None if embedding is None else np.frombuffer(embedding, dtype=np.float32)
    return vector if vector is not None and vector.any() else None


class _Kept:
    """What has been let through, to know repetitions by."""

    def __init__(self, query: Query) -> None:
        self._asked = fold(query.text)
        self._plain = query.threshold is not None
        self._messages: set[str] = set()
        self._texts: set[str] = set()
        self._vectors: list[NDArray[np.float32]] = []

    def __len__(self) -> int:
        return len(self._messages)

    def repeated_by(self, candidate: Candidate) -> str:
        """Why it is nothing new; empty when it is. A question that was asked before answers nothing."""
        if not self._plain and (candidate.folded == self._asked or (candidate.similarity or 0) >= NEAR_IDENTICAL):
            return _("Repeats the question")
        known = candidate.memory.message_id in self._messages or candidate.folded in self._texts
        return _("Repeats a better one") if known or self._near(candidate) else ""

    def _near(self, candidate: Candidate) -> bool:
        if candidate.vector is None or not self._vectors:
            return False
        return bool((np.stack(self._vectors) @ candidate.vector).max() >= NEAR_IDENTICAL)

    def add(self, candidate: Candidate) -> None:
        self._messages.add(candidate.memory.message_id)
        self._texts.add(candidate.folded)
        if candidate.vector is not None:
            self._vectors.append(candidate.vector)


def fold(text: str) -> str:
    """Case, white space and closing punctuation do not make another text."""
    return " ".join(text.casefold().split()).rstrip(".!? …") or text


def _result(candidate: Candidate, signals: Signals, bar: Bar, refused: str = "") -> SearchResult:
    index = candidate.index
    parts = tuple(
        Signal(name, 1 + int(np.count_nonzero(part > part[index])), float(part[index])) for name, part in signals.parts.items()
    )
    return SearchResult(
        candidate.memory,
        float(signals.score[index]),
        candidate.similarity,
        _why(candidate, bar, {part.name: part.points for part in parts}, refused),
        bar.sureness(candidate),
        parts,
    )


def _why(candidate: Candidate, bar: Bar, points: Mapping[str, float], refused: str) -> str:
    reasons = [refused.lower()] if refused else []
    if candidate.similarity is not None and candidate.similarity >= (
        bar.height if bar.plain is None else max(bar.plain, SIMILARITY_FLOOR)
    ):
        reasons.append(_("close in meaning"))
    if candidate.shared:
        reasons.append(
            _("shares {words}").format(words=", ".join(_("“{text}”").format(text=word) for word in candidate.shared[:3]))
        )
    if points.get("time", 0) > 0:
        reasons.append(_("from the time you ask for"))
    if points.get("speaker", 0) > 0:
        reasons.append(_("said by whom you name"))
    why = "; ".join(reasons or [_("said next to what you ask for")])
    return why[:1].upper() + why[1:]
