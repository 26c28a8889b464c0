"""Another encoder: its vectors are made in the background, with progress, across kills, while search goes on."""

import asyncio
import dataclasses
import itertools
import subprocess
import sys
import threading
from collections.abc import Sequence
from pathlib import Path

import apsw
import numpy as np
import pytest
from numpy.typing import NDArray

from munin_app.domain.events import VectorsMade
from munin_app.domain.memories import ArmState, ArmStatus
from munin_app.memory import EncoderManifest, MemoryService
from munin_app.memory.hashing import HashEmbedder
from munin_app.memory.making import BATCH
from tests.model.memory.conftest import HASHING, Build, said

EMBEDDING = Path(__file__).with_name("embedding.py")
MESSAGES = 120
SECOND = dataclasses.replace(HASHING, id="second", dimension=64)
SAME_SIZE = dataclasses.replace(HASHING, id="second")


def text(number: int) -> str:
    return f"kayak{number} trip on lake{number}"


@pytest.fixture
async def remembered(build: Build) -> None:
    """By the first encoder."""
    first = build()
    for number in range(MESSAGES):
        assert await first.remember(said(text(number), id=f"m{number}"))
    await first.close()


def embedded(path: Path) -> dict[str, int]:
    """Texts with a vector, and how many bytes it has."""
    connection = apsw.Connection(str(path))
    rows = connection.execute("SELECT text, length(embedding) FROM chunk WHERE embedding IS NOT NULL").fetchall()
    connection.close()
    assert len(rows) == len(dict(rows))
    return dict(rows)


def embed(path: Path, encoder: EncoderManifest, kill_after: int = 0) -> list[str]:
    """In a process of its own, until it has finished or has embedded so many: the texts that it embedded."""
    command = [sys.executable, str(EMBEDDING), str(path), encoder.id, str(encoder.dimension), str(kill_after)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout
        said = [line.rstrip("\n") for line in itertools.islice(child.stdout, kill_after or None)]
        if kill_after:
            child.kill()
    assert kill_after or child.returncode == 0
    return said


async def vectors(service: MemoryService) -> ArmStatus:
    return next(arm for arm in await service.status() if arm.name == "vectors")


@pytest.mark.usefixtures("remembered")
@pytest.mark.parametrize("other", [SECOND, SAME_SIZE], ids=["another size", "the same size"])
async def test_killed_half_way_it_goes_on_where_it_was(path: Path, other: EncoderManifest) -> None:
    assert len(embed(path, other, kill_after=MESSAGES // 2)) == MESSAGES // 2
    kept = embedded(path)
    assert len(kept) == MESSAGES // 2 // BATCH * BATCH  # what was committed
    again = embed(path, other)
    assert len(again) == len(set(again)) == MESSAGES - len(kept)
    assert not kept.keys() & set(again)
    assert embedded(path) == {text(number): other.dimension * 4 for number in range(MESSAGES)}
    assert embed(path, other) == []


class Stepping(HashEmbedder):
    """Holds the encoder's thread before its text number `stop`, until it is let go."""

    def __init__(self, manifest: EncoderManifest, stop: int) -> None:
        super().__init__(manifest)
        self.left, self.reached, self.go = stop, threading.Event(), threading.Event()

    def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.left -= 1
        if self.left == 0:
            self.reached.set()
            self.go.wait(60)
        return super().embed_documents(texts)


@pytest.mark.usefixtures("remembered")
@pytest.mark.parametrize("other", [SECOND, SAME_SIZE], ids=["another size", "the same size"])
async def test_search_goes_on_by_words_and_by_the_vectors_that_are_there(
    build: Build, path: Path, other: EncoderManifest
) -> None:
    encoder = Stepping(other, 3 * BATCH + 1)
    service = build(other, load_encoder=lambda _: encoder)
    heard: list[VectorsMade] = []
    service.subscribe(heard.append)
    await service.warm_up()
    assert await asyncio.to_thread(encoder.reached.wait, 60)
    try:
        there, not_there = text(MESSAGES - 1), text(0)  # the newest come first
        assert there in embedded(path) and not_there not in embedded(path)
        status = await vectors(service)
        assert status.state is ArmState.BEHIND
        assert f"Vectors are being made: {3 * BATCH} of {MESSAGES}." in status.detail
        assert len(heard) >= 3
        reader = build(other, read_only=True)
        await reader.warm_up()
        assert f"{MESSAGES - 3 * BATCH} of {MESSAGES} parts wait" in (await vectors(reader)).detail
        # a query waits for the encoder's thread, which is held: words alone, at once
        by_words = build(None, read_only=True)
        assert (await by_words.recall("kayak0 lake0")).results[0].memory.text == not_there
        for number in range(MESSAGES):
            found = (await reader.recall(text(number), 1, -1.0)).results[0]
            assert found.memory.text == text(number)
            assert (found.similarity is not None) is (number >= MESSAGES - 3 * BATCH)
    finally:
        encoder.go.set()
    await service.back_filled()
    assert (await vectors(service)).state is ArmState.READY
    assert (await service.recall(not_there, 1, -1.0)).results[0].similarity is not None


@pytest.mark.usefixtures("remembered")
async def test_what_is_forgotten_meanwhile_stays_away(build: Build, path: Path) -> None:
    encoder = Stepping(SECOND, 2)
    service = build(SECOND, load_encoder=lambda _: encoder)
    await service.warm_up()
    assert await asyncio.to_thread(encoder.reached.wait, 60)
    report = await service.forget_messages([f"m{number}" for number in range(MESSAGES - 4, MESSAGES)])
    assert (report.removed, report.failures) == (4, ())
    encoder.go.set()
    await service.back_filled()
    assert embedded(path).keys() == {text(number) for number in range(MESSAGES - 4)}
