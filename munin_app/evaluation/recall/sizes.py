"""How the bar holds in smaller memories: the same questions, asked of parts of what was said."""

import random
from dataclasses import dataclass
from statistics import fmean

from munin_app.evaluation.recall.dataset import Dataset
from munin_app.evaluation.recall.figures import recall_at
from munin_app.evaluation.recall.run import EVERYTHING, ask, unrelated_questions
from munin_app.memory import MemoryService

SIZES = (10, 30, 100, 300)
BLOCK = 10
"""Messages that stay together: a conversation is not taken apart."""
ASKED = 200


@dataclass(frozen=True, slots=True)
class AtSize:
    """Shares are 0 to 1."""

    messages: int
    kept_r5: float
    """R@5 at the shipped bar over the ungated one."""
    found_unrelated: float
    """Of the questions that nothing there answers, those that find something."""


async def by_size(memory: MemoryService, dataset: Dataset) -> list[AtSize]:
    return [AtSize(size, await _kept(memory, dataset, size), await _found(memory, dataset, size)) for size in SIZES]


async def _kept(memory: MemoryService, dataset: Dataset, size: int) -> float:
    asked = list(dataset.asked())
    chance = random.Random(size)
    gated: list[float] = []
    ungated: list[float] = []
    for pool, question in asked[:: max(1, len(asked) // ASKED)]:
        ids = [message.id for message in pool.messages]
        hidden = frozenset(ids) - _part(ids, size, chance, question.evidence)
        for threshold, kept in ((None, gated), (EVERYTHING, ungated)):
            outcome = await ask(memory, question, [pool.scope], threshold, hidden)
            kept.append(recall_at(5, question.evidence, [result.memory.message_id for result in outcome.results]))
    return fmean(gated) / fmean(ungated) if any(ungated) else 0.0


async def _found(memory: MemoryService, dataset: Dataset, size: int) -> float:
    chance, found = random.Random(size), []
    for one in unrelated_questions(dataset):
        ids = [message.id for pool in dataset.pools if pool.scope in one.scopes for message in pool.messages]
        ids = [id for id in ids if id not in one.hidden]
        hidden = one.hidden | (frozenset(ids) - _part(ids, size, chance))
        found.append(bool((await ask(memory, one.question, one.scopes, None, hidden)).results))
    return fmean(found) if found else 0.0


def _part(ids: list[str], size: int, chance: random.Random, needed: frozenset[str] = frozenset()) -> frozenset[str]:
    """About so many: the blocks of those that are needed, and others by chance."""
    blocks = [ids[start : start + BLOCK] for start in range(0, len(ids), BLOCK)]
    chance.shuffle(blocks)
    blocks.sort(key=lambda block: not needed.intersection(block))
    part: set[str] = set()
    for block in blocks:
        if len(part) >= size and not needed.intersection(block):
            break
        part.update(block)
    return frozenset(part)
