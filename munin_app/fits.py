"""How well each model of the library would run on this machine: for the window and the terminal alike. Loads nothing."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from munin_app.config import Settings
from munin_app.errors import MuninError
from munin_app.inference.fit import Judgement, judge_encoder, judge_file, judge_size
from munin_app.library.catalog import ChatModelEntry
from munin_app.library.encoders import InstalledEncoder
from munin_app.library.found import Found
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
        trained = model.entry.context_tokens if model.entry else 0
        if judgement := _judged(model.files, model.size_bytes, trained, settings, free):
            found[model.id] = judgement
    return found


def found_judgements(found: Found, settings: Settings, free: int | None) -> Mapping[str, Judgement]:
    """Of models in other apps' folders, by id."""
    judged = {model.id: _judged(model.files, model.size_bytes, 0, settings, free) for model in found.models}
    return {id_: judgement for id_, judgement in judged.items() if judgement}


def _judged(files: Sequence[Path], size_bytes: int, trained: int, settings: Settings, free: int | None) -> Judgement | None:
    """`trained`: the context, as far as it is known without the file. None: it cannot be read."""
    context = settings.for_model(files[0]).context_tokens
    if len(files) > 1:  # the header of the first part knows its own tensors only
        return judge_size(size_bytes, trained, settings.kv_type, free, context)
    with suppress(MuninError, OSError):
        return judge_file(files[0], settings.kv_type, free, context)
    return None
