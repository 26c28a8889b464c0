"""Memory's encoder in the window: downloaded in several files, chosen after a dialog, gone back from, added from a folder."""

import hashlib
import json
from collections.abc import AsyncIterator
from pathlib import Path

import flet as ft
import pytest

from munin_app.bootstrap import Munin
from munin_app.domain.ids import new_id
from munin_app.domain.messages import Message, Role
from munin_app.errors import EncoderError
from munin_app.inference.scripted import ScriptedChatModel
from munin_app.memory import EncoderManifest, MemoryService, TextEncoder
from munin_app.memory.hashing import HashEmbedder
from munin_app.memory.making import BATCH
from munin_app.paths import memory_database
from tests.library.server import Answer, Request, Server, file_answer, serving
from tests.model.memory.test_reembedding import Stepping
from tests.ui.harness import OpenPage

FILES = {"/model.onnx": b"graph" * 2_400_000, "/tokenizer.json": b"{}" * 1000}
STARTER = EncoderManifest("all-MiniLM-L6-v2-int8", Path("nowhere"), 384)
REMEMBERED = 3 * BATCH
ENTRY = """version = 1
[[encoder]]
id = "far"
name = "Far Encoder"
folder = "far"
licence = "MIT"
languages = ["en", "de"]
good_for = "Telling encoders apart."
dimension = 64
max_tokens = 128
pooling = "mean"
query_prefix = ""
document_prefix = ""
"""
FILE = """
[[encoder.files]]
file = "{name}"
address = "{address}/{name}"
sha256 = "{sha256}"
size_bytes = {size}
"""


def honest(request: Request) -> Answer:
    return file_answer(request, FILES[request.path])


def half(request: Request) -> Answer:
    answer = honest(request)
    return Answer(answer.status, answer.body, answer.headers, stall_after=len(answer.body) // 2)


@pytest.fixture
async def server() -> AsyncIterator[Server]:
    async with serving(honest) as served:
        yield served


@pytest.fixture
def held() -> Stepping:
    return Stepping(EncoderManifest("far", Path(), 64), BATCH + 1)


@pytest.fixture
async def munin(home: Path, server: Server, held: Stepping) -> AsyncIterator[Munin]:
    """The starter's encoder and what it remembers, and another one to be had."""
    home.mkdir()
    files = [
        FILE.format(name=path[1:], address=server.address, sha256=hashlib.sha256(content).hexdigest(), size=len(content))
        for path, content in FILES.items()
    ]
    (home / "catalog.toml").write_text(ENTRY + "".join(files))

    def load(manifest: EncoderManifest) -> TextEncoder:
        if manifest.id == "broken":
            raise EncoderError("The encoder broken cannot be run. Choose another.")
        return held if manifest.id == "far" else HashEmbedder(manifest)

    memory = MemoryService(memory_database(), STARTER, load_encoder=load)
    async with await Munin.start(make_model=lambda *_: ScriptedChatModel(["All right."]), memory=memory) as munin:
        for number in range(REMEMBERED):
            assert await memory.remember(Message(new_id(), "c", None, Role.USER, f"kayak{number} lake{number}", number))
        yield munin
        held.go.set()


@pytest.fixture
async def page(munin: Munin) -> AsyncIterator[OpenPage]:
    async with OpenPage(munin) as page:
        page.session.go("models")
        await page.until(lambda: page.has("Memory encoder") and page.session.settings.models.judgements)
        yield page


async def downloaded(page: OpenPage) -> None:
    await page.click("Download Far Encoder")
    await page.until(lambda: page.has("Far Encoder is here."))
    await page.until(lambda: any(encoder.id == "far" for encoder in page.session.encoders.state.entries))


async def chosen(page: OpenPage) -> None:
    await downloaded(page)
    await page.click("Use Far Encoder")
    await page.until(lambda: page.has("Use Far Encoder for memory?"))
    await page.press("Use it")


async def test_each_says_what_it_is_good_for_and_what_it_takes(page: OpenPage) -> None:
    assert page.has("Telling encoders apart.") and page.has("12 MB · MIT · English, German")
    assert page.has("of memory beside the model") and page.has("Bar not measured")
    assert page.has("Multilingual MiniLM L12, 8-bit")
    assert page.session.encoders.state.in_use == STARTER.id


async def test_its_files_are_one_download_that_goes_on_where_it_was(page: OpenPage, munin: Munin, server: Server) -> None:
    server.handler = half
    await page.click("Download Far Encoder")
    await server.stalled.wait()
    await page.click("Pause Far Encoder")
    await page.until(lambda: page.has("Paused"))
    server.handler = honest
    await page.click("Resume Far Encoder")
    await page.until(lambda: page.has("Far Encoder is here."))
    assert [request.path for request in server.requests] == ["/model.onnx", "/model.onnx", "/tokenizer.json"]
    assert 0 < server.requests[1].start < len(FILES["/model.onnx"])
    found = await munin.library.find_encoder("far")
    assert found and (found.path / "model.onnx").read_bytes() == FILES["/model.onnx"]
    assert munin.settings.encoder == "" and munin.memory.encoder == STARTER, "it is here, and not in use"


async def test_nothing_happens_before_the_dialog_is_answered(page: OpenPage, munin: Munin) -> None:
    await downloaded(page)
    await page.click("Use Far Encoder")
    await page.until(lambda: page.has(f"{REMEMBERED} remembered messages ({REMEMBERED} parts) are read again"))
    assert page.has("How long that takes is not known") and page.has("you can go back while it runs")
    assert page.has("was not measured for it")
    assert munin.memory.encoder == STARTER


async def test_progress_is_shown_and_going_back_makes_nothing_again(page: OpenPage, munin: Munin, held: Stepping) -> None:
    await chosen(page)
    await page.until(lambda: page.has(f"{BATCH} of {REMEMBERED} parts are read"))
    assert page.has("Far Encoder reads what is remembered") and munin.settings.encoder == "far"
    held.go.set()
    await page.click("Go back to all-MiniLM-L6-v2, 8-bit: what it read is still there")
    await page.until(lambda: munin.settings.encoder == "")
    await page.until(lambda: not page.has("parts are read"))
    progress = await munin.memory.vector_progress()
    assert (progress.made, progress.former) == (REMEMBERED, "")


async def test_when_all_is_read_the_progress_goes(page: OpenPage, munin: Munin, held: Stepping) -> None:
    held.go.set()
    await chosen(page)
    await munin.memory.back_filled()
    await page.until(lambda: page.session.encoders.state.in_use == "far" and not page.has("parts are read"))
    assert page.named("Use all-MiniLM-L6-v2, 8-bit")


async def test_removing_the_one_in_use_goes_back_to_the_starters(page: OpenPage, munin: Munin, held: Stepping) -> None:
    held.go.set()
    await chosen(page)
    await page.until(lambda: munin.settings.encoder == "far")
    await page.until(lambda: not page.session.encoders.state.switching)
    (far,) = [encoder for encoder in page.session.encoders.state.entries if encoder.id == "far"]
    await page.session.library.remove_encoder(far)
    await page.until(lambda: page.has("the starter's takes its place"))
    await page.press("Remove")
    await page.until(lambda: page.has("Far Encoder is removed; 12 MB are free again."))
    assert munin.settings.encoder == "" and munin.memory.encoder and munin.memory.encoder.id == STARTER.id
    await page.until(lambda: page.named("Download Far Encoder"))


async def test_a_folder_is_added_by_its_path_and_one_that_is_none_is_refused(page: OpenPage, tmp_path: Path) -> None:
    field = page.one(ft.TextField, hint_text="Path of an encoder's folder")
    await page.fire(field, "change", str(tmp_path), value=str(tmp_path))
    await page.press("Add encoder")
    await page.until(lambda: page.has("is no encoder that Munin can use"))
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "model.onnx").write_bytes(b"graph")
    (tmp_path / "mine" / "tokenizer.json").write_text("{}")
    (tmp_path / "mine" / "config.json").write_text(json.dumps({"hidden_size": 32}))
    page.session.encoders.set_path(str(tmp_path / "mine"))
    await page.session.encoders.add()
    await page.until(lambda: page.has("mine is in the list.") and page.has("linked"))
    assert page.has("it is assumed that it gives vectors by their mean and it reads 256 tokens")


async def test_one_that_cannot_be_loaded_leaves_the_old_one_in_use(page: OpenPage, munin: Munin, tmp_path: Path) -> None:
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "model.onnx").write_bytes(b"graph")
    (tmp_path / "broken" / "tokenizer.json").write_text("{}")
    (tmp_path / "broken" / "config.json").write_text(json.dumps({"hidden_size": 32}))
    await munin.library.add_encoder(tmp_path / "broken")
    await page.session.encoders.use("broken")
    await page.until(lambda: page.has("The encoder broken cannot be run."))
    assert munin.settings.encoder == "" and munin.memory.encoder == STARTER
