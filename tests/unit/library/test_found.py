"""Models in the folders of other apps: as those apps lay them out, and as nobody would."""

import json
import os
import time
from pathlib import Path

import pytest

from munin_app import paths
from munin_app.errors import ModelError
from munin_app.inference.headers import can_chat
from munin_app.library import found as finding
from munin_app.library.app_folders import AppFolder, app_folders
from munin_app.library.catalog import read_catalog
from munin_app.library.found import find_models
from munin_app.library.models import ModelLibrary, ModelOrigin
from tests.tiny_models import write_tiny_model
from tests.unit.inference.gguf_files import write_gguf, write_sentencepiece_vocabulary

DIGEST = "c1864a5eb19305c40519da12cc543519e48a0697ecd30e15d5ac228644957d12"
OTHER = "ab" * 32


@pytest.fixture
def user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's own home folder, where the apps keep theirs."""
    folder = tmp_path / "user home"
    folder.mkdir()
    monkeypatch.setenv("MUNIN_USER_HOME", os.fspath(folder))
    return folder


@pytest.fixture
def library(tmp_path: Path) -> ModelLibrary:
    catalog = read_catalog(paths.catalog_file())
    return ModelLibrary(catalog, tmp_path / "models", tmp_path / "starter", can_chat=can_chat)


def chat(path: Path, **values: str | int) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    return write_tiny_model(path, "llama", **values)


def manifest(models: Path, name: str, content: object) -> Path:
    path = models / "manifests" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    return path


def layers(digest: str, kind: str = "model") -> dict[str, object]:
    return {"layers": [{"mediaType": f"application/vnd.ollama.image.{kind}", "digest": digest, "size": 1}]}


async def names(library: ModelLibrary) -> list[tuple[str, str]]:
    return [(model.app, model.id) for model in (await library.found()).models]


# as the apps lay them out


async def test_ollama_is_read_by_its_manifests(library: ModelLibrary, user: Path) -> None:
    models = user / ".ollama" / "models"
    blob = chat(models / "blobs" / f"sha256-{DIGEST}")
    other = chat(models / "blobs" / f"sha256-{OTHER}", general__name="Another")
    manifest(models, "models.example/library/llama3.2/3b", layers(f"sha256:{DIGEST}"))
    manifest(models, "hf.co/owner/Fine-GGUF/latest", layers(f"sha256-{OTHER.upper()}"))
    assert await names(library) == [("Ollama", "Fine-GGUF"), ("Ollama", "llama3.2-3b")]
    found = (await library.found()).models
    assert [model.path for model in found] == [other, blob]
    assert found[1].size_bytes == blob.stat().st_size


async def test_ollama_lies_where_its_variable_says(
    library: ModelLibrary, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OLLAMA_MODELS", os.fspath(tmp_path / "elsewhere"))
    chat(tmp_path / "elsewhere" / "blobs" / f"sha256-{DIGEST}")
    manifest(tmp_path / "elsewhere", "models.example/library/qwen3/latest", layers(f"sha256:{DIGEST}"))
    assert await names(library) == [("Ollama", "qwen3")]


async def test_newer_ollama_links_to_manifests_with_variants(library: ModelLibrary, user: Path) -> None:
    models = user / ".ollama" / "models"
    chat(models / "blobs" / f"sha256-{DIGEST}")
    (models / "blobs" / f"sha256-{OTHER}").write_text(json.dumps(layers(f"sha256:{DIGEST}")))
    listing = models / "blobs" / f"sha256-{'cd' * 32}"
    listing.write_text(json.dumps({"manifests": [{"runner": "mlx", "layers": []}, {"runner": "llamacpp", "digest": OTHER}]}))
    link = models / "manifests-v2" / "models.example" / "library" / "gemma3" / "1b"
    link.parent.mkdir(parents=True)
    link.symlink_to(listing)
    assert await names(library) == [("Ollama", "gemma3-1b")]


async def test_plain_folders_of_the_other_apps(library: ModelLibrary, user: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    chat(user / ".lmstudio" / "models" / "publisher" / "Qwen3-4B-GGUF" / "Qwen3-4B-Q4_K_M.gguf")
    chat(user / ".cache" / "lm-studio" / "models" / "publisher" / "Old-GGUF" / "ggml-model-Q4_0.gguf")
    chat(user / ".local" / "share" / "Jan" / "data" / "llamacpp" / "models" / "janhq" / "Jan-v3-4b" / "model.gguf")
    chat(user / "Library" / "Application Support" / "nomic.ai" / "GPT4All" / "Phi-3-mini.Q4_0.GGUF")
    monkeypatch.setenv("LLAMA_CACHE", os.fspath(user / "llama"))
    chat(user / "llama" / "ggml-org_gemma-3-1b-it-GGUF_gemma-3-1b-it-Q4_K_M.gguf")
    assert await names(library) == [
        ("LM Studio", "Qwen3-4B-Q4_K_M"),
        ("LM Studio", "Old-GGUF-Q4_0"),
        ("Jan", "Jan-v3-4b"),
        ("GPT4All", "Phi-3-mini.Q4_0"),
        ("llama.cpp", "ggml-org_gemma-3-1b-it-GGUF_gemma-3-1b-it-Q4_K_M"),
    ]


async def test_lm_studio_that_moved(library: ModelLibrary, user: Path, tmp_path: Path) -> None:
    (user / ".lmstudio-home-pointer").write_text(f"{tmp_path / 'moved'}\n")
    chat(tmp_path / "moved" / "models" / "a" / "b" / "One.gguf")
    (tmp_path / "moved" / "settings.json").write_text(json.dumps({"downloadsFolder": os.fspath(tmp_path / "big disk")}))
    chat(tmp_path / "big disk" / "a" / "b" / "Two.gguf")
    assert await names(library) == [("LM Studio", "Two"), ("LM Studio", "One")]


@pytest.mark.parametrize(("variable", "folder"), [("", ".cache/huggingface/hub"), ("HF_HOME", "hf/hub"), ("HF_HUB_CACHE", "hf")])
async def test_hub_cache_links_from_snapshots_to_blobs(
    library: ModelLibrary, user: Path, monkeypatch: pytest.MonkeyPatch, variable: str, folder: str
) -> None:
    if variable:
        monkeypatch.setenv(variable, os.fspath(user / "hf"))
    repository = user / folder / "models--Qwen--Qwen3-0.6B-GGUF"
    blob = chat(repository / "blobs" / "0123abcd")
    for revision in ("aaa", "bbb"):
        snapshot = repository / "snapshots" / revision / "Q8"
        snapshot.mkdir(parents=True)
        (snapshot / "Qwen3-0.6B-Q8_0.gguf").symlink_to(os.path.relpath(blob, snapshot))
    chat(user / folder / "datasets--a--b" / "snapshots" / "aaa" / "no.gguf")
    assert await names(library) == [("Hugging Face", "Qwen3-0.6B-Q8_0")], "once, whatever snapshots hold it"


async def test_split_model_is_one_and_only_when_it_is_whole(library: ModelLibrary, user: Path) -> None:
    folder = user / ".lmstudio" / "models" / "a" / "b"
    for number in (1, 2):
        chat(folder / f"Big-0000{number}-of-00002.gguf")
    chat(folder / "Half-00001-of-00002.gguf")
    (model,) = (await library.found()).models
    assert (model.id, len(model.files)) == ("Big", 2)
    added = await library.add(model.path, name="Mine")
    assert [file.name for file in added.files] == ["Mine-00001-of-00002.gguf", "Mine-00002-of-00002.gguf"]
    assert added.linked and added.size_bytes == model.size_bytes
    assert await names(library) == []


async def test_what_cannot_chat_is_left_out(library: ModelLibrary, user: Path) -> None:
    folder = user / ".lmstudio" / "models" / "a" / "b"
    chat(folder / "mmproj-model-f16.gguf", general__type="mmproj")
    chat(folder / "lora.gguf", general__type="adapter")
    chat(folder / "embedding.gguf", llama__pooling_type=1)
    write_sentencepiece_vocabulary(folder / "vocabulary.gguf")
    write_gguf(folder / "clip.gguf", {"general.architecture": "clip", "clip.block_count": 2})
    write_gguf(folder / "flux.gguf", {"general.architecture": "flux"})
    (folder / "text.gguf").write_text("Dear diary")
    (folder / "half.gguf").write_bytes(chat(folder / "whole.gguf").read_bytes()[:-5000])
    assert await names(library) == [("LM Studio", "whole")]


# linked, never moved


async def test_link_has_a_name_and_removing_it_leaves_the_file(library: ModelLibrary, user: Path) -> None:
    models = user / ".ollama" / "models"
    blob = chat(models / "blobs" / f"sha256-{DIGEST}")
    manifest(models, "models.example/library/llama3.2/3b", layers(f"sha256:{DIGEST}"))
    content = blob.read_bytes()
    (model,) = (await library.found()).models
    added = await library.add(model.path, name=model.id)
    assert (added.id, added.linked, added.origin) == ("llama3.2-3b", True, ModelOrigin.USER)
    assert await names(library) == [], "what is in the library is not offered again"
    assert await library.remove(added.id) == 0
    assert blob.read_bytes() == content
    assert await names(library) == [("Ollama", "llama3.2-3b")]


async def test_link_is_a_hard_one_where_there_are_no_others(
    library: ModelLibrary, user: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = chat(user / "disk" / "One.gguf")

    def refuse(self: Path, target: Path) -> None:
        raise OSError(1314, "A required privilege is not held by the client")

    monkeypatch.setattr(Path, "symlink_to", refuse)
    added = await library.add(source)
    assert added.linked and added.path.samefile(source)
    assert await library.remove("One") == 0 and source.exists()


async def test_names_that_are_taken_get_a_number(library: ModelLibrary, user: Path) -> None:
    chat(user / ".lmstudio" / "models" / "a" / "b" / "One.gguf")
    chat(user / ".lmstudio" / "models" / "a" / "c" / "one.gguf")
    await library.add(chat(user / "disk" / "ONE.gguf"))
    assert [name for _, name in await names(library)] == ["One-2", "one-3"]


async def test_link_whose_file_is_gone_gives_way(library: ModelLibrary, user: Path) -> None:
    source = chat(user / "disk" / "One.gguf")
    await library.add(source)
    source.unlink()
    assert (await library.add(chat(user / "other" / "One.gguf"))).path.exists()


async def test_name_of_a_model_that_came_with_munin_is_taken_too(library: ModelLibrary, tmp_path: Path) -> None:
    chat(tmp_path / "starter" / "One.gguf")
    with pytest.raises(ModelError, match="One is in the list already"):
        await library.add(chat(tmp_path / "disk" / "one.gguf"), name="One")


async def test_any_folder_can_be_looked_through(library: ModelLibrary, user: Path) -> None:
    chat(user / "stick" / "deep" / "One.gguf")
    found = await library.found(user / "stick")
    assert [(model.app, model.id) for model in found.models] == [("stick", "One")]


# as nobody would


async def test_hostile_manifests_lead_nowhere(library: ModelLibrary, user: Path) -> None:
    models = user / ".ollama" / "models"
    outside = chat(user / "secret.gguf")
    (models / "blobs").mkdir(parents=True)
    place = "models.example/library/evil"
    digests = ["sha256:../../../secret.gguf", "../../../secret.gguf", os.fspath(outside), "sha256:" + "z" * 64, "", 7, None]
    for number, digest in enumerate(digests):
        manifest(models, f"{place}/{number}", {"layers": [{"mediaType": finding._MODEL_LAYER, "digest": digest}]})
    for number, content in enumerate(["", "{", "[" * 50_000, "null", '"text"', '{"layers": 5}', '{"layers": [5, null]}']):
        manifest(models, f"{place}/text{number}", content)
    manifest(models, f"{place}/nested", {"manifests": [{"manifests": [{}]}, 5, {"digest": DIGEST}]})
    manifest(models, f"{place}/huge", " " * 200_000 + json.dumps(layers(f"sha256:{DIGEST}")))
    os.mkfifo(models / "manifests" / place / "pipe")
    assert await names(library) == []


async def test_names_become_harmless(library: ModelLibrary, user: Path) -> None:
    folder = user / ".lmstudio" / "models" / "a" / "b"
    for name in ("..\\..\\evil.gguf", "red\x1b[31m\u202etxt.gguf", "line\nbreak.gguf", "x" * 240 + ".gguf"):
        chat(folder / name)
    chat(folder / os.fsdecode(b"\xff\xfe.gguf"))
    found = (await library.found()).models
    for model in found:
        assert model.id.isprintable() and not set(model.id) & set("/\\:") and len(model.id.encode()) <= 210
        assert (await library.add(model.path, name=model.id)).path.parent.name == "models"
    assert len(found) >= 4


async def test_circles_pipes_and_closed_folders_cost_nothing(library: ModelLibrary, user: Path) -> None:
    folder = user / ".lmstudio" / "models"
    chat(folder / "a" / "One.gguf")
    (folder / "a" / "circle").symlink_to(folder)
    (folder / "a" / "root").symlink_to("/")
    (folder / "a" / "self.gguf").symlink_to(folder / "a" / "self.gguf")
    os.mkfifo(folder / "a" / "pipe.gguf")
    (folder / "a" / "folder.gguf").mkdir()
    (folder / "closed").mkdir(mode=0)
    started = time.process_time()
    assert await names(library) == [("LM Studio", "One")]
    assert time.process_time() - started < 2


def test_tree_without_an_end_is_given_up_and_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(finding, "_MOST_ENTRIES", 200)
    chat(tmp_path / "One.gguf")
    deep = tmp_path
    for number in range(30):
        deep = deep / "d"
        deep.mkdir()
        for other in range(20):
            (deep / f"{number}-{other}").touch()
    found = find_models([AppFolder("Any", tmp_path)], can_chat, [], [])
    assert [model.id for model in found.models] == ["One"] and found.complete, "depth ends it"
    for number in range(300):
        (tmp_path / f"f{number}").touch()
    assert not find_models([AppFolder("Any", tmp_path)], can_chat, [], []).complete


def test_time_ends_it_too(tmp_path: Path) -> None:
    chat(tmp_path / "One.gguf")
    found = find_models([AppFolder("Any", tmp_path)], can_chat, [], [], seconds=0)
    assert found.models == () and not found.complete


def test_platform_without_a_home_has_no_apps(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse() -> Path:
        raise RuntimeError("no home")

    monkeypatch.delenv("MUNIN_USER_HOME", raising=False)
    monkeypatch.setattr(Path, "home", refuse)
    assert app_folders() == []
