"""Typed wrappers around the C API of llama.cpp: a model, a context, a sampler. The only importer of llama_cpp.

Knows nothing of chat templates, sessions or scheduling. Nothing here may be used from two threads at once.
"""

import ctypes
import logging
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from munin_app.i18n import _

# llama.cpp's OpenMP threads wait for each other by spinning. Where another program needs a core, they spin against it:
# decoding fell from 80 to 5 tokens/s on 2 cores. A short spin costs nothing on a free machine (83 against 78) and keeps
# 81 on a busy one. Read when the library loads; the user's own value wins.
os.environ.setdefault("GOMP_SPINCOUNT", "1000")

import llama_cpp

from munin_app.domain.inference import SamplingParams
from munin_app.errors import ModelError
from munin_app.inference.memory_estimate import LARGEST_BATCH, KvType

logger = logging.getLogger(__name__)

llama_cpp_version: str = llama_cpp.__version__

DECODED = 0
NO_ROOM = 1
ABORTED = 2

_SEQUENCE = 0  # each context holds one sequence
_PENALTY_WINDOW = 64
_LOG_ERROR = 4
_SPECIAL_ATTRIBUTES = (
    llama_cpp.LLAMA_TOKEN_ATTR_CONTROL | llama_cpp.LLAMA_TOKEN_ATTR_USER_DEFINED | llama_cpp.LLAMA_TOKEN_ATTR_UNKNOWN
)
_KV_TYPES: dict[KvType, int] = {"f16": llama_cpp.GGML_TYPE_F16, "q8_0": llama_cpp.GGML_TYPE_Q8_0}
_NO_ABORT = llama_cpp.ggml_abort_callback()

last_errors: list[str] = []
"""What llama.cpp complained about since the last load began: it gives no reason any other way."""


@llama_cpp.llama_log_callback  # type: ignore[untyped-decorator]  # ctypes function types are untyped
def _log(level: int, text: bytes | None, _data: object) -> None:
    line = (text or b"").decode("utf-8", "replace").strip()
    if level == _LOG_ERROR and line:
        last_errors.append(line)
        del last_errors[:-20]
        logger.debug("llama.cpp: %s", line)


def supports_gpu() -> bool:
    """This build can compute on a graphics processor."""
    return bool(llama_cpp.llama_supports_gpu_offload())


class LlamaModel:
    """The weights and the vocabulary of one GGUF file."""

    def __init__(
        self, path: Path, *, go_on: Callable[[], bool] = lambda: True, vocabulary_only: bool = False, gpu_layers: int = -1
    ) -> None:
        """`go_on` is asked while loading; False gives the load up. `gpu_layers` -1: all, where there is a GPU. Raises
        ModelError with llama.cpp's own reason."""
        llama_cpp.llama_log_set(_log, ctypes.c_void_p(0))
        last_errors.clear()
        parameters = llama_cpp.llama_model_default_params()
        parameters.vocab_only = vocabulary_only
        parameters.n_gpu_layers = gpu_layers
        progress = llama_cpp.llama_progress_callback(lambda _fraction, _data: go_on())
        parameters.progress_callback = progress
        self._pointer: Any = llama_cpp.llama_model_load_from_file(str(path).encode(), parameters)
        if not self._pointer:
            reason = last_errors[0] if last_errors else _("no reason given")
            raise ModelError(
                _(
                    "llama.cpp could not load {path} ({reason}). Expected a chat model in GGUF format that this version "
                    "of llama.cpp knows and that fits in memory. Download the file again or choose another model."
                ).format(path=path, reason=reason)
            )
        self._vocabulary: Any = llama_cpp.llama_model_get_vocab(self._pointer)
        self.adds_bos = bool(llama_cpp.llama_vocab_get_add_bos(self._vocabulary))
        self.bos: int = llama_cpp.llama_vocab_bos(self._vocabulary)
        self.eos: int = llama_cpp.llama_vocab_eos(self._vocabulary)
        self.context_trained: int = llama_cpp.llama_model_n_ctx_train(self._pointer)

    @property
    def chat_template(self) -> str | None:
        template: bytes | None = llama_cpp.llama_model_chat_template(self._pointer, None)
        return template.decode("utf-8", "replace") if template else None

    def tokenise(self, text: str, *, special: bool) -> list[int]:
        """Token ids of `text`, without BOS. `special`: control tokens written in the text become control tokens."""
        data = text.encode("utf-8", "replace")
        capacity = len(data) + 8
        while True:
            buffer = (llama_cpp.llama_token * capacity)()
            count: int = llama_cpp.llama_tokenize(self._vocabulary, data, len(data), buffer, capacity, False, special)
            if count >= 0:
                return list(buffer[:count])
            capacity = -count

    def piece(self, token: int, *, special: bool = False) -> bytes:
        """The bytes that the token stands for. `special`: control tokens have theirs too, else they are empty."""
        capacity = 64
        while True:
            buffer = ctypes.create_string_buffer(capacity)
            count: int = llama_cpp.llama_token_to_piece(self._vocabulary, token, buffer, capacity, 0, special)
            if count >= 0:
                return buffer.raw[:count]
            capacity = -count

    def ends_reply(self, token: int) -> bool:
        return bool(llama_cpp.llama_vocab_is_eog(self._vocabulary, token))

    def is_special(self, token: int) -> bool:
        return bool(self._attributes(token) & _SPECIAL_ATTRIBUTES)

    def strips_right(self, token: int) -> bool:
        """The token swallows the white space after it."""
        return bool(self._attributes(token) & llama_cpp.LLAMA_TOKEN_ATTR_RSTRIP)

    def new_context(self, size: int, threads: int, kv_type: KvType = "f16", *, swa_full: bool = True) -> "LlamaContext":
        """`swa_full` False: layers that look back a window keep no more than that; costs less memory, but cannot be cut."""
        return LlamaContext(self._pointer, size, threads, kv_type, swa_full)

    def new_sampler(self, sampling: SamplingParams, seed: int) -> "LlamaSampler":
        return LlamaSampler(llama_cpp.llama_vocab_n_tokens(self._vocabulary), sampling, seed)

    def close(self) -> None:
        if self._pointer:
            llama_cpp.llama_model_free(self._pointer)
            self._pointer = None

    def _attributes(self, token: int) -> int:
        return int(llama_cpp.llama_vocab_get_attr(self._vocabulary, token))


class LlamaContext:
    """One KV cache with one sequence."""

    MAX_BATCH = LARGEST_BATCH

    def __init__(self, model: Any, size: int, threads: int, kv_type: KvType, swa_full: bool) -> None:
        parameters = llama_cpp.llama_context_default_params()
        parameters.swa_full = swa_full
        parameters.n_ctx = size
        parameters.n_batch = parameters.n_ubatch = min(self.MAX_BATCH, size)
        parameters.n_threads = parameters.n_threads_batch = threads
        parameters.n_outputs_max = 1  # logits of a batch's last token only: 84 MB less to reserve, with a vocabulary of 49,152
        parameters.type_k = parameters.type_v = _KV_TYPES[kv_type]
        if kv_type != "f16":  # quantised values can only be read by flash attention
            parameters.flash_attn_type = llama_cpp.LLAMA_FLASH_ATTN_TYPE_ENABLED
        self.pointer: Any = llama_cpp.llama_init_from_model(model, parameters)
        if not self.pointer:
            raise ModelError(
                _(
                    "There was not enough memory for a context of {size} tokens. Close other programs, lower the context "
                    "size, or choose a smaller model."
                ).format(size=size)
            )
        self._parameters = parameters
        self._memory: Any = llama_cpp.llama_get_memory(self.pointer)
        self._abort: Any = _NO_ABORT
        self._window = 0 if swa_full else int(llama_cpp.llama_model_n_swa(model))
        folds_history = llama_cpp.llama_model_is_recurrent(model) or llama_cpp.llama_model_is_hybrid(model)
        self.cuts_freely = not folds_history and not self._window
        """`truncate` always works. False: a recurrent state, or a window that slid, is of one position only."""

    def decode(self, tokens: Sequence[int]) -> int:
        """Evaluates the tokens after what is there. Returns DECODED, NO_ROOM, ABORTED or a negative error code."""
        buffer = (llama_cpp.llama_token * len(tokens))(*tokens)
        status: int = llama_cpp.llama_decode(self.pointer, llama_cpp.llama_batch_get_one(buffer, len(tokens)))
        if status == DECODED:
            llama_cpp.llama_synchronize(self.pointer)
        return status

    def abort_when(self, question: Callable[[], bool] | None) -> None:
        """Asked at every node of the graph (some hundred times a batch): for prefill only. None: asked no more."""
        # the object is kept: llama.cpp holds a bare pointer to it
        self._abort = llama_cpp.ggml_abort_callback(lambda _data: question()) if question else _NO_ABORT
        llama_cpp.llama_set_abort_callback(self.pointer, self._abort, None)

    def truncate(self, position: int) -> bool:
        """Drops the KV state from `position` on. False: this kind of memory cannot, and nothing was dropped."""
        if self._window and position <= llama_cpp.llama_memory_seq_pos_max(self._memory, _SEQUENCE):
            # llama.cpp would cut, and go on without what the window had dropped
            first = llama_cpp.llama_memory_seq_pos_min(self._memory, _SEQUENCE)
            if first > max(0, position - self._window):
                return False
        return bool(llama_cpp.llama_memory_seq_rm(self._memory, _SEQUENCE, position, -1))

    @property
    def settings(self) -> tuple[int, ...]:
        """What decides how its state is laid out."""
        chosen = self._parameters
        return (chosen.n_ctx, chosen.type_k, chosen.type_v, chosen.flash_attn_type, chosen.swa_full, chosen.kv_unified)

    def state(self) -> memoryview:
        """A copy of the KV state. Raises MemoryError."""
        return self._copy(llama_cpp.LLAMA_STATE_SEQ_FLAGS_NONE)

    def load_state(self, state: bytearray) -> bool:
        """Into a context that is clear and has the same settings. False: it was refused, and the context is clear again."""
        if self._load(state, llama_cpp.LLAMA_STATE_SEQ_FLAGS_NONE):
            return True
        self.clear()
        return False

    def checkpoint(self) -> memoryview:
        """A copy of that part of the state which `truncate` cannot take back to here. Raises MemoryError."""
        return self._copy(llama_cpp.LLAMA_STATE_SEQ_FLAGS_PARTIAL_ONLY)

    def go_back(self, checkpoint: memoryview, position: int) -> bool:
        """To where the checkpoint was made: what was evaluated before `position` must still be the same. False: refused,
        and what is there is of no use any more except to go back further."""
        loaded = self._load(checkpoint, llama_cpp.LLAMA_STATE_SEQ_FLAGS_PARTIAL_ONLY)
        return loaded and bool(llama_cpp.llama_memory_seq_rm(self._memory, _SEQUENCE, position, -1))

    def _copy(self, flags: int) -> memoryview:
        buffer = (ctypes.c_uint8 * llama_cpp.llama_state_seq_get_size_ext(self.pointer, _SEQUENCE, flags))()
        written: int = llama_cpp.llama_state_seq_get_data_ext(self.pointer, buffer, len(buffer), _SEQUENCE, flags)
        return memoryview(buffer).cast("B")[:written]

    def _load(self, state: bytearray | memoryview, flags: int) -> bool:
        buffer = (ctypes.c_uint8 * len(state)).from_buffer(state)
        read: int = llama_cpp.llama_state_seq_set_data_ext(self.pointer, buffer, len(state), _SEQUENCE, flags)
        return read == len(state) > 0

    def clear(self, *, erase: bool = False) -> None:
        """Drops everything; `erase` also overwrites the buffers."""
        llama_cpp.llama_memory_clear(self._memory, erase)

    def close(self) -> None:
        if self.pointer:
            llama_cpp.llama_free(self.pointer)
            self.pointer = None


class LlamaSampler:
    """Chooses the next token from the logits of the last decode. The penalty looks at generated tokens only: penalising
    the prompt would punish the end-of-turn token and the user's own names."""

    def __init__(self, vocabulary_size: int, sampling: SamplingParams, seed: int) -> None:
        self._chain: Any = llama_cpp.llama_sampler_chain_init(llama_cpp.llama_sampler_chain_default_params())
        if sampling.repeat_penalty != 1.0:
            self._add(llama_cpp.llama_sampler_init_penalties(vocabulary_size, _PENALTY_WINDOW, sampling.repeat_penalty, 0.0, 0.0))
        if sampling.temperature <= 0:
            self._add(llama_cpp.llama_sampler_init_greedy())
            return
        self._add(llama_cpp.llama_sampler_init_top_k(sampling.top_k))
        self._add(llama_cpp.llama_sampler_init_top_p(sampling.top_p, 1))
        self._add(llama_cpp.llama_sampler_init_min_p(sampling.min_p, 1))
        self._add(llama_cpp.llama_sampler_init_temp(sampling.temperature))
        self._add(llama_cpp.llama_sampler_init_dist(seed))

    def sample(self, context: LlamaContext) -> int:
        return int(llama_cpp.llama_sampler_sample(self._chain, context.pointer, -1))

    def accept(self, tokens: Sequence[int]) -> None:
        """Generated before, in the same reply: the penalty looks at them too."""
        for token in tokens:
            llama_cpp.llama_sampler_accept(self._chain, token)

    def close(self) -> None:
        if self._chain:
            llama_cpp.llama_sampler_free(self._chain)
            self._chain = None

    def _add(self, sampler: Any) -> None:
        llama_cpp.llama_sampler_chain_add(self._chain, sampler)
