"""The real encoder: what it gives, and what it says when its folder is wrong."""

import dataclasses
import shutil
from pathlib import Path

import numpy as np
import pytest

from munin_app.errors import EncoderError
from munin_app.memory import EncoderManifest
from munin_app.memory.encoder import OnnxEmbedder
from munin_app.memory.hashing import HashEmbedder


def copied(manifest: EncoderManifest, folder: Path) -> EncoderManifest:
    for name in ("model.onnx", "tokenizer.json"):
        shutil.copy(manifest.folder / name, folder / name)
    return dataclasses.replace(manifest, folder=folder)


def test_vectors_are_unit_length_and_of_the_manifests_dimension(encoder: OnnxEmbedder) -> None:
    vectors = encoder.embed_documents(["a dog", "日本語", "word " * 2000])
    assert vectors.shape == (3, 384)
    assert vectors.dtype == np.float32
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    assert encoder.embed_documents([]).shape == (0, 384)


def test_a_text_without_a_known_token_is_like_no_other(encoder: OnnxEmbedder) -> None:
    emoji, dog = encoder.embed_documents(["🐕🎂", "a dog 🐕"])
    assert not emoji.any()
    assert dog.any()


def test_meaning_is_compared_not_words(encoder: OnnxEmbedder) -> None:
    question = encoder.embed_query("Which allergy do I have?")
    allergy, weather = encoder.embed_documents(["I must not eat peanuts, they give me a rash", "It rains in Oslo"])
    assert question @ allergy > question @ weather + 0.1


def test_tokens_128_to_256_are_read(encoder: OnnxEmbedder) -> None:
    """This tokenizer.json truncates at 128 by itself."""
    beginning = "word " * 150
    one, other = encoder.embed_documents([beginning + "sailing " * 50, beginning + "taxes " * 50])
    assert one @ other < 0.99


def test_token_spans_cover_the_whole_text(encoder: OnnxEmbedder) -> None:
    text = "word " * 1000 + "end"
    spans = encoder.token_spans(text)
    assert len(spans) == 1001
    assert text[slice(*spans[-1])] == "end"


def test_prefixes_change_the_vector(manifest: EncoderManifest, encoder: OnnxEmbedder) -> None:
    prefixed = OnnxEmbedder(dataclasses.replace(manifest, query_prefix="query: "))
    assert np.allclose(prefixed.embed_query("a dog"), encoder.embed_query("query: a dog"))
    assert np.allclose(prefixed.embed_documents(["a dog"]), encoder.embed_documents(["a dog"]))


@pytest.mark.parametrize("name", ["model.onnx", "tokenizer.json"])
def test_a_missing_file_is_named(manifest: EncoderManifest, tmp_path: Path, name: str) -> None:
    there = copied(manifest, tmp_path)
    (tmp_path / name).unlink()
    with pytest.raises(EncoderError, match=f"no {name}"):
        OnnxEmbedder(there)


@pytest.mark.parametrize("name", ["model.onnx", "tokenizer.json"])
@pytest.mark.parametrize("content", [b"", b"not a model", b"\x00\xff" * 500])
def test_a_broken_file_is_named(manifest: EncoderManifest, tmp_path: Path, name: str, content: bytes) -> None:
    there = copied(manifest, tmp_path)
    (tmp_path / name).write_bytes(content)
    with pytest.raises(EncoderError, match=name):
        OnnxEmbedder(there)


def test_a_wrong_dimension_and_an_unknown_pooling_are_refused(manifest: EncoderManifest) -> None:
    with pytest.raises(EncoderError, match="768 dimensions were expected"):
        OnnxEmbedder(dataclasses.replace(manifest, dimension=768))
    with pytest.raises(EncoderError, match="pooling “max”"):
        OnnxEmbedder(dataclasses.replace(manifest, pooling="max"))


def test_the_hashing_encoder_is_deterministic_and_compares_words(tmp_path: Path) -> None:
    hashing = HashEmbedder(EncoderManifest("hash", tmp_path, 64))
    one, other, emoji = hashing.embed_documents(["My dog Bruno", "bruno, my DOG", "🐕"])
    assert one @ other > 0.8
    assert np.isclose(np.linalg.norm(emoji), 1)
    assert np.array_equal(hashing.embed_query("My dog Bruno"), one)
