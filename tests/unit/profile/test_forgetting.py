"""Forget means forget: nothing of a removed fact is learned again unasked, and nothing readable of it is kept."""

import stat
from pathlib import Path

import pytest

from munin_app.domain.facts import FactOrigin
from munin_app.errors import NotFound
from munin_app.profile import MemoryProfileService
from munin_app.profile.extraction import UTILITY_SESSION
from munin_app.profile.tombstones import sources_of
from tests.unit.profile.conftest import AnsweringModel, reopened, said, texts


def bytes_of(folder: Path) -> bytes:
    return b"\n".join(file.name.encode() + file.read_bytes() for file in sorted(folder.iterdir()) if file.is_file())


async def test_forgotten_fact_is_not_learned_again_from_its_message(profile: MemoryProfileService, path: Path) -> None:
    exchange = said("My name is Ada and I live in Oslo")
    await profile.learn_from(exchange)
    removed = await profile.remove(next(fact.id for fact in profile.facts if fact.attribute == "location"))
    assert sources_of(removed) == (exchange.user.id,)
    again = await reopened(path)
    assert await again.learn_from(exchange) == ()
    assert (texts(again.facts), again.candidates, again.history) == (["Name is Ada"], (), ())


async def test_forgotten_fact_said_again_goes_to_review(profile: MemoryProfileService) -> None:
    await profile.learn_from(said("I live in Oslo"))
    await profile.remove(profile.facts[0].id)
    assert await profile.learn_from(said("I live in Oslo")) == ()
    assert (profile.facts, texts(profile.candidates)) == ((), ["Lives in Oslo"])
    await profile.remove(profile.candidates[0].id)
    for _ in range(5):
        assert await profile.learn_from(said("By the way, i'm based in oslo!")) == ()
    assert (profile.facts, texts(profile.candidates)) == ((), ["Lives in Oslo"])
    (learned,) = await profile.learn_from(said("I live in Bergen"))
    assert learned.fact.text == "Lives in Bergen"


async def test_forgotten_fact_typed_again_is_a_fact(profile: MemoryProfileService) -> None:
    exchange = said("I live in Oslo")
    await profile.learn_from(exchange)
    await profile.remove(profile.facts[0].id)
    await profile.add("Lives in Oslo")
    assert texts(profile.facts) == ["Lives in Oslo"]
    assert await profile.learn_from(exchange) == ()
    assert profile.facts[0].sources == ()
    await profile.learn_from(said("I live in Oslo"))
    assert (texts(profile.facts), profile.candidates) == (["Lives in Oslo"], ())


async def test_accepting_the_candidate_lifts_the_tombstone(profile: MemoryProfileService) -> None:
    await profile.learn_from(said("I love sailing"))
    await profile.remove(profile.facts[0].id)
    await profile.learn_from(said("I love sailing"))
    assert (await profile.accept(profile.candidates[0].id)).origin is FactOrigin.TYPED
    await profile.learn_from(said("I love sailing"))
    assert (texts(profile.facts), profile.candidates) == (["Loves sailing"], ())


async def test_forgetting_is_of_that_value_and_polarity_only(profile: MemoryProfileService) -> None:
    await profile.learn_from(said("I don't eat pork"))
    await profile.remove(profile.facts[0].id)
    await profile.learn_from(said("I don't eat beef"))
    await profile.learn_from(said("I love pork"))
    assert sorted(texts(profile.facts)) == ["Does not eat beef", "Loves pork"]


async def test_no_file_holds_a_removed_fact_or_its_versions(profile: MemoryProfileService, path: Path) -> None:
    await profile.learn_from(said("I live in Trondheim"))
    await profile.learn_from(said("I live in Hammerfest"))
    edited = await profile.edit(profile.facts[0].id, "Lives in Longyearbyen")
    assert b"Trondheim" in bytes_of(path.parent)
    removed = await profile.remove(edited.id)
    assert len(removed.sources) == 2
    found = bytes_of(path.parent).lower()
    assert not [word for word in (b"trondheim", b"hammerfest", b"longyearbyen", b"lives in", b"location") if word in found]
    key = path.with_suffix(".key")
    assert len(key.read_bytes()) == 32
    assert stat.S_IMODE(key.stat().st_mode) == 0o600
    for place in ("Trondheim", "Hammerfest", "Longyearbyen"):
        assert await profile.learn_from(said(f"I live in {place}")) == ()


async def test_displaced_facts_survive_what_displaced_them(profile: MemoryProfileService) -> None:
    for number in range(41):
        await profile.learn_from(said(f"I like paint{number} a lot"))
    (displaced,) = profile.history
    await profile.remove(str(displaced.replaced_by))
    assert [(fact.text, fact.replaced_by) for fact in profile.history] == [(displaced.text, None)]
    assert (await profile.restore(displaced.id)) in profile.facts


async def test_forget_all_leaves_no_text_in_any_file(profile: MemoryProfileService, path: Path) -> None:
    copy = path.with_name("profile.json.damaged-20260101-000000")
    copy.write_text("Lives in Trondheim")
    await profile.learn_from(said("I live in Oslo and I love sailing"))
    await profile.learn_from(said("I live in Bergen"))
    await profile.add("Likes tea")
    assert len(await profile.forget_all()) == 4
    assert not copy.exists()
    assert (profile.facts, profile.candidates, profile.history) == ((), (), ())
    found = bytes_of(path.parent).lower()
    assert not [word for word in (b"oslo", b"sailing", b"bergen", b"tea", b"trondheim") if word in found]
    assert await profile.learn_from(said("I love sailing")) == ()


async def test_removing_a_fact_deletes_the_set_aside_copies_that_hold_it(profile: MemoryProfileService, path: Path) -> None:
    holding, other = (path.with_name(f"profile.json.damaged-2026010{day}-000000") for day in (1, 2))
    holding.write_text('{"text": "Lives in Oslo')
    other.write_text('{"text": "Likes tea')
    await profile.remove((await profile.add("Lives in Oslo")).fact.id)
    assert (holding.exists(), other.exists()) == (False, True)


async def test_forgetting_drops_what_the_model_keeps(path: Path) -> None:
    model = AnsweringModel()
    service = await reopened(path, model)
    fact = (await service.add("Lives in Oslo")).fact
    await service.remove(fact.id)
    assert model.forgotten == [UTILITY_SESSION]


@pytest.mark.parametrize("wipe", [True, False])
async def test_what_is_forgotten_while_the_model_thinks_is_not_learned(path: Path, wipe: bool) -> None:
    model = AnsweringModel("preference | wake up at five | I usually wake up at five")
    service = await reopened(path, model)
    exchange = said("I usually wake up at five")
    await service.learn_from(exchange)
    (learned,) = service.candidates

    async def forget() -> None:
        await (service.forget_all() if wipe else service.remove(learned.id))

    model.before_answer = forget
    again = said("I usually wake up at five") if wipe else exchange
    assert await service.learn_from(again) == ()
    assert service.facts == service.candidates == ()


async def test_unknown_fact_is_not_found(profile: MemoryProfileService) -> None:
    for change in (
        profile.remove("x"),
        profile.edit("x", "y"),
        profile.set_pinned("x", True),
        profile.accept("x"),
        profile.restore("x"),
    ):
        with pytest.raises(NotFound):
            await change
    with pytest.raises(NotFound):
        profile.get("x")
