"""A labelled set: what was said, and questions with the ids of the messages that answer them. Pure values."""

from collections.abc import Iterator
from dataclasses import dataclass

from munin_app.domain.messages import Message


@dataclass(frozen=True, slots=True)
class Question:
    id: str
    text: str
    category: str
    evidence: frozenset[str]
    """Ids of messages; never empty."""
    asked_at: int
    """Unix ms."""


@dataclass(frozen=True, slots=True)
class Pool:
    """One person's memory: its questions are asked of its messages only."""

    id: str
    messages: tuple[Message, ...]
    questions: tuple[Question, ...]

    @property
    def scope(self) -> str:
        return f"persona:{self.id}"


@dataclass(frozen=True, slots=True)
class Dataset:
    name: str
    pools: tuple[Pool, ...]
    skipped: int = 0
    """Questions without evidence, or with evidence that is not in the file."""

    def asked(self) -> Iterator[tuple[Pool, Question]]:
        return ((pool, question) for pool in self.pools for question in pool.questions)
