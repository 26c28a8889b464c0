"""Forgetting leaves nothing: no row, no byte, no late return."""

import asyncio
import contextlib
import threading
from pathlib import Path

import apsw
import pytest

from munin_app.memory import EncoderManifest, MemoryService
from munin_app.memory.encoder import OnnxEmbedder
from munin_app.memory.hashing import HashEmbedder
from tests.model.memory.conftest import Build, said

SECRET = "The zanzibarite password is quokkafish"
STEMS = [b"zanzibarit", b"quokkafish"]


def on_disk(path: Path) -> bytes:
    return b"".join(file.read_bytes() for file in path.parent.iterdir() if file.is_file())


@pytest.mark.parametrize("everything", [True, False])
async def test_no_byte_of_text_terms_or_vector_is_left(
    real: MemoryService, encoder: OnnxEmbedder, path: Path, everything: bool
) -> None:
    for number in range(24):
        await real.remember(said(f"Note number {number} about the garden and the harbour"))
        if number == 12:
            await real.remember(said(SECRET, id="secret"))
    vector = encoder.embed_documents([SECRET])[0].tobytes()
    traces = [SECRET.encode(), *STEMS, vector, vector[:64]]
    before = on_disk(path)
    assert all(trace in before for trace in traces)
    report = await (real.forget_all() if everything else real.forget_messages(["secret"]))
    assert (report.removed, report.failures) == (25 if everything else 1, ())
    after = on_disk(path)
    assert not any(trace in after for trace in traces)
    assert await real.count() == (0 if everything else 24)


async def test_forgotten_is_found_by_no_arm(real: MemoryService) -> None:
    await real.remember(said(SECRET, id="secret"))
    await real.remember(said("My dog Bruno is a beagle"))
    await real.forget_messages(["secret", "unknown"])
    for threshold in (None, -1.0):
        found = (await real.recall("zanzibarite quokkafish password", threshold=threshold)).results
        assert "secret" not in [result.memory.message_id for result in found]
    assert await real.remember(said("still works"))


class Gate(HashEmbedder):
    """Holds the encoder's thread at a message until it is let go."""

    def __init__(self, manifest: EncoderManifest, reached: threading.Event, go: threading.Event) -> None:
        super().__init__(manifest)
        self.reached, self.go = reached, go

    def token_spans(self, text: str) -> list[tuple[int, int]]:
        if "held" in text:
            self.reached.set()
            self.go.wait(60)
        return list(super().token_spans(text))


@pytest.mark.parametrize("everything", [True, False])
async def test_a_message_forgotten_while_it_is_being_remembered_stays_away(build: Build, everything: bool) -> None:
    reached, go = threading.Event(), threading.Event()
    service = build(load_encoder=lambda manifest: Gate(manifest, reached, go))
    remembering = asyncio.create_task(service.remember(said("held kayak", id="m")))
    queued = asyncio.create_task(service.remember(said("queued sauna", id="n")))
    await asyncio.to_thread(reached.wait, 60)
    report = await (service.forget_all() if everything else service.forget_messages(["m", "n"]))
    go.set()
    assert await asyncio.gather(remembering, queued) == [False, False]
    assert report.failures == ()
    assert await service.indexed_ids() == set()


async def test_what_is_remembered_after_a_wipe_began_stays(build: Build) -> None:
    service = build()
    await service.remember(said("old", id="old"))
    _, stored = await asyncio.gather(service.forget_all(), service.remember(said("new", id="new")))
    assert stored
    assert await service.indexed_ids() == {"new"}


async def test_set_aside_copies_go_with_any_forgetting(build: Build, path: Path) -> None:
    path.write_bytes(b"not a database " * 1000)
    service = build()
    await service.warm_up()
    copy = service.set_aside
    assert copy is not None and copy.exists()
    assert (await service.forget_messages(["unknown"])).failures == ()
    assert not copy.exists()
    assert service.set_aside is None


async def test_a_reader_that_keeps_traces_alive_is_reported(build: Build, path: Path) -> None:
    service = build()
    await service.remember(said(SECRET, id="secret"))
    assert service._database is not None
    await service._database.read(lambda connection: connection.set_busy_timeout(20))
    reader = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
    with contextlib.closing(reader), reader:
        reader.execute("SELECT * FROM chunk").fetchone()
        report = await service.forget_messages(["secret"])
    assert report.removed == 1
    assert "traces stay" in report.failures[0]
    assert (await service.forget_messages([])).failures == ()
    assert STEMS[0] not in on_disk(path)


async def test_forgetting_reports_what_it_cannot_do(build: Build, path: Path) -> None:
    writer = build()
    await writer.remember(said(SECRET, id="secret"))
    reader = build(read_only=True)
    report = await reader.forget_messages(["secret"])
    assert report.removed == 0
    assert "still holds" in report.failures[0]
    await writer.close()
    assert "still holds" in (await writer.forget_all()).failures[0]
