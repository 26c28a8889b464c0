"""Memory never breaks chat: each arm can be missing, and says so."""

import asyncio
import dataclasses
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import apsw
import numpy as np
import pytest
from numpy.typing import NDArray

from munin_app.domain.memories import ArmState
from munin_app.memory import EncoderManifest, MemoryService
from munin_app.memory.encoder import OnnxEmbedder
from munin_app.memory.hashing import HashEmbedder
from tests.model.memory.conftest import HASHING, Build, said


async def states(service: MemoryService) -> dict[str, ArmState]:
    return {arm.name: arm.state for arm in await service.status()}


async def found(service: MemoryService, query: str) -> list[str]:
    return [result.memory.text for result in (await service.recall(query)).results]


async def works_with_nothing(service: MemoryService) -> None:
    await service.warm_up()
    assert not await service.remember(said("kayak"))
    assert (await service.recall("kayak")).results == ()
    assert (await service.count(), await service.browse(), await service.indexed_ids()) == (0, (), set())


async def test_nothing_loads_before_the_first_use(build: Build, path: Path) -> None:
    service = build()
    assert set((await states(service)).values()) == {ArmState.NOT_LOADED}
    assert not path.exists()
    await service.warm_up()
    assert set((await states(service)).values()) == {ArmState.READY}
    assert list(await states(service)) == ["encoder", "vectors", "words", "database"]


async def test_an_encoder_folder_without_its_tokenizer_leaves_the_words(
    build: Build, manifest: EncoderManifest, tmp_path: Path
) -> None:
    shutil.copy(manifest.folder / "model.onnx", tmp_path)
    service = build(dataclasses.replace(manifest, folder=tmp_path), load_encoder=OnnxEmbedder)
    assert await service.remember(said("My dog Bruno is a beagle"))
    assert await service.remember(said("I parked in the garage"))
    assert await found(service, "What is my dog called?") == ["My dog Bruno is a beagle"]
    status = {arm.name: arm for arm in await service.status()}
    assert (status["encoder"].state, status["vectors"].state) == (ArmState.OFF, ArmState.OFF)
    assert "no tokenizer.json" in status["encoder"].detail
    assert (await service.recall("dog")).results[0].similarity is None


async def test_any_error_of_an_encoder_leaves_the_words(build: Build) -> None:
    def explode(_: EncoderManifest) -> HashEmbedder:
        raise MemoryError

    service = build(load_encoder=explode)
    assert await service.remember(said("kayak trip"))
    assert await found(service, "kayak") == ["kayak trip"]


async def test_vectors_that_were_missed_are_made_up_for(build: Build) -> None:
    without = build(None)
    for number in range(5):
        await without.remember(said(f"kayak trip {number}"))
    await without.close()
    service = build()
    await service.back_filled()
    assert (await states(service))["vectors"] is ArmState.READY
    assert all(result.similarity is not None for result in (await service.recall("kayak")).results)


class Flaky(HashEmbedder):
    """Fails once at each text."""

    def __init__(self, manifest: EncoderManifest) -> None:
        super().__init__(manifest)
        self.seen: set[str] = set()

    def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        if texts[0] not in self.seen:
            self.seen.add(texts[0])
            raise RuntimeError
        return super().embed_documents(texts)


async def test_one_vector_that_fails_costs_only_that_vector(build: Build) -> None:
    service = build(load_encoder=Flaky)
    assert await service.remember(said("kayak trip"))
    assert (await states(service))["vectors"] is ArmState.BEHIND
    assert await found(service, "kayak") == ["kayak trip"]
    await service.close()
    again = build()
    await again.back_filled()
    assert (await states(again))["vectors"] is ArmState.READY


async def test_another_encoder_makes_all_vectors_again(build: Build, path: Path) -> None:
    first = build()
    await first.remember(said("kayak trip"))
    await first.close()
    second = build(dataclasses.replace(HASHING, id="other", dimension=32))
    await second.back_filled()
    assert (await second.recall("kayak")).results[0].similarity is not None
    await second.close()
    connection = apsw.Connection(str(path))
    assert connection.execute("SELECT DISTINCT length(embedding) FROM chunk").fetchall() == [(32 * 4,)]
    assert dict(connection.execute("SELECT key, value FROM meta")) == {"encoder": "other", "dimension": "32"}
    connection.close()


async def test_random_bytes_are_set_aside_and_a_fresh_database_is_made(build: Build, path: Path) -> None:
    noise = os.urandom(20_000)
    path.write_bytes(noise)
    service = build()
    assert await service.remember(said("kayak trip"))
    assert await found(service, "kayak") == ["kayak trip"]
    assert service.set_aside is not None
    assert service.set_aside.name.startswith("munin_memory.db.damaged-")
    assert service.set_aside.read_bytes() == noise
    assert str(service.set_aside) in {arm.name: arm.detail for arm in await service.status()}["database"]
    await service.close()
    later = build()
    await later.warm_up()
    assert later.set_aside == service.set_aside


async def test_a_database_that_is_damaged_inside_is_set_aside(build: Build, path: Path) -> None:
    first = build()
    for number in range(200):
        await first.remember(said(f"kayak trip {number}"))
    await first.close()
    content = path.read_bytes()
    path.write_bytes(content[:4096] + os.urandom(len(content) - 4096))
    service = build()
    assert await service.remember(said("sauna"))
    assert service.set_aside is not None


async def test_a_newer_database_is_left_untouched_and_memory_does_nothing(build: Build, path: Path) -> None:
    connection = apsw.Connection(str(path))
    connection.pragma("user_version", 99)
    connection.execute("CREATE TABLE treasure (x)")
    connection.close()
    before = path.read_bytes()
    service = build()
    await works_with_nothing(service)
    status = {arm.name: arm for arm in await service.status()}
    assert status["database"].state is ArmState.OFF
    assert "newer Munin" in status["database"].detail
    assert "newer Munin" in (await service.forget_all()).failures[0]
    assert service.set_aside is None
    connection = apsw.Connection(str(path))
    assert connection.execute("SELECT count(*) FROM treasure").fetchall() == [(0,)]
    connection.close()
    assert path.read_bytes()[96:] == before[96:]


@pytest.mark.parametrize("place", ["missing/munin_memory.db", "."])
async def test_a_database_that_cannot_be_made_leaves_a_service_that_does_nothing(tmp_path: Path, place: str) -> None:
    service = MemoryService(tmp_path / place, HASHING, load_encoder=HashEmbedder)
    await works_with_nothing(service)
    assert (await states(service))["database"] is ArmState.OFF
    await service.close()


async def test_a_closed_service_does_nothing(build: Build) -> None:
    service = build()
    await service.remember(said("kayak"))
    await service.close()
    await service.close()
    await works_with_nothing(service)
    assert set((await states(service)).values()) == {ArmState.OFF}


async def test_a_connection_that_dies_is_survived_and_told(build: Build) -> None:
    service = build()
    await service.remember(said("kayak", id="m"))
    assert service._database is not None
    await service._database.read(lambda connection: connection.close())
    assert not await service.remember(said("sauna"))
    assert (await service.recall("kayak")).results == ()
    assert (await service.forget_messages(["m"])).failures
    assert (await states(service))["database"] is ArmState.BEHIND


async def test_a_full_disk_refuses_one_message_and_says_so(build: Build) -> None:
    service = build()
    await service.remember(said("kayak"))
    assert service._database is not None
    pages = await service._database.read(lambda connection: connection.pragma("page_count"))
    await service._database.read(lambda connection: connection.pragma("max_page_count", pages))
    assert not await service.remember(said("word " * 20_000))
    assert (await states(service))["database"] is ArmState.BEHIND
    assert await found(service, "kayak trip") == ["kayak"]


async def test_reading_works_beside_an_open_app_in_another_process(build: Build, path: Path) -> None:
    app = build()
    await app.remember(said("kayak trip"))
    script = (
        "import asyncio, sys\nfrom pathlib import Path\n"
        "from munin_app.memory import EncoderManifest, MemoryService\nfrom munin_app.memory.hashing import HashEmbedder\n"
        "async def main():\n"
        "    manifest = EncoderManifest('hashing', Path(), 1024)\n"
        "    memory = MemoryService(Path(sys.argv[1]), manifest, read_only=True, load_encoder=HashEmbedder)\n"
        "    outcome = await memory.recall('kayak')\n"
        "    found = [(result.memory.text, result.similarity is not None) for result in outcome.results]\n"
        "    print(found, await memory.count())\n"
        "    await memory.close()\n"
        "asyncio.run(main())\n"
    )
    done = await asyncio.to_thread(
        subprocess.run, [sys.executable, "-c", script, str(path)], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.stdout.strip() == "[('kayak trip', True)] 1", done.stderr
    assert await app.remember(said("sauna"))


async def test_reading_only_writes_nothing_and_makes_no_file(build: Build, path: Path) -> None:
    reader = build(read_only=True)
    await works_with_nothing(reader)
    assert not path.exists()
    writer = build()
    await writer.remember(said("kayak trip"))
    await writer.close()
    alone = build(read_only=True)
    assert not await alone.remember(said("sauna"))
    assert await found(alone, "kayak") == ["kayak trip"]
    other = build(dataclasses.replace(HASHING, id="other"), read_only=True)
    assert (await other.recall("kayak")).results[0].similarity is None
    assert (await states(other))["vectors"] is ArmState.OFF


async def test_no_log_holds_what_was_said_or_asked(build: Build, path: Path, caplog: pytest.LogCaptureFixture) -> None:
    service = build(load_encoder=Flaky)
    await service.remember(said("zanzibarite"))
    assert service._database is not None
    await service._database.read(lambda connection: connection.execute("DROP TABLE word"))
    await service.recall('zanzibarite "')
    assert await service.remember(said("zanzibarite again"))
    assert caplog.records
    assert "zanzibarite" not in caplog.text


async def test_without_a_word_index_meaning_still_finds(real: MemoryService) -> None:
    await real.remember(said("My dog Bruno is a beagle"))
    await real.remember(said("I parked in the garage"))
    assert real._database is not None
    await real._database.write(lambda connection: connection.execute("DROP TABLE word"))
    assert (await found(real, "What is my dog called?"))[0] == "My dog Bruno is a beagle"
    (words,) = [arm for arm in await real.status() if arm.name == "words"]
    assert words.state is ArmState.OFF
    assert "damaged" in words.detail
