"""Reads labelled files as their authors publish them: LoCoMo, PrefEval, and Munin's own golden format.

The golden format is JSON Lines. A message: `{"message": id, "conversation": id, "text": …}`, and if wished `role`
(user, assistant), `at` (ISO 8601) and `pool`. A question: `{"question": text, "evidence": [message ids]}`, and if wished
`category`, `at`, `pool` and `id`.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

from munin_app.domain.messages import Message, Role
from munin_app.errors import EvaluationError
from munin_app.evaluation.recall.dataset import Dataset, Pool, Question
from munin_app.i18n import _

TURN_MS = 60_000
"""Between two turns of a LoCoMo session, whose beginning alone has a time."""
_TURN_ID = re.compile(r"D:?(\d+):(\d+)")
_LOCOMO_TIME = "%I:%M %p on %d %B, %Y"


def read(path: Path) -> Dataset:
    """Raises EvaluationError."""
    try:
        content = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise EvaluationError(
            _("{path} cannot be read ({error}). Give a file of labelled questions.").format(path=path, error=error)
        ) from error
    try:
        return _read(path.stem, content)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise EvaluationError(
            _(
                "{path} is no labelled file that Munin knows ({kind}: {error}). Expected: LoCoMo's JSON, "
                "PrefEval's JSON Lines, or JSON Lines of messages and questions."
            ).format(path=path, kind=type(error).__name__, error=error)
        ) from error


def _read(name: str, content: str) -> Dataset:
    if content.lstrip().startswith("["):
        return _dataset(name, [_locomo_pool(sample) for sample in json.loads(content)])
    lines = [json.loads(line) for line in content.splitlines() if line.strip()]
    if lines and "preference" in lines[0]:
        return _dataset(name, [_prefeval_pool(name, lines)])
    return _dataset(name, list(_golden_pools(lines)))


def _dataset(name: str, pools: list[Pool]) -> Dataset:
    """Without evidence that is not there, and without questions that have none left."""
    kept, skipped = [], 0
    for pool in pools:
        there = {message.id for message in pool.messages}
        questions = [replace(question, evidence=question.evidence & there) for question in pool.questions]
        kept.append(replace(pool, questions=tuple(question for question in questions if question.evidence)))
        skipped += sum(not question.evidence for question in questions)
    if not any(pool.questions for pool in kept):
        raise ValueError(_("no question has evidence in it"))
    return Dataset(name, tuple(kept), skipped)


def _locomo_pool(sample: dict[str, Any]) -> Pool:
    name, conversation = sample["sample_id"], sample["conversation"]
    messages = [message for n in _session_numbers(conversation) for message in _session(name, n, conversation)]
    asked_at = max(message.created_at for message in messages)
    questions = (
        Question(
            f"{name}/{n}",
            qa["question"],
            str(qa["category"]),
            frozenset(f"{name}/D{session}:{turn}" for session, turn in _TURN_ID.findall(" ".join(qa.get("evidence", ())))),
            asked_at,
        )
        for n, qa in enumerate(sample["qa"])
    )
    return Pool(name, tuple(messages), tuple(questions))


def _session_numbers(conversation: dict[str, Any]) -> list[int]:
    return sorted(int(key.removeprefix("session_")) for key in conversation if re.fullmatch(r"session_\d+", key))


def _session(name: str, number: int, conversation: dict[str, Any]) -> Iterator[Message]:
    """One Munin conversation. A turn reads as in the authors' code: who speaks, the text, what the shared photo shows."""
    began = int(datetime.strptime(conversation[f"session_{number}_date_time"], _LOCOMO_TIME).timestamp() * 1000)
    for place, turn in enumerate(conversation[f"session_{number}"]):
        first = turn["speaker"] == conversation["speaker_a"]
        text = f"{turn['speaker']}: {turn['text']}"
        if caption := turn.get("blip_caption"):
            text += f" [shares a photo of {caption}]"
        role = Role.USER if first else Role.ASSISTANT
        yield Message(f"{name}/{turn['dia_id']}", f"{name}/{number}", None, role, text, began + place * TURN_MS)


def _prefeval_pool(name: str, lines: list[dict[str, Any]]) -> Pool:
    """Each preference was said in a conversation of its own."""
    messages = tuple(
        Message(line["id"], line["id"], None, Role.USER, line["preference"], place * TURN_MS) for place, line in enumerate(lines)
    )
    asked_at = len(lines) * TURN_MS
    questions = (Question(line["id"], line["question"], line["topic"], frozenset([line["id"]]), asked_at) for line in lines)
    return Pool(name, messages, tuple(questions))


def _golden_pools(lines: list[dict[str, Any]]) -> Iterator[Pool]:
    for name in dict.fromkeys(line.get("pool", "all") for line in lines):
        mine = [line for line in lines if line.get("pool", "all") == name]
        messages = tuple(_golden_message(line, place) for place, line in enumerate(line for line in mine if "message" in line))
        latest = max((message.created_at for message in messages), default=0)
        questions = tuple(
            Question(
                str(line.get("id", f"{name}/{n}")),
                line["question"],
                str(line.get("category", "all")),
                frozenset(line["evidence"]),
                _milliseconds(line["at"]) if "at" in line else latest,
            )
            for n, line in enumerate(line for line in mine if "question" in line)
        )
        yield Pool(name, messages, questions)


def _golden_message(line: dict[str, Any], place: int) -> Message:
    said_at = _milliseconds(line["at"]) if "at" in line else place * TURN_MS
    return Message(line["message"], line["conversation"], None, Role(line.get("role", "user")), line["text"], said_at)


def _milliseconds(iso: str) -> int:
    return int(datetime.fromisoformat(iso).timestamp() * 1000)
