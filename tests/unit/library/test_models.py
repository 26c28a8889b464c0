from pathlib import Path

import pytest

from munin_app import paths
from munin_app.errors import ModelError, NotFound
from munin_app.library.catalog import read_catalog
from munin_app.library.models import ModelLibrary, ModelOrigin
from munin_app.library.names import safe_file_name

HEADER = b"GGUF" + bytes(20)


@pytest.fixture
def library(tmp_path: Path) -> ModelLibrary:
    (tmp_path / "starter").mkdir()
    return ModelLibrary(read_catalog(paths.catalog_file()), tmp_path / "user", tmp_path / "starter")


def gguf(path: Path, content: bytes = HEADER) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return path


async def test_without_a_model_the_error_says_how_to_add_one(library: ModelLibrary) -> None:
    with pytest.raises(ModelError, match="munin models add FILE"):
        await library.chat_model()


async def test_the_starter_stays_until_another_model_is_named(library: ModelLibrary, tmp_path: Path) -> None:
    starter = gguf(tmp_path / "starter" / "SmolLM2-135M-Instruct.Q4_1.gguf")
    assert (await library.chat_model()).tiny
    own = gguf(tmp_path / "user" / "own.gguf")
    assert (await library.chat_model()).path == starter, "nobody asked for the other one"
    assert (await library.chat_model(str(own))).path == own
    elsewhere = gguf(tmp_path / "disk" / "Other.GGUF")
    assert (await library.chat_model(str(elsewhere))).path == elsewhere
    found = await library.chat_models(str(elsewhere))
    assert [(model.path, model.origin) for model in found] == [
        (elsewhere, ModelOrigin.SETTINGS),
        (own, ModelOrigin.USER),
        (starter, ModelOrigin.STARTER),
    ]
    starter.unlink()
    assert (await library.chat_model()).path == own, "better than none"


async def test_a_named_model_that_is_gone_is_said_and_not_replaced(library: ModelLibrary, tmp_path: Path) -> None:
    gguf(tmp_path / "starter" / "a.gguf")
    with pytest.raises(ModelError, match="is not there"):
        await library.chat_model(str(tmp_path / "gone.gguf"))


async def test_a_named_model_of_a_known_folder_is_listed_once(library: ModelLibrary, tmp_path: Path) -> None:
    own = gguf(tmp_path / "user" / "own.gguf")
    assert [model.origin for model in await library.chat_models(str(own))] == [ModelOrigin.USER]


async def test_adding_links_and_removing_leaves_the_original(library: ModelLibrary, tmp_path: Path) -> None:
    source = gguf(tmp_path / "disk" / "big.gguf")
    added = await library.add(source)
    assert added.path.is_symlink()
    assert (await library.find("big")).origin is ModelOrigin.USER
    await library.remove("big")
    assert source.read_bytes() == HEADER
    with pytest.raises(NotFound, match="munin models list"):
        await library.find("big")


async def test_adding_a_copy_survives_the_original(library: ModelLibrary, tmp_path: Path) -> None:
    source = gguf(tmp_path / "disk" / "big.gguf")
    added = await library.add(source, copy=True)
    source.unlink()
    assert added.path.read_bytes() == HEADER
    assert [path.name for path in (tmp_path / "user").iterdir()] == ["big.gguf"]


async def test_a_link_whose_file_is_gone_is_not_listed(library: ModelLibrary, tmp_path: Path) -> None:
    source = gguf(tmp_path / "disk" / "big.gguf")
    await library.add(source)
    source.unlink()
    assert await library.chat_models() == []


@pytest.mark.parametrize(
    ("content", "said"),
    [(b"Dear diary, this is a text file", "no GGUF file"), (b"GGUF\x03", "ends after 5 bytes"), (b"", "no GGUF file")],
)
async def test_what_is_no_gguf_is_not_added(library: ModelLibrary, tmp_path: Path, content: bytes, said: str) -> None:
    with pytest.raises(ModelError, match=said):
        await library.add(gguf(tmp_path / "disk" / "x.gguf", content))
    assert not (tmp_path / "user").exists()


async def test_a_missing_file_and_a_folder_are_not_added(library: ModelLibrary, tmp_path: Path) -> None:
    for path in (tmp_path / "none.gguf", tmp_path):
        with pytest.raises(ModelError, match="cannot be read"):
            await library.add(path)


async def test_a_taken_name_is_refused(library: ModelLibrary, tmp_path: Path) -> None:
    await library.add(gguf(tmp_path / "disk" / "x.gguf"))
    with pytest.raises(ModelError, match="already"):
        await library.add(gguf(tmp_path / "other" / "x.gguf"))


async def test_the_starter_model_cannot_be_removed(library: ModelLibrary, tmp_path: Path) -> None:
    starter = gguf(tmp_path / "starter" / "a.gguf")
    with pytest.raises(ModelError, match="came with Munin"):
        await library.remove("a")
    assert starter.exists()


@pytest.mark.parametrize("model_id", ["../disk/x", "/etc/passwd", ""])
async def test_removing_a_hostile_id_touches_nothing(library: ModelLibrary, tmp_path: Path, model_id: str) -> None:
    outside = gguf(tmp_path / "disk" / "x.gguf")
    gguf(tmp_path / "user" / "own.gguf")
    with pytest.raises(NotFound):
        await library.remove(model_id)
    assert outside.exists()


@pytest.mark.parametrize(
    ("name", "safe"),
    [
        ("Qwen3-4B.Q4_K_M.gguf", "Qwen3-4B.Q4_K_M.gguf"),
        ("模型 1.GGUF", "模型 1.gguf"),
        ("..\\..\\evil\n.gguf", "_.._evil_.gguf"),
        ("a:b*?.gguf", "a_b_.gguf"),
        ("é" * 300 + ".gguf", "é" * 100 + ".gguf"),
    ],
)
def test_hostile_names_become_harmless(name: str, safe: str) -> None:
    assert safe_file_name(name) == safe


@pytest.mark.parametrize("name", [".gguf", "...gguf", "///.gguf"])
def test_names_of_nothing_are_refused(name: str) -> None:
    with pytest.raises(ModelError, match="Rename the file"):
        safe_file_name(name)


async def test_the_encoder_is_found_when_it_is_whole(library: ModelLibrary, tmp_path: Path) -> None:
    assert await library.find_encoder() is None
    folder = tmp_path / "starter" / "all-MiniLM-L6-v2-int8"
    folder.mkdir()
    (folder / "model.onnx").touch()
    assert await library.find_encoder() is None, "half of it is none"
    (folder / "tokenizer.json").touch()
    found = await library.find_encoder()
    assert found is not None
    assert (found.path, found.entry.dimension) == (folder, 384)
