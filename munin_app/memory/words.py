"""The word index: what counts as a word, which chunks hold it, how rare it is. Knows SQLite's FTS5, no vectors."""

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

import apsw
import numpy as np

from munin_app.memory.stemming import Stemmer
from munin_app.memory.stop_words import Language, languages_of, stop_words_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from munin_app.memory.rows import Rows

LETTERS = ("unicode61", "remove_diacritics", "2", "categories", "'L* N* Co So'")
"""A tokenizer of FTS5 as SQL names it: letters, numbers and symbols (emoji)."""

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


def index_form(connection: apsw.Connection, text: str, stemmer: Stemmer | None = None) -> str:
    """What the index is given: the stems of the text's words. Always the English ones, so that what is spelled alike meets
    whatever each text is taken for; beside them those of the language that the text seems to be in, of several in doubt."""
    return " ".join(stem for _, stems in _stemmed(connection, text, stemmer or Stemmer()) for stem in dict.fromkeys(stems))


def prepare(connection: apsw.Connection) -> None:
    """Once a connection: a view of where each stem stands. In the temporary schema, hence also when read-only."""
    connection.execute("CREATE VIRTUAL TABLE IF NOT EXISTS temp.word_place USING fts5vocab('main', 'word', 'instance')")


def count(connection: apsw.Connection, text: str) -> int:
    """Words of the text, stop words included."""
    return sum(1 for _ in _tokens(connection, text))


def sought(connection: apsw.Connection, text: str) -> dict[str, frozenset[str]]:
    """Words of the text as they are spelled, lower-cased, each with its stems. Without stop words, and of several forms of one
    word only the first."""
    words = _stemmed(connection, text, Stemmer())
    stop_words = stop_words_of(languages_of([word for word, _ in words])[0])
    found: dict[str, frozenset[str]] = {}
    known: set[str] = set()
    for word, stems in words:
        if word not in stop_words and stems[-1] not in known:
            known.add(stems[-1])
            found[word] = frozenset(stems)
    return found


def _stemmed(connection: apsw.Connection, text: str, stemmer: Stemmer) -> list[tuple[str, list[str]]]:
    """Each word with its English stem, then those in the other languages that the text may be in."""
    tokens = list(_tokens(connection, text))
    others = [language for language in languages_of([word for word, _ in tokens]) if language is not Language.ENGLISH]
    return [(word, [english, *(stemmer.stem(word, language) for language in others)]) for word, english in tokens]


def _tokens(connection: apsw.Connection, text: str) -> Iterator[tuple[str, str]]:
    """Each word as spelled, lower-cased, and its English stem."""
    tokenizer = connection.fts5_tokenizer("porter", [argument.strip("'") for argument in LETTERS])
    data = _NO_SPACES.sub(r" \1 ", text).encode()
    tokens = tokenizer(data, apsw.FTS5_TOKENIZE_DOCUMENT, None, include_colocated=False)
    for start, end, stem in cast("Iterable[tuple[int, int, str]]", tokens):
        yield data[start:end].decode().casefold(), stem


def matches(connection: apsw.Connection, rows: "Rows", query: str, allowed: "NDArray[np.bool_]") -> WordMatches:
    """Only rows that may be seen count, also for how rare a word is."""
    words = list(sought(connection, query[:QUERY_CHARACTERS_MAX]).items())[:QUERY_WORDS_MAX]
    counts = np.zeros((len(words), len(rows)), np.float32)
    for index, (_, stems) in enumerate(words):
        for stem in stems:  # a word may stand in a row by several stems: it counts once
            np.maximum(counts[index], rows.tally(_chunks_with(connection, stem)), out=counts[index])
    counts *= allowed
    holding, total = [int(np.count_nonzero(row)) for row in counts], int(np.count_nonzero(allowed))
    rarity = np.array([math.log(1 + (total - n + 0.5) / (n + 0.5)) for n in holding], np.float32)
    return WordMatches(tuple(word for word, _ in words), rarity, counts)


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
