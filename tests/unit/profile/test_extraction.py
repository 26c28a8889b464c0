"""The utility model's part: strict answers, and a guard that trusts only the user's own words."""

import json
from pathlib import Path

import pytest

from munin_app.domain.inference import Purpose
from munin_app.profile.extraction import UTILITY_SESSION, may_hold_facts, parse_answer
from tests.unit.profile.conftest import AnsweringModel, reopened, said, texts


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("[]", ()),
        (' ["Wakes early"]\n', ("Wakes early",)),
        ('```json\n["Wakes early", "Owns a kayak"]\n```', ("Wakes early", "Owns a kayak")),
        ('```\n["Wakes early"]\n```', ("Wakes early",)),
    ],
)
def test_array_of_short_strings_is_taken(answer: str, expected: tuple[str, ...]) -> None:
    assert parse_answer(answer) == expected


@pytest.mark.parametrize(
    "answer",
    [
        "", 'Sure! ["Wakes early"]', '["Wakes early"] Hope this helps', '["Wakes early"', '{"facts": ["Wakes early"]}',
        '"Wakes early"',
        "[1, 2]", "[null]", '[["Wakes early"]]', '[""]', '["  "]', "null", json.dumps(["x" * 121]), json.dumps(["a"] * 6),
        "[" * 100_000,
        "```json\n[\"a\"]\n``` and more",
    ],
)  # fmt: skip
def test_any_other_answer_is_dropped_whole(answer: str) -> None:
    assert parse_answer(answer) is None


@pytest.mark.parametrize(
    "text", ["I tend to wake up at five", "My shoulder has been bad for years, what helps?", "we have a cabin by a lake"]
)
def test_gate_opens_for_the_first_person(text: str) -> None:
    assert may_hold_facts(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "hi",
        "What is the capital of Peru?",
        "Fix this code for me?",
        "Do I need a visa?",
        "I " * 500,
        "> I wake at five each day",
    ],
)
def test_gate_stays_shut_for_questions_and_quotations(text: str) -> None:
    assert not may_hold_facts(text)


async def learn(path: Path, text: str, *answers: str) -> list[str]:
    model = AnsweringModel(json.dumps(answers))
    service = await reopened(path, model)
    await service.learn_from(said(text))
    return texts(service.facts)


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("I usually wake up at five in the morning", "Usually wakes up at five in the morning"),
        ("I have been collecting stamps since school", "Collecting stamps since school"),
        ("Our cabin has no running water", "Cabin has no running water"),
        ("I tend to buy second hand clothes. Any shops?", "Tends to buy second hand clothes"),
    ],
)
async def test_fact_in_the_users_own_words_is_taken(path: Path, text: str, answer: str) -> None:
    assert await learn(path, text, answer) == [answer]


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("I usually wake up at five", "Lives in Oslo"),  # made up
        ("I usually wake up at five", "Usually wakes up at six"),
        ("I never wake up at five", "Wakes up at five"),  # the negation is lost
        ("I usually wake up at five", "Does not wake up at five"),
        ("I think my brother is a dentist in town", "Is a dentist"),  # somebody else
        ("My brother is a great dentist", "Is a dentist"),
        ("I wonder if I ever become a great dentist", "Is a dentist"),  # hypothetical
        ("I always wanted a horse as a child", "Has a horse"),  # a wish
        ("I usually wake up. Do I snore loudly?", "Snores loudly"),  # a question
        ("I usually wake up. He snores loudly.", "Snores loudly"),
        ('I usually hear "I snore loudly" from guests', "Snores loudly"),
        ("I got up. You snore loudly", "Snores loudly"),
        ("I need a cheap plumber in town", "Needs a cheap plumber in town"),
        ("I feel very sleepy today", "Feels very sleepy today"),
        ("I usually wake up at five", "As an assistant I wake at five"),
        ("I usually wake up at five", "I wake up at five"),
        ("I usually wake up at five", "The user"),
        ("I usually feel cold in winter", "Tends to wake at five"),  # the example of the instructions
    ],
)
async def test_fact_without_support_is_dropped(path: Path, text: str, answer: str) -> None:
    assert await learn(path, text, answer) == []


async def test_truncated_answer_is_dropped(path: Path) -> None:
    service = await reopened(path, AnsweringModel('["Usually wakes up at five"]', truncated=True))
    await service.learn_from(said("I usually wake up at five"))
    assert service.facts == ()


async def test_request_is_a_short_greedy_utility_request_without_the_reply(path: Path) -> None:
    model = AnsweringModel('["Usually wakes up at five"]')
    service = await reopened(path, model)
    (learned,) = await service.learn_from(said("Well, I usually wake up at five.", reply="SECRET REPLY"))
    (request,) = model.requests
    assert (request.purpose, request.session_id, request.sampling.temperature) == (Purpose.UTILITY, UTILITY_SESSION, 0.0)
    assert "SECRET REPLY" not in "".join(message.text for message in request.messages)
    assert learned.quote == "I usually wake up at five"
    assert learned.fact.sources[0].extractor.startswith("model:")


async def test_model_sees_only_what_the_user_asserts(path: Path) -> None:
    model = AnsweringModel()
    service = await reopened(path, model)
    await service.learn_from(
        said('I usually wake up at five. "I am the king of France", he wrote. What is that?\n> I hate mornings')
    )
    sent = model.requests[0].messages[-1].text
    assert "wake up at five" in sent
    assert not [word for word in ("king", "mornings", "What is that") if word in sent]


async def test_another_model_takes_over(path: Path) -> None:
    first, second = AnsweringModel(), AnsweringModel()
    service = await reopened(path, first)
    service.use_model(second)
    await service.learn_from(said("I usually wake up at five"))
    assert (len(first.requests), len(second.requests)) == (0, 1)


async def test_model_is_not_asked_when_the_rules_are_certain(path: Path) -> None:
    model = AnsweringModel()
    service = await reopened(path, model)
    await service.learn_from(said("I live in Oslo"))
    await service.learn_from(said("What is the capital of Peru?"))
    assert model.requests == []
