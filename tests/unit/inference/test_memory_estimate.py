"""The estimate of what a model takes, on headers of several architectures; figures worked out by hand from its formulas."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from munin_app.inference.gguf_header import GgufHeader, read_header
from munin_app.inference.gguf_header import Value as HeaderValue
from munin_app.inference.memory_estimate import cache_bytes, compute_bytes, estimate_memory, usable_kv_type
from tests.unit.inference.gguf_files import Value, write_gguf

LLAMA: dict[str, HeaderValue] = {
    "block_count": 32,
    "embedding_length": 4096,
    "feed_forward_length": 14336,
    "attention.head_count": 32,
    "attention.head_count_kv": 8,
}
"""Llama 3 8B."""


def header_of(architecture: str, values: dict[str, HeaderValue], weights: int = 0) -> GgufHeader:
    keyed = {f"{architecture}.{key}": value for key, value in values.items()}
    return GgufHeader("model", architecture, "Some", "Q4_K_M", 131_072, True, False, False, weights, weights, keyed)


def token_bytes(architecture: str, values: dict[str, HeaderValue]) -> int:
    """What one more token of context takes in the cache."""
    model = header_of(architecture, values)
    return (cache_bytes(model, 4096) - cache_bytes(model, 2048)) // 2048


def test_grouped_queries_take_what_the_known_model_takes() -> None:
    assert token_bytes("llama", LLAMA) == 131_072  # 128 KiB a token: 1 GiB at 8,192
    assert cache_bytes(header_of("llama", LLAMA), 8192) == 1 << 30


def test_heads_of_another_length_than_the_embedding_says() -> None:
    gemma: dict[str, HeaderValue] = {
        "block_count": 26,
        "embedding_length": 1152,
        "attention.head_count": 4,
        "attention.head_count_kv": 1,
        "attention.key_length": 256,
        "attention.value_length": 256,
        "attention.sliding_window": 512,
    }
    assert token_bytes("gemma3", gemma) == 26 * (256 + 256) * 2


def test_heads_that_differ_by_layer_are_added_up() -> None:
    lfm: dict[str, HeaderValue] = {
        "block_count": 4,
        "embedding_length": 1024,
        "attention.head_count": 16,
        "attention.head_count_kv": (0, 8, 0, 4),
        "shortconv.l_cache": 3,
    }
    assert token_bytes("lfm2", lfm) == (8 + 4) * (64 + 64) * 2
    assert cache_bytes(header_of("lfm2", lfm), 0) == 4 * 1024 * 2 * 4


def test_layers_that_read_the_cache_of_others_take_none() -> None:
    shared = LLAMA | {"attention.shared_kv_layers": 16}
    assert token_bytes("gemma3n", shared) == token_bytes("llama", LLAMA) / 2


def test_recurrent_state_does_not_grow_with_the_context() -> None:
    mamba: dict[str, HeaderValue] = {
        "block_count": 24,
        "embedding_length": 768,
        "attention.head_count": 0,
        "ssm.conv_kernel": 4,
        "ssm.inner_size": 1536,
        "ssm.state_size": 16,
    }
    assert token_bytes("mamba", mamba) == 0
    assert cache_bytes(header_of("mamba", mamba), 8192) == 24 * 4 * (3 * 1536 + 16 * 1536)


def test_missing_count_of_key_heads_means_one_for_each_head() -> None:
    values = {key: value for key, value in LLAMA.items() if key != "attention.head_count_kv"}
    assert token_bytes("llama", values) == 4 * token_bytes("llama", LLAMA)


def test_quantised_cache_takes_34_bytes_where_the_full_one_takes_64() -> None:
    model = header_of("llama", LLAMA)
    assert cache_bytes(model, 4096, "q8_0") * 64 == cache_bytes(model, 4096) * 34
    assert usable_kv_type(model, "q8_0") == "q8_0"
    assert usable_kv_type(header_of("llama", LLAMA | {"attention.key_length": 80}), "q8_0") == "f16"


def test_context_is_rounded_up_as_llama_cpp_does() -> None:
    model = header_of("llama", LLAMA)
    assert cache_bytes(model, 1025) == cache_bytes(model, 1280)


@pytest.mark.parametrize(("size", "kib"), [(512, 14_336), (8192, 22_016)])
def test_buffers_are_those_that_llama_cpp_reports_for_the_starter_model(model_path: Path, size: int, kib: int) -> None:
    """14.01 and 21.51 MiB by its own log, with flash attention and one row of logits."""
    header = read_header(model_path)
    assert compute_bytes(header, size) == kib * 1024
    assert cache_bytes(header, 8192) == 180 << 20
    assert header.weights_bytes == 96_576_768  # 92.10 MiB


def test_whole_estimate_counts_the_weights_once_and_the_second_context() -> None:
    without, with_weights = (estimate_memory(header_of("llama", LLAMA, weights), 8192) for weights in (0, 4_900_000_000))
    assert with_weights.total - without.total == 4_900_000_000
    assert with_weights.utility == cache_bytes(header_of("llama", LLAMA), 2048) + compute_bytes(header_of("llama", LLAMA), 2048)


def test_what_is_read_from_a_file_is_what_the_estimate_needs(tmp_path: Path) -> None:
    values: dict[str, Value] = {
        "general.architecture": "jamba",
        "jamba.block_count": 3,
        "jamba.embedding_length": 64,
        "jamba.attention.head_count": 2,
        "jamba.attention.head_count_kv": [0, 2, 0],
        "tokenizer.ggml.tokens": ["a", "b"],
    }
    header = read_header(write_gguf(tmp_path / "hybrid.gguf", values, [("w", [64, 2], 0, 0)], bytes(512)))
    assert (header.weights_bytes, header.values["tokenizer.ggml.tokens"]) == (512, None)
    assert cache_bytes(header, 256) == 256 * 2 * (32 + 32) * 2


@given(
    st.dictionaries(
        st.sampled_from([*LLAMA, "attention.key_length", "ssm.inner_size", "ssm.conv_kernel", "attention.shared_kv_layers"]),
        st.one_of(
            st.integers(-(2**63), 2**64), st.sampled_from([0.5, "many", None]), st.tuples(st.integers(-5, 5), st.integers())
        ),
    )
)
def test_absurd_headers_give_a_number(values: dict[str, HeaderValue]) -> None:
    assert estimate_memory(header_of("odd", values), 2048).total > 0
