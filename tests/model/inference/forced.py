"""A real engine whose replies are written in advance: everything is real but the choice of the next token."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import llama_cpp

from munin_app.domain.inference import SamplingParams
from munin_app.inference.engine import Engine
from munin_app.inference.llama import LlamaContext, LlamaModel, LlamaSampler
from munin_app.inference.protocol import EngineSettings
from munin_app.inference.worker import RequestEngine


@dataclass(frozen=True)
class ForcedReplies:
    """An EngineFactory that a child process can import. Requests that are not greedy get the replies in order, the last one for
    ever."""

    settings: EngineSettings
    replies: tuple[str, ...]
    bytewise: bool = False
    """One token for each byte, where the vocabulary has one for every byte; else the tokens of the text, control tokens too."""

    def __call__(self, go_on: Callable[[], bool] = lambda: True) -> RequestEngine:
        engine = Engine(self.settings, go_on)
        force_replies(engine, self.replies, bytewise=self.bytewise)
        return engine


def force_replies(engine: Engine, replies: tuple[str, ...], *, bytewise: bool = False) -> None:
    model = engine._model
    remaining = list(replies)
    tokens = _byte_tokens(model) if bytewise else {}

    def new_sampler(sampling: SamplingParams, seed: int) -> Any:
        if sampling.temperature == 0:
            return LlamaModel.new_sampler(model, sampling, seed)
        reply = remaining.pop(0) if len(remaining) > 1 else remaining[0]
        forced = [tokens[byte] for byte in reply.encode()] if bytewise else model.tokenise(reply, special=True)
        return _Forced(LlamaModel.new_sampler(model, sampling, seed), [*forced, model.eos])

    model.new_sampler = new_sampler  # type: ignore[method-assign]


def _byte_tokens(model: LlamaModel) -> dict[int, int]:
    pieces = {model.piece(token): token for token in range(llama_cpp.llama_vocab_n_tokens(model._vocabulary))}
    return {byte: pieces[bytes([byte])] for byte in range(256) if bytes([byte]) in pieces}


class _Forced:
    def __init__(self, real: LlamaSampler, tokens: list[int]) -> None:
        self._real = real
        self._tokens = tokens

    def sample(self, context: LlamaContext) -> int:
        return self._tokens.pop(0)

    def close(self) -> None:
        self._real.close()
