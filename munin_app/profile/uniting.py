"""Two profiles become one: what is here stays as it is, and what the other one knows beside it comes. A pure function.

What was forgotten here does not come back by itself: it waits for review.
"""

from collections.abc import Collection
from dataclasses import dataclass, replace

from munin_app.domain.facts import ACTIVE_FACTS_MAX, Fact, FactStatus
from munin_app.profile.document import Profile, Tombstone
from munin_app.profile.merge import opposed, take_in
from munin_app.profile.tombstones import is_buried, is_closed, sources_of, tombstone_key


@dataclass(frozen=True, slots=True)
class United:
    profile: Profile
    secret: bytes
    """The key of its tombstones."""
    forgotten: tuple[Fact, ...] = ()
    """The other one's facts that had been forgotten here."""


def unite(profile: Profile, secret: bytes, other: Profile, other_secret: bytes) -> United:
    """`secret` is empty where nothing was ever forgotten."""
    known = {fact.id for fact in profile.facts}
    new = sorted((fact for fact in other.facts if fact.id not in known), key=lambda fact: fact.id)
    forgotten = tuple(fact for fact in new if _is_forgotten(profile.tombstones, secret, fact))
    facts, ids = profile.facts, {fact.id for fact in forgotten}
    for fact in new:
        if fact.status in (FactStatus.ACTIVE, FactStatus.CANDIDATE):
            facts = _with(facts, fact, review=fact.id in ids or fact.status is FactStatus.CANDIDATE)
        elif fact.id not in ids:
            facts = (*facts, fact)
    secret = secret or other_secret
    here = {tombstone_key(secret, fact) for fact in facts} if secret else set()
    stones = _united(profile.tombstones, _readable(other.tombstones, secret == other_secret, here))
    changed = (facts, stones) != (profile.facts, profile.tombstones)
    return United(
        replace(profile, facts=facts, tombstones=stones, revision=profile.revision + 1) if changed else profile, secret, forgotten
    )


def _is_forgotten(stones: tuple[Tombstone, ...], secret: bytes, fact: Fact) -> bool:
    buried = bool(secret) and is_buried(stones, tombstone_key(secret, fact))
    return buried or any(is_closed(stones, message_id) for message_id in sources_of(fact))


def _with(facts: tuple[Fact, ...], fact: Fact, *, review: bool) -> tuple[Fact, ...]:
    """Nothing here gives way to it: a contradiction or a full list sends it to review. Said here too, it is the same fact."""
    active = sum(one.status is FactStatus.ACTIVE and one.scope == fact.scope for one in facts)
    review = review or active >= ACTIVE_FACTS_MAX or bool(opposed(facts, fact))
    return take_in(facts, replace(fact, status=FactStatus.ACTIVE, replaced_by=None), review=review).facts


def _readable(stones: tuple[Tombstone, ...], same_key: bool, here: Collection[str]) -> tuple[Tombstone, ...]:
    """Hashes of another key say nothing here; the messages stay closed. What is a fact here is not buried."""
    kept = (stone if same_key and stone.key not in here else replace(stone, key="") for stone in stones)
    return tuple(stone for stone in kept if stone.key or stone.messages)


def _united(stones: tuple[Tombstone, ...], others: tuple[Tombstone, ...]) -> tuple[Tombstone, ...]:
    by_key = {stone.key: stone for stone in stones if stone.key}
    lifted = [stone for stone in stones if not stone.key]
    for stone in others:
        if not stone.key:
            lifted += [] if stone in lifted else [stone]
            continue
        before = by_key[stone.key].messages if stone.key in by_key else ()
        by_key[stone.key] = Tombstone(stone.key, tuple(dict.fromkeys(before + stone.messages)))
    return (*lifted, *by_key.values())
