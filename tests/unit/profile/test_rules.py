"""The deterministic rules, over tables of sentences."""

import time

import pytest

from munin_app.domain.facts import FACT_MAX_CHARACTERS
from munin_app.profile.rules import describe, find_facts
from tests.unit.profile.sentences_that_hold_facts import HOLD
from tests.unit.profile.sentences_without_facts import HOLD_NOTHING


def found_in(text: str) -> list[tuple[str, str]]:
    return [(finding.description.attribute, finding.description.text) for finding in find_facts(text)]


def test_sentences_yield_their_facts() -> None:
    """One test for the table: as one test per sentence, pytest itself took most of the time."""
    assert len(HOLD) >= 60
    assert {text: found for text, expected in HOLD if (found := found_in(text)) != expected} == {}


def test_sentences_without_facts_yield_nothing() -> None:
    assert len(HOLD_NOTHING) >= 60
    assert {text: found for text in HOLD_NOTHING if (found := found_in(text))} == {}


def test_quotes_are_in_the_message_and_hold_the_value() -> None:
    for text, _ in HOLD:
        for finding in find_facts(text):
            quote = text[finding.start : finding.end]
            assert 0 <= finding.start < finding.end <= len(text)
            assert finding.description.value.split()[-1].lower() in quote.lower()
            assert finding.extractor.startswith("rule:en.")


def test_quote_spans_the_words_of_its_own_clause() -> None:
    text = "Hi! My name is Ada and I live in Oslo, Norway."
    assert [text[finding.start : finding.end] for finding in find_facts(text)] == ["My name is Ada", "I live in Oslo, Norway"]


@pytest.mark.parametrize(
    "text",
    [
        "I love " + "walking slowly in the quiet woods near the lake " * 3,
        "Remember that my " + "very " * 40 + "old car is red",
        "I like " + "a" * 200,
    ],
)
def test_long_facts_never_pass_the_limit_nor_break_a_word(text: str) -> None:
    for finding in find_facts(text):
        assert len(finding.description.text) <= FACT_MAX_CHARACTERS
        assert finding.description.text.split()[-1] in text.split()


def test_pasted_long_text_is_not_learned_from() -> None:
    pasted = "Here is what I got.\n\n" + "The weather was fine that day. " * 100 + "\n\nMy name is Bob and I live in Rome."
    assert find_facts(pasted) == ()


@pytest.mark.parametrize(
    "noise", ["I love " * 5000, "a, I " * 5000, "'a" * 5000, "really " * 5000, "hi, so well " * 5000, "i'm " * 5000]
)
def test_hostile_text_costs_little_time(noise: str) -> None:
    begin = time.process_time()
    find_facts(noise[:1990])
    find_facts(noise)
    assert time.process_time() - begin < 1.0


@pytest.mark.parametrize(
    ("typed", "text", "attribute", "value"),
    [
        ("I live in Oslo", "Lives in Oslo", "location", "Oslo"),
        ("Lives in Oslo", "Lives in Oslo", "location", "Oslo"),
        ("The user's name is Ada", "Name is Ada", "name", "Ada"),
        ("works as a nurse", "Works as a nurse", "job", "nurse"),
        ("Is a nurse", "Is a nurse", "job", "nurse"),
        ("Does not eat pork", "Does not eat pork", "diet", "pork"),
        ("Wife is called Ingrid", "Wife is called Ingrid", "relationship", "Ingrid"),
        ("Speaks Norwegian", "Speaks Norwegian", "language", "Norwegian"),
        ("My bike is blue and has a flat tyre", "Bike is blue and has a flat tyre", "note", "Bike is blue and has a flat tyre"),
        ("Bor i Oslo", "Bor i Oslo", "note", "Bor i Oslo"),
        ("住在东京", "住在东京", "location", "东京"),
        ("Wohnt in Kiel", "Wohnt in Kiel", "location", "Kiel"),
        ("Vivo en Lima", "Vive en Lima", "location", "Lima"),
        ("Je suis végétarienne", "Est végétarienne", "diet", "végétarienne"),
    ],
)
def test_typed_sentence_is_described(typed: str, text: str, attribute: str, value: str) -> None:
    described = describe(typed)
    assert (described.text, described.attribute, described.value) == (text, attribute, value)
