"""An encoder is one download of several files: resumed where it was, checked file by file, there only when whole."""

import hashlib
import random
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from munin_app.library.catalog import Catalog, CatalogFile, EncoderEntry
from munin_app.library.downloads import Downloads
from munin_app.library.models import ModelLibrary
from tests.library.server import Answer, Request, Server, file_answer, serving
from tests.library.test_downloads import Page

GRAPH, TOKENIZER = random.Random(3).randbytes(9_000_000), random.Random(4).randbytes(9_000_000)
CONTENTS = {"/model.onnx": GRAPH, "/tokenizer.json": TOKENIZER}


def honest(request: Request) -> Answer:
    return file_answer(request, CONTENTS[request.path])


def second_stalls(request: Request) -> Answer:
    answer = honest(request)
    return Answer(
        answer.status, answer.body, answer.headers, stall_after=6_000_000 if request.path == "/tokenizer.json" else None
    )


def second_is_wrong(request: Request) -> Answer:
    return file_answer(request, TOKENIZER[:-1] + b"?" if request.path == "/tokenizer.json" else GRAPH)


@pytest.fixture
async def server() -> AsyncIterator[Server]:
    async with serving(honest) as served:
        yield served


@pytest.fixture
def library(server: Server, tmp_path: Path) -> ModelLibrary:
    files = tuple(
        CatalogFile(path[1:], hashlib.sha256(content).hexdigest(), len(content), server.address + path)
        for path, content in CONTENTS.items()
    )
    entry = EncoderEntry("e", "E", "folder", "MIT", ("en",), 384, 128, "mean", "", "", files)
    return ModelLibrary(Catalog(encoder=(entry,)), tmp_path / "user", tmp_path / "starter")


@pytest.fixture
def page() -> Page:
    return Page()


@pytest.fixture
async def downloads(library: ModelLibrary, page: Page) -> AsyncIterator[Downloads]:
    downloads = Downloads(library, page.tell)
    yield downloads
    await downloads.close()


async def test_what_arrived_of_any_file_is_not_fetched_again(
    downloads: Downloads, library: ModelLibrary, page: Page, server: Server, tmp_path: Path
) -> None:
    server.handler = second_stalls
    downloads.start("e")
    await server.stalled.wait()
    await downloads.pause("e")
    assert await library.encoders() == [], "half of it is none"
    server.handler = honest
    downloads.start("e")
    done = await page.until(lambda download: download.phase == "done")
    assert done.progress.received_bytes == len(GRAPH) + len(TOKENIZER)
    assert [request.path for request in server.requests] == ["/model.onnx", "/tokenizer.json", "/tokenizer.json"]
    assert server.requests[-1].start > 0
    (encoder,) = await library.encoders()
    assert encoder.path == tmp_path / "user" / "folder"
    assert {path.name: path.read_bytes() for path in encoder.path.iterdir()} == {p[1:]: c for p, c in CONTENTS.items()}


async def test_a_wrong_file_makes_no_encoder(downloads: Downloads, library: ModelLibrary, page: Page, server: Server) -> None:
    server.handler = second_is_wrong
    downloads.start("e")
    failed = await page.until(lambda download: download.phase == "failed")
    assert "tokenizer.json" in failed.error
    assert await library.encoders() == []
    server.handler = honest
    downloads.start("e")
    await page.until(lambda download: download.phase == "done")
    assert [request.path for request in server.requests].count("/model.onnx") == 1


async def test_cancelling_deletes_every_file(downloads: Downloads, page: Page, server: Server, tmp_path: Path) -> None:
    server.handler = second_stalls
    downloads.start("e")
    await server.stalled.wait()
    assert await downloads.cancel("e") > len(GRAPH)
    assert list((tmp_path / "user").iterdir()) == []
