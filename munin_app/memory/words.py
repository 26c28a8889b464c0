"""The word index: what counts as a word, how rare it is, and which chunks share it. Knows SQLite's FTS5, no vectors."""

import json
import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import cast

import apsw

TOKENIZER = ("porter", "unicode61", "remove_diacritics", "2", "categories", "'L* N* Co So'")
"""Letters, numbers and symbols (emoji), stemmed for English."""

QUERY_CHARACTERS_MAX = 2_000
QUERY_WORDS_MAX = 48

_NO_SPACES = re.compile(r"([\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\U0001f000-\U0003ffff\u2600-\u27bf])")
"""CJK and emoji, which are written without spaces: each character is a word."""

_STOP_WORDS = """
    a about after again ah all already also always am an and another any anything are as ask at away back be because
    been before being both but by call called came can cannot come could d did do does doing don done each either else
    even ever every everything few for from gave get gets give go goes going gonna good got great had has have having he
    hello help helped helps her here hers hey hi him his how i if in instead into is it its itself just know let like ll
    lot m made make makes many may maybe me mean might mine more most much must my myself need never no not nothing now
    of off oh ok okay on once one only or other our ours out over own please put re really remember right s said same
    saw say says see seem shall she should since so some someone something still such sure take tell than thank thanks
    that the their theirs them then there these they thing things think this those though through to told too took tried
    try up us use used very want was way we well went were what whatever when where whether which while who whom whose
    why will with without would yeah yes yet you your yours yourself
"""
STOP_WORDS = frozenset(_STOP_WORDS.split())

ALLOWED = """
    document.scope IN (SELECT value FROM json_each(:scopes))
    AND document.message_id NOT IN (SELECT value FROM json_each(:excluded))
"""
"""Stands inside every arm, so that what may not be seen never takes a place among the candidates."""


@dataclass(frozen=True, slots=True)
class QueryWords:
    """The content words of a query by their stems, with the share of the query's weight that each carries (sum 1)."""

    spelled: Mapping[str, str]
    weight: Mapping[str, float]

    def shared_with(self, stems: Iterable[str]) -> list[str]:
        """Stems in both, the rarest first."""
        return sorted(self.weight.keys() & set(stems), key=lambda stem: (-self.weight[stem], stem))

    def coverage(self, shared: Iterable[str]) -> float:
        """0 to 1: how much of the query's weight those stems carry."""
        return sum(self.weight[stem] for stem in shared)


def indexed_form(text: str) -> str:
    """What the index is given: characters that are words of their own stand apart."""
    return _NO_SPACES.sub(r" \1 ", text)


def stems(connection: apsw.Connection, text: str) -> dict[str, str]:
    """Stem → the word as it is spelled there, lower-cased, stop words left out."""
    tokenizer = connection.fts5_tokenizer(TOKENIZER[0], [argument.strip("'") for argument in TOKENIZER[1:]])
    data = indexed_form(text).encode()
    tokens = tokenizer(data, apsw.FTS5_TOKENIZE_DOCUMENT, None, include_colocated=False)
    found: dict[str, str] = {}
    for start, end, stem in cast("Iterable[tuple[int, int, str]]", tokens):
        word = data[start:end].decode().casefold()
        if word not in STOP_WORDS:
            found.setdefault(stem, word)
    return found


def prepare(connection: apsw.Connection) -> None:
    """Once a connection: a view of how many chunks hold each stem. In the temporary schema, hence also when read-only."""
    connection.execute("CREATE VIRTUAL TABLE IF NOT EXISTS temp.word_count USING fts5vocab('main', 'word', 'row')")


def query_words(connection: apsw.Connection, query: str) -> QueryWords:
    """Weights are inverse document frequencies: ln(1 + (N + 0.5) / (n + 0.5))."""
    spelled = dict(list(stems(connection, query[:QUERY_CHARACTERS_MAX]).items())[:QUERY_WORDS_MAX])
    counts = dict(
        connection.execute(
            "SELECT term, doc FROM temp.word_count WHERE term IN (SELECT value FROM json_each(?))", (json.dumps(list(spelled)),)
        )
    )
    total = connection.execute("SELECT count(*) FROM document").get
    rarity = {stem: math.log(1 + (max(total, counts.get(stem, 0)) + 0.5) / (counts.get(stem, 0) + 0.5)) for stem in spelled}
    weight = sum(rarity.values()) or 1.0
    return QueryWords(spelled, {stem: value / weight for stem, value in rarity.items()})


def nearest_by_words(
    connection: apsw.Connection, words: QueryWords, scopes: Iterable[str], excluded: Iterable[str], limit: int
) -> list[int]:
    """Ids of the chunks that share any of the words, best BM25 first."""
    if not words.spelled:
        return []
    # OR: with AND a question finds nothing, as its verb is seldom in the answer
    match = " OR ".join(f'"{word}"' for word in words.spelled.values())
    rows = connection.execute(
        f"""SELECT word.rowid FROM word JOIN chunk ON chunk.id = word.rowid JOIN document USING (message_id)
            WHERE word MATCH :match AND {ALLOWED} ORDER BY bm25(word), word.rowid LIMIT :limit""",
        {"match": match, "scopes": json.dumps(list(scopes)), "excluded": json.dumps(list(excluded)), "limit": limit},
    )
    return [row[0] for row in rows]
