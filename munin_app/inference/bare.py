"""Bare llama.cpp, the yardstick of `munin bench`: evaluate, sample, go on. No chat, no sessions, no cancelling, no queue.

It speaks to the C API directly, so that a detour in Munin's own wrappers shows. Not used by the app.
"""

import ctypes
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from munin_app.domain.inference import PromptMessage, SamplingParams
from munin_app.errors import ModelError
from munin_app.i18n import _
from munin_app.inference.llama import LlamaModel  # first: it says how OpenMP threads wait before the library loads
from munin_app.inference.template import ChatTemplate, Segment
from munin_app.inference.tokens import Tokeniser

import llama_cpp  # isort: skip

BATCH = 512
PENALTY_WINDOW = 64
SEED = 20240229


@dataclass(frozen=True, slots=True)
class BareTurn:
    evaluated: int
    """Prompt tokens."""
    reused: int
    moments: tuple[float, ...]
    """Seconds from the start of the turn to each sampled token."""


class PromptTokens:
    """The token ids of a conversation, as the engine makes them. Loads the vocabulary only."""

    def __init__(self, path: Path) -> None:
        self._vocabulary = LlamaModel(path, vocabulary_only=True)
        bos, eos = (self._special(token) for token in (self._vocabulary.bos, self._vocabulary.eos))
        self._template = ChatTemplate(self._vocabulary.chat_template or "", bos, eos)
        self._tokeniser = Tokeniser(self._vocabulary)

    def prompt(self, messages: Sequence[PromptMessage], started_at: int) -> list[int]:
        """With the generation prompt at its end."""
        return self._tokens(self._template.segments(messages, started_at))

    def opening(self, messages: Sequence[PromptMessage], started_at: int) -> list[int]:
        """Up to where the user's next words will stand."""
        return self._tokens(self._template.opening_segments(messages, started_at))

    def close(self) -> None:
        self._vocabulary.close()

    def _special(self, token: int) -> str:
        return self._vocabulary.piece(token, special=True).decode("utf-8", "replace") if token >= 0 else ""

    def _tokens(self, segments: Sequence[Segment]) -> list[int]:
        return self._tokeniser.with_bos([token for segment in segments for token in self._tokeniser.tokens(segment)])


class BareLlama:
    """One model, one context, one sequence whose KV state is kept between turns. For one thread."""

    def __init__(self, path: Path, context_size: int, threads: int) -> None:
        """Raises ModelError when there is not enough memory for a second copy of the model."""
        self._model: Any = llama_cpp.llama_model_load_from_file(str(path).encode(), llama_cpp.llama_model_default_params())
        self._context: Any = self._model and llama_cpp.llama_init_from_model(self._model, _context_of(context_size, threads))
        if not self._context:
            raise ModelError(
                _(
                    "llama.cpp could not load {path} a second time, as the measure of Munin's own speed. Close other "
                    "programs, or measure with a smaller model or fewer context tokens."
                ).format(path=path)
            )
        self._vocabulary: Any = llama_cpp.llama_model_get_vocab(self._model)
        self._piece = ctypes.create_string_buffer(256)
        self._held: list[int] = []

    def prepare(self, prefix: Sequence[int]) -> None:
        """The KV cache holds exactly these tokens afterwards."""
        self._evaluate(prefix, self._go_back_to(prefix))

    def turn(self, prompt: Sequence[int], sampling: SamplingParams, tokens: int) -> BareTurn:
        """Evaluates what of `prompt` is not held yet, then samples that many tokens, whatever they say."""
        sampler = self._new_sampler(sampling)
        started = time.perf_counter()
        reused = self._go_back_to(prompt)
        self._evaluate(prompt, reused)
        moments = []
        token = self._sample(sampler)
        moments.append(time.perf_counter() - started)
        while len(moments) < tokens:
            self._decode([token])
            token = self._sample(sampler)
            moments.append(time.perf_counter() - started)
        llama_cpp.llama_sampler_free(sampler)
        return BareTurn(len(prompt) - reused, reused, tuple(moments))

    def close(self) -> None:
        llama_cpp.llama_free(self._context)
        llama_cpp.llama_model_free(self._model)

    def _go_back_to(self, prompt: Sequence[int]) -> int:
        """How many of its tokens the cache holds; at least the last one is evaluated anew, for its logits."""
        common, limit = 0, min(len(self._held), len(prompt) - 1)
        while common < limit and self._held[common] == prompt[common]:
            common += 1
        memory = llama_cpp.llama_get_memory(self._context)
        if not llama_cpp.llama_memory_seq_rm(memory, 0, common, -1):
            llama_cpp.llama_memory_clear(memory, False)
            common = 0
        del self._held[common:]
        return common

    def _evaluate(self, tokens: Sequence[int], start: int) -> None:
        for position in range(start, len(tokens), BATCH):
            self._decode(tokens[position : position + BATCH])

    def _decode(self, batch: Sequence[int]) -> None:
        buffer = (llama_cpp.llama_token * len(batch))(*batch)
        if llama_cpp.llama_decode(self._context, llama_cpp.llama_batch_get_one(buffer, len(batch))):
            raise ModelError(_("Bare llama.cpp could not evaluate the prompt. Measure with fewer context tokens."))
        self._held += batch

    def _sample(self, sampler: Any) -> int:
        token = int(llama_cpp.llama_sampler_sample(sampler, self._context, -1))
        llama_cpp.llama_token_to_piece(self._vocabulary, token, self._piece, len(self._piece), 0, False)
        return token

    def _new_sampler(self, sampling: SamplingParams) -> Any:
        """The same chain as Munin's own, from the same settings."""
        links = []
        if sampling.repeat_penalty != 1.0:
            size = llama_cpp.llama_vocab_n_tokens(self._vocabulary)
            links.append(llama_cpp.llama_sampler_init_penalties(size, PENALTY_WINDOW, sampling.repeat_penalty, 0.0, 0.0))
        if sampling.temperature <= 0:
            links.append(llama_cpp.llama_sampler_init_greedy())
        else:
            links += [
                llama_cpp.llama_sampler_init_top_k(sampling.top_k),
                llama_cpp.llama_sampler_init_top_p(sampling.top_p, 1),
                llama_cpp.llama_sampler_init_min_p(sampling.min_p, 1),
                llama_cpp.llama_sampler_init_temp(sampling.temperature),
                llama_cpp.llama_sampler_init_dist(SEED),
            ]
        chain = llama_cpp.llama_sampler_chain_init(llama_cpp.llama_sampler_chain_default_params())
        for link in links:
            llama_cpp.llama_sampler_chain_add(chain, link)
        return chain


def _context_of(size: int, threads: int) -> Any:
    parameters = llama_cpp.llama_context_default_params()
    parameters.n_ctx = size
    parameters.n_batch = parameters.n_ubatch = min(BATCH, size)
    parameters.n_threads = parameters.n_threads_batch = threads
    return parameters
