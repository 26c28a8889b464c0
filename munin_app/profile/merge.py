"""How a new fact meets the ones that are there: same again, in the place of an older one, beside them, or for review.

Pure functions over tuples of facts; nothing here touches a file or a clock. Only facts of one scope ever meet.
"""

import re
from dataclasses import dataclass, replace

from munin_app.domain.facts import ACTIVE_FACTS_MAX, Fact, FactOrigin, FactSource, FactStatus
from munin_app.errors import ProfileError
from munin_app.i18n import _
from munin_app.profile.contradictions import contradict
from munin_app.profile.tombstones import unite_sources
from munin_app.profile.words import fold, is_negative, significant

SOURCES_MAX = 20
NEAR_DUPLICATE_JACCARD = 0.8

_SINGLE_VALUED = {"age", "birthday", "location", "job", "employer"}
_SIDE_BY_SIDE = re.compile(
    r"(?P<studies>(?:studies|attends|majors|is (?:in|doing|at|training)|studiert|macht|estudia|étudie|学习)\b)"
    r"|(?P<hours>works (?:the|nights|days|weekends|part|full|remotely|from home|\w+ shifts?)\b)"
    r"|(?P<moving>is moving)|(?P<zone>is in the)"
)
"""A nurse may study law: of these a person has one beside the other."""
_NICKNAME = re.compile(r"likes to be called|wird .* genannt|le llaman|on l'appelle|别名")
_ONE_OF_ITS_KIND = re.compile(
    r"(?:(?P<called>wife|husband|partner|girlfriend|boyfriend|fianc[ée]+|mother|father|mum|mom|dad|boss) is called"
    r"|(?P<named>(?:frau|mann|mutter|vater|chef|chefin|marido|esposa|mujer|madre|padre|jefe|jefa|mari|femme|mère|père)"
    r" (?:heißt|se llama|s'appelle)|(?:老婆|妻子|丈夫|老公|妈妈|爸爸)叫)"
    r"|(?P<favourite>favou?rite [\w' -]+?) is"
    r"|(?P<count>has (?:no |\w+ )?(?:kids?|child(?:ren)?)$)"
    r"|(?P<regime>is (?:an? )?(?:vegetarian|vegan|pescatarian|omnivore)$))"
)


@dataclass(frozen=True, slots=True)
class Merged:
    facts: tuple[Fact, ...]
    fact: Fact
    """What the new one became; an older one, when it said the same."""
    replaced: tuple[Fact, ...] = ()
    """What it superseded or displaced, as it was before."""
    same_again: bool = False


def merge(facts: tuple[Fact, ...], new: Fact, *, review: bool = False) -> Merged:
    """Adds `new` (not yet among `facts`). Typed facts outrank extracted ones, which go to review instead of replacing them,
    and so does what contradicts a fact of another kind. `review`: for extracted ones, in any case.

    Raises ProfileError when the cap leaves no place for a typed fact.
    """
    others, own = _apart(facts, new.scope)
    merged = _merge(own, new, review=review)
    return replace(merged, facts=others + merged.facts)


def take_in(facts: tuple[Fact, ...], guest: Fact, *, review: bool) -> Merged:
    """A fact from elsewhere, with the origin that it has. It meets the others as if it was extracted: nothing that was typed
    gives way to it."""
    merged = merge(facts, replace(guest, origin=FactOrigin.EXTRACTED), review=review)
    own = (replace(one, origin=guest.origin) if one.id == guest.id else one for one in merged.facts)
    return replace(merged, facts=tuple(own))


def activate(facts: tuple[Fact, ...], fact: Fact) -> Merged:
    """Makes a fact of `facts` active: supersedes what it contradicts, displaces another where the cap asks for it."""
    others, own = _apart(facts, fact.scope)
    merged = _activate(own, fact)
    return replace(merged, facts=others + merged.facts)


def _apart(facts: tuple[Fact, ...], scope: str) -> tuple[tuple[Fact, ...], tuple[Fact, ...]]:
    """(those of other scopes, those of this one)"""
    return tuple(fact for fact in facts if fact.scope != scope), tuple(fact for fact in facts if fact.scope == scope)


def _merge(facts: tuple[Fact, ...], new: Fact, *, review: bool) -> Merged:
    twin = _twin(facts, new)
    typed = new.origin is FactOrigin.TYPED
    if twin and (twin.status is FactStatus.ACTIVE or not typed):
        return _same_again(facts, twin, new)
    if twin:
        new = replace(new, sources=_limited(unite_sources((twin, new))))
        facts = tuple(fact for fact in facts if fact.id != twin.id)
    if not typed and (review or _is_doubtful(facts, new) or _is_full(facts, new)):
        candidate = replace(new, status=FactStatus.CANDIDATE)
        return Merged((*facts, candidate), candidate)
    return _activate((*facts, new), new)


def _activate(facts: tuple[Fact, ...], fact: Fact) -> Merged:
    fact = replace(fact, status=FactStatus.ACTIVE, replaced_by=None)
    others = tuple(other for other in facts if other.id != fact.id)
    superseded = _conflicts(others, fact) + _contradicted(others, fact)
    others = _retire(others, superseded, fact, FactStatus.SUPERSEDED)
    displaced = _to_displace(others)
    displaced_now = tuple(replace(other, updated_at=fact.updated_at) for other in displaced)
    others = _retire(others, displaced_now, fact, FactStatus.DISPLACED)
    return Merged((*others, fact), fact, superseded + displaced)


def opposed(facts: tuple[Fact, ...], new: Fact) -> tuple[Fact, ...]:
    """The active facts that cannot be true beside `new`; a poorer wording of the same can."""
    facts = _apart(facts, new.scope)[1]
    other_value = (old for old in _conflicts(facts, new) if slot(old) or is_negative(old.text) != is_negative(new.text))
    return (*other_value, *_contradicted(facts, new))


def slot(fact: Fact) -> str | None:
    """What a person has only one of ("location", "wife", "favourite colour"); None where facts accumulate."""
    text = fold(fact.text)
    if fact.attribute in _SINGLE_VALUED:
        found = _SIDE_BY_SIDE.match(text)
        return f"{fact.attribute} {found.lastgroup if found else ''}".strip()
    if fact.attribute == "name":
        return "called" if _NICKNAME.search(text) else "name"
    if fact.attribute == "origin":
        return "origin " + " ".join(text.split()[:2])
    found = _ONE_OF_ITS_KIND.match(text)
    return found.group() if found and found.lastgroup in ("called", "named", "favourite") else found.lastgroup if found else None


def _twin(facts: tuple[Fact, ...], new: Fact) -> Fact | None:
    """The active fact or, failing that, the candidate that says the same already."""
    known = [fact for fact in facts if fact.status is FactStatus.ACTIVE]
    known += [fact for fact in facts if fact.status is FactStatus.CANDIDATE]
    return next((fact for fact in known if _says_the_same(fact, new)), None)


def _says_the_same(old: Fact, new: Fact) -> bool:
    if fold(old.text) == fold(new.text):
        return True
    if old.attribute != new.attribute or slot(old) != slot(new) or is_negative(old.text) != is_negative(new.text):
        return False
    if slot(new) is not None:
        return _value(old) == _value(new) and new.origin is FactOrigin.EXTRACTED
    before, after = significant(old.text), significant(new.text)
    if not before or not after:
        return False
    return before == after if new.origin is FactOrigin.TYPED else after <= before or _overlap(before, after)


def _conflicts(facts: tuple[Fact, ...], new: Fact) -> tuple[Fact, ...]:
    active = (fact for fact in facts if fact.status is FactStatus.ACTIVE and fact.attribute == new.attribute)
    return tuple(fact for fact in active if _gives_way(fact, new))


def _is_doubtful(facts: tuple[Fact, ...], new: Fact) -> bool:
    """It would replace what the user typed or pinned, or contradicts another kind of fact: the user decides."""
    return any(map(_is_kept, _conflicts(facts, new))) or bool(_contradicted(facts, new))


def _contradicted(facts: tuple[Fact, ...], new: Fact) -> tuple[Fact, ...]:
    return tuple(fact for fact in _active(facts) if contradict(fact, new))


def _gives_way(old: Fact, new: Fact) -> bool:
    """The same slot, the opposite of the same thing, or a poorer wording of it."""
    if slot(old) is not None or slot(new) is not None:
        return slot(old) == slot(new)
    before, after = significant(old.text), significant(new.text)
    if not before or not after:
        return False
    opposite = is_negative(old.text) != is_negative(new.text)
    return before == after if opposite else before <= after or _overlap(before, after)


def _value(fact: Fact) -> object:
    return significant(fact.value) or fold(fact.value)


def _overlap(one: frozenset[str], other: frozenset[str]) -> bool:
    return len(one & other) / len(one | other) >= NEAR_DUPLICATE_JACCARD


def _same_again(facts: tuple[Fact, ...], twin: Fact, new: Fact) -> Merged:
    confirmed = FactOrigin.TYPED if FactOrigin.TYPED in (twin.origin, new.origin) else twin.origin
    stronger = replace(
        twin,
        origin=confirmed,
        sources=_limited(unite_sources((twin, new))),
        updated_at=max(twin.updated_at, new.updated_at),
        pinned=twin.pinned or new.pinned,
    )
    return Merged(_swap(facts, (stronger,)), stronger, same_again=True)


def _limited(sources: tuple[FactSource, ...]) -> tuple[FactSource, ...]:
    return sources[-SOURCES_MAX:]


def _is_kept(fact: Fact) -> bool:
    """Nothing extracted replaces it silently."""
    return fact.pinned or fact.origin is FactOrigin.TYPED


def _active(facts: tuple[Fact, ...]) -> list[Fact]:
    return [fact for fact in facts if fact.status is FactStatus.ACTIVE]


def _displaceable(facts: tuple[Fact, ...]) -> list[Fact]:
    """Unpinned extracted facts, least used and then oldest first."""
    loose = (fact for fact in _active(facts) if not _is_kept(fact))
    return sorted(loose, key=lambda fact: (fact.uses, fact.updated_at, fact.id))


def _is_full(facts: tuple[Fact, ...], new: Fact) -> bool:
    replaced = len(_conflicts(facts, new))
    return len(_active(facts)) - replaced >= ACTIVE_FACTS_MAX and not _displaceable(facts)


def _to_displace(others: tuple[Fact, ...]) -> tuple[Fact, ...]:
    excess = len(_active(others)) + 1 - ACTIVE_FACTS_MAX
    if excess <= 0:
        return ()
    loose = _displaceable(others)
    if len(loose) < excess:
        raise ProfileError(
            _(
                "All {active_facts_max} places are taken by facts that you typed or pinned. Unpin or remove one, "
                "then add this one."
            ).format(active_facts_max=ACTIVE_FACTS_MAX)
        )
    return tuple(loose[:excess])


def _retire(facts: tuple[Fact, ...], retired: tuple[Fact, ...], by: Fact, status: FactStatus) -> tuple[Fact, ...]:
    return _swap(facts, tuple(replace(fact, status=status, replaced_by=by.id) for fact in retired))


def _swap(facts: tuple[Fact, ...], changed: tuple[Fact, ...]) -> tuple[Fact, ...]:
    by_id = {fact.id: fact for fact in changed}
    return tuple(by_id.get(fact.id, fact) for fact in facts)
