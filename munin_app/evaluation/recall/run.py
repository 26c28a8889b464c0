"""Puts a labelled set into a throw-away memory and asks its questions of the search that chat uses."""

import tempfile
from collections.abc import AsyncIterator, Callable, Collection
from contextlib import asynccontextmanager
from dataclasses import dataclass, fields, replace
from pathlib import Path

from munin_app.domain.memories import RecallOutcome
from munin_app.evaluation.recall.cached_encoder import CachedEncoder
from munin_app.evaluation.recall.dataset import Dataset, Question
from munin_app.evaluation.recall.figures import Found
from munin_app.memory import EncoderManifest, MemoryService
from munin_app.memory.signals import SHIPPED, Weights

DEPTH = 40
"""Results that are asked for: enough for the fifth conversation."""
UNRELATED = 200
EVERYTHING = -1.0
"""The threshold that lets everything through."""

Progress = Callable[[str], None]

_NO_CONTEXT = replace(SHIPPED, neighbouring_words=0, neighbouring_meaning=0, speaker=0, length=0, question=0, time=0, adapt=0)
ABLATIONS = {
    "shipped": SHIPPED,
    "words alone": replace(_NO_CONTEXT, meaning=0),
    "meaning alone": replace(_NO_CONTEXT, words=0),
    "both, nothing else": _NO_CONTEXT,
    **{f"without {field.name.replace('_', ' ')}": replace(SHIPPED, **{field.name: 0.0}) for field in fields(Weights)},
}


@dataclass(frozen=True, slots=True)
class Run:
    """What a file gave."""

    ungated: tuple[Found, ...]
    shipped: tuple[Found, ...]
    """At the bar that chat uses."""
    unrelated: tuple[float, ...]
    """The best sureness that each question which nothing there answers reached; empty where there are none."""
    unrelated_found: int
    """How many of those found something at the bar."""


@dataclass(frozen=True, slots=True)
class Unrelated:
    """A question, and where it is asked: nothing that is not hidden there answers it."""

    question: Question
    scopes: Collection[str]
    hidden: frozenset[str]


@asynccontextmanager
async def throw_away_memory(
    dataset: Dataset, encoder: EncoderManifest | None, cache: Path, progress: Progress
) -> AsyncIterator[Path]:
    """Where the memory of that set lies, for as long as it is needed."""
    with tempfile.TemporaryDirectory(prefix="munin-recall-") as folder:
        path = Path(folder) / "munin_memory.db"
        async with opened(path, encoder, cache) as memory:
            messages = [(pool, message) for pool in dataset.pools for message in pool.messages]
            for number, (pool, message) in enumerate(messages, 1):
                await memory.remember(message, scope=pool.scope)
                if number % 500 == 0:
                    progress(f"{number} of {len(messages)} messages are remembered")
        yield path


@asynccontextmanager
async def opened(
    path: Path, encoder: EncoderManifest | None, cache: Path, weights: Weights = SHIPPED
) -> AsyncIterator[MemoryService]:
    memory = MemoryService(path, encoder, load_encoder=lambda manifest: CachedEncoder(manifest, cache), weights=weights)
    try:
        yield memory
    finally:
        await memory.close()


async def measure(memory: MemoryService, dataset: Dataset) -> Run:
    homes = {message.id: message.conversation_id for pool in dataset.pools for message in pool.messages}
    ungated, shipped = [], []
    for pool, question in dataset.asked():
        ungated.append(_found(question, await ask(memory, question, [pool.scope], EVERYTHING), homes))
        shipped.append(_found(question, await ask(memory, question, [pool.scope], None), homes))
    best, found = [], 0
    for one in unrelated_questions(dataset):
        everything = await ask(memory, one.question, one.scopes, EVERYTHING, one.hidden)
        best.append(max((result.sureness for result in everything.results), default=-1.0))
        found += bool((await ask(memory, one.question, one.scopes, None, one.hidden)).results)
    return Run(tuple(ungated), tuple(shipped), tuple(best), found)


async def ranked(memory: MemoryService, dataset: Dataset) -> tuple[Found, ...]:
    """Ungated only."""
    homes = {message.id: message.conversation_id for pool in dataset.pools for message in pool.messages}
    return tuple(
        [_found(question, await ask(memory, question, [pool.scope], EVERYTHING), homes) for pool, question in dataset.asked()]
    )


def unrelated_questions(dataset: Dataset) -> list[Unrelated]:
    """Questions of each pool in turn, asked of all other pools. Of one pool alone: of what answers no question of that
    category."""
    asked = list(dataset.asked())
    asked = asked[:: max(1, len(asked) // UNRELATED)][:UNRELATED]
    if len(dataset.pools) > 1:
        return [
            Unrelated(question, [other.scope for other in dataset.pools if other is not pool], frozenset())
            for pool, question in asked
        ]
    (pool,) = dataset.pools
    alike: dict[str, frozenset[str]] = {}
    for question in pool.questions:
        alike[question.category] = alike.get(question.category, frozenset()) | question.evidence
    return [Unrelated(question, [pool.scope], alike[question.category]) for _, question in asked] if len(alike) > 1 else []


async def ask(
    memory: MemoryService,
    question: Question,
    scopes: Collection[str],
    threshold: float | None,
    hidden: Collection[str] = (),
) -> RecallOutcome:
    return await memory.recall(question.text, DEPTH, threshold, scopes=scopes, exclude_messages=hidden, now=question.asked_at)


def _found(question: Question, outcome: RecallOutcome, homes: dict[str, str]) -> Found:
    return Found(
        question.id,
        question.category,
        question.text,
        tuple(sorted(question.evidence)),
        tuple(result.memory.message_id for result in outcome.results),
        tuple(result.sureness for result in outcome.results),
        homes,
        outcome.search_ms,
    )
