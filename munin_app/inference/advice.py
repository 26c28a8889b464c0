"""How a GGUF file recommends to be sampled. What cannot be is passed over: the file may come from anywhere."""

from munin_app.domain.inference import SamplingAdvice
from munin_app.inference.gguf_header import GgufHeader


def advice_of(header: GgufHeader) -> SamplingAdvice:
    def number(key: str, lowest: float, highest: float) -> float | None:
        value = header.values.get(f"general.sampling.{key}")
        known = isinstance(value, int | float) and not isinstance(value, bool) and lowest <= value <= highest
        return round(float(value), 4) if known and isinstance(value, int | float) else None  # 0.6 comes as 0.600000024

    top_k = number("top_k", 0, 1000)
    return SamplingAdvice(
        temperature=number("temp", 0, 2),
        top_k=None if top_k is None else int(top_k),
        top_p=number("top_p", 0, 1),
        min_p=number("min_p", 0, 1),
        repeat_penalty=number("penalty_repeat", 1, 2),
    )
