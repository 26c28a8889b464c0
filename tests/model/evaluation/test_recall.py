"""`munin eval recall` and `munin bench recall` from end to end, on a few memories with the real encoder."""

import json
from pathlib import Path

import pytest

from munin_app.cli import main
from munin_app.evaluation.recall.bench import Plan, measure
from munin_app.evaluation.recall.readers import read
from munin_app.evaluation.recall.run import unrelated_questions

SET = [
    {"message": "dog", "conversation": "a", "text": "My dog Bruno is a beagle"},
    {"message": "car", "conversation": "b", "text": "I parked the car on level 3 of the garage"},
    {"message": "cello", "conversation": "c", "text": "My sister Marta plays the cello"},
    {"message": "tent", "conversation": "d", "text": "I bought a red tent in Bergen", "pool": "other"},
    {"question": "What breed is my dog?", "evidence": ["dog"], "category": "pets"},
    {"question": "Who plays the cello?", "evidence": ["cello"], "category": "people"},
    {"question": "Where did I buy the tent?", "evidence": ["tent"], "pool": "other"},
]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "golden.jsonl"
    path.write_text("\n".join(json.dumps(line) for line in SET))
    return path


def evaluate(file: Path, *more: str) -> int:
    folder = file.parent
    return main(
        ["eval", "recall", str(file), "--out", str(folder / "runs.db"), "--cache", str(folder / "cache"), "--json", *more]
    )


def test_a_labelled_file_gives_figures_that_a_second_run_repeats(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert evaluate(file, "--ablate") == 0
    first = json.loads(capsys.readouterr().out)
    assert first["ungated"]["r5"] == first["shipped"]["r5"] == first["ungated"]["session_r5"] == 1
    assert first["unrelated"]["false_at_shipped"] == 0
    assert {"shipped", "words alone", "meaning alone", "without time"} <= first["ablation"].keys()
    assert evaluate(file, "--compare", str(first["run"])) == 0
    second = json.loads(capsys.readouterr().out)
    assert second["run"] == first["run"] + 1
    assert second["moved"] == []
    assert second["ungated"] == first["ungated"]


def test_the_bar_is_measured_in_smaller_memories(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert evaluate(file, "--sizes") == 0
    sizes = json.loads(capsys.readouterr().out)["sizes"]
    assert [one["messages"] for one in sizes] == [10, 30, 100, 300]
    assert {(one["kept_r5"], one["found_unrelated"]) for one in sizes} == {(1, 0)}


def test_of_one_memory_unrelated_is_what_answers_no_question_of_that_category(tmp_path: Path) -> None:
    path = tmp_path / "golden.jsonl"
    lines = [line | {"category": "things"} if "pool" in line else line for line in SET]
    path.write_text("\n".join(json.dumps({key: value for key, value in line.items() if key != "pool"}) for line in lines))
    asked = {one.question.text: one.hidden for one in unrelated_questions(read(path))}
    assert asked == {"What breed is my dog?": {"dog"}, "Who plays the cello?": {"cello"}, "Where did I buy the tent?": {"tent"}}


def test_a_run_that_is_not_there_cannot_be_compared_with(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert evaluate(file, "--compare", "7") == 1
    assert "no run 7" in capsys.readouterr().err


async def test_the_bench_measures_recall_beside_the_bare_arms() -> None:
    shown = await measure(Plan(memories=1000, queries=20, remembered=3), lambda _: None)
    assert shown["ratio_p95"] == pytest.approx(shown["recall_ms"]["p95"] / shown["bare_ms"]["p95"])
    assert min(shown["recall_ms"]["p50"], shown["bare_ms"]["p50"], shown["remember_beyond_embedding_ms"]["p50"]) > 0
