"""A fact belongs to everyone or to one persona: those of two scopes never meet, and only the user moves one."""

import pytest

from munin_app.domain.facts import ACTIVE_FACTS_MAX, FactOrigin, FactStatus
from munin_app.domain.memories import SHARED, persona_scope
from munin_app.errors import ProfileError
from munin_app.profile import MemoryProfileService
from tests.unit.profile.conftest import said, texts

COACH = persona_scope("coach")


async def test_the_same_words_said_to_two_are_two_facts(profile: MemoryProfileService) -> None:
    await profile.learn_from(said("I live in Oslo"))
    await profile.learn_from(said("I live in Oslo"), scope=COACH)
    assert texts(profile.facts_of(SHARED)) == texts(profile.facts_of(COACH)) == ["Lives in Oslo"]
    assert {len(fact.sources) for fact in profile.facts} == {1}


async def test_a_newer_value_supersedes_only_in_its_scope(profile: MemoryProfileService) -> None:
    await profile.learn_from(said("I live in Oslo"))
    await profile.learn_from(said("I live in Bergen"), scope=COACH)
    await profile.learn_from(said("I live in Rome"), scope=COACH)
    assert (texts(profile.facts_of(SHARED)), texts(profile.facts_of(COACH))) == (["Lives in Oslo"], ["Lives in Rome"])
    assert [(fact.text, fact.scope) for fact in profile.history] == [("Lives in Bergen", COACH)]


async def test_what_contradicts_a_fact_of_another_scope_needs_no_review(profile: MemoryProfileService) -> None:
    await profile.add("Is vegetarian")
    await profile.learn_from(said("I love steak"), scope=COACH)
    assert (texts(profile.facts_of(COACH)), profile.candidates) == (["Loves steak"], ())


async def test_what_was_removed_from_one_may_be_learned_by_another(profile: MemoryProfileService) -> None:
    await profile.learn_from(said("I love sailing"), scope=COACH)
    await profile.remove(profile.facts[0].id)
    await profile.learn_from(said("I love sailing"), scope=COACH)
    assert (profile.facts, texts(profile.candidates)) == ((), ["Loves sailing"])
    await profile.learn_from(said("I love sailing"))
    assert texts(profile.facts_of(SHARED)) == ["Loves sailing"]


async def test_each_scope_has_places_of_its_own(profile: MemoryProfileService) -> None:
    for number in range(ACTIVE_FACTS_MAX):
        await profile.add(f"Owns boat number {number}")
    await profile.add("Likes tea", COACH)
    assert texts(profile.facts_of(COACH)) == ["Likes tea"]
    with pytest.raises(ProfileError, match="places are taken"):
        await profile.move(profile.facts_of(COACH)[0].id, SHARED)
    assert texts(profile.facts_of(COACH)) == ["Likes tea"]


async def test_an_order_forgets_and_a_correction_corrects_only_in_their_scope(profile: MemoryProfileService) -> None:
    await profile.learn_from(said("I live in Oslo"))
    before = said("I live in Oslo")
    await profile.learn_from(before, scope=COACH)
    (meant,) = await profile.ordered_to_forget(said("Forget that I live in Oslo").user, COACH)
    assert meant.scope == COACH
    await profile.learn_from(said("No, it's Bergen, not Oslo"), scope=COACH, before=before)
    assert (texts(profile.facts_of(SHARED)), texts(profile.facts_of(COACH))) == (["Lives in Oslo"], ["Lives in Bergen"])


async def test_an_edited_fact_stays_where_it_is(profile: MemoryProfileService) -> None:
    fact = (await profile.add("Lives in Oslo", COACH)).fact
    assert (await profile.edit(fact.id, "Lives in Bergen")).scope == COACH
    assert {one.scope for one in (*profile.facts, *profile.history)} == {COACH}


async def test_undo_brings_back_within_the_scope(profile: MemoryProfileService) -> None:
    await profile.learn_from(said("I live in Oslo"), scope=COACH)
    learned = await profile.learn_from(said("I live in Bergen"), scope=COACH)
    assert learned
    await profile.undo_learned(learned[0])
    assert [(fact.text, fact.scope) for fact in profile.facts] == [("Lives in Oslo", COACH)]


async def test_moved_fact_takes_its_history_along_and_counts_as_typed(profile: MemoryProfileService) -> None:
    await profile.learn_from(said("I live in Oslo"))
    await profile.learn_from(said("I live in Bergen"))
    moved = await profile.move(profile.facts[0].id, COACH)
    assert (moved.text, moved.scope, moved.origin) == ("Lives in Bergen", COACH, FactOrigin.TYPED)
    assert profile.facts_of(SHARED) == ()
    assert texts(profile.versions_of(moved.id)) == ["Lives in Bergen", "Lives in Oslo"]
    assert {fact.scope for fact in profile.history} == {COACH}


async def test_moved_fact_takes_the_place_of_what_it_contradicts(profile: MemoryProfileService) -> None:
    await profile.add("Lives in Rome", COACH)
    await profile.add("Lives in Oslo")
    await profile.move(profile.facts_of(SHARED)[0].id, COACH)
    assert texts(profile.facts) == ["Lives in Oslo"]
    assert [(fact.text, fact.status) for fact in profile.history] == [("Lives in Rome", FactStatus.SUPERSEDED)]


async def test_fact_moved_to_where_it_is_known_becomes_one(profile: MemoryProfileService) -> None:
    await profile.learn_from(said("I live in Oslo"), scope=COACH)
    await profile.learn_from(said("I live in Rome"))
    await profile.learn_from(said("I live in Oslo"))
    moved = await profile.move(profile.facts_of(SHARED)[0].id, COACH)
    assert profile.facts == (moved,)
    assert len(moved.sources) == 2
    assert texts(profile.versions_of(moved.id)) == ["Lives in Oslo", "Lives in Rome"]


async def test_fact_moved_away_is_not_learned_there_again_unasked(profile: MemoryProfileService) -> None:
    exchange = said("I live in Oslo")
    await profile.learn_from(exchange)
    await profile.move(profile.facts[0].id, COACH)
    assert await profile.learn_from(exchange) == ()
    await profile.learn_from(said("I live in Oslo"))
    assert (profile.facts_of(SHARED), texts(profile.candidates)) == ((), ["Lives in Oslo"])
    await profile.move(profile.facts_of(COACH)[0].id, SHARED)
    assert texts(profile.facts_of(SHARED)) == ["Lives in Oslo"]


async def test_a_moved_candidate_still_waits_for_review(profile: MemoryProfileService) -> None:
    await profile.learn_from(said("I live in Oslo"), review=True)
    await profile.move(profile.candidates[0].id, COACH)
    assert (profile.facts, profile.candidates[0].scope) == ((), COACH)


async def test_all_that_is_moved_together_replaces_nothing_that_was_typed(profile: MemoryProfileService) -> None:
    await profile.add("Lives in Oslo")
    await profile.add("Lives in Rome", COACH)
    await profile.add("Lives in Bergen", COACH)
    await profile.learn_from(said("I love sailing"), scope=COACH)
    await profile.move_all(COACH, SHARED)
    assert sorted(texts(profile.facts)) == ["Lives in Oslo", "Loves sailing"]
    assert texts(profile.candidates) == ["Lives in Bergen"]
    assert texts(profile.versions_of(profile.candidates[0].id)) == ["Lives in Bergen", "Lives in Rome"]
    assert {fact.scope for fact in (*profile.facts, *profile.candidates, *profile.history)} == {SHARED}
