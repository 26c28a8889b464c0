"""A real download in a process of its own, killed again and again; and one soak through every fault at once."""

import asyncio
import hashlib
import os
import random
import signal
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from munin_app.bootstrap import model_library
from munin_app.errors import ModelError
from munin_app.library.catalog import CatalogFile
from munin_app.library.download import Patience, download
from munin_app.library.part import discard, part_of
from tests.disks import mounted
from tests.library.command import CONTENT, DIGEST, munin, offer
from tests.library.server import Answer, Request, file_answer, serving


def size_of(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


async def until(condition: Callable[[], bool]) -> None:
    """For what another process does to a file: nobody can await that."""
    while not condition():  # noqa: ASYNC110
        await asyncio.sleep(0.001)


@pytest.mark.slow
async def test_a_download_that_is_killed_twenty_times_goes_on_each_time(home: Path) -> None:
    chance, kept = random.Random(3), 0
    part = part_of(home / "models" / "m.gguf")
    library = model_library()
    async with serving(lambda request: replace(file_answer(request, CONTENT), stall_after=2_000_000)) as server:
        offer(home, server)
        for kill in range(20):
            process = await munin("get", "m")
            goal = kept + chance.randrange(600_000)
            await until(lambda: size_of(part) >= goal and len(server.requests) > kill)  # noqa: B023  # awaited at once
            process.kill()
            await process.communicate()
            assert server.requests[-1].start == kept, "what earlier runs fetched is not fetched again"
            kept = size_of(part)
            assert "m" not in [model.id for model in await library.chat_models()]
        assert kept > 3_000_000
        server.handler = lambda request: file_answer(request, CONTENT)
        process = await munin("get", "m")
        said = await process.communicate()
        assert process.returncode == 0, said
        assert server.requests[-1].start == kept
    assert (home / "models" / "m.gguf").read_bytes() == CONTENT
    assert [path.name for path in (home / "models").iterdir()] == ["m.gguf"]


@pytest.mark.slow
async def test_a_kill_around_the_end_leaves_a_part_or_the_file(home: Path) -> None:
    """Between the last byte, the check, the name and the exit: six kills, one after the other a little later."""
    target = home / "models" / "m.gguf"
    async with serving(lambda request: file_answer(request, CONTENT)) as server:
        offer(home, server)
        for delay in range(6):
            server.sent_all.clear()
            process = await munin("get", "m")
            await server.sent_all.wait()
            for _ in range(delay * 20):
                await asyncio.sleep(0)
            process.kill()
            await process.communicate()
            assert not target.exists() or target.read_bytes() == CONTENT
            target.unlink(missing_ok=True)
            part_of(target).unlink(missing_ok=True)
        process = await munin("get", "m")
        await process.communicate()
    assert target.read_bytes() == CONTENT
    assert [path.name for path in (home / "models").iterdir()] == ["m.gguf"]


@pytest.mark.slow
async def test_ctrl_c_keeps_what_arrived_and_says_how_to_go_on(home: Path) -> None:
    part = part_of(home / "models" / "m.gguf")
    async with serving(lambda request: replace(file_answer(request, CONTENT), stall_after=3_000_000)) as server:
        offer(home, server)
        process = await munin("get", "m")
        await until(lambda: size_of(part) >= 1_000_000)
        process.send_signal(signal.SIGINT)
        _, error = await process.communicate()
    assert process.returncode == 130
    assert b"munin models get m" in error and b"munin models remove m" in error and b"Traceback" not in error
    assert 1_000_000 <= size_of(part) <= 3_000_000
    process = await munin("remove", "m")
    await process.communicate()
    assert process.returncode == 0
    assert list((home / "models").iterdir()) == []


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 4 MB."""
    with mounted(tmp_path / "small", 4) as small:
        yield small


def faults(chance: random.Random) -> Iterator[Answer | None]:
    """What the server does next; None: the honest answer."""
    page = Answer(200, b"<html>", {"Content-Type": "text/html"})
    while True:
        yield from chance.sample(
            [None, None, None, Answer(500), Answer(503, headers={"Retry-After": "0"}), Answer(403), Answer(404), page], 4
        )


@pytest.mark.slow
async def test_through_all_faults_at_once_what_is_finished_is_right(tmp_path: Path) -> None:
    """Forty files, each asked for until it is here; the server drops, stalls, lies, changes the file and refuses at random."""
    chance, content = random.Random(4), CONTENT[:400_000]
    digest, next_fault = hashlib.sha256(content).hexdigest(), faults(chance)

    def misbehave(request: Request) -> Answer:
        if fault := next(next_fault):
            return fault
        wrong = chance.random() < 0.15
        answer = file_answer(
            request,
            content[:-1] + b"?" if wrong else content,
            chance.choice(('"one"', '"one"', '"two"')),
            ranges=chance.random() < 0.8,
        )
        if chance.random() < 0.1:
            answer = replace(answer, length=len(answer.body) + chance.choice((-5, 5)))
        if chance.random() < 0.5:
            answer = replace(answer, drop_after=chance.randrange(len(answer.body) + 1))
        return replace(answer, stall_after=chance.randrange(len(answer.body) + 1)) if chance.random() < 0.05 else answer

    refusals = 0
    async with serving(misbehave) as server:
        file = CatalogFile("m.gguf", digest, len(content), f"{server.address}/m.gguf")
        for number in range(40):
            target = tmp_path / str(number) / "m.gguf"
            while not target.exists():
                try:
                    await download(file, target, patience=Patience(tries=3, first_wait=0, silence=0.2))
                except ModelError:
                    refusals += 1
                    assert not target.exists()
            assert hashlib.sha256(target.read_bytes()).hexdigest() == digest
            assert os.listdir(target.parent) == ["m.gguf"]
    assert refusals > 20, "the server did misbehave"


@pytest.mark.slow
async def test_a_full_file_system_keeps_a_part_and_harms_nothing_else(small_disk: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("munin_app.library.download._KEPT_FREE_BYTES", -(10**12))  # past the check that is made before
    (small_disk / "own.gguf").write_bytes(b"GGUF mine")
    target = small_disk / "m.gguf"
    async with serving(lambda request: file_answer(request, CONTENT)) as server:
        with pytest.raises(ModelError, match="is full"):
            await download(CatalogFile("m.gguf", DIGEST, len(CONTENT), f"{server.address}/m.gguf"), target)
    kept = part_of(target).read_bytes()
    assert len(kept) > 3_000_000 and CONTENT.startswith(kept)
    discard(target)
    assert [(path.name, path.read_bytes()) for path in small_disk.iterdir()] == [("own.gguf", b"GGUF mine")]
