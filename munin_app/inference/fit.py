"""How well a model would run here: runs well, tight or too big, with the context that it leaves. Loads nothing.

Of a file, its header tells; of a model that is not here yet, its size alone, and then the figures are bounds.
"""

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from munin_app.inference.fitting import fitting_context
from munin_app.inference.gguf_header import GgufHeader
from munin_app.inference.headers import header_of
from munin_app.inference.memory_estimate import KvType, estimate_memory, usable_kv_type

_MARGIN = 0.9
"""A model that takes more of what is free leaves other programs little room."""

_TYPICAL_METADATA = 12_000_000
"""Bytes of a GGUF file that are no weights: the vocabulary of the large ones."""
_HEAD_LENGTH = 128
_HEAD_BYTES = 2 * 2 * _HEAD_LENGTH
"""Key and value of one head of one token, 16 bits each."""
_TOKEN_BYTES, _TOKEN_BYTES_PER_GB = 110_000, 16_000
"""What one token takes in the KV cache: not less than in today's models of that size (with 4 bits a weight)."""
_TYPICAL_WIDTH, _TYPICAL_FEED_FORWARD = 4096, 12_288


_ENCODER_BYTES, _ENCODER_FACTOR = 170_000_000, 2
"""What an encoder takes beside and for each byte of its files: the starter's, of 23 MB, was measured at 215 MB."""


class Fit(StrEnum):
    WELL = "well"  # in what is free, with the largest context that is chosen by itself
    TIGHT = "tight"  # with a smaller context, or with hardly anything left
    TOO_BIG = "too big"  # not in what is free; the estimate may be wrong


@dataclass(frozen=True, slots=True)
class Judgement:
    fit: Fit | None
    """None: how much memory is free is not known."""
    context_tokens: int
    needed_bytes: int
    free_bytes: int | None
    estimated: bool = False
    """From the size alone: it needs no more than this, and leaves no less."""


def judge(
    header: GgufHeader, kv_type: KvType, free: int | None, context_tokens: int = 0, *, estimated: bool = False
) -> Judgement:
    """`context_tokens` as in the settings: 0 is automatic. `free` in bytes; None: not known."""
    usable = usable_kv_type(header, kv_type)
    size, squeezed = fitting_context(header, usable, free)
    if context_tokens:
        size, squeezed = min(context_tokens, header.context_trained or context_tokens), False
    needed = estimate_memory(header, size, usable).total
    fit = None
    if free is not None:
        fit = Fit.TOO_BIG if needed > free else Fit.TIGHT if squeezed or needed > free * _MARGIN else Fit.WELL
    return Judgement(fit, size, needed, free, estimated)


def judge_size(size_bytes: int, context_trained: int, kv_type: KvType, free: int | None, context_tokens: int = 0) -> Judgement:
    """Of a model of which no more is known than the bytes of its files and the context it was trained for."""
    return judge(_typical_header(size_bytes, context_trained), kv_type, free, context_tokens, estimated=True)


def judge_file(path: Path, kv_type: KvType, free: int | None, context_tokens: int = 0) -> Judgement:
    """Raises ModelError or OSError."""
    return judge(header_of(path), kv_type, free, context_tokens)


def judge_encoder(size_bytes: int, free: int | None) -> Judgement:
    """Of a text encoder of which the size of its files is known. It has no context to choose."""
    needed = _ENCODER_BYTES + _ENCODER_FACTOR * size_bytes
    fit = None
    if free is not None:
        fit = Fit.TOO_BIG if needed > free else Fit.TIGHT if needed > free * _MARGIN else Fit.WELL
    return Judgement(fit, 0, needed, free, estimated=True)


def _typical_header(size_bytes: int, context_trained: int) -> GgufHeader:
    """What a plain transformer of that size would say of itself, at most: one layer that caches as much as all of them."""
    token_bytes = _TOKEN_BYTES + _TOKEN_BYTES_PER_GB * size_bytes // 1_000_000_000
    values = {
        "typical.block_count": 1,
        "typical.attention.head_count": _TYPICAL_WIDTH // _HEAD_LENGTH,
        "typical.attention.head_count_kv": -(-token_bytes // _HEAD_BYTES),
        "typical.attention.key_length": _HEAD_LENGTH,
        "typical.attention.value_length": _HEAD_LENGTH,
        "typical.embedding_length": _TYPICAL_WIDTH,
        "typical.feed_forward_length": _TYPICAL_FEED_FORWARD,
    }
    return GgufHeader(
        kind="model",
        architecture="typical",
        name="",
        quantisation="unknown",
        context_trained=context_trained,
        has_chat_template=True,
        recurrent=False,
        is_encoder=False,
        size_bytes=size_bytes,
        weights_bytes=max(0, size_bytes - _TYPICAL_METADATA),
        values=values,
    )
