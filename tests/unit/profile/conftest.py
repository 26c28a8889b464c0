"""Makers of messages and a model that says what the test tells it to."""

from collections.abc import AsyncIterator, Callable, Sequence
from pathlib import Path

import pytest

from munin_app.domain.ids import new_id
from munin_app.domain.inference import ChatRequest, Completed, ModelEvent, ModelInfo
from munin_app.domain.messages import Exchange, MemoryState, Message, Role
from munin_app.profile import MemoryProfileService


class AnsweringModel:
    """A ChatModel whose every answer is `answer`; it keeps the requests."""

    def __init__(self, answer: str = "[]", *, truncated: bool = False) -> None:
        self.answer, self.truncated = answer, truncated
        self.requests: list[ChatRequest] = []
        self.forgotten: list[str] = []
        self.before_answer: Callable[[], object] | None = None

    @property
    def info(self) -> ModelInfo | None:
        return None

    async def load(self) -> ModelInfo:
        raise NotImplementedError

    async def stream(self, request: ChatRequest) -> AsyncIterator[ModelEvent]:
        self.requests.append(request)
        if self.before_answer:
            await self.before_answer()
        yield Completed(self.answer, truncated=self.truncated)

    def cancel(self, request_id: str) -> None: ...

    async def count_tokens(self, texts: Sequence[str]) -> list[int]:
        return [len(text.split()) for text in texts]

    async def forget_session(self, session_id: str) -> None:
        self.forgotten.append(session_id)

    async def close(self) -> None: ...


def said(text: str, *, memory: MemoryState = MemoryState.PENDING, reply: str = "I live in a computer.") -> Exchange:
    """An exchange whose user message has a fresh id."""
    user = Message(new_id(), "conversation", None, Role.USER, text, created_at=1_700_000_000_000, memory=memory)
    return Exchange(user, Message(new_id(), "conversation", user.id, Role.ASSISTANT, reply, created_at=1_700_000_000_001))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "profile.json"


@pytest.fixture
async def profile(path: Path) -> AsyncIterator[MemoryProfileService]:
    service = MemoryProfileService(path, None)
    await service.open()
    yield service
    await service.close()


async def reopened(path: Path, model: AnsweringModel | None = None, **options: bool) -> MemoryProfileService:
    service = MemoryProfileService(path, model, **options)
    await service.open()
    return service


def texts(facts: Sequence[object]) -> list[str]:
    return [fact.text for fact in facts]  # type: ignore[attr-defined]
