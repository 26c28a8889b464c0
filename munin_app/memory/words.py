"""The word index: what counts as a word, which chunks hold it, how rare it is. Knows SQLite's FTS5, no vectors."""

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

import apsw
import numpy as np

from munin_app.memory.stop_words import stop_words_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from munin_app.memory.rows import Rows

TOKENIZER = ("porter", "unicode61", "remove_diacritics", "2", "categories", "'L* N* Co So'")
"""Letters, numbers and symbols (emoji), stemmed for English."""

QUERY_CHARACTERS_MAX = 2_000
QUERY_WORDS_MAX = 48

_NO_SPACES = re.compile(r"([\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\U0001f000-\U0003ffff\u2600-\u27bf])")
"""CJK and emoji, which are written without spaces: each character is a word."""

SATURATION = 0.8
LENGTH_SHARE = 0.5
"""BM25's k1 and b (Robertson and Zaragoza, 2009)."""


@dataclass(frozen=True, slots=True)
class WordMatches:
    """What the words of a query find in the rows that may be seen. A matrix has a row for each word."""

    spelled: Sequence[str]
    """As in the query."""
    rarity: "NDArray[np.float32]"
    """Inverse document frequency among those rows: ln(1 + (N - n + 0.5) / (n + 0.5))."""
    counts: "NDArray[np.float32]"
    """(words, rows): how often each stands in each row."""

    def share(self, counts: "NDArray[np.float32]", lengths: "NDArray[np.float32]", usual: float) -> "NDArray[np.float32]":
        """BM25 as a share of the rarity of all words of the query, also of those that stand nowhere: about 1 for a text
        that holds all of them once, up to 1 + k1. `counts` as `self.counts`, for any texts; `usual` is their mean length."""
        norm = SATURATION * (1 - LENGTH_SHARE + LENGTH_SHARE * lengths / max(usual, 1e-6))
        saturated = (SATURATION + 1) * counts / (counts + norm)
        found: NDArray[np.float32] = (self.rarity @ saturated / max(float(self.rarity.sum()), 1e-6)).astype(np.float32)
        return found

    def shared_with(self, row: int) -> list[str]:
        """The words in that row, the rarest first."""
        held: list[int] = np.flatnonzero(self.counts[:, row]).tolist()
        return [self.spelled[index] for index in sorted(held, key=lambda index: -float(self.rarity[index]))]


def indexed_form(text: str) -> str:
    """What the index is given: characters that are words of their own stand apart."""
    return _NO_SPACES.sub(r" \1 ", text)


def prepare(connection: apsw.Connection) -> None:
    """Once a connection: a view of where each stem stands. In the temporary schema, hence also when read-only."""
    connection.execute("CREATE VIRTUAL TABLE IF NOT EXISTS temp.word_place USING fts5vocab('main', 'word', 'instance')")


def count(connection: apsw.Connection, text: str) -> int:
    """Words of the text, stop words included."""
    return sum(1 for _ in _tokens(connection, text))


def stems(connection: apsw.Connection, text: str) -> dict[str, str]:
    """Stem → the word as it is spelled there, lower-cased, stop words left out."""
    tokens = list(_tokens(connection, text))
    stop_words = stop_words_of([word for word, _ in tokens])
    found: dict[str, str] = {}
    for word, stem in tokens:
        if word not in stop_words:
            found.setdefault(stem, word)
    return found


def _tokens(connection: apsw.Connection, text: str) -> Iterator[tuple[str, str]]:
    tokenizer = connection.fts5_tokenizer(TOKENIZER[0], [argument.strip("'") for argument in TOKENIZER[1:]])
    data = indexed_form(text).encode()
    tokens = tokenizer(data, apsw.FTS5_TOKENIZE_DOCUMENT, None, include_colocated=False)
    for start, end, stem in cast("Iterable[tuple[int, int, str]]", tokens):
        yield data[start:end].decode().casefold(), stem


def matches(connection: apsw.Connection, rows: "Rows", query: str, allowed: "NDArray[np.bool_]") -> WordMatches:
    """Only rows that may be seen count, also for how rare a word is."""
    spelled = dict(list(stems(connection, query[:QUERY_CHARACTERS_MAX]).items())[:QUERY_WORDS_MAX])
    counts = np.zeros((len(spelled), len(rows)), np.float32)
    for index, stem in enumerate(spelled):
        counts[index] = rows.tally(_chunks_with(connection, stem))
    counts *= allowed
    holding, total = np.count_nonzero(counts, axis=1), int(np.count_nonzero(allowed))
    rarity = np.array([math.log(1 + (total - n + 0.5) / (n + 0.5)) for n in holding.tolist()], np.float32)
    return WordMatches(tuple(spelled.values()), rarity, counts)


def nothing_found(rows: "Rows") -> WordMatches:
    return WordMatches((), np.empty(0, np.float32), np.zeros((0, len(rows)), np.float32))


def works(connection: apsw.Connection) -> bool:
    """Whether the index can be searched."""
    try:
        connection.execute("SELECT rowid FROM word WHERE word MATCH 'probe' LIMIT 1").fetchall()
        _chunks_with(connection, "probe")
    except apsw.Error:
        return False
    return True


def _chunks_with(connection: apsw.Connection, stem: str) -> "NDArray[np.int64]":
    """A chunk once for each time that it holds the stem. As one string: ten times faster than row by row."""
    joined = connection.execute("SELECT group_concat(doc) FROM temp.word_place WHERE term = ?", (stem,)).get
    return np.fromstring(joined, np.int64, sep=",") if joined else np.empty(0, np.int64)
