"""How much memory a model takes, from its header alone, before anything is loaded. Pure arithmetic in bytes.

Formulas follow llama.cpp (release of llama-cpp-python 0.3.36): llama-hparams.cpp, llama-kv-cache.cpp, llama-memory-recurrent.cpp.
What they cannot tell is measured on the starter model; tests/model/inference/test_memory_estimate.py holds the error down.
Where architectures differ in ways that the header does not tell, the larger figure is taken.
"""

from dataclasses import dataclass
from typing import Literal

from munin_app.inference.gguf_header import GgufHeader

KvType = Literal["f16", "q8_0"]

UTILITY_CONTEXT = 2048
"""Tokens of the context for background work, beside the chat's."""
LARGEST_BATCH = 512
SESSIONS_LIMIT = 1_000_000_000
"""Bytes of KV state on disk, of all conversations together."""

_KV_BYTES: dict[KvType, tuple[int, int]] = {"f16": (2, 1), "q8_0": (34, 32)}
"""Bytes of so many elements."""
_CONTEXT_STEP = 256
_RUNTIME = 45_000_000
"""Python and llama.cpp's libraries in a process of their own: measured."""
_VOCABULARY_FACTOR = 9
"""Bytes in memory to one of the file's metadata, which is nearly all vocabulary: measured (16 MB to 1.8)."""


@dataclass(frozen=True, slots=True)
class MemoryEstimate:
    """In bytes."""

    weights: int
    cache: int
    """KV cache and recurrent state of the chat's context."""
    utility: int
    """The context for background work, its buffers included."""
    compute: int
    """What the chat's context computes in."""
    runtime: int
    """The process and the vocabulary."""

    @property
    def total(self) -> int:
        return self.weights + self.cache + self.utility + self.compute + self.runtime


def estimate_memory(header: GgufHeader, context_size: int, kv_type: KvType = "f16") -> MemoryEstimate:
    """`context_size` in tokens. Weights count once: they are mapped, and repacked ones replace what was mapped."""
    utility = min(UTILITY_CONTEXT, context_size)
    vocabulary = header.size_bytes - header.weights_bytes
    return MemoryEstimate(
        weights=header.weights_bytes,
        cache=cache_bytes(header, context_size, kv_type),
        utility=cache_bytes(header, utility, kv_type) + compute_bytes(header, utility),
        compute=compute_bytes(header, context_size),
        runtime=_RUNTIME + _VOCABULARY_FACTOR * vocabulary,
    )


def cache_bytes(header: GgufHeader, context_size: int, kv_type: KvType = "f16") -> int:
    """n_ctx × Σ over layers of (n_embd_k_gqa + n_embd_v_gqa) × bytes of an element, and the recurrent state (one sequence).

    Sliding windows save nothing: Munin keeps `swa_full`, so that the cache can be cut back. n_ctx is rounded up to 256.
    """
    cells = -(-context_size // _CONTEXT_STEP) * _CONTEXT_STEP
    size, elements = _KV_BYTES[kv_type]
    return cells * _kv_elements(header) * size // elements + _recurrent_bytes(header)


def compute_bytes(header: GgufHeader, context_size: int) -> int:
    """Activations of one batch, and its attention mask in 16 bits, as flash attention reads it; one row of logits.

    12 n_embd (n_ff is 2 ⅔ n_embd there) is what the starter model's graph takes: 13.5 MiB of 512 tokens × 4 bytes, split here as
    4 × width + 3 × n_ff, which is what its feed-forward holds at once.
    """
    batch = min(LARGEST_BATCH, context_size)
    width = max(_number(header, "embedding_length"), _most(header, "attention.head_count") * _head_lengths(header)[0])
    experts = _number(header, "expert_used_count") * _number(header, "expert_feed_forward_length")
    feed_forward = max(_most(header, "feed_forward_length"), experts)
    return batch * (4 * (4 * width + 3 * feed_forward) + 2 * context_size)


def usable_kv_type(header: GgufHeader, wanted: KvType) -> KvType:
    """q8_0 has blocks of 32: llama.cpp refuses it for heads of any other length, and those stay in f16."""
    return wanted if all(length % 32 == 0 for length in _head_lengths(header)) else "f16"


def _kv_elements(header: GgufHeader) -> int:
    """Of one token. head_count_kv is one number, or one for each layer, where 0 is a layer without attention."""
    key_length, value_length = _head_lengths(header)
    return _attention_heads(header) * (key_length + value_length)


def _attention_heads(header: GgufHeader) -> int:
    """n_head_kv summed over the layers that have a cache of their own."""
    layers = _number(header, "block_count")
    heads = _numbers(header, "attention.head_count_kv") or _numbers(header, "attention.head_count")
    with_cache = layers - _number(header, "attention.shared_kv_layers")  # Gemma 3n: the last ones read another layer's
    if len(heads) > 1:
        return sum(heads[:with_cache])
    return max(0, with_cache) * sum(heads)


def _head_lengths(header: GgufHeader) -> tuple[int, int]:
    """n_embd_head_k and n_embd_head_v: as the header says, else n_embd / n_head."""
    heads = _most(header, "attention.head_count")
    length = _number(header, "embedding_length") // heads if heads else 0
    return _number(header, "attention.key_length") or length, _number(header, "attention.value_length") or length


def _recurrent_bytes(header: GgufHeader) -> int:
    """n_layer × (n_embd_r + n_embd_s) × 4, of every layer: some have attention instead.

    Mamba: (d_conv − 1) × (d_inner + 2 × n_group × d_state) + d_state × d_inner; RWKV: 2 × n_embd + n_embd × head_size;
    short convolutions (LFM2): n_embd × (l_cache − 1).
    """
    inner, state = _number(header, "ssm.inner_size"), _number(header, "ssm.state_size")
    convolution = max(0, _number(header, "ssm.conv_kernel") - 1) * (inner + 2 * _number(header, "ssm.group_count") * state)
    embedding, head = _number(header, "embedding_length"), _number(header, "wkv.head_size")
    rwkv = embedding * (2 + head) if head else 0
    short = embedding * max(0, _number(header, "shortconv.l_cache") - 1)
    return _number(header, "block_count") * 4 * (convolution + state * inner + rwkv + short)


def _number(header: GgufHeader, key: str) -> int:
    """0 where the header does not say."""
    numbers = _numbers(header, key)
    return numbers[0] if len(numbers) == 1 else 0


def _most(header: GgufHeader, key: str) -> int:
    return max(_numbers(header, key), default=0)


def _numbers(header: GgufHeader, key: str) -> tuple[int, ...]:
    """One, one for each layer, or none; never negative."""
    value = header.values.get(f"{header.architecture}.{key}")
    found = value if isinstance(value, tuple) else (value,)
    return tuple(max(0, number) for number in found if isinstance(number, int))
