"""The utility model's part: strict answers, and a guard that trusts only the user's own words."""

from pathlib import Path

import pytest

from munin_app.domain.inference import Purpose
from munin_app.profile.extraction import UTILITY_SESSION, may_hold_facts, parse_answer
from tests.unit.profile.conftest import AnsweringModel, reopened, said, texts

LINE = "preference | wake up at five | I usually wake up at five"


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("preference | early | I wake early", (("preference", "early", "I wake early"),)),
        (' Note | early | "I wake early"\n\n', (("note", "early", "I wake early"),)),
        ("job | nurse | a nurse\ndiet | vegan | I'm vegan", (("job", "nurse", "a nurse"), ("diet", "vegan", "I'm vegan"))),
    ],
)
def test_lines_of_the_form_are_taken(answer: str, expected: tuple[tuple[str, str, str], ...]) -> None:
    assert parse_answer(answer) == expected


@pytest.mark.parametrize(
    "answer",
    [
        "", "none", "[]", "Sure!\njob | nurse | a nurse", "job | nurse | a nurse\nHope this helps", "job | nurse",
        "job | | a nurse", "job | nurse | a nurse | now", "mood | sad | I am sad", "|||", "|" * 100_000,
        "\n".join(["job | nurse | a nurse"] * 4),
    ],
)  # fmt: skip
def test_any_other_answer_is_dropped_whole(answer: str) -> None:
    assert parse_answer(answer) == ()


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


async def learn(path: Path, text: str, *answers: str) -> tuple[list[str], list[str]]:
    """Facts and candidates after an answer of these lines."""
    service = await reopened(path, AnsweringModel("\n".join(answers)))
    await service.learn_from(said(text))
    return texts(service.facts), texts(service.candidates)


@pytest.mark.parametrize(
    ("text", "answer", "fact"),
    [
        ("I usually wake up at five", "preference | wake up at five | I usually wake up at five", "Usually wakes up at five"),
        ("Well, our cabin has no running water!", "note | no running water | our cabin has no running water",
         "Their cabin has no running water"),
        ("I repair old clocks. Any shops?", "preference | old clocks | I repair old clocks.", "Repairs old clocks"),
    ],
)  # fmt: skip
async def test_what_the_user_said_in_other_words_goes_to_review(path: Path, text: str, answer: str, fact: str) -> None:
    assert await learn(path, text, answer) == ([], [fact])


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("I usually wake up at five", "location | Oslo | I live in Oslo"),  # made up
        ("I usually wake up at five", "preference | six | I usually wake up at five"),  # a value that is not in the quote
        ("I usually wake up at five", "preference | wake up at six | I usually wake up at six"),  # a quote that was not said
        ("I never wake up at five", "preference | wake up at five | wake up at five"),  # the negation is lost
        ("I think my brother is a dentist in town", "job | dentist | is a dentist in town"),  # somebody else
        ("My brother is a great dentist", "job | dentist | My brother is a great dentist"),
        ("I wonder if I ever become a great dentist", "job | dentist | I ever become a great dentist"),  # hypothetical
        ("I usually wake up. Do I snore loudly?", "note | snore loudly | Do I snore loudly"),  # a question
        ("I usually wake up. He snores loudly.", "note | snores loudly | He snores loudly"),
        ('I usually hear "I snore loudly" from guests', "note | snore loudly | I snore loudly"),
        ("I got up. You snore loudly", "note | snore loudly | You snore loudly"),
        ("I feel very sleepy today", "note | sleepy | I feel very sleepy today"),  # of today
        (
            "I usually feel cold in winter",
            "preference | wake at five | I tend to wake at five",
        ),  # the example of the instructions
        ("I usually wake up", "preference | | I usually wake up"),
    ],
)
async def test_line_without_support_is_dropped(path: Path, text: str, answer: str) -> None:
    assert await learn(path, text, answer) == ([], [])


async def test_at_most_three_lines_of_an_answer_count(path: Path) -> None:
    line = "preference | wake up at five | I usually wake up at five"
    assert await learn(path, "I usually wake up at five", *[line] * 4) == ([], [])


async def test_truncated_answer_is_dropped(path: Path) -> None:
    service = await reopened(path, AnsweringModel(LINE, truncated=True))
    await service.learn_from(said("I usually wake up at five"))
    assert service.facts == service.candidates == ()


async def test_request_is_a_short_greedy_utility_request_without_the_reply(path: Path) -> None:
    model = AnsweringModel(LINE)
    service = await reopened(path, model)
    exchange = said("Well, I usually wake up at five.", reply="SECRET REPLY")
    await service.learn_from(exchange)
    (request,) = model.requests
    assert (request.purpose, request.session_id, request.sampling.temperature) == (Purpose.UTILITY, UTILITY_SESSION, 0.0)
    assert "SECRET REPLY" not in "".join(message.text for message in request.messages)
    (source,) = service.candidates[0].sources
    assert exchange.user.text[source.start : source.end] == "I usually wake up at five"
    assert source.extractor.startswith("model:")


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
