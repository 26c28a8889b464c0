"""What is left of removed facts: keyed hashes and message ids, nothing readable.

The hash covers attribute, polarity and the stems of the value, so that "a nurse" and "nurse" are the same and
"does not eat pork" is not "eats pork"; and the scope, so that what was removed from one may still be said in another.
"""

import hashlib
import hmac
from collections.abc import Iterable
from dataclasses import replace

from munin_app.domain.facts import Fact, FactSource
from munin_app.domain.memories import SHARED
from munin_app.profile.document import Tombstone
from munin_app.profile.words import fold, is_negative, significant


def tombstone_key(secret: bytes, fact: Fact) -> str:
    """HMAC-SHA256 as 64 hexadecimal digits."""
    value = " ".join(sorted(significant(fact.value))) or fold(fact.value)
    scope = () if fact.scope == SHARED else (fact.scope,)  # as the tombstones of version 1, which had none
    said = "\0".join((fact.attribute, "not" if is_negative(fact.text) else "", value, *scope))
    return hmac.new(secret, said.encode(), hashlib.sha256).hexdigest()


def sources_of(fact: Fact) -> tuple[str, ...]:
    """Ids of the messages a fact came from, in order, each once."""
    return tuple(dict.fromkeys(source.message_id for source in fact.sources))


def unite_sources(facts: Iterable[Fact]) -> tuple[FactSource, ...]:
    return tuple(dict.fromkeys(source for fact in facts for source in fact.sources))


def bury(tombstones: tuple[Tombstone, ...], secret: bytes, facts: Iterable[Fact]) -> tuple[Tombstone, ...]:
    """The tombstones with one for each of the facts; the same key twice is one tombstone."""
    buried = {stone.key: stone for stone in tombstones if stone.key}
    lifted = [stone for stone in tombstones if not stone.key]
    for fact in facts:
        key = tombstone_key(secret, fact)
        before = buried[key].messages if key in buried else ()
        buried[key] = Tombstone(key, tuple(dict.fromkeys(before + sources_of(fact))))
    return (*lifted, *buried.values())


def lift(tombstones: tuple[Tombstone, ...], key: str) -> tuple[Tombstone, ...]:
    """The user said it by hand: it may be a fact again. Its old messages stay closed."""
    lifted = (replace(stone, key="") if stone.key == key else stone for stone in tombstones)
    return tuple(stone for stone in lifted if stone.key or stone.messages)


def is_buried(tombstones: tuple[Tombstone, ...], key: str) -> bool:
    return any(stone.key == key for stone in tombstones)


def is_closed(tombstones: tuple[Tombstone, ...], message_id: str) -> bool:
    """True for a message that something removed came from."""
    return any(message_id in stone.messages for stone in tombstones)
