"""Switching the encoder while Munin runs: back again without making vectors twice, across kills, nothing out of reach."""

import asyncio
import dataclasses
from pathlib import Path

import apsw
import pytest

from munin_app.domain.memories import VectorProgress
from munin_app.errors import EncoderError
from munin_app.memory import EncoderManifest, MemoryService
from munin_app.memory.encoder_host import EncoderHost
from munin_app.memory.hashing import HashEmbedder
from munin_app.memory.making import BATCH
from tests.model.memory.conftest import HASHING, Build, said
from tests.model.memory.test_reembedding import MESSAGES, SAME_SIZE, SECOND, Stepping, embed, embedded, remembered, text

__all__ = ["remembered"]

SHORT = dataclasses.replace(HASHING, id="short", dimension=64, max_tokens=34)


class Counting(HashEmbedder):
    made = 0

    def embed_documents(self, texts):  # type: ignore[no-untyped-def]
        type(self).made += len(texts)
        return super().embed_documents(texts)


@pytest.fixture(autouse=True)
def _none_made() -> None:
    Counting.made = 0


def former(path: Path) -> int:
    connection = apsw.Connection(str(path))
    count = connection.execute("SELECT count(*) FROM chunk WHERE former IS NOT NULL").get
    connection.close()
    return int(count)


async def similarity(service: MemoryService, number: int) -> float | None:
    return (await service.recall(text(number), 1, -1.0)).results[0].similarity


@pytest.mark.usefixtures("remembered")
@pytest.mark.parametrize("other", [SECOND, SAME_SIZE], ids=["another size", "the same size"])
async def test_another_encoder_takes_over_while_memory_is_open(build: Build, path: Path, other: EncoderManifest) -> None:
    service = build(load_encoder=Counting)
    await service.back_filled()
    await service.use_encoder(other)
    await service.back_filled()
    assert Counting.made == MESSAGES
    assert embedded(path) == {text(number): other.dimension * 4 for number in range(MESSAGES)}
    assert await service.vector_progress() == VectorProgress(MESSAGES, MESSAGES)
    assert former(path) == 0, "when all are made the former ones take no space"
    assert await similarity(service, 7) == pytest.approx(1.0, abs=0.01)
    assert await service.remember(said("a later message", id="later"))
    assert embedded(path)["a later message"] == other.dimension * 4


@pytest.mark.usefixtures("remembered")
@pytest.mark.parametrize("other", [SECOND, SAME_SIZE], ids=["another size", "the same size"])
async def test_going_back_while_it_runs_makes_nothing_again(build: Build, path: Path, other: EncoderManifest) -> None:
    held = Stepping(other, 2 * BATCH + 1)
    service = build(load_encoder=lambda manifest: held if manifest.id == other.id else Counting(manifest))
    await service.use_encoder(other)
    assert await asyncio.to_thread(held.reached.wait, 60)
    progress = await service.vector_progress()
    assert (progress.made, progress.total, progress.former) == (2 * BATCH, MESSAGES, HASHING.id)
    assert progress.per_second > 0
    held.go.set()
    await service.use_encoder(HASHING)
    await service.back_filled()
    assert Counting.made == 0
    assert embedded(path) == {text(number): HASHING.dimension * 4 for number in range(MESSAGES)}
    assert await service.vector_progress() == VectorProgress(MESSAGES, MESSAGES)
    assert await similarity(service, 0) == pytest.approx(1.0, abs=0.01)


@pytest.mark.usefixtures("remembered")
async def test_what_was_remembered_meanwhile_is_made_for_the_former_one_too(build: Build, path: Path) -> None:
    held = Stepping(SECOND, BATCH)
    service = build(load_encoder=lambda manifest: held if manifest.id == SECOND.id else Counting(manifest))
    await service.use_encoder(SECOND)
    assert await asyncio.to_thread(held.reached.wait, 60)
    saying = asyncio.create_task(service.remember(said("said meanwhile", id="meanwhile")))
    held.go.set()
    assert await saying
    await service.use_encoder(HASHING)
    await service.back_filled()
    assert Counting.made == 1
    assert len(embedded(path)) == MESSAGES + 1 and set(embedded(path).values()) == {HASHING.dimension * 4}


@pytest.mark.usefixtures("remembered")
async def test_killed_half_way_going_back_makes_nothing_again(path: Path) -> None:
    assert len(embed(path, SECOND, kill_after=MESSAGES // 2)) == MESSAGES // 2
    assert former(path) == MESSAGES
    assert embed(path, HASHING) == []
    assert embedded(path) == {text(number): HASHING.dimension * 4 for number in range(MESSAGES)}
    assert former(path) == 0


@pytest.mark.usefixtures("remembered")
async def test_one_that_cannot_be_loaded_changes_nothing(build: Build, path: Path) -> None:
    def load(manifest: EncoderManifest) -> HashEmbedder:
        if manifest.id == SECOND.id:
            raise EncoderError("It is damaged. Choose another.")
        return Counting(manifest)

    service = build(load_encoder=load)
    await service.back_filled()
    with pytest.raises(EncoderError, match="damaged"):
        await service.use_encoder(SECOND)
    assert await similarity(service, 3) == pytest.approx(1.0, abs=0.01)
    assert (Counting.made, former(path)) == (0, 0)


@pytest.mark.usefixtures("remembered")
async def test_forgetting_takes_the_former_vectors_along(build: Build, path: Path) -> None:
    held = Stepping(SECOND, 2)
    service = build(load_encoder=lambda manifest: held if manifest.id == SECOND.id else HashEmbedder(manifest))
    await service.use_encoder(SECOND)
    assert await asyncio.to_thread(held.reached.wait, 60)
    await service.forget_messages([f"m{number}" for number in range(MESSAGES - 1)])
    assert former(path) == 1
    held.go.set()


async def test_an_encoder_that_reads_less_has_long_texts_cut_anew(build: Build, path: Path) -> None:
    first, words = build(), [f"word{number}" for number in range(300)]
    assert await first.remember(said(" ".join(words), id="long"))
    before = len(embedded(path))
    await first.use_encoder(SHORT)
    await first.back_filled()
    host = EncoderHost(SHORT, HashEmbedder)
    await host.load()
    parts = embedded(path)
    assert len(parts) > before
    for part in parts:
        assert await host.readable(part) == [part], "nothing of it is cut off unread"
    await host.close()
    assert {word for part in parts for word in part.split()} == set(words)
    connection = apsw.Connection(str(path))
    texts = [row[0] for row in connection.execute("SELECT text FROM chunk WHERE message_id = 'long' ORDER BY n")]
    numbers = [row[0] for row in connection.execute("SELECT n FROM chunk WHERE message_id = 'long' ORDER BY n")]
    connection.close()
    assert numbers == list(range(len(texts)))
    firsts = [words.index(part.split()[0]) for part in texts]
    assert firsts == sorted(firsts), "in the order of the message"
    assert (await first.recall("word299", 1)).results[0].memory.message_id == "long"
    assert (await first.forget_messages(["long"])).removed == 1
    assert not (await first.recall("word299", 1)).results
