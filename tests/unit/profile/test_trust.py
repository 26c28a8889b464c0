"""Who decides: what contradicts, what is doubtful and what the user wants to be asked about goes to review."""

import asyncio

import pytest

from munin_app.domain.facts import FactOrigin
from munin_app.errors import NotFound, ProfileError
from munin_app.profile import MemoryProfileService
from tests.unit.profile.conftest import said, texts


@pytest.mark.parametrize(
    ("one", "other", "fact"),
    [
        ("I'm vegetarian", "I love steak", "Loves steak"),
        ("I'm a vegan", "I like cheese", "Likes cheese"),
        ("I don't drink alcohol", "I love red wine", "Loves red wine"),
        ("I'm allergic to peanuts", "I enjoy peanuts", "Enjoys peanuts"),
        ("I love steak", "I'm vegetarian", "Is vegetarian"),
    ],
)
async def test_contradiction_is_a_question_and_not_two_truths(
    profile: MemoryProfileService, one: str, other: str, fact: str
) -> None:
    await profile.learn_from(said(one))
    (known,) = profile.facts
    assert await profile.learn_from(said(other)) == ()
    assert (profile.facts, texts(profile.candidates)) == ((known,), [fact])
    await profile.accept(profile.candidates[0].id)
    assert texts(profile.facts) == [fact]
    assert texts(profile.history) == [known.text]


@pytest.mark.parametrize("text", ["I love vegan burgers", "I like cooking steak", "I hate steak", "I love tomatoes"])
async def test_what_goes_together_is_no_question(profile: MemoryProfileService, text: str) -> None:
    await profile.learn_from(said("I'm lactose intolerant" if "cooking" in text else "I'm vegetarian"))
    await profile.learn_from(said(text))
    assert (len(profile.facts), profile.candidates) == (2, ())


async def test_ask_first_puts_everything_up_for_review(profile: MemoryProfileService) -> None:
    assert await profile.learn_from(said("I live in Oslo"), review=True) == ()
    assert (profile.facts, texts(profile.candidates)) == ((), ["Lives in Oslo"])
    await profile.accept(profile.candidates[0].id)
    assert profile.facts[0].origin is FactOrigin.TYPED


async def test_doubtful_wording_goes_to_review(profile: MemoryProfileService) -> None:
    await profile.learn_from(said("I struggle with long meetings in the morning"))
    assert texts(profile.candidates) == ["Struggles with long meetings in the morning"]


async def test_of_two_pages_that_edit_at_once_one_wins_and_the_other_is_told(profile: MemoryProfileService) -> None:
    fact = (await profile.add("Lives in Oslo")).fact
    outcomes = await asyncio.gather(
        profile.edit(fact.id, "Lives in Bergen"), profile.edit(fact.id, "Lives in Rome"), return_exceptions=True
    )
    (told,) = [one for one in outcomes if isinstance(one, ProfileError)]
    assert "changed meanwhile" in str(told)
    assert texts(profile.facts) == ["Lives in Bergen"]
    assert texts(profile.history) == ["Lives in Oslo"]


async def test_of_two_pages_one_that_edits_what_the_other_forgot_is_told(profile: MemoryProfileService) -> None:
    fact = (await profile.add("Lives in Oslo")).fact
    await profile.remove(fact.id)
    with pytest.raises(NotFound, match="no such fact"):
        await profile.edit(fact.id, "Lives in Rome")
    assert profile.facts == ()
