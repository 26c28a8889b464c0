"""Whether a model fits the memory that is free, and how large a context then is. Refuses only what cannot fit."""

from munin_app.errors import ModelTooLarge
from munin_app.i18n import _, decimal
from munin_app.inference.gguf_header import GgufHeader
from munin_app.inference.memory_estimate import SESSIONS_LIMIT, KvType, cache_bytes, estimate_memory

AUTOMATIC_CONTEXTS = (8192, 4096, 2048)
"""In tokens. Not more unasked: evaluating a full one anew takes minutes without a GPU."""
_KEPT_FREE = 0.1
"""Of the memory that is free, where the size is ours to choose."""


def fitting_context(
    header: GgufHeader, kv_type: KvType, free: int | None, sessions_limit: int = SESSIONS_LIMIT
) -> tuple[int, bool]:
    """The largest automatic context that fits, in tokens, and whether memory was too short for a larger one.

    Never larger than what the model was trained for, nor than what can be kept on disk (`sessions_limit` bytes): its
    conversations would be evaluated anew at each start. `free` None: not known, no objection.
    """
    trained = header.context_trained or AUTOMATIC_CONTEXTS[0]
    sizes = list(dict.fromkeys(min(size, trained) for size in AUTOMATIC_CONTEXTS))
    kept = [size for size in sizes if cache_bytes(header, size, kv_type) <= sessions_limit] or sizes[-1:]
    for size in kept:
        if free is None or estimate_memory(header, size, kv_type).total <= free * (1 - _KEPT_FREE):
            return size, size < kept[0]
    return kept[-1], len(kept) > 1


def require_memory(header: GgufHeader, context_size: int, kv_type: KvType, free: int | None) -> None:
    """Raises ModelTooLarge. `free` None: not known, no objection."""
    needed = estimate_memory(header, context_size, kv_type).total
    if free is not None and needed > free:
        raise ModelTooLarge(
            _(
                "{name} needs about {gigabytes} of memory with {context_size} tokens of context; {gigabytes2} are "
                "free. Close other programs, choose a smaller model or context, or load it anyway (munin models use "
                "FILE --load-anyway)."
            ).format(
                name=header.name, gigabytes=gigabytes(needed), context_size=decimal(context_size), gigabytes2=gigabytes(free)
            )
        )


def gigabytes(size: int) -> str:
    return f"{decimal(size / 1e9, 1)} GB" if size >= 1e9 else f"{decimal(size / 1e6)} MB"
