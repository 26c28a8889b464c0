"""Files that are no model, or not all of one, are told apart before llama.cpp sees them."""

import math
import struct
import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from munin_app.errors import ModelError
from munin_app.inference.gguf_header import read_header
from tests.tiny_models import tensors, tiny_model
from tests.unit.inference.gguf_files import Value, write_gguf

CHAT: dict[str, Value] = {
    "general.architecture": "llama",
    "llama.context_length": 2048,
    "tokenizer.chat_template": "x",
    "general.file_type": 15,
}


def test_header_of_the_starter_model(model_path: Path) -> None:
    header = read_header(model_path)
    assert (header.kind, header.architecture, header.quantisation, header.context_trained) == ("model", "llama", "Q4_1", 8192)
    assert header.has_chat_template
    assert header.name.startswith("Smollm2")


def test_missing_file(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"There is no model file .*nowhere\.gguf"):
        read_header(tmp_path / "nowhere.gguf")


def test_folder_instead_of_a_file(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="There is no model file"):
        read_header(tmp_path)


def test_empty_file(tmp_path: Path) -> None:
    (tmp_path / "empty.gguf").touch()
    with pytest.raises(ModelError, match="is empty"):
        read_header(tmp_path / "empty.gguf")


def test_text_file(tmp_path: Path) -> None:
    (tmp_path / "notes.gguf").write_text("GGML is not GGUF")
    with pytest.raises(ModelError, match="is no GGUF file"):
        read_header(tmp_path / "notes.gguf")


@pytest.mark.parametrize("keep", [4, 10, 30, 5_000, 1_000_000, 50_000_000, 98_362_431])
def test_truncated_model(tmp_path: Path, model_path: Path, keep: int) -> None:
    cut = tmp_path / "cut.gguf"
    with model_path.open("rb") as whole:
        cut.write_bytes(whole.read(keep))
    with pytest.raises(ModelError, match="damaged or incomplete"):
        read_header(cut)


def test_version_of_another_age(tmp_path: Path) -> None:
    (tmp_path / "old.gguf").write_bytes(b"GGUF" + struct.pack("<IQQ", 1, 0, 0))
    with pytest.raises(ModelError, match="GGUF version 1"):
        read_header(tmp_path / "old.gguf")


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (struct.pack("<IQQ", 3, 2**63, 0), "it claims 9223372036854775808 tensors"),
        (struct.pack("<IQQ", 3, 0, 2**40), "it claims 1099511627776 metadata entries"),
        (struct.pack("<IQQQ", 3, 0, 1, 2**62), "a string of 4611686018427387904 bytes"),
        (struct.pack("<IQQQ", 3, 0, 1, 1) + b"k" + struct.pack("<IIQ", 9, 4, 2**50), "goes past the end"),
        (struct.pack("<IQQQ", 3, 0, 1, 1) + b"k" + struct.pack("<IIQ", 9, 9, 1), "unknown array type 9"),
        (struct.pack("<IQQQ", 3, 0, 1, 1) + b"k" + struct.pack("<I", 77), "unknown value type 77"),
    ],
)
def test_absurd_headers(tmp_path: Path, body: bytes, said: str) -> None:
    (tmp_path / "absurd.gguf").write_bytes(b"GGUF" + body)
    with pytest.raises(ModelError, match=said):
        read_header(tmp_path / "absurd.gguf")


def test_tensor_that_ends_past_the_file(tmp_path: Path) -> None:
    path = write_gguf(tmp_path / "short.gguf", CHAT, [("w", [64, 2], 0, 0)], bytes(511))
    with pytest.raises(ModelError, match="its tensors need"):
        read_header(path)
    whole = write_gguf(tmp_path / "whole.gguf", CHAT, [("w", [64, 2], 0, 0)], bytes(512))
    assert read_header(whole).quantisation == "Q4_K_M"


def test_file_that_does_not_name_its_architecture(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="does not name its architecture"):
        read_header(write_gguf(tmp_path / "nameless.gguf", {"general.name": "Nobody"}))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.binary(max_size=300))
def test_random_bytes_behind_the_magic_never_crash(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "random.gguf"
    path.write_bytes(b"GGUF" + struct.pack("<I", 3) + data)
    with pytest.raises(ModelError):
        read_header(path)


@pytest.mark.parametrize(
    ("key", "value", "said"),
    [
        ("block_count", 0, "0 layers"),
        ("block_count", 513, "513 layers"),
        ("nextn_predict_layers", 3, "more extra layers than layers"),
        ("context_length", 7, "a context of 7 tokens"),
        ("context_length", 1 << 31, "a context of 2147483648 tokens"),
        ("rope.dimension_count", 0, "rotate 0 dimensions"),
        ("rope.dimension_count", 7, "rotate 7 dimensions"),
        ("expert_count", 2000, "of 2000 experts"),
        ("expert_count", 8, "use 0 of 8 experts"),
        ("expert_used_count", 2, "use 2 of 0 experts"),
        ("rope.scaling.type", "ntk", "rope scaling"),
        ("attention.layer_norm_rms_epsilon", -1.0, "layer_norm_rms_epsilon to be -1.0"),
        ("attention.layer_norm_rms_epsilon", float("nan"), "layer_norm_rms_epsilon to be nan"),
    ],
)
def test_sizes_that_llama_cpp_aborts_on(tmp_path: Path, key: str, value: Value, said: str) -> None:
    path = write_gguf(tmp_path / "odd.gguf", {**CHAT, "llama.block_count": 2, f"llama.{key}": value})
    with pytest.raises(ModelError, match=said):
        read_header(path)


def test_sizes_that_real_models_have(tmp_path: Path) -> None:
    sizes: dict[str, Value] = {
        "block_count": 512,
        "nextn_predict_layers": 1,
        "context_length": 10_485_760,
        "expert_count": 1024,
        "expert_used_count": [8, 8],
        "rope.scaling.type": "yarn",
        "attention.layer_norm_rms_epsilon": 1e-6,
    }
    path = write_gguf(tmp_path / "large.gguf", CHAT | {f"llama.{key}": value for key, value in sizes.items()})
    assert read_header(path).context_trained == 10_485_760


def test_lists_without_an_end_are_refused_before_they_are_walked(tmp_path: Path) -> None:
    many = 4_000_001
    array = struct.pack("<IIQ", 9, 8, many) + bytes(8 * many)
    path = write_gguf(tmp_path / "m.gguf", {"general.architecture": "llama", "tokenizer.ggml.tokens": array})
    started = time.process_time()
    with pytest.raises(ModelError, match="more than 4,000,000 entries"):
        read_header(path)
    assert time.process_time() - started < 1


def test_many_long_texts_take_no_more_memory_than_a_few(tmp_path: Path) -> None:
    values: dict[str, Value] = {"general.architecture": "llama", **{f"k{number}": "x" * (1 << 20) for number in range(20)}}
    kept = read_header(write_gguf(tmp_path / "m.gguf", values)).values
    assert sum(len(value) for value in kept.values() if isinstance(value, str)) <= 8 << 20


@pytest.mark.parametrize(
    ("changed", "chats"),
    [({}, True), ({"general.type": "adapter"}, False), ({"llama.pooling_type": 1}, False), ({"llama.block_count": b""}, False)],
)
def test_what_can_chat_is_told_by_the_header(tmp_path: Path, changed: dict[str, Value], chats: bool) -> None:
    values, shapes = tiny_model("llama")
    values = {key: value for key, value in {**values, **changed}.items() if value != b""}
    header = read_header(write_gguf(tmp_path / "m.gguf", values, *tensors(shapes)))
    assert header.can_chat is chats
    assert header.parameters == sum(math.prod(shape) for shape in shapes.values())
