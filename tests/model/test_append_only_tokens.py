"""The random lives of tests/chat over the real engine: its template, tokeniser, token lists and session files, token by token.

Only the computing is left out: contexts evaluate nothing, and replies are tokens drawn from the whole vocabulary, which seldom
come back the same when their text is tokenised again.
"""

import asyncio
import random
from collections.abc import AsyncGenerator, Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import rule

from munin_app import paths
from munin_app.domain.events import ReplyDelta
from munin_app.domain.inference import ChatRequest, ModelEvent
from munin_app.inference import engine
from munin_app.inference.host import LlamaChatModel
from munin_app.inference.links import ThreadLink
from munin_app.inference.llama import DECODED, LlamaModel
from munin_app.inference.tokens import TokenisedSegment
from tests.chat.test_append_only import CONTEXT, SAID, LifeOfAFolder, live

pytestmark = pytest.mark.model

Tokens = dict[str, list[int]]


class NoContext:
    MAX_BATCH = 512
    settings = (0,)
    cuts_freely = True

    def decode(self, _: Sequence[int]) -> int:
        return DECODED

    def abort_when(self, _: Callable[[], bool] | None) -> None: ...
    def clear(self, *, erase: bool = False) -> None: ...
    def close(self) -> None: ...

    def truncate(self, _: int) -> bool:
        return True

    def state(self) -> memoryview:
        return memoryview(b"state")

    def load_state(self, _: bytearray) -> bool:
        return True


class RandomReply:
    """Two to thirty tokens of the vocabulary, the control tokens at its beginning left out."""

    def __init__(self, model: LlamaModel, chance: random.Random) -> None:
        self._tokens = [model.eos, *(chance.randrange(100, 40_000) for _ in range(chance.randrange(2, 30)))]

    def sample(self, _: object) -> int:
        return self._tokens.pop()

    def accept(self, _: Sequence[int]) -> None: ...
    def close(self) -> None: ...


class RecordedModel(LlamaChatModel):
    def __init__(self, path: Path) -> None:
        super().__init__(path, context_size=CONTEXT, sessions_folder=paths.sessions_folder(), start_link=ThreadLink)
        self.requests: list[ChatRequest] = []

    async def stream(self, request: ChatRequest) -> AsyncGenerator[ModelEvent, None]:
        self.requests.append(request)
        async for event in super().stream(request):
            yield event


class LifeOfRealTokens(LifeOfAFolder):
    def __init__(self, home: Path, monkeypatch: pytest.MonkeyPatch, model_path: Path, read: Tokens) -> None:
        super().__init__(home, monkeypatch)
        self._model_path, self._tokens_read = model_path, read

    def new_model(self, name: str) -> Any:
        other = self._home.parent / "other.gguf"
        if not other.exists():
            other.symlink_to(self._model_path)
        return RecordedModel(self._model_path if name == "scripted" else other)

    def tokens(self, prompt: ChatRequest) -> Sequence[object]:
        return self._tokens_read[prompt.id]

    def length(self, prompt: ChatRequest) -> int:
        return len(self.tokens(prompt))

    def without_newest(self, prompt: ChatRequest) -> ChatRequest:
        return replace(prompt, id=f"without the newest of {prompt.id}")

    @rule(text=st.sampled_from(SAID), words=st.integers(0, 3))
    def send_and_stop(self, text: str, words: int) -> None:
        """After that many deltas, or so."""

        async def stopped() -> None:
            arrived = asyncio.Semaphore(0)
            unsubscribe = self.munin.subscribe(lambda event: arrived.release() if isinstance(event, ReplyDelta) else None)
            await self._send(text)
            for _ in range(words):
                await arrived.acquire()
            await self.munin.controller.stop_and_wait(self._open)
            unsubscribe()

        self._do(stopped())
        self._check()

    def send_and_fail(self, text: str, words: int) -> None:
        """Not here: the engine does not fail when told to."""

    def model_dies(self) -> None:
        """Not here: it would take the test along."""


def test_the_tokens_of_a_prompt_begin_with_those_of_the_one_before_it(
    home: Path, model_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: Tokens = {}
    chance = random.Random(1)
    tokenise = engine.Engine._tokenised

    def recorded(self: engine.Engine, request: ChatRequest) -> list[TokenisedSegment]:
        segments = tokenise(self, request)
        read[request.id] = [token for segment in segments for token in segment.tokens]
        before_newest = segments[: 2 * len(request.messages) - 2]
        read[f"without the newest of {request.id}"] = [token for segment in before_newest for token in segment.tokens]
        return segments

    monkeypatch.setattr(engine.Engine, "_tokenised", recorded)
    monkeypatch.setattr(engine, "LlamaModel", partial(LlamaModel, vocabulary_only=True))
    monkeypatch.setattr(LlamaModel, "new_context", lambda *_: NoContext())
    monkeypatch.setattr(LlamaModel, "new_sampler", lambda model, *_: RandomReply(model, chance))
    live(lambda: LifeOfRealTokens(home, monkeypatch, model_path, read), examples=6)
