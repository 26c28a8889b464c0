"""The downloads of the app outlive their page: one after the other, paused, gone on with, cancelled, failed with a reason."""

import asyncio
import hashlib
import time
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from munin_app.errors import NotFound
from munin_app.library.catalog import Catalog, CatalogFile, ChatModelEntry
from munin_app.library.downloads import Download, Downloads
from munin_app.library.models import ModelLibrary
from munin_app.library.verify import sha256_of
from tests.library.command import CONTENT, DIGEST
from tests.library.server import Answer, Request, Server, file_answer, serving

HALF = len(CONTENT) // 2
OTHER = b"GGUF" + bytes(100_000)


def entry(name: str, address: str, content: bytes) -> ChatModelEntry:
    file = CatalogFile(f"{name}.gguf", hashlib.sha256(content).hexdigest(), len(content), f"{address}/{name}.gguf")
    return ChatModelEntry(name, name.upper(), "MIT", 4096, ("en",), "Tests.", (file,))


def honest(request: Request) -> Answer:
    return file_answer(request, CONTENT if request.path == "/m.gguf" else OTHER)


def stalling(request: Request) -> Answer:
    """Half of it, more than sockets hold back, and then nothing more comes."""
    answer = honest(request)
    return Answer(answer.status, answer.body, answer.headers, stall_after=HALF - request.start)


class Page:
    """What a page of the app hears."""

    def __init__(self) -> None:
        self.heard: list[Download] = []
        self._changed = asyncio.Condition()

    def tell(self, download: Download) -> None:
        self.heard.append(download)
        asyncio.get_running_loop().create_task(self._wake())

    async def _wake(self) -> None:
        async with self._changed:
            self._changed.notify_all()

    async def until(self, condition: Callable[[Download], object]) -> Download:
        async with asyncio.timeout(60), self._changed:
            await self._changed.wait_for(lambda: any(condition(download) for download in self.heard))
        return next(download for download in reversed(self.heard) if condition(download))

    def phases(self, model_id: str = "m") -> list[str]:
        """Neighbours that are alike count once."""
        phases = [download.phase for download in self.heard if download.entry.id == model_id]
        return [phase for number, phase in enumerate(phases) if not number or phase != phases[number - 1]]


@pytest.fixture
async def server() -> AsyncIterator[Server]:
    async with serving(honest) as served:
        yield served


@pytest.fixture
def page() -> Page:
    return Page()


@pytest.fixture
def library(server: Server, tmp_path: Path) -> ModelLibrary:
    catalog = Catalog((entry("m", server.address, CONTENT), entry("n", server.address, OTHER)))
    return ModelLibrary(catalog, tmp_path / "user", tmp_path / "starter")


@pytest.fixture
async def downloads(library: ModelLibrary, page: Page) -> AsyncIterator[Downloads]:
    downloads = Downloads(library, page.tell)
    yield downloads
    await downloads.close()


async def test_download_arrives_whole_and_is_no_longer_current(
    downloads: Downloads, library: ModelLibrary, page: Page, tmp_path: Path
) -> None:
    downloads.start("m")
    done = await page.until(lambda download: download.phase == "done")
    assert page.phases() == ["queued", "running", "done"]
    assert done.progress.received_bytes == len(CONTENT)
    assert downloads.current == ()
    assert sha256_of(tmp_path / "user" / "m.gguf") == DIGEST
    assert [model.id for model in await library.chat_models()] == ["m"]


async def test_what_the_catalogue_does_not_know_is_not_begun(downloads: Downloads) -> None:
    with pytest.raises(NotFound):
        downloads.start("../m")
    assert downloads.current == ()


async def test_paused_download_goes_on_from_where_it_was(
    downloads: Downloads, page: Page, server: Server, tmp_path: Path
) -> None:
    server.handler = stalling
    downloads.start("m")
    await server.stalled.wait()
    await downloads.pause("m")
    (paused,) = downloads.current
    assert paused.phase == "paused"
    kept = (tmp_path / "user" / "m.gguf.part").stat().st_size
    server.handler = honest
    downloads.start("m")
    await page.until(lambda download: download.phase == "done")
    assert server.requests[-1].start == kept > 0
    assert sha256_of(tmp_path / "user" / "m.gguf") == DIGEST


async def test_partial_download_is_offered_and_gone_on_with_after_a_restart(
    library: ModelLibrary, page: Page, server: Server, tmp_path: Path
) -> None:
    server.handler = stalling
    first = Downloads(library, page.tell)
    first.start("m")
    await server.stalled.wait()
    await first.close()
    offers = {offer.entry.id: offer.arrived_bytes for offer in await library.offered()}
    assert offers["m"] > 0
    server.handler = honest
    second = Downloads(library, page.tell)
    second.start("m")
    await page.until(lambda download: download.phase == "done")
    assert server.requests[-1].start == offers["m"]


async def test_cancelled_download_leaves_nothing_behind(downloads: Downloads, page: Page, server: Server, tmp_path: Path) -> None:
    server.handler = stalling
    downloads.start("m")
    await server.stalled.wait()
    freed = await downloads.cancel("m")
    assert 0 < freed <= HALF
    assert page.phases() == ["queued", "running", "cancelled"]
    assert downloads.current == () and list((tmp_path / "user").iterdir()) == []


async def test_what_an_earlier_run_left_is_cancelled_too(
    library: ModelLibrary, downloads: Downloads, page: Page, server: Server, tmp_path: Path
) -> None:
    server.handler = stalling
    other = Downloads(library, page.tell)
    other.start("m")
    await server.stalled.wait()
    await other.close()
    assert await downloads.cancel("m") > 0
    assert list((tmp_path / "user").iterdir()) == []


async def test_cancelling_a_download_that_has_ended_meanwhile_keeps_the_model(
    downloads: Downloads, page: Page, tmp_path: Path
) -> None:
    downloads.start("m")
    await page.until(lambda download: download.phase == "done")
    assert await downloads.cancel("m") == 0
    assert (tmp_path / "user" / "m.gguf").exists()


async def test_second_download_waits_for_the_first(downloads: Downloads, page: Page, server: Server) -> None:
    server.handler = stalling
    downloads.start("m")
    downloads.start("n")
    downloads.start("n")
    await server.stalled.wait()
    assert [download.phase for download in downloads.current][1] == "queued"
    assert [request.path for request in server.requests] == ["/m.gguf"]
    server.handler = honest
    await downloads.cancel("m")
    await page.until(lambda download: download.phase == "done" and download.entry.id == "n")
    assert [request.path for request in server.requests] == ["/m.gguf", "/n.gguf"]


async def test_queued_download_can_be_paused(downloads: Downloads, page: Page, server: Server) -> None:
    server.handler = stalling
    downloads.start("m")
    downloads.start("n")
    await server.stalled.wait()
    await downloads.pause("n")
    assert page.phases("n") == ["queued", "paused"]


async def test_wrong_bytes_end_in_a_sentence_and_can_be_tried_again(
    downloads: Downloads, library: ModelLibrary, page: Page, server: Server
) -> None:
    server.handler = lambda request: file_answer(request, CONTENT[:-1] + b"?")
    downloads.start("m")
    failed = await page.until(lambda download: download.phase == "failed")
    assert "arrived damaged" in failed.error and downloads.current == (failed,)
    assert await library.chat_models() == []
    server.handler = honest
    downloads.start("m")
    await page.until(lambda download: download.phase == "done")


async def test_progress_is_told_five_times_a_second_at_most(downloads: Downloads, page: Page) -> None:
    began = time.monotonic()
    downloads.start("m")
    await page.until(lambda download: download.phase == "done")
    assert sum(download.phase == "running" for download in page.heard) <= 1 + 5 * (time.monotonic() - began)
