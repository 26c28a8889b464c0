"""Whole models of a catalogue: from the server into the library, several files included, and out again."""

import asyncio
import hashlib
import shutil
from collections import namedtuple
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from munin_app.errors import ModelError, NotFound
from munin_app.library.catalog import Catalog, CatalogFile, ChatModelEntry, EncoderEntry
from munin_app.library.models import ModelLibrary
from munin_app.library.part import part_of
from munin_app.library.progress import Meter, Progress
from munin_app.library.splits import model_id, parts_of
from munin_app.library.verify import Verdict
from tests.library.server import Answer, Request, Server, file_answer, serving

PARTS = {f"big-0000{number}-of-00003.gguf": b"GGUF" + bytes([number]) * 40_000 for number in (1, 2, 3)}
ENCODER = {"model.onnx": b"onnx" * 10_000, "tokenizer.json": b"{}" * 500}
FILES = {**PARTS, **ENCODER}


def handler(request: Request) -> Answer:
    return file_answer(request, FILES[request.path.removeprefix("/")])


def files(server: Server, contents: dict[str, bytes]) -> tuple[CatalogFile, ...]:
    return tuple(
        CatalogFile(name, hashlib.sha256(content).hexdigest(), len(content), f"{server.address}/{name}")
        for name, content in contents.items()
    )


@pytest.fixture
def make_library(tmp_path: Path) -> Callable[[Server], ModelLibrary]:
    def make(server: Server) -> ModelLibrary:
        chat = ChatModelEntry("big", "Big", "MIT", 4096, ("en",), "Tests.", files(server, PARTS))
        encoder = EncoderEntry("e", "E", "enc", "MIT", ("en",), 384, 256, "mean", "", "", files(server, ENCODER), 0.35, "Tests.")
        return ModelLibrary(Catalog((chat,), (encoder,)), tmp_path / "user", tmp_path / "starter")

    return make


MakeLibrary = Callable[[Server], ModelLibrary]


async def test_a_model_in_several_files_is_one_model_when_all_are_here(make_library: MakeLibrary, tmp_path: Path) -> None:
    seen: list[Progress] = []
    async with serving(handler) as server:
        library = make_library(server)
        assert [offer.entry.id for offer in await library.offered()] == ["big", "e"]
        await library.get("big", seen.append)
    (model,) = await library.chat_models()
    assert (model.id, model.path.name, model.size_bytes) == ("big", "big-00001-of-00003.gguf", 120_012)
    assert [offer.entry.id for offer in await library.offered()] == ["e"]
    received = [progress.received_bytes for progress in seen]
    assert received == sorted(received) and received[-1] == 120_012
    assert {progress.total_bytes for progress in seen} == {120_012}
    await library.remove("big")
    assert list((tmp_path / "user").iterdir()) == []


async def test_a_model_of_which_a_file_is_missing_is_none_and_is_completed(make_library: MakeLibrary, tmp_path: Path) -> None:
    def all_but_the_last(request: Request) -> Answer:
        return Answer(403) if request.path.startswith("/big-00003") else handler(request)

    async with serving(all_but_the_last) as server:
        library = make_library(server)
        with pytest.raises(ModelError, match="does not give"):
            await library.get("big")
        assert await library.chat_models() == []
        server.handler = handler
        fetched = len(server.requests)
        await library.get("big")
        assert len(server.requests) == fetched + 1
    assert [check.verdict for check in await library.verify()] == [Verdict.INTACT] * 3


async def test_an_unfinished_download_is_removed_whole(make_library: MakeLibrary, tmp_path: Path) -> None:
    answers = iter((handler, lambda request: replace(handler(request), drop_after=5_000)))
    async with serving(lambda request: next(answers, lambda request: Answer(404))(request)) as server:
        library = make_library(server)
        with pytest.raises(ModelError, match="any more"):
            await library.get("big")
    own = tmp_path / "user" / "own.gguf"
    own.write_bytes(b"GGUF" + bytes(20))
    assert part_of(tmp_path / "user" / "big-00002-of-00003.gguf").exists()
    assert (await library.offered())[0].arrived_bytes == 45_004
    await library.remove("big")
    assert list((tmp_path / "user").iterdir()) == [own]
    with pytest.raises(NotFound):
        await library.remove("big")


async def test_there_must_be_room_for_every_file_before_the_first(
    make_library: MakeLibrary, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    usage = namedtuple("usage", "total used free")
    monkeypatch.setattr(shutil, "disk_usage", lambda path: usage(10**9, 0, 200_000_000 + 100_000))
    async with serving(handler) as server:
        with pytest.raises(ModelError, match="Free some space"):
            await make_library(server).get("big")
    assert list((tmp_path / "user").iterdir()) == []


async def test_an_encoder_is_here_when_its_folder_is_whole(make_library: MakeLibrary, tmp_path: Path) -> None:
    def no_tokenizer(request: Request) -> Answer:
        return Answer(403) if request.path == "/tokenizer.json" else handler(request)

    async with serving(no_tokenizer) as server:
        library = make_library(server)
        with pytest.raises(ModelError, match="does not give"):
            await library.get("e")
        assert await library.find_encoder() is None
        server.handler = handler
        await library.get("e")
    found = await library.find_encoder()
    assert found is not None and found.path == tmp_path / "user" / "enc"
    assert sorted(path.name for path in found.path.iterdir()) == ["model.onnx", "tokenizer.json"]
    await library.remove("e")
    assert await library.find_encoder() is None
    assert list((tmp_path / "user").iterdir()) == []


async def test_a_file_of_that_name_that_is_another_one_is_not_replaced(make_library: MakeLibrary, tmp_path: Path) -> None:
    own = tmp_path / "user" / "big-00001-of-00003.gguf"
    own.parent.mkdir()
    own.write_bytes(b"GGUF mine")
    async with serving(handler) as server:
        with pytest.raises(ModelError, match="another file than the catalogue describes"):
            await make_library(server).get("big")
        assert server.requests == []
    assert own.read_bytes() == b"GGUF mine"


async def test_what_is_not_in_the_catalogue_cannot_be_got(make_library: MakeLibrary) -> None:
    async with serving(handler) as server:
        with pytest.raises(NotFound, match="munin models list"):
            await make_library(server).get("../big")


async def test_a_damaged_file_is_found_by_verifying(make_library: MakeLibrary, tmp_path: Path) -> None:
    async with serving(handler) as server:
        library = make_library(server)
        await library.get("big")
    (tmp_path / "user" / "big-00002-of-00003.gguf").write_bytes(b"GGUF" + bytes(40_000))
    (tmp_path / "user" / "own.gguf").write_bytes(b"GGUF" + bytes(20))
    (tmp_path / "user" / "bad.gguf").write_bytes(b"nothing")
    verdicts = {check.path.name: check.verdict for check in await library.verify()}
    assert verdicts == {
        "bad.gguf": Verdict.DAMAGED,
        "big-00001-of-00003.gguf": Verdict.INTACT,
        "big-00002-of-00003.gguf": Verdict.DAMAGED,
        "big-00003-of-00003.gguf": Verdict.INTACT,
        "own.gguf": Verdict.UNVERIFIED,
    }
    with pytest.raises(NotFound):
        await library.verify("none")


async def test_two_downloads_of_one_model_do_not_mix(make_library: MakeLibrary) -> None:
    async with serving(handler) as server:
        library = make_library(server)
        results = await asyncio.gather(library.get("big"), library.get("big"), return_exceptions=True)
        assert None in results
        assert all(result is None or "being downloaded already" in str(result) for result in results)
    assert [check.verdict for check in await library.verify()] == [Verdict.INTACT] * 3


async def test_a_split_model_is_added_by_its_first_part(make_library: MakeLibrary, tmp_path: Path) -> None:
    for name, content in PARTS.items():
        (tmp_path / name).write_bytes(content)
    async with serving(handler) as server:
        library = make_library(server)
    with pytest.raises(ModelError, match="00001-of"):
        await library.add(tmp_path / "big-00002-of-00003.gguf")
    added = await library.add(tmp_path / "big-00001-of-00003.gguf", copy=True)
    assert (added.id, added.size_bytes) == ("big", 120_012)
    await library.remove("big")
    (tmp_path / "big-00003-of-00003.gguf").unlink()
    with pytest.raises(ModelError, match="big-00003-of-00003"):
        await library.add(tmp_path / "big-00001-of-00003.gguf")
    assert await library.chat_models() == []


@pytest.mark.parametrize(
    ("name", "model", "parts"),
    [
        ("a.gguf", "a", ("a.gguf",)),
        ("a.b.GGUF", "a.b", ("a.b.GGUF",)),
        ("sha256-0123", "sha256-0123", ("sha256-0123",)),
        ("a-00001-of-00002.gguf", "a", ("a-00001-of-00002.gguf", "a-00002-of-00002.gguf")),
        ("a-00002-of-00002.gguf", "a", ()),
        ("a-00001-of-99999.gguf", "a", ()),
        ("a-00001-of-00000.gguf", "a", ()),
    ],
)
def test_names_of_parts(name: str, model: str, parts: tuple[str, ...]) -> None:
    assert (model_id(name), parts_of(name)) == (model, parts)


def test_the_speed_is_smoothed_and_says_how_long_it_takes() -> None:
    now, seen = [0.0], list[Progress]()
    meter = Meter(seen.append, 10_000, lambda: now[0])
    meter.at(2_000)
    assert seen[-1].seconds_left is None
    for second in range(1, 6):
        now[0] = second
        meter.received(2_000 + 1_000 * second)
    assert seen[-1].bytes_per_second == pytest.approx(1_000)
    assert seen[-1].seconds_left == pytest.approx(3)
    now[0] = 6
    meter.received(7_000)
    assert 500 < seen[-1].bytes_per_second < 1_000, "one second without a byte slows it, and does not stop it"
