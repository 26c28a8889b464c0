"""An encoder's folder from disk: read, linked or copied into Munin's own, found again, removed; refused with what to do."""

import json
from pathlib import Path
from typing import Any

import pytest

from munin_app.errors import ModelError, NotFound
from munin_app.library.catalog import Catalog, CatalogFile, EncoderEntry
from munin_app.library.encoders import MANIFEST, read_folder
from munin_app.library.models import ModelLibrary

POOLING = {"word_embedding_dimension": 384, "pooling_mode_cls_token": True, "pooling_mode_mean_tokens": False}


def folder(at: Path, files: dict[str, Any] | None = None, graph: str = "onnx/model.onnx") -> Path:
    """As sentence-transformers writes it; `files` are written too."""
    described: dict[str, Any] = {
        "tokenizer.json": {},
        "config.json": {"hidden_size": 384, "max_position_embeddings": 512},
        "1_Pooling/config.json": POOLING,
        "modules.json": [{"type": "sentence_transformers.models.Transformer"}, {"type": "sentence_transformers.models.Pooling"}],
        **(files or {}),
    }
    for name, content in described.items():
        (at / name).parent.mkdir(parents=True, exist_ok=True)
        if content is not None:
            (at / name).write_text(json.dumps(content))
    (at / graph).parent.mkdir(parents=True, exist_ok=True)
    (at / graph).write_bytes(b"graph")
    return at


@pytest.fixture
def library(tmp_path: Path) -> ModelLibrary:
    files = tuple(CatalogFile(name, package="p", member=name) for name in ("model.onnx", "tokenizer.json"))
    starter = EncoderEntry("start", "Start", "start", "MIT", ("en",), 384, 256, "mean", "", "", files, 0.35)
    (tmp_path / "starter" / "start").mkdir(parents=True)
    for file in files:
        (tmp_path / "starter" / "start" / file.file).write_bytes(b"x")
    return ModelLibrary(Catalog(encoder=(starter,)), tmp_path / "user", tmp_path / "starter")


def test_what_the_folder_says_is_taken(tmp_path: Path) -> None:
    described = {
        "sentence_bert_config.json": {"max_seq_length": 128},
        "tokenizer_config.json": {"model_max_length": 10**30},
        "config_sentence_transformers.json": {"prompts": {"query": "query: ", "passage": "passage: "}},
    }
    found = read_folder(folder(tmp_path / "My encoder", described))
    entry = found.entry
    assert (entry.id, entry.dimension, entry.max_tokens, entry.pooling) == ("My-encoder", 384, 128, "cls")
    assert (entry.query_prefix, entry.document_prefix, entry.threshold) == ("query: ", "passage: ", None)
    assert found.sources[0].name == "model.onnx" and found.assumed == ()


def test_what_it_does_not_say_is_assumed_and_named(tmp_path: Path) -> None:
    missing = {"1_Pooling/config.json": None, "modules.json": None, "config.json": {"hidden_size": 64}}
    found = read_folder(folder(tmp_path / "bare", missing, "model.onnx"))
    assert (found.entry.pooling, found.entry.max_tokens, found.entry.dimension) == ("mean", 256, 64)
    assert len(found.assumed) == 2


def test_no_encoder_is_refused_with_what_was_found_and_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("nothing")
    with pytest.raises(ModelError, match=r"no model\.onnx and tokenizer\.json \(found: notes\.txt\)\. Choose a folder"):
        read_folder(tmp_path)
    with pytest.raises(ModelError, match="is no folder"):
        read_folder(tmp_path / "gone")


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ({"1_Pooling/config.json": {"pooling_mode_lasttoken": True, "word_embedding_dimension": 8}}, "lasttoken"),
        ({"modules.json": [{"type": "sentence_transformers.models.Dense"}]}, "Dense"),
        ({"1_Pooling/config.json": None, "config.json": {}}, "how long its vectors are"),
        ({"1_Pooling/config.json": {"word_embedding_dimension": 10**9}}, "dimension"),
        ({"config_sentence_transformers.json": {"prompts": {"query": "a\nb"}}}, "prefix"),
        ({MANIFEST: {"version": 1, "id": "../x"}}, "encoder.json cannot be used"),
        ({MANIFEST: {"version": 9}}, "not of version 1"),
    ],
)
def test_one_that_munin_cannot_run_is_refused(tmp_path: Path, files: dict[str, Any], said: str) -> None:
    with pytest.raises(ModelError, match=said):
        read_folder(folder(tmp_path / "enc", files))


def test_damaged_description_is_said(tmp_path: Path) -> None:
    (folder(tmp_path / "enc") / "config.json").write_text("{")
    with pytest.raises(ModelError, match=r"config\.json cannot be read"):
        read_folder(tmp_path / "enc")


@pytest.mark.parametrize("copy", [False, True])
async def test_an_added_folder_is_found_and_removed(library: ModelLibrary, tmp_path: Path, copy: bool) -> None:
    source = folder(tmp_path / "mine")
    added = await library.add_encoder(source, copy)
    assert [encoder.id for encoder in await library.encoders()] == ["start", "mine"]
    found = await library.find_encoder("mine")
    assert found and found.entry == added.entry and found.linked is not copy
    assert (found.path / "model.onnx").read_bytes() == b"graph"
    with pytest.raises(ModelError, match="known already"):
        await library.add_encoder(source)
    assert await library.remove("mine") == (len(b"graph{}") if copy else 0)
    assert (source / "onnx" / "model.onnx").exists() and not found.path.exists()
    with pytest.raises(NotFound, match="not here"):
        await library.find_encoder("mine")


async def test_a_folder_with_munins_manifest_keeps_it(library: ModelLibrary, tmp_path: Path) -> None:
    first = await library.add_encoder(folder(tmp_path / "mine"), copy=True)
    other = ModelLibrary(Catalog(), tmp_path / "other", tmp_path / "none")
    assert (await other.add_encoder(first.path)).entry == first.entry


async def test_the_starters_stays_until_another_is_named(library: ModelLibrary, tmp_path: Path) -> None:
    await library.add_encoder(folder(tmp_path / "a-first-by-name"))
    found = await library.find_encoder()
    assert found and found.id == "start"
    with pytest.raises(ModelError, match="came with Munin"):
        await library.remove("start")
