"""Where a reply's sampling comes from: the user, the model's file, or Munin."""

from pathlib import Path

import pytest

from munin_app.chat.sampling import NAMES, Source, sampled, sampling_for
from munin_app.config import UNSET, ModelSettings, Settings
from munin_app.domain.inference import SamplingAdvice, SamplingParams
from munin_app.inference.advice import advice_of
from munin_app.inference.gguf_header import read_header
from tests.unit.inference.gguf_files import write_gguf


def test_nothing_set_and_nothing_recommended_is_munins_own() -> None:
    assert sampling_for(Settings(), UNSET, SamplingAdvice()) == SamplingParams(temperature=Settings().temperature)
    assert {sampled(name, Settings(), UNSET, SamplingAdvice()).source for name in NAMES} == {Source.MUNIN}


def test_user_comes_before_the_file_and_the_file_before_munin() -> None:
    advice = SamplingAdvice(temperature=0.6, top_k=20)
    own = ModelSettings(temperature=0.0, min_p=0.1)
    found = sampling_for(Settings(), own, advice)
    assert (found.temperature, found.top_k, found.min_p, found.top_p) == (0.0, 20, 0.1, SamplingParams().top_p)
    assert sampled("top_k", Settings(), own, advice).source is Source.FILE
    assert sampled("temperature", Settings(), own, advice).source is Source.USER


def test_temperature_for_every_model_comes_before_the_file() -> None:
    found = sampled("temperature", Settings(temperature=0.1), UNSET, SamplingAdvice(temperature=0.6))
    assert (found.value, found.source) == (0.1, Source.USER)


def test_file_says_how_it_is_sampled(tmp_path: Path) -> None:
    keys = {"temp": 0.6, "top_k": 20, "top_p": 0.95, "penalty_repeat": 1.05}
    values = {"general.architecture": "llama", **{f"general.sampling.{key}": value for key, value in keys.items()}}
    advice = advice_of(read_header(write_gguf(tmp_path / "a.gguf", values)))
    assert advice == SamplingAdvice(temperature=0.6, top_k=20, top_p=0.95, repeat_penalty=1.05)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -1.0, 99.0, "hot", True])
def test_senseless_advice_is_passed_over(tmp_path: Path, value: object) -> None:
    values = {"general.architecture": "llama", "general.sampling.temp": value}
    assert advice_of(read_header(write_gguf(tmp_path / "a.gguf", values))) == SamplingAdvice()
