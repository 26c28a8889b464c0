"""`munin eval facts`: what counts as right, and that the shipped path is measured on a profile that is thrown away."""

import hashlib
import json
from pathlib import Path

import pytest

from munin_app.cli import main
from munin_app.domain.facts import Fact, FactOrigin, FactSource, FactStatus
from munin_app.errors import MuninError
from munin_app.evaluation.facts.examples import Example, Expected, Preference, read_examples
from munin_app.evaluation.facts.learning import Learned, learn
from munin_app.evaluation.facts.preferences import PreferenceRow, preference_figures
from munin_app.evaluation.facts.scoring import Row, figures, holds

SET = Path(__file__).parents[2] / "data" / "facts"


@pytest.mark.parametrize(
    ("fact", "value"),
    [
        ("Lives in Oslo, Norway", "oslo"), ("Likes hiking and skiing", "hike"), ("Wife is called Ingrid", "wife Ingrid"),
        ("Habite à Besançon", "besancon"), ("Does not eat pork", "not pork"), ("Doesn't eat pork", "not eat pork"),
        ("喜欢爬山", "爬山"), ("Préfère le thé", "thé"), ("Works in IT", "IT"),
    ],
)  # fmt: skip
def test_fact_that_holds_every_content_word_is_right(fact: str, value: str) -> None:
    assert holds(fact, value)


@pytest.mark.parametrize(
    ("fact", "value"),
    [
        ("Lives in Oslo", "Bergen"),
        ("Wife is called Ingrid", "daughter Ingrid"),
        ("Eats pork", "not pork"),
        ("喜欢爬", "爬山"),
        ("", "a"),
    ],
)
def test_fact_without_one_of_them_is_false(fact: str, value: str) -> None:
    assert not holds(fact, value)


def made(text: str, attribute: str, extractor: str = "rule:en.x") -> Fact:
    source = FactSource("c", "m", 0, 1, 0, extractor)
    return Fact("1", text, attribute, text, FactStatus.ACTIVE, FactOrigin.EXTRACTED, 0, 0, (source,))


def row(expect: list[tuple[str, str]], facts: list[Fact], lang: str = "en") -> Row:
    example = Example("1", lang, "said", "", (), tuple(Expected(*one) for one in expect))
    return Row(example, Learned(tuple(facts), (), ()))


def test_figures_count_what_is_right_false_missed_and_misnamed() -> None:
    rows = [
        row([("location", "Oslo"), ("job", "nurse")], [made("Lives in Oslo", "location"), made("Likes tea", "preference")]),
        row([("diet", "pork")], [made("Does not eat pork", "preference", "model:tiny")], "de"),
        row([], [made("Is tired", "note")]),
        row([], []),
    ]
    found = figures(rows)
    assert (found["produced"], found["expected"], found["precision"], found["recall"]) == (4, 3, 0.5, 2 / 3)
    assert found["attribute_accuracy"] == 0.5
    assert (found["no_fact_exchanges"], found["no_fact_false"], found["no_fact_false_share"]) == (2, 1, 0.5)
    assert (found["languages"]["de"]["precision"], found["languages"]["en"]["recall"]) == (1.0, 0.5)
    assert (found["attributes"]["job"]["recall"], found["attributes"]["note"]["precision"]) == (0.0, 0.0)
    assert found["extractors"] == {
        "model:tiny": {"produced": 1, "precision": 1.0},
        "rule:en": {"produced": 3, "precision": 1 / 3},
    }


async def test_known_facts_are_corrected_and_not_in_the_way() -> None:
    learned = await learn(None, "No, I live in Bergen", "You live in Oslo.", ("Lives in Oslo", "Likes tea"))
    assert [fact.text for fact in learned.facts] == ["Lives in Bergen"]
    again = await learn(None, "I live in Oslo", "", ("Lives in Oslo",))
    assert (again.facts, [fact.text for fact in again.repeated]) == ((), ["Lives in Oslo"])


async def test_preferences_are_measured_by_words_and_negations_kept() -> None:
    preference = Preference("1", "I don't eat pork, ever", "What is for dinner?")
    kept = PreferenceRow(preference, await learn(None, preference.preference), await learn(None, preference.question))
    lost = PreferenceRow(preference, Learned((made("Eats pork", "diet"),), (), ()), Learned((), (made("x", "note"),), ()))
    found = preference_figures([kept, lost])
    assert (found["yield"], found["negation_kept"], found["questions_that_yield"]) == (1.0, 0.5, 0.5)
    assert kept.kept > lost.kept > 0


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "is empty"),
        ('{"id": 1}', "line 1: KeyError"),
        ("{", "line 1"),
        ('{"preference": "x"}', "line 1: KeyError"),
        ("[]", "line 1"),
    ],
)
def test_other_files_are_refused_with_the_line(tmp_path: Path, content: str, message: str) -> None:
    (tmp_path / "set.jsonl").write_text(content)
    with pytest.raises(MuninError, match=message):
        read_examples(tmp_path / "set.jsonl")


def test_command_prints_figures_and_leaves_the_data_folder_alone(
    tmp_path: Path, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    line = {"id": "1", "lang": "en", "user": "I live in Oslo", "assistant": "", "known": [], "expect": []}
    (tmp_path / "set.jsonl").write_text(json.dumps(line))
    assert main(["eval", "facts", str(tmp_path / "set.jsonl"), "--no-model", "--show"]) == 0
    shown = capsys.readouterr().out
    assert "false   location: Lives in Oslo" in shown and "precision" in shown
    assert main(["eval", "facts", str(tmp_path / "set.jsonl"), "--no-model", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["no_fact_false"] == 1
    assert not (home / "profile.json").exists()


def test_our_own_set_is_large_half_without_facts_and_split_by_the_hash_of_its_ids() -> None:
    seen: list[str] = []
    for part, even in (("tuning", True), ("held-out", False)):
        rows = [json.loads(line) for line in (SET / f"{part}.jsonl").read_text().splitlines()]
        assert all((hashlib.sha256(one["id"].encode()).digest()[0] % 2 == 0) is even for one in rows)
        assert 0.4 < sum(not one["expect"] for one in rows) / len(rows) < 0.6
        assert {one["lang"] for one in rows} == {"en", "de", "es", "fr", "zh"}
        seen += [one["id"] for one in rows]
    assert len(seen) == len(set(seen)) >= 300
