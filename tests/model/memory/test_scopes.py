"""No arm and no signal shows a row of a scope that was not asked for, nor lets it count."""

import random

import pytest

from munin_app.domain.memories import RecallOutcome, conversation_scope, persona_scope
from munin_app.domain.messages import Role
from munin_app.memory import MemoryService
from tests.model.memory.conftest import Build, said

MINE, THEIRS = persona_scope("mine"), conversation_scope("theirs")
NAMES, THINGS = ("Anna", "Bert", "Chen"), ("kayak", "sauna", "dentist", "cello", "harbour")
WHEN = ("yesterday", "last week", "in March 2023", "two weeks ago", "on Monday")
NOW = 1_700_000_000_000
DAY = 86_400_000
ROWS, QUERIES = 60, 40
ARMS = {
    "words only": {"manifest": None},
    "vectors by sqlite-vec": {},
    "vectors by NumPy": {"use_extension": False},
}


def sentence(chance: random.Random) -> str:
    speaker = f"{chance.choice(NAMES)}: " if chance.random() < 0.5 else ""
    return f"{speaker}we spoke of the {chance.choice(THINGS)} and the {chance.choice(THINGS)} {chance.choice(WHEN)}"


async def fill(service: MemoryService, seed: int, *, together: bool) -> None:
    """The same words at the same times in each scope, or all but the same; `together`, in the same conversations too."""
    chance = random.Random(seed)
    for number in range(ROWS):
        text, at = sentence(chance), NOW - chance.randrange(400) * DAY
        conversation, role = f"c{chance.randrange(4)}", chance.choice((Role.USER, Role.ASSISTANT))
        for scope in (MINE, THEIRS):
            words = text if chance.random() < 0.5 else text + chance.choice((" again", "!", "?"))
            where = conversation if together else f"{conversation} {scope}"
            message = said(words, id=f"{scope} {number}", conversation=where, at=at, role=role)
            assert await service.remember(message, scope=scope)


def query(chance: random.Random) -> str:
    asked = (
        f"What did {chance.choice(NAMES)} say of the {chance.choice(THINGS)}?",
        f"Where was the {chance.choice(THINGS)} {chance.choice(WHEN)}?",
        sentence(chance),
        "entirely unrelated words",
    )
    return chance.choice(asked)


def seen(outcome: RecallOutcome) -> list[tuple[object, ...]]:
    """All that a recall gives, but for ids."""
    return [
        (one.memory.text, one.memory.created_at, round(one.score, 3), one.similarity and round(one.similarity, 4), one.why)
        for one in (*outcome.results, *outcome.left_out)
    ]


@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.parametrize("arm", ARMS)
async def test_the_same_words_in_two_scopes_never_meet(build: Build, arm: str, seed: int) -> None:
    service = build(**ARMS[arm])
    await fill(service, seed, together=True)
    chance, shown = random.Random(seed + 100), 0
    for number in range(QUERIES):
        scope = (MINE, THEIRS)[number % 2]
        for threshold in (None, -1.0):
            outcome = await service.recall(query(chance), 12, threshold, scopes=[scope], now=NOW)
            assert {one.memory.scope for one in (*outcome.results, *outcome.left_out)} <= {scope}
            shown += len(outcome.results)
    assert shown > QUERIES
    both = await service.recall("kayak", 12, -1.0, scopes=[MINE, THEIRS], now=NOW)
    assert {one.memory.scope for one in both.results} == {MINE, THEIRS}  # else nothing would be proved
    assert (await service.recall("kayak", 12, -1.0, scopes=[], now=NOW)).results == ()


@pytest.mark.parametrize("arm", ARMS)
async def test_another_scope_does_not_even_count(build: Build, arm: str) -> None:
    """Scores, reasons and what is left out are as if it were not there: no rarity, speaker or spread knows of it."""
    service = build(**ARMS[arm])
    await fill(service, 4, together=False)
    chance = random.Random(104)
    asked = [query(chance) for _ in range(QUERIES)]
    beside = [seen(await service.recall(text, 6, scopes=[MINE], now=NOW)) for text in asked]
    await service.forget_messages([one for one in await service.indexed_ids() if one.startswith(THEIRS)])
    assert await service.count() == ROWS
    assert [seen(await service.recall(text, 6, scopes=[MINE], now=NOW)) for text in asked] == beside
