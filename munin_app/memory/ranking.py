"""From a query to results: both arms propose, one score ranks, a gate lets through, duplicates go. Knows rows, no encoder.

The gate was measured with all-MiniLM-L6-v2 int8. Questions about another LoCoMo conversation find something in 4 % of cases
(a bare similarity of 0.35: 37 %), over 2,200 turns in 9 % (77 %); questions about the same one in 91 %, R@5 36 %.
"""

import json
import math
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import apsw
import numpy as np

from munin_app.domain.memories import Memory, SearchResult
from munin_app.memory import store, words
from munin_app.memory.vectors import Nearest

if TYPE_CHECKING:
    from numpy.typing import NDArray

CANDIDATES_PER_ARM = 50
NEAR_IDENTICAL = 0.97
"""Cosine from which two texts say the same."""
SMALL_STORE = 5
"""Messages up to which the encoder's bare threshold holds."""
WORDS_RAISE = 0.4
"""What sharing all content words of the query is worth at the gate, as similarity."""
SIMILARITY_FLOOR = 0.2
"""Below it shared words alone open nothing, where there is a vector to ask."""
COVERAGE_ALONE = 0.4
"""Without a vector: this share of the query's weight in words must be there."""


@dataclass(frozen=True, slots=True)
class Query:
    text: str
    vector: "NDArray[np.float32] | None"
    """None: words only."""
    scopes: Collection[str]
    excluded: Collection[str]
    top_k: int
    threshold: float | None
    """A plain cut by similarity instead of the gate."""


@dataclass(frozen=True, slots=True)
class Bar:
    """What a candidate must reach in a store of that many messages."""

    height: float
    plain: float | None

    @classmethod
    def of(cls, query: Query, threshold: float, growth: float, messages: int) -> "Bar":
        return cls(threshold + growth * math.log10(max(messages, SMALL_STORE) / SMALL_STORE), query.threshold)

    def lets_through(self, candidate: "Candidate") -> bool:
        if candidate.similarity is None:
            return candidate.coverage >= COVERAGE_ALONE
        if self.plain is not None:
            return candidate.similarity >= self.plain
        return candidate.similarity >= SIMILARITY_FLOOR and candidate.similarity + WORDS_RAISE * candidate.coverage >= self.height


@dataclass(frozen=True, slots=True)
class Candidate:
    memory: Memory
    vector: "NDArray[np.float32] | None"
    similarity: float | None
    shared: tuple[str, ...]
    """Words of the query, the rarest first."""
    coverage: float
    rank: int
    """Place among the proposals, the word arm's first: settles equal scores."""

    @property
    def score(self) -> float:
        return (self.similarity or 0.0) + self.coverage


def search(
    connection: apsw.Connection, query: Query, nearest: Nearest, threshold: float, growth: float
) -> tuple[SearchResult, ...]:
    """At most `top_k`, best first; one for each message."""
    content = words.query_words(connection, query.text)
    chunk_ids = words.nearest_by_words(connection, content, query.scopes, query.excluded, CANDIDATES_PER_ARM)
    if query.vector is not None:
        chunk_ids += nearest(connection, query.vector, query.scopes, query.excluded, CANDIDATES_PER_ARM)
    bar = Bar.of(query, threshold, growth, store.count(connection, query.scopes))
    passed = [candidate for candidate in _candidates(connection, query, content, chunk_ids) if bar.lets_through(candidate)]
    passed.sort(key=lambda candidate: (-candidate.score, candidate.rank))
    return tuple(_result(candidate, bar) for candidate in _distinct(passed, query)[: query.top_k])


def _candidates(
    connection: apsw.Connection, query: Query, content: words.QueryWords, chunk_ids: Sequence[int]
) -> Iterator[Candidate]:
    ranks = {chunk_id: rank for rank, chunk_id in enumerate(dict.fromkeys(chunk_ids))}
    rows = connection.execute(
        """SELECT id, embedding, message_id, conversation_id, role, text, created_at, scope
           FROM chunk JOIN document USING (message_id) WHERE id IN (SELECT value FROM json_each(?)) ORDER BY id""",
        (json.dumps(chunk_ids),),
    )
    for chunk_id, embedding, *fields in rows:
        memory = store.memory(*fields)
        vector = _vector(embedding)
        similarity = None if vector is None or query.vector is None else float(vector @ query.vector)
        shared = content.shared_with(words.stems(connection, memory.text))
        spelled = tuple(content.spelled[stem] for stem in shared)
        yield Candidate(memory, vector, similarity, spelled, content.coverage(shared), ranks[chunk_id])


def _vector(embedding: bytes | None) -> "NDArray[np.float32] | None":
    """None also for the zero vector, which stands for a text that the encoder cannot read."""
    vector = None if embedding is None else np.frombuffer(embedding, dtype=np.float32)
    return vector if vector is not None and vector.any() else None


def _distinct(ranked: Sequence[Candidate], query: Query) -> list[Candidate]:
    """Without what says the same as a better one. Under the gate also without what repeats the query: a question that
    was asked before answers nothing."""
    kept: list[Candidate] = []
    asked = fold(query.text)
    for candidate in ranked:
        repeats_query = query.threshold is None and (
            fold(candidate.memory.text) == asked or (candidate.similarity or 0) >= NEAR_IDENTICAL
        )
        if not repeats_query and not any(_same(candidate, other) for other in kept):
            kept.append(candidate)
    return kept


def _same(one: Candidate, other: Candidate) -> bool:
    if one.memory.message_id == other.memory.message_id or fold(one.memory.text) == fold(other.memory.text):
        return True
    return one.vector is not None and other.vector is not None and float(one.vector @ other.vector) >= NEAR_IDENTICAL


def fold(text: str) -> str:
    """Case, white space and closing punctuation do not make another text."""
    return " ".join(text.casefold().split()).rstrip(".!? …") or text


def _result(candidate: Candidate, bar: Bar) -> SearchResult:
    close = candidate.similarity is not None and candidate.similarity >= (bar.height if bar.plain is None else bar.plain)
    reasons = ["close in meaning"] if close else []
    if candidate.shared:
        reasons.append("shares " + ", ".join(f"“{word}”" for word in candidate.shared[:3]))
    why = "; ".join(reasons)
    return SearchResult(candidate.memory, candidate.score, candidate.similarity, why[:1].upper() + why[1:])
