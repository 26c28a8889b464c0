"""The bench's own words do what they are for."""

from munin_app.evaluation.speed import texts
from munin_app.profile.extraction import may_hold_facts
from munin_app.profile.rules import find_facts

ROUND = 3 * len(texts.TOPICS)


def test_a_personal_question_is_worth_a_request_to_the_utility_model_and_states_no_fact() -> None:
    for n in range(ROUND):
        assert may_hold_facts(texts.personal_question(n)), texts.personal_question(n)
        assert not find_facts(texts.personal_question(n)), texts.personal_question(n)


def test_after_a_plain_question_learning_has_nothing_to_ask() -> None:
    for n in range(ROUND):
        assert not may_hold_facts(texts.question(n)), texts.question(n)
        assert not find_facts(texts.question(n)), texts.question(n)


def test_no_two_questions_are_alike() -> None:
    asked = [question(n) for n in range(500) for question in (texts.question, texts.personal_question)]
    assert len(set(asked)) == 1000


def test_nothing_is_learned_from_a_pasted_document() -> None:
    document = texts.document(40)
    assert not may_hold_facts(document)
    assert not find_facts(document)


def test_a_longer_document_begins_with_the_shorter_one() -> None:
    assert texts.document(30).startswith(texts.document(10))
    assert not texts.document(30, first_day=1000).startswith(texts.sentence(1))
