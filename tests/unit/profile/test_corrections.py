""" "No, it's Bergen": which fact a bare new value corrects, and when it corrects none."""

from dataclasses import replace

import pytest

from munin_app.domain.facts import Fact, FactOrigin, FactSource
from munin_app.domain.messages import Exchange
from munin_app.profile import MemoryProfileService
from munin_app.profile.changes import new_fact
from munin_app.profile.corrections import find_corrections
from munin_app.profile.rules import describe
from tests.unit.profile.conftest import said, texts


def known(*sentences: str, source: str = "") -> tuple[Fact, ...]:
    sources = (FactSource("conversation", source, 0, 1, 0, "rule:en.x"),) if source else ()
    return tuple(replace(new_fact(describe(one), FactOrigin.EXTRACTED), sources=sources) for one in sentences)


def corrected(text: str, facts: tuple[Fact, ...], before: Exchange | None = None) -> list[tuple[str, str]]:
    return [(one.description.attribute, one.description.text) for one in find_corrections(text, facts, before)]


@pytest.mark.parametrize(
    ("text", "fact", "by"),
    [
        ("I said Bergen, not Berlin", "Lives in Berlin", "Lives in Bergen"),
        ("Bergen, not Berlin!", "Lives in Berlin", "Lives in Bergen"),
        ("No, it's Bergen, not Berlin. What is the weather like?", "Lives in Berlin", "Lives in Bergen"),
        ("It's 35, not 34", "Is 34 years old", "Is 35 years old"),
        ("Nope, Anna, not Ada", "Name is Ada", "Name is Anna"),
        ("Nein, in Kiel, nicht in Köln", "Wohnt in Köln", "Wohnt in Kiel"),
        ("No, en Lima, no en Quito", "Vive en Quito", "Vive en Lima"),
        ("Non, à Lyon, pas à Lille", "Habite à Lille", "Habite à Lyon"),
        ("我说的是上海，不是北京", "住在北京", "住在上海"),
    ],
)
def test_the_old_value_names_the_fact(text: str, fact: str, by: str) -> None:
    assert [text for _, text in corrected(text, known(fact, "Likes tea"))] == [by]


@pytest.mark.parametrize(
    ("reply", "text", "by"),
    [
        ("You live in Berlin, as far as I know.", "No, it's Bergen", [("location", "Lives in Bergen")]),
        ("You live in Berlin, as far as I know.", "No. It's Bergen!", [("location", "Lives in Bergen")]),
        ("You live in Berlin.", "wrong, Bergen", [("location", "Lives in Bergen")]),
        ("You are 34.", "actually I'm 35 years old", [("age", "Is 35 years old")]),
        ("You live in Berlin and are 34.", "No, it's 35", [("age", "Is 35 years old")]),
        ("You live in Berlin and today is Tuesday.", "No, it's Wednesday", []),
        ("You live in Berlin. The capital of Finland is Turku.", "No, it's Helsinki", []),
        ("The capital of Germany is Berlin.", "No, it's Bonn", []),
        ("You are 34 and slept 8 hours.", "No, it's 7", []),
        ("You live in Berlin.", "No, it's fine", []),
        ("You live in Berlin.", "No, it's Bergen?", []),
        ("You live in Berlin.", "It's Bergen", []),
        ("You live in Berlin.", "Write a story. No, it's Bergen", []),
        ("Hello.", "No, it's Bergen", []),
    ],
)
def test_the_reply_before_tells_which_fact(reply: str, text: str, by: list[tuple[str, str]]) -> None:
    assert corrected(text, known("Lives in Berlin", "Is 34 years old"), said("Where do I live?", reply=reply)) == by


@pytest.mark.parametrize(
    "text",
    [
        "It's not Berlin",
        "I'm not in Berlin",
        "No, Not Berlin",
        "Certainly not Berlin",
        "Ich bin nicht in Berlin",
        "No soy de Berlin",
    ],
)
def test_a_bare_denial_has_no_new_value(text: str) -> None:
    assert corrected(text, known("Lives in Berlin"), said("Where do I live?", reply="You live in Berlin.")) == []


def test_what_was_just_noted_is_corrected_unless_it_came_with_a_question() -> None:
    before = said("I live in Berlin", reply="How nice.")
    assert corrected("No, it's Bergen", known("Lives in Berlin", source=before.user.id), before) == [
        ("location", "Lives in Bergen")
    ]
    asked = said("I live in Berlin. What is the capital of Finland?", reply="How nice.")
    assert corrected("No, it's Helsinki", known("Lives in Berlin", source=asked.user.id), asked) == []


@pytest.mark.parametrize("text", ["No, it's Bergen", "I said Bergen, not Berlin"])
def test_two_facts_that_could_be_meant_are_left_alone(text: str) -> None:
    facts = known("Lives in Berlin", "Was born in Berlin")
    assert corrected(text, facts, said("Hm.", reply="You like Berlin.")) == []


async def test_the_old_value_stays_as_history_and_a_typed_one_is_kept(profile: MemoryProfileService) -> None:
    before = said("I live in Berlin")
    await profile.learn_from(before)
    (learned,) = await profile.learn_from(said("No, it's Bergen"), before=before) or ()
    assert (learned.fact.text, learned.quote, texts(profile.history)) == ("Lives in Bergen", "Bergen", ["Lives in Berlin"])
    await profile.add("Is 34 years old")
    assert await profile.learn_from(said("It's 35, not 34")) == ()
    assert "Is 34 years old" in texts(profile.facts) and texts(profile.candidates) == ["Is 35 years old"]
