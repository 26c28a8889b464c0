"""What speaks for a row as the answer to a query, in numbers. Arithmetic over `Rows`; knows no SQL and no result.

Each has one weight. The weights come from a sweep over LoCoMo and PrefEval (`munin eval recall FILE --ablate` shows what each
is worth): none lowers LoCoMo's R@5, R@10, macro R@10 or session R@5, or hit@6 of either. Around them the figures are flat: in a
grid of 72 settings R@5 stayed between 0.769 and 0.779; weights chosen on four conversations gave 0.774 on the fifth. What a row's
whole conversation holds was tried and is no signal (session R@5 0.922 for 0.921, hit@6 0.855 for 0.859). `adapt` is for
questions like PrefEval's, which name nobody (hit@6 0.381 without it, 0.401 with it).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from munin_app.memory.rows import NOWHERE, Rows
from munin_app.memory.times import Window
from munin_app.memory.words import WordMatches

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]
    Places = NDArray[np.int64]

SEEDS = 150
"""Rows that each arm proposes; their neighbours come along."""
BEFORE, AFTER = 0.6, 0.4
"""What one step away counts, and again for each further one. What was said before a text explains it more than what follows."""
SPREAD_LEAST = 0.04
"""Similarities of fewer than a handful of rows vary by chance."""
TOLD_LATER_DAYS, TOLD_EARLIER_DAYS = 45, 7
"""How far from the time that is asked for a text may have been said and still count in part."""
_DAY_MS = 86_400_000


@dataclass(frozen=True, slots=True)
class Weights:
    words: float = 20.0
    neighbouring_words: float = 1.0
    """How much of the neighbours' words counts as the row's own; 0 to 1."""
    meaning: float = 1.5
    neighbouring_meaning: float = 1.0
    speaker: float = 1.5
    length: float = 2.5
    question: float = -2.0
    time: float = 6.0
    adapt: float = 1.0
    """1: words are silent where they are no evidence. 0: they always speak."""


SHIPPED = Weights()


@dataclass(frozen=True, slots=True)
class Signals:
    """Of each candidate; all arrays have that length."""

    places: "Places"
    word_share: "Floats"
    """How much of the query's rarity its words carry, its neighbours' included; 0 to about 1.8."""
    parts: dict[str, "Floats"]
    """What each signal adds to the score."""
    score: "Floats"
    """Their sum."""
    words_believed: float
    """0 to 1: how far words were listened to."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A query, as far as it has been worked out."""

    allowed: "NDArray[np.bool_]"
    """Rows that may be seen: the others are no candidates of any arm, and count for nothing."""
    words: WordMatches
    similarities: "Floats | None"
    """Of all rows; None without an encoder."""
    speaker: int | None
    windows: Sequence[Window]


def weigh(rows: Rows, asked: Asked, weights: Weights) -> Signals:
    """Signals of all rows that any arm proposes, and of their neighbours."""
    table = rows.table
    meaning = _standardised(asked)
    places = _candidates(rows, asked, meaning)
    around = _Around(rows, asked.allowed, places)
    share = _share(asked.words, table["words"], around, weights.neighbouring_words)
    believed = 1.0
    if meaning is not None and asked.speaker is None:  # who names a speaker asks for that one's words
        believed = _belief(share, meaning, int(np.count_nonzero(asked.allowed)))
    believed = 1 - weights.adapt * (1 - believed)
    parts = {"words": weights.words * believed * share}
    if meaning is not None:
        parts["meaning"] = weights.meaning * meaning[places]
        parts["neighbouring meaning"] = weights.neighbouring_meaning * around.mean(meaning)
    length = np.log(np.maximum(table["words"], 1))
    parts["length"] = weights.length * (length[places] - around.plain_mean(length))
    parts["question"] = weights.question * (table["question"][places] - around.plain_mean(table["question"]))
    if asked.speaker is not None:
        parts["speaker"] = weights.speaker * (table["speaker"][places] == asked.speaker)
    if asked.windows:
        parts["time"] = weights.time * _nearness(table[places], asked.windows)
    score: Floats = np.sum(list(parts.values()), axis=0, dtype=np.float32)
    return Signals(places, share, parts, score, believed)


class _Around:
    """The neighbourhoods of some rows: those up to NEIGHBOURS steps away in the same conversation that may be seen."""

    def __init__(self, rows: Rows, allowed: "NDArray[np.bool_]", places: "Places") -> None:
        self.steps = [(places, 1.0, np.ones(len(places), bool))]
        for links, weight in ((rows.before, BEFORE), (rows.after, AFTER)):
            for distance, link in enumerate(links, 1):
                there = link[places]
                self.steps.append((there, weight**distance, (there != NOWHERE) & allowed[there]))

    def total(self, values: "Floats", others: float = 1.0) -> "Floats":
        """Sum over the last axis of `values`, neighbours by their weight."""
        found = np.zeros((*values.shape[:-1], len(self.steps[0][0])), np.float32)
        for step, (there, weight, valid) in enumerate(self.steps):
            found += (weight * (others if step else 1.0)) * np.where(valid, values[..., there], 0)
        return found

    def mean(self, values: "Floats") -> "Floats":
        weights = np.sum([weight * valid for _, weight, valid in self.steps], axis=0)
        found: Floats = (self.total(values) / weights).astype(np.float32)
        return found

    def plain_mean(self, values: "Floats") -> "Floats":
        """All neighbours alike."""
        total = np.sum([np.where(valid, values[there], 0) for there, _, valid in self.steps], axis=0)
        found: Floats = (total / np.sum([valid for _, _, valid in self.steps], axis=0)).astype(np.float32)
        return found


def _candidates(rows: Rows, asked: Asked, meaning: "Floats | None") -> "Places":
    holding = np.flatnonzero(asked.words.counts.any(axis=0))
    lengths = rows.table["words"][holding]
    share = asked.words.share(asked.words.counts[:, holding], lengths, float(lengths.mean()) if len(lengths) else 1.0)
    seeds = holding[_best(share)]
    if meaning is not None:
        known = np.flatnonzero(meaning)
        seeds = np.concatenate([seeds, known[_best(meaning[known])]])
    if asked.windows:
        then = np.flatnonzero(asked.allowed & (_nearness(rows.table, asked.windows) == 1))
        seeds = np.concatenate([seeds, then[_best(then.astype(np.float32) if meaning is None else meaning[then])]])
    around = [link[seeds] for link in (*rows.before, *rows.after)]
    places = np.unique(np.concatenate([seeds, *around]))
    seen: Places = places[(places != NOWHERE) & asked.allowed[places]]
    return seen


def _best(values: "Floats") -> "Places":
    """Where the SEEDS greatest are."""
    if len(values) <= SEEDS:
        return np.arange(len(values))
    best: Places = np.argpartition(-values, SEEDS)[:SEEDS]
    return best


def _share(words: WordMatches, lengths: "Floats", around: _Around, neighbours: float) -> "Floats":
    total = around.total(lengths, neighbours)
    return words.share(around.total(words.counts, neighbours), total, float(total.mean()) if len(total) else 1.0)


def _standardised(asked: Asked) -> "Floats | None":
    """Similarities by their mean and spread among the rows that may be seen; 0 where there is none."""
    if asked.similarities is None:
        return None
    known = asked.similarities[asked.allowed & ~np.isnan(asked.similarities)]
    if not len(known):
        return None
    z = (asked.similarities - known.mean()) / max(float(known.std()), SPREAD_LEAST)
    return np.nan_to_num(np.where(asked.allowed, z, 0)).astype(np.float32)


def _belief(share: "Floats", meaning: "Floats", count: int) -> float:
    """Words are evidence where one place holds a good share of what was asked. The further the closest meaning stands out
    of what chance gives, sqrt(2 ln N) spreads for the greatest of N, the more they must hold."""
    outstanding = float(meaning.max()) - math.sqrt(2 * math.log(max(count, 2)))
    needed = 0.25 + 0.1 * (outstanding + 0.25)
    return float(np.clip((float(share.max(initial=0)) - needed) / 0.1 + 0.5, 0, 1))


def _nearness(table: "NDArray[np.void]", windows: Sequence[Window]) -> "Floats":
    """1 for what was said in that time or speaks of it, less the later or earlier it was said, down to 0."""
    best = np.zeros(len(table), np.float32)
    for window in windows:
        late = (table["said_at"] - window.end) / (TOLD_LATER_DAYS * _DAY_MS)
        early = (window.start - table["said_at"]) / (TOLD_EARLIER_DAYS * _DAY_MS)
        said = 1 - np.clip(np.maximum(late, early), 0, 1)
        speaks_of = (table["event_start"] < window.end) & (table["event_end"] > window.start)
        best = np.maximum(best, np.where(speaks_of, 1, said))
    return best
