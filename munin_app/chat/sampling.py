"""How a reply is sampled: what the user set for the model, else what its file recommends, else Munin's own."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from munin_app.config import ModelSettings, Settings
from munin_app.domain.inference import SamplingAdvice, SamplingParams
from munin_app.i18n import N_

NAMES = ("temperature", "top_p", "top_k", "min_p", "repeat_penalty")


class Source(StrEnum):
    USER = N_("set by you")
    FILE = N_("from the file")
    MUNIN = N_("Munin's own")


@dataclass(frozen=True, slots=True)
class Sampled:
    value: float
    source: Source


def sampled(name: str, settings: Settings, own: ModelSettings, advice: SamplingAdvice) -> Sampled:
    """One of NAMES. A temperature for every model, in settings.json, comes before the file's."""
    if (value := getattr(own, name)) is not None:
        return Sampled(value, Source.USER)
    if name == "temperature" and settings.temperature != Settings().temperature:
        return Sampled(settings.temperature, Source.USER)
    if (value := getattr(advice, name)) is not None:
        return Sampled(value, Source.FILE)
    return Sampled(settings.temperature if name == "temperature" else getattr(SamplingParams(), name), Source.MUNIN)


def sampling_for(settings: Settings, own: ModelSettings, advice: SamplingAdvice) -> SamplingParams:
    values: dict[str, Any] = {name: sampled(name, settings, own, advice).value for name in NAMES}
    return SamplingParams(**values)
