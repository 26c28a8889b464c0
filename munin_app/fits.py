"""How well each model of the library would run on this machine: for the window and the terminal alike. Loads nothing."""

from collections.abc import Mapping, Sequence
from contextlib import suppress

from munin_app.config import Settings
from munin_app.errors import MuninError
from munin_app.inference.fit import Judgement, judge_encoder, judge_file, judge_size
from munin_app.library.catalog import ChatModelEntry
from munin_app.library.encoders import InstalledEncoder
from munin_app.library.models import InstalledModel, Offer


def judgements(
    entries: Sequence[InstalledModel],
    encoders: Sequence[InstalledEncoder],
    offers: Sequence[Offer],
    settings: Settings,
    free: int | None,
    beside: int | None,
) -> Mapping[str, Judgement]:
    """By id; `beside`: what is free beside the model in use. Files that cannot be read are left out: using them says why."""
    found = {encoder.id: judge_encoder(encoder.size_bytes, beside) for encoder in encoders}
    kv_type, context = settings.kv_type, settings.context_tokens
    for offer in offers:
        entry = offer.entry
        if isinstance(entry, ChatModelEntry) and entry.size_bytes:
            found[entry.id] = judge_size(entry.size_bytes, entry.context_tokens, kv_type, free, context)
        elif entry.size_bytes:
            found[entry.id] = judge_encoder(entry.size_bytes, beside)
    for model in entries:
        if len(model.files) > 1:  # the header of the first part knows its own tensors only
            trained = model.entry.context_tokens if model.entry else 0
            found[model.id] = judge_size(model.size_bytes, trained, kv_type, free, context)
            continue
        with suppress(MuninError, OSError):
            found[model.id] = judge_file(model.path, kv_type, free, context)
    return found
