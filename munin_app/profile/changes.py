"""Each change of a profile as a pure function: profile in, profile and result out. Knows no file, lock or clock of its own."""

from dataclasses import replace

from munin_app.domain.facts import ACTIVE_FACTS_MAX, Fact, FactOrigin, FactSource, FactStatus, LearnedFact
from munin_app.domain.ids import new_id, now_ms
from munin_app.domain.memories import SHARED
from munin_app.domain.messages import Message
from munin_app.errors import NotFound, ProfileError
from munin_app.i18n import _
from munin_app.profile.document import Profile
from munin_app.profile.findings import Description, Finding
from munin_app.profile.merge import Merged, activate, merge, take_in
from munin_app.profile.tombstones import bury, is_buried, is_closed, lift, tombstone_key, unite_sources


def find(profile: Profile, fact_id: str) -> Fact:
    """Raises NotFound."""
    for fact in profile.facts:
        if fact.id == fact_id:
            return fact
    raise NotFound(_("There is no such fact any more: it was removed or replaced meanwhile. Look at the list again."))


def versions_of(profile: Profile, fact: Fact) -> tuple[Fact, ...]:
    """The fact and all that it superseded, directly or by way of others; the fact itself first."""
    chain = [fact]
    for newer in chain:
        older = (old for old in profile.facts if old.replaced_by == newer.id and old.status is FactStatus.SUPERSEDED)
        chain += [old for old in older if old not in chain]
    return tuple(chain)


def newest_of(profile: Profile, fact: Fact) -> Fact:
    """What has taken the place of a superseded fact by now; the fact itself when nothing has."""
    by_id, seen = {other.id: other for other in profile.facts}, {fact.id}
    while fact.status is FactStatus.SUPERSEDED and fact.replaced_by in by_id and fact.replaced_by not in seen:
        fact = by_id[fact.replaced_by]
        seen.add(fact.id)
    return fact


def learn(
    profile: Profile,
    secret: bytes,
    message: Message,
    findings: tuple[Finding, ...],
    *,
    review: bool = False,
    scope: str = SHARED,
) -> tuple[Profile, tuple[LearnedFact, ...]]:
    """What was learned is what is active now and was not known; the rest went to review or only gained a source."""
    if is_closed(profile.tombstones, message.id):
        return profile, ()
    facts, results = profile.facts, []
    for finding in findings:
        fact = _extracted(finding, message, scope)
        doubtful = review or not finding.description.certain or is_buried(profile.tombstones, tombstone_key(secret, fact))
        merged = merge(facts, fact, review=doubtful)
        facts = merged.facts
        if not merged.same_again:
            results.append(LearnedFact(merged.fact, message.text[finding.start : finding.end], merged.replaced))
    active = {fact.id for fact in facts if fact.status is FactStatus.ACTIVE}
    return _with_facts(profile, facts), tuple(learned for learned in results if learned.fact.id in active)


def add(profile: Profile, secret: bytes, described: Description, scope: str = SHARED) -> tuple[Profile, Merged]:
    fact = _typed(described, scope)
    merged = merge(profile.facts, fact)
    return _lifted(_with_facts(profile, merged.facts), secret, merged.fact), merged


def edit(profile: Profile, secret: bytes, fact_id: str, described: Description) -> tuple[Profile, Fact]:
    """The old wording stays as history. Raises ProfileError when the fact is history itself by now."""
    old = find(profile, fact_id)
    if old.status not in (FactStatus.ACTIVE, FactStatus.CANDIDATE):
        raise ProfileError(_("This fact was changed meanwhile. Look at its newest wording, then edit that one."))
    if described.text == old.text and old.status is FactStatus.ACTIVE:
        confirmed = replace(old, origin=FactOrigin.TYPED)
        return _with_changed(profile, confirmed), confirmed
    new = replace(_typed(described, old.scope), pinned=old.pinned, uses=old.uses)
    history = replace(old, status=FactStatus.SUPERSEDED, replaced_by=new.id, pinned=False)
    merged = merge(_with_changed(profile, history).facts, new)
    changed = _with_changed(_with_facts(profile, merged.facts), replace(history, replaced_by=merged.fact.id))
    return _lifted(changed, secret, merged.fact), merged.fact


def set_pinned(profile: Profile, fact_id: str, pinned: bool) -> tuple[Profile, Fact]:
    fact = replace(find(profile, fact_id), pinned=pinned)
    if fact.status is not FactStatus.ACTIVE:
        raise ProfileError(_("Only a fact in use can be pinned. Accept or restore it first."))
    return _with_changed(profile, fact), fact


def accept(profile: Profile, secret: bytes, fact_id: str) -> tuple[Profile, Fact]:
    return _confirm(profile, secret, fact_id, (FactStatus.CANDIDATE,))


def restore(profile: Profile, secret: bytes, fact_id: str) -> tuple[Profile, Fact]:
    """Brings history back; the wording that took its place becomes history in its turn."""
    fact = find(profile, fact_id)
    newer = newest_of(profile, fact)
    if newer.status is FactStatus.ACTIVE and newer.id != fact.id:
        profile = _with_changed(profile, replace(newer, status=FactStatus.SUPERSEDED, replaced_by=fact.id, pinned=False))
    return _confirm(profile, secret, fact_id, (FactStatus.SUPERSEDED, FactStatus.DISPLACED))


def undo_learned(profile: Profile, secret: bytes, learned: LearnedFact) -> tuple[Profile, Fact]:
    """The fact is removed; what it had replaced comes back, or is history of what has replaced the fact since."""
    fact = find(profile, learned.fact.id)
    facts = tuple(other for other in profile.facts if other.id != fact.id)
    places = ACTIVE_FACTS_MAX - sum(other.status is FactStatus.ACTIVE and other.scope == fact.scope for other in facts)
    returned: list[Fact] = []
    for other in facts:
        if other.replaced_by == fact.id and fact.replaced_by is None and places > 0:
            other, places = replace(other, status=FactStatus.ACTIVE, replaced_by=None), places - 1
        elif other.replaced_by == fact.id:
            other = replace(other, replaced_by=fact.replaced_by, status=FactStatus.DISPLACED if places <= 0 else other.status)
        returned.append(other)
    buried = replace(profile, tombstones=bury(profile.tombstones, secret, (fact,)))
    return _with_facts(buried, tuple(returned)), fact


def remove(profile: Profile, secret: bytes, fact_id: str) -> tuple[Profile, Fact]:
    """The fact, returned with the sources of all its versions, leaves with its history; a tombstone for each version stays."""
    versions = versions_of(profile, find(profile, fact_id))
    unlinked = _without(profile.facts, {fact.id for fact in versions})
    buried = replace(profile, tombstones=bury(profile.tombstones, secret, versions))
    return _with_facts(buried, unlinked), replace(versions[0], sources=unite_sources(versions))


def forget_all(profile: Profile, secret: bytes, scope: str | None) -> tuple[Profile, tuple[Fact, ...]]:
    gone = tuple(fact for fact in profile.facts if scope in (None, fact.scope))
    buried = replace(profile, tombstones=bury(profile.tombstones, secret, gone))
    return _with_facts(buried, tuple(fact for fact in profile.facts if fact not in gone)), gone


def move(profile: Profile, secret: bytes, fact_id: str, scope: str) -> tuple[Profile, Fact]:
    """The fact, with its earlier versions, belongs to another scope, as if it was typed there; a candidate stays one. Where it
    was it is treated as removed: said there again, it goes to review. Raises ProfileError for history, or when it finds no
    place."""
    fact = find(profile, fact_id)
    if fact.status not in (FactStatus.ACTIVE, FactStatus.CANDIDATE):
        raise ProfileError(_("This fact is history by now. Bring it back first, then move it."))
    if fact.scope == scope:
        return profile, fact
    versions = versions_of(profile, fact)
    candidate = fact.status is FactStatus.CANDIDATE
    moved = replace(fact, scope=scope, origin=fact.origin if candidate else FactOrigin.TYPED, updated_at=now_ms())
    kept = _without(profile.facts, {version.id for version in versions})
    merged = merge((*kept, *(replace(old, scope=scope) for old in versions[1:])), moved, review=candidate)
    facts = _relinked(merged.facts, fact.id, merged.fact.id)
    buried = replace(profile, tombstones=bury(profile.tombstones, secret, versions))
    return _lifted(_with_facts(buried, facts), secret, merged.fact), merged.fact


def move_all(profile: Profile, scope: str, target: str) -> Profile:
    """All facts of a scope belong to another one. None of them takes the place of what the user typed or pinned there, or of
    more than the cap allows: such a fact goes to review."""
    here = [fact for fact in profile.facts if fact.scope == scope]
    current = [fact for fact in here if fact.status in (FactStatus.ACTIVE, FactStatus.CANDIDATE)]
    facts = tuple(fact if fact.scope != scope else replace(fact, scope=target) for fact in profile.facts if fact not in current)
    for fact in sorted(current, key=lambda fact: fact.id):
        merged = take_in(facts, replace(fact, scope=target), review=fact.status is FactStatus.CANDIDATE)
        facts = _relinked(merged.facts, fact.id, merged.fact.id)
    return _with_facts(profile, facts)


def count_uses(profile: Profile, fact_ids: frozenset[str]) -> Profile:
    """No new revision: what is remembered stays the same."""
    if not any(fact.id in fact_ids for fact in profile.facts):
        return profile
    counted = (replace(fact, uses=fact.uses + 1) if fact.id in fact_ids else fact for fact in profile.facts)
    return replace(profile, facts=tuple(counted))


def _confirm(profile: Profile, secret: bytes, fact_id: str, allowed: tuple[FactStatus, ...]) -> tuple[Profile, Fact]:
    fact = find(profile, fact_id)
    if fact.status not in allowed:
        raise ProfileError(_("This fact is {value} by now. Look at the list again.").format(value=fact.status.value))
    confirmed = replace(fact, origin=FactOrigin.TYPED, updated_at=now_ms())
    merged = activate(profile.facts, confirmed)
    return _lifted(_with_facts(profile, merged.facts), secret, merged.fact), merged.fact


def _relinked(facts: tuple[Fact, ...], before: str, after: str) -> tuple[Fact, ...]:
    """What was replaced by the one is replaced by the other."""
    return tuple(replace(fact, replaced_by=after) if fact.replaced_by == before else fact for fact in facts)


def _without(facts: tuple[Fact, ...], gone: set[str]) -> tuple[Fact, ...]:
    kept = (fact for fact in facts if fact.id not in gone)
    return tuple(replace(fact, replaced_by=None) if fact.replaced_by in gone else fact for fact in kept)


def _lifted(profile: Profile, secret: bytes, fact: Fact) -> Profile:
    return replace(profile, tombstones=lift(profile.tombstones, tombstone_key(secret, fact)))


def _with_facts(profile: Profile, facts: tuple[Fact, ...]) -> Profile:
    """The same profile when nothing changed, so that nothing is written."""
    return profile if facts == profile.facts else replace(profile, facts=facts, revision=profile.revision + 1)


def _with_changed(profile: Profile, changed: Fact) -> Profile:
    return _with_facts(profile, tuple(changed if fact.id == changed.id else fact for fact in profile.facts))


def _extracted(finding: Finding, message: Message, scope: str) -> Fact:
    source = FactSource(message.conversation_id, message.id, finding.start, finding.end, message.created_at, finding.extractor)
    return new_fact(finding.description, FactOrigin.EXTRACTED, (source,), scope)


def _typed(described: Description, scope: str) -> Fact:
    return new_fact(described, FactOrigin.TYPED, scope=scope)


def new_fact(described: Description, origin: FactOrigin, sources: tuple[FactSource, ...] = (), scope: str = SHARED) -> Fact:
    now = now_ms()
    return Fact(
        id=new_id(),
        text=described.text,
        attribute=described.attribute,
        value=described.value,
        status=FactStatus.ACTIVE,
        origin=origin,
        created_at=now,
        updated_at=now,
        sources=sources,
        scope=scope,
    )
