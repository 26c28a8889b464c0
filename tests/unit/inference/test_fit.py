"""Runs well, tight or too big: from a header, from a file, and from a size alone."""

from pathlib import Path

import pytest

from munin_app.errors import ModelError
from munin_app.inference.fit import Fit, judge, judge_file, judge_size
from munin_app.inference.gguf_header import GgufHeader
from munin_app.inference.memory_estimate import cache_bytes, estimate_memory
from tests.unit.inference.test_memory_estimate import LLAMA, header_of

WEIGHTS = 4_900_000_000
PLENTY = 64_000_000_000
# layers, heads, key/value heads, head length, width, feed-forward, bytes of the file; by memory, not read from the files
SHAPES = {
    "Qwen3 0.6B": (28, 16, 8, 128, 1024, 3072, 639_446_688),
    "Qwen3 1.7B": (28, 16, 8, 128, 2048, 6144, 1_282_439_264),
    "SmolLM3 3B": (36, 16, 4, 128, 2048, 11008, 1_915_305_312),
    "Llama 3.2 3B": (28, 24, 8, 128, 3072, 8192, 2_019_377_600),
    "Gemma 3 4B": (34, 8, 4, 256, 2560, 10240, 2_489_894_016),
    "Phi-4 mini": (32, 24, 8, 128, 3072, 8192, 2_491_874_688),
    "Qwen3 4B": (36, 32, 8, 128, 2560, 9728, 2_497_280_736),
    "Qwen3 8B": (36, 32, 8, 128, 4096, 12288, 5_027_783_488),
}


@pytest.fixture
def model() -> GgufHeader:
    return header_of("llama", LLAMA, WEIGHTS)


def test_model_with_room_runs_well(model: GgufHeader) -> None:
    found = judge(model, "f16", PLENTY)
    assert (found.fit, found.context_tokens, found.free_bytes) == (Fit.WELL, 4096, PLENTY)
    assert found.needed_bytes == estimate_memory(model, 4096).total and not found.estimated


def test_smaller_context_is_tight(model: GgufHeader) -> None:
    free = int(estimate_memory(model, 2048).total / 0.9) + 1
    assert (judge(model, "f16", free).fit, judge(model, "f16", free).context_tokens) == (Fit.TIGHT, 2048)


def test_what_leaves_hardly_anything_is_tight(model: GgufHeader) -> None:
    assert judge(model, "f16", estimate_memory(model, 2048).total + 1).fit is Fit.TIGHT


def test_more_than_is_free_is_too_big(model: GgufHeader) -> None:
    assert judge(model, "f16", estimate_memory(model, 2048).total - 1).fit is Fit.TOO_BIG


def test_context_of_the_settings_counts(model: GgufHeader) -> None:
    free = estimate_memory(model, 2048).total
    assert judge(model, "f16", free, 16_384).fit is Fit.TOO_BIG
    assert judge(model, "f16", PLENTY, 16_384).context_tokens == min(16_384, model.context_trained or 16_384)


def test_unknown_memory_gives_no_word_but_figures(model: GgufHeader) -> None:
    found = judge(model, "f16", None)
    assert found.fit is None and found.needed_bytes > WEIGHTS


@pytest.mark.parametrize("name", SHAPES)
def test_size_alone_gives_a_bound(name: str) -> None:
    layers, heads, key_heads, length, width, feed_forward, size = SHAPES[name]
    values = {
        "block_count": layers,
        "attention.head_count": heads,
        "attention.head_count_kv": key_heads,
        "attention.key_length": length,
        "attention.value_length": length,
        "embedding_length": width,
        "feed_forward_length": feed_forward,
    }
    header = header_of("any", values, size - 8_000_000)
    bound = judge_size(size, 32_768, "f16", PLENTY, 4096)
    known = judge(header, "f16", PLENTY, 4096)
    assert known.needed_bytes <= bound.needed_bytes <= known.needed_bytes + 1_100_000_000
    assert bound.estimated
    assert judge_size(size, 32_768, "f16", PLENTY).context_tokens <= judge(header, "f16", PLENTY).context_tokens
    assert cache_bytes(header, 4096)


def test_file_is_judged_by_its_header_and_no_file_is_refused(model_path: Path, tmp_path: Path) -> None:
    found = judge_file(model_path, "f16", PLENTY)
    bound = judge_size(model_path.stat().st_size, 8192, "f16", PLENTY, found.context_tokens)
    assert found.fit is Fit.WELL and not found.estimated and found.needed_bytes <= bound.needed_bytes
    (tmp_path / "none.gguf").write_bytes(b"GGUF")
    with pytest.raises(ModelError):
        judge_file(tmp_path / "none.gguf", "f16", PLENTY)
