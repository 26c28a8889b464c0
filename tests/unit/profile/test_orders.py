""" "Forget that …": which sentences are an order, and which fact each of them means."""

import pytest

from munin_app.domain.facts import Fact, FactOrigin
from munin_app.profile.changes import new_fact
from munin_app.profile.orders import find_orders, meant_by
from munin_app.profile.rules import describe

KNOWN = (
    "Name is Ada",
    "Lives in Oslo",
    "Birthday is 3 May",
    "Likes coffee",
    "Likes coffee cake",
    "Has a dog called Bruno",
    "Is allergic to peanuts",
    "Works at Siemens",
    "Does not eat pork",
)


def facts(*sentences: str) -> tuple[Fact, ...]:
    return tuple(new_fact(describe(one), FactOrigin.EXTRACTED) for one in sentences)


def meant(text: str, *known: str) -> list[str]:
    active = facts(*(known or KNOWN))
    return [fact.text for order in find_orders(text) if (fact := meant_by(order, active))]


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        ("forget that I live in Oslo", "Lives in Oslo"),
        ("Please forget my birthday.", "Birthday is 3 May"),
        ("Hey Munin, forget about my name please", "Name is Ada"),
        ("Could you forget that I live in Oslo?", "Lives in Oslo"),
        ("Thanks! Now forget where I work.", "Works at Siemens"),
        ("Forget my dog", "Has a dog called Bruno"),
        ("forget that I have a dog", "Has a dog called Bruno"),
        ("forget that I like coffee", "Likes coffee"),
        ("forget that I'm allergic to peanuts", "Is allergic to peanuts"),
        ("forget that I don't eat pork", "Does not eat pork"),
    ],
)
def test_an_order_in_english_means_one_fact(text: str, fact: str) -> None:
    assert meant(text) == [fact]


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        ("Vergiss bitte, dass ich in Kiel wohne.", "Wohnt in Kiel"),
        ("vergiss wo ich wohne", "Wohnt in Kiel"),
        ("Olvida que vivo en Lima", "Vive en Lima"),
        ("por favor, olvida mi ciudad", "Vive en Lima"),
        ("Oublie que j'habite à Lyon, s'il te plaît.", "Habite à Lyon"),
        ("oublie où j'habite", "Habite à Lyon"),
        ("请忘记我住在上海", "住在上海"),
        ("请忘掉我的住址", "住在上海"),
        ("把我住在上海这件事忘了吧", "住在上海"),
    ],
)
def test_an_order_in_other_languages_means_one_fact(text: str, fact: str) -> None:
    assert meant(text, fact) == [fact]


@pytest.mark.parametrize(
    "text",
    [
        "My boss said forget that I live in Oslo",
        "I'll never forget that I live in Oslo",
        "Don't forget that I live in Oslo",
        "please don't forget my birthday",
        "Did you forget that I live in Oslo?",
        "She told me: forget that I live in Oslo",
        '"Forget that I live in Oslo", he said.',
        "> forget that I live in Oslo",
        "Translate into French: forget that I live in Oslo",
        "Translate this sentence. Forget that I live in Oslo.",
        "Pretend you are my boss. Forget that I live in Oslo.",
        "What does forget my birthday mean?",
        "Forget it.",
        "forget about that, let's talk about my birthday",
        "I always forget my birthday",
        "My husband forgot my birthday",
        "Forget my job, let's talk about coffee",
        "Vergiss nicht, dass ich in Oslo wohne",
        "no olvides que vivo en Oslo",
        "N'oublie pas que j'habite à Oslo",
        "我老公忘记我的生日了",
        "别忘记我住在上海",
        "忘记我的生日了",
    ],
)
def test_what_is_told_quoted_or_negated_is_no_order(text: str) -> None:
    assert meant(text, *KNOWN, "住在上海", "生日是5月3日") == []


@pytest.mark.parametrize(
    "text",
    [
        "forget that I live in Rome",
        "forget that I eat pork",
        "forget my question about Oslo",
        "forget my coffee",
        "forget my cake",
        "forget my age",
    ],
)
def test_an_order_that_fits_no_fact_or_several_means_none(text: str) -> None:
    assert meant(text) == []
