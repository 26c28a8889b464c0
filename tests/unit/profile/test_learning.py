"""What the service learns, merges and displaces."""

import asyncio
from pathlib import Path

import pytest

from munin_app.domain.facts import ACTIVE_FACTS_MAX, FactOrigin, FactStatus
from munin_app.domain.messages import Exchange, MemoryState
from munin_app.errors import NotFound, ProfileError
from munin_app.profile import MemoryProfileService
from tests.unit.profile.conftest import AnsweringModel, reopened, said, texts


async def test_facts_carry_the_quote_and_survive_a_restart(profile: MemoryProfileService, path: Path) -> None:
    exchange = said("My name is Ada and I live in Oslo")
    learned = await profile.learn_from(exchange)
    assert [(item.fact.text, item.quote) for item in learned] == [
        ("Name is Ada", "My name is Ada"),
        ("Lives in Oslo", "I live in Oslo"),
    ]
    again = await reopened(path)
    assert again.facts == profile.facts
    (source,) = again.facts[0].sources
    assert (source.message_id, source.conversation_id) == (exchange.user.id, "conversation")
    assert exchange.user.text[source.start : source.end] == "I live in Oslo"


async def test_assistants_words_are_never_learned(profile: MemoryProfileService) -> None:
    assert await profile.learn_from(said("Who are you?", reply="My name is Bob and I live in Oslo. You live in Rome.")) == ()
    assert profile.facts == profile.candidates == ()


@pytest.mark.parametrize("memory", [MemoryState.OFF, MemoryState.FORGOTTEN])
async def test_message_outside_memory_is_not_learned_from(profile: MemoryProfileService, memory: MemoryState) -> None:
    assert await profile.learn_from(said("I live in Oslo", memory=memory)) == ()
    assert profile.facts == ()


async def test_newer_place_supersedes_the_older_one(profile: MemoryProfileService) -> None:
    await profile.learn_from(said("I live in Oslo"))
    (learned,) = await profile.learn_from(said("I moved to Bergen"))
    assert texts(learned.replaced) == ["Lives in Oslo"]
    assert texts(profile.facts) == ["Lives in Bergen"]
    (old,) = profile.history
    assert (old.status, old.replaced_by) == (FactStatus.SUPERSEDED, learned.fact.id)


async def test_same_again_adds_a_source_and_no_fact(profile: MemoryProfileService) -> None:
    await profile.learn_from(said("I live in Oslo"))
    assert await profile.learn_from(said("i live in oslo")) == ()
    (fact,) = profile.facts
    assert len(fact.sources) == 2
    for _ in range(25):
        await profile.learn_from(said("I live in Oslo"))
    assert len(profile.facts[0].sources) == 20


async def test_retried_message_adds_nothing(profile: MemoryProfileService) -> None:
    exchange = said("I live in Oslo")
    await profile.learn_from(exchange)
    revision = profile.revision
    await profile.learn_from(exchange)
    assert len(profile.facts[0].sources) == 1
    assert revision <= profile.revision


async def test_tastes_accumulate_and_near_duplicates_collapse(profile: MemoryProfileService) -> None:
    for text in (
        "I love sailing",
        "I like coffee",
        "I really love sailing",
        "I enjoy sailing",
        "I speak English",
        "I'm learning English",
    ):
        await profile.learn_from(said(text))
    assert sorted(texts(profile.facts)) == ["Is learning English", "Likes coffee", "Loves sailing", "Speaks English"]


async def test_richer_wording_replaces_the_poorer_one(profile: MemoryProfileService) -> None:
    await profile.learn_from(said("I have a dog"))
    await profile.learn_from(said("I have a dog called Bruno"))
    assert texts(profile.facts) == ["Has a dog called Bruno"]
    await profile.learn_from(said("I have a dog"))
    assert texts(profile.facts) == ["Has a dog called Bruno"]


async def test_opposite_taste_supersedes_and_is_no_duplicate(profile: MemoryProfileService) -> None:
    await profile.learn_from(said("I like coffee"))
    await profile.learn_from(said("I don't like coffee"))
    assert texts(profile.facts) == ["Does not like coffee"]
    assert texts(profile.history) == ["Likes coffee"]


async def test_opposite_of_a_typed_taste_goes_to_review(profile: MemoryProfileService) -> None:
    await profile.add("Likes coffee")
    assert await profile.learn_from(said("I hate coffee")) == ()
    assert texts(profile.facts) == ["Likes coffee"]
    assert texts(profile.candidates) == ["Hates coffee"]


async def test_unrelated_facts_do_not_retire_each_other(profile: MemoryProfileService) -> None:
    for text in (
        "My wife is called Ingrid",
        "My dog is called Bruno",
        "My name is Ada",
        "I'm from Kenya",
        "I was born in Nairobi",
        "I have two kids",
    ):
        await profile.learn_from(said(text))
    assert len(profile.facts) == 6
    assert profile.history == ()


async def test_typed_fact_outranks_what_is_extracted(profile: MemoryProfileService) -> None:
    typed = (await profile.add("Lives in Oslo")).fact
    assert await profile.learn_from(said("I live in Bergen")) == ()
    assert profile.facts == (typed,)
    (candidate,) = profile.candidates
    accepted = await profile.accept(candidate.id)
    assert (accepted.origin, profile.facts, profile.candidates) == (FactOrigin.TYPED, (accepted,), ())


async def test_typing_what_was_extracted_confirms_it(profile: MemoryProfileService) -> None:
    await profile.learn_from(said("I live in Oslo"))
    await profile.add("Lives in Oslo")
    (fact,) = profile.facts
    assert (fact.origin, len(fact.sources)) == (FactOrigin.TYPED, 1)


async def test_typed_fact_takes_the_place_of_an_extracted_one(profile: MemoryProfileService) -> None:
    await profile.learn_from(said("I live in Oslo"))
    added = await profile.add("I live in Rome")
    assert texts(profile.facts) == ["Lives in Rome"]
    assert texts(added.replaced) == ["Lives in Oslo"]


@pytest.mark.parametrize(("text", "message"), [("", "empty"), ("  \n", "empty"), ("x" * 121, "121 characters")])
async def test_unusable_text_is_refused(profile: MemoryProfileService, text: str, message: str) -> None:
    with pytest.raises(ProfileError, match=message):
        await profile.add(text)
    assert profile.facts == ()


async def test_edit_keeps_history_and_pin(profile: MemoryProfileService) -> None:
    await profile.learn_from(said("I live in Oslo"))
    old = await profile.set_pinned(profile.facts[0].id, True)
    new = await profile.edit(old.id, "Lives in Bergen")
    assert (profile.facts, new.origin, new.pinned) == ((new,), FactOrigin.TYPED, True)
    assert [(fact.text, fact.replaced_by) for fact in profile.history] == [("Lives in Oslo", new.id)]
    assert texts(profile.versions_of(new.id)) == ["Lives in Bergen", "Lives in Oslo"]


async def test_second_page_editing_the_same_fact_is_told(profile: MemoryProfileService) -> None:
    fact = (await profile.add("Lives in Oslo")).fact
    await profile.edit(fact.id, "Lives in Bergen")
    with pytest.raises(ProfileError, match="changed meanwhile"):
        await profile.edit(fact.id, "Lives in Rome")
    assert texts(profile.facts) == ["Lives in Bergen"]


async def test_edit_into_another_fact_leaves_one(profile: MemoryProfileService) -> None:
    one, other = (await profile.add("Likes tea")).fact, (await profile.add("Likes coffee")).fact
    assert (await profile.edit(other.id, "Likes tea")).id == one.id
    assert texts(profile.facts) == ["Likes tea"]


async def test_restore_swaps_a_superseded_fact_back(profile: MemoryProfileService) -> None:
    await profile.learn_from(said("I live in Oslo"))
    await profile.learn_from(said("I live in Bergen"))
    restored = await profile.restore(profile.history[0].id)
    assert profile.facts == (restored,)
    assert [(fact.text, fact.replaced_by) for fact in profile.history] == [("Lives in Bergen", restored.id)]
    with pytest.raises(ProfileError):
        await profile.restore(restored.id)


async def test_undo_removes_what_was_learned_and_brings_back_what_it_replaced(profile: MemoryProfileService) -> None:
    await profile.learn_from(said("I live in Oslo"))
    exchange = said("I live in Bergen")
    (learned,) = await profile.learn_from(exchange)
    await profile.undo_learned(learned)
    assert [(fact.text, fact.replaced_by) for fact in profile.facts] == [("Lives in Oslo", None)]
    assert await profile.learn_from(exchange) == ()
    assert texts(profile.facts) == ["Lives in Oslo"]
    with pytest.raises(NotFound):
        await profile.undo_learned(learned)


async def fill(profile: MemoryProfileService, count: int, *, typed: bool = False) -> None:
    for number in range(count):
        if typed:
            await profile.add(f"Likes {COLOURS[number]} paint")
        else:
            await profile.learn_from(said(f"I like {COLOURS[number]} paint"))


COLOURS = [f"colour{letter}{other}" for letter in "abcdefg" for other in "hijklm"]


async def test_cap_displaces_the_least_used_unpinned_extracted_fact(profile: MemoryProfileService) -> None:
    await fill(profile, ACTIVE_FACTS_MAX)
    oldest, second, third, *others = reversed(profile.facts)
    await profile.set_pinned(oldest.id, True)
    await profile.count_uses([second.id, *(fact.id for fact in others), "unknown"])
    (learned,) = await profile.learn_from(said("My name is Ada"))
    assert len(profile.facts) == ACTIVE_FACTS_MAX
    assert [(fact.id, fact.status, fact.replaced_by) for fact in profile.history] == [
        (third.id, FactStatus.DISPLACED, learned.fact.id)
    ]
    assert learned.replaced == (third,)
    assert profile.facts[0].id == oldest.id

    restored = await profile.restore(third.id)
    assert restored in profile.facts
    assert len(profile.facts) == ACTIVE_FACTS_MAX


async def test_cap_of_typed_facts_sends_extracted_ones_to_review_and_refuses_typed_ones(profile: MemoryProfileService) -> None:
    await fill(profile, ACTIVE_FACTS_MAX, typed=True)
    assert await profile.learn_from(said("My name is Ada")) == ()
    assert texts(profile.candidates) == ["Name is Ada"]
    with pytest.raises(ProfileError, match="typed or pinned"):
        await profile.add("Likes mint tea")
    assert len(profile.facts) == ACTIVE_FACTS_MAX
    assert (await profile.edit(profile.facts[-1].id, "Likes mint tea")) in profile.facts


async def test_use_counts_are_kept_and_are_no_new_revision(profile: MemoryProfileService, path: Path) -> None:
    fact = (await profile.add("Likes tea")).fact
    revision = profile.revision
    await profile.count_uses([fact.id])
    assert profile.revision == revision
    assert (await reopened(path)).facts[0].uses == 1


async def test_subscribers_hear_of_each_change_until_they_leave(profile: MemoryProfileService) -> None:
    heard: list[int] = []
    profile.subscribe(lambda: 1 / 0)
    unsubscribe = profile.subscribe(lambda: heard.append(profile.revision))
    await profile.learn_from(said("I live in Oslo"))
    await profile.learn_from(said("What is the time?"))
    await profile.count_uses([profile.facts[0].id])
    unsubscribe()
    await profile.add("Likes tea")
    assert heard == [1]


async def test_learning_never_raises(path: Path) -> None:
    class BrokenModel(AnsweringModel):
        def stream(self, request: object) -> None:  # type: ignore[override]
            raise RuntimeError("gone")

    service = await reopened(path, BrokenModel())
    assert await service.learn_from(said("I usually wake up at five")) is None
    assert await MemoryProfileService(path, None).learn_from(said("I live in Oslo")) is None
    assert await service.learn_from(Exchange(said("").user)) == ()


async def test_concurrent_changes_are_all_kept(profile: MemoryProfileService, path: Path) -> None:
    await asyncio.gather(*(profile.learn_from(said(f"I like {colour} paint")) for colour in COLOURS[:12]))
    assert len((await reopened(path)).facts) == 12


async def test_cancelled_caller_leaves_file_and_memory_the_same(profile: MemoryProfileService, path: Path) -> None:
    adding = asyncio.create_task(profile.add("Likes tea"))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    adding.cancel()
    with pytest.raises(asyncio.CancelledError):
        await adding
    await profile.close()
    assert (await reopened(path)).facts == profile.facts
