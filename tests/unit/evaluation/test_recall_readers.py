"""Labelled files in the three formats, as small as they can be."""

import json
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from munin_app.errors import EvaluationError
from munin_app.evaluation.recall.kept import KeptRuns
from munin_app.evaluation.recall.readers import read


def write(path: Path, *lines: Any) -> Path:
    path.write_text("\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines), encoding="utf-8")
    return path


def test_locomo(tmp_path: Path) -> None:
    turns = [
        {"speaker": "Ada", "dia_id": "D1:1", "text": "Hi"},
        {"speaker": "Bo", "dia_id": "D1:2", "text": "Look", "blip_caption": "a kayak"},
    ]
    conversation = {"speaker_a": "Ada", "speaker_b": "Bo", "session_1_date_time": "7:48 pm on 21 May, 2023", "session_1": turns}
    asked = [
        {"question": "Both?", "evidence": ["D1:1; D1:2"], "category": 1},
        {"question": "One is missing", "evidence": ["D:1:2", "D9:9"], "category": 2},
        {"question": "None", "evidence": [], "category": 3},
    ]
    dataset = read(write(tmp_path / "set.json", [{"sample_id": "c", "conversation": conversation, "qa": asked}]))
    (pool,) = dataset.pools
    assert [message.text for message in pool.messages] == ["Ada: Hi", "Bo: Look [shares a photo of a kayak]"]
    assert datetime.fromtimestamp(pool.messages[0].created_at / 1000) == datetime(2023, 5, 21, 19, 48)
    assert [set(question.evidence) for question in pool.questions] == [{"c/D1:1", "c/D1:2"}, {"c/D1:2"}]
    assert dataset.skipped == 1


def test_prefeval(tmp_path: Path) -> None:
    lines = [{"id": f"p{n}", "topic": "t", "preference": f"I like {n}", "question": f"What {n}?"} for n in range(2)]
    (pool,) = read(write(tmp_path / "set.jsonl", *lines)).pools
    assert len({message.conversation_id for message in pool.messages}) == 2
    assert [set(question.evidence) for question in pool.questions] == [{"p0"}, {"p1"}]


def test_golden(tmp_path: Path) -> None:
    path = write(
        tmp_path / "set.jsonl",
        {"message": "m", "conversation": "c", "text": "My dog is Bruno", "role": "user", "at": "2024-01-02T03:04:05"},
        {"question": "What dog?", "evidence": ["m"], "category": "pets"},
        {"question": "Whose?", "evidence": ["gone"]},
    )
    dataset = read(path)
    (question,) = dataset.pools[0].questions
    assert (question.text, question.category, dataset.skipped) == ("What dog?", "pets", 1)
    assert question.asked_at == dataset.pools[0].messages[0].created_at


@pytest.mark.parametrize("content", ["", "hello", "[]", "[{}]", '{"a": 1}', "[1]", '{"question": "x", "evidence": ["y"]}'])
def test_another_file_is_refused_by_name(tmp_path: Path, content: str) -> None:
    with pytest.raises(EvaluationError, match=r"set\.json is no labelled file.*Expected"):
        read(write(tmp_path / "set.json", content))


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(EvaluationError, match="cannot be read"):
        read(tmp_path / "none")


def test_runs_are_not_kept_in_the_users_folder(tmp_path: Path) -> None:
    with pytest.raises(EvaluationError, match="never touch what is yours"):
        KeptRuns(tmp_path / "munin_memory.db", tmp_path)
