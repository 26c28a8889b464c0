"""Short ways to write requests, and to run them on an engine without a worker."""

from collections.abc import Callable
from dataclasses import dataclass

from munin_app.domain.inference import (
    Cancelled,
    ChatRequest,
    Completed,
    PromptMessage,
    PromptRole,
    Purpose,
    SamplingParams,
    TextDelta,
)
from munin_app.inference.engine import Engine

GREEDY = SamplingParams(temperature=0)
LONG_TEXT = "The raven flew over the old harbour and counted every boat. " * 120
"""About 1,500 tokens."""


def system(text: str) -> PromptMessage:
    return PromptMessage(PromptRole.SYSTEM, text)


def user(text: str) -> PromptMessage:
    return PromptMessage(PromptRole.USER, text)


def assistant(text: str) -> PromptMessage:
    return PromptMessage(PromptRole.ASSISTANT, text)


def request(
    *messages: PromptMessage,
    session: str = "session",
    tokens: int = 4,
    purpose: Purpose = Purpose.REPLY,
    sampling: SamplingParams = GREEDY,
    keep: bool = False,
) -> ChatRequest:
    return ChatRequest(session, messages, sampling, tokens, purpose, started_at=1_000_000_000_000, keep=keep)


@dataclass
class FreeRun:
    """A Control that never interferes, unless it is told when to."""

    stop: Callable[[], bool] = lambda: False
    pause: Callable[[], bool] = lambda: False


@dataclass(frozen=True)
class Outcome:
    deltas: list[str]
    end: Completed | Cancelled


def run(engine: Engine, wanted: ChatRequest, control: FreeRun | None = None) -> Outcome:
    steps = [step for step in engine.run(wanted, control or FreeRun()) if step is not None]
    end = steps.pop()
    assert isinstance(end, Completed | Cancelled)
    return Outcome([step.text for step in steps if isinstance(step, TextDelta)], end)
