"""Copies: whole or not at all, whatever the disk and the user do meanwhile."""

import asyncio
import errno
import os
import resource
import signal
from pathlib import Path

import pytest

from munin_app.errors import ModelError
from munin_app.library import adding
from munin_app.library.adding import CopyCancelled, parts_at, put
from munin_app.library.copying import copied
from munin_app.library.progress import Progress

CONTENT = b"GGUF" + bytes(range(256)) * 4000


@pytest.fixture
def source(tmp_path: Path) -> Path:
    for number in (1, 2):
        path = tmp_path / "disk" / f"m-0000{number}-of-00002.gguf"
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(CONTENT)
    return path.with_name("m-00001-of-00002.gguf")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "models"


def test_copy_is_whole_and_tells_how_far_it_is(source: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(adding, "_STEP_BYTES", 500_000)
    told: list[int] = []
    first = put(parts_at(source), "", folder, lambda done: told.append(done) or True)
    assert sorted(path.name for path in folder.iterdir()) == ["m-00001-of-00002.gguf", "m-00002-of-00002.gguf"]
    assert first.read_bytes() == CONTENT and told == sorted(told) and told[-1] == 2 * len(CONTENT)


@pytest.mark.parametrize("number", [1, 3, 6])
def test_cancelled_copy_leaves_nothing(source: Path, folder: Path, monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    monkeypatch.setattr(adding, "_STEP_BYTES", 400_000)
    calls: list[int] = []

    def go_on(done: int) -> bool:
        calls.append(done)
        assert list(folder.glob("*.gguf")) == [] and list(folder.glob(".*.gguf")) == [], "no list shows half a model"
        return len(calls) < number

    with pytest.raises(CopyCancelled):
        put(parts_at(source), "", folder, go_on)
    assert list(folder.iterdir()) == []


async def test_copy_that_nobody_waits_for_ends(source: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(adding, "_STEP_BYTES", 64)
    begun = asyncio.Event()
    told: list[Progress] = []

    def report(progress: Progress) -> None:
        told.append(progress)
        begun.set()

    copy = asyncio.create_task(copied(parts_at(source), "", folder, report))
    await begun.wait()
    copy.cancel()
    with pytest.raises(asyncio.CancelledError):
        await copy
    assert list(folder.iterdir()) == [] and told[0].total_bytes == 2 * len(CONTENT)


def test_disk_that_fills_up_keeps_nothing_and_harms_nothing(source: Path, folder: Path) -> None:
    folder.mkdir()
    (folder / "own.gguf").write_bytes(b"GGUF mine")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    before = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, hard))
        with pytest.raises(ModelError, match="is full: nothing of m-00001"):
            put(parts_at(source), "", folder, lambda _: True)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        signal.signal(signal.SIGXFSZ, before)
    assert [(path.name, path.read_bytes()) for path in folder.iterdir()] == [("own.gguf", b"GGUF mine")]


def test_full_disk_while_the_second_part_is_made_durable(source: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[int] = []

    def fsync(descriptor: int) -> None:
        calls.append(descriptor)
        if len(calls) == 2:
            raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", fsync)
    with pytest.raises(ModelError, match="is full"):
        put(parts_at(source), "", folder, lambda _: True)
    assert list(folder.iterdir()) == []


def test_what_a_killed_copy_left_goes_with_the_next(source: Path, folder: Path) -> None:
    folder.mkdir()
    (folder / ".copying-old.gguf.part").write_bytes(CONTENT)
    put(parts_at(source), "", folder, lambda _: True)
    assert not list(folder.glob(".*"))


def test_file_that_vanishes_is_said(source: Path, folder: Path) -> None:
    files = parts_at(source)
    files[1].unlink()
    with pytest.raises(ModelError, match="could not be put into"):
        put(files, "", folder, lambda _: True)
    assert list(folder.iterdir()) == []


def test_missing_part_is_said(source: Path) -> None:
    source.with_name("m-00002-of-00002.gguf").unlink()
    with pytest.raises(ModelError, match=r"m-00002-of-00002\.gguf cannot be read"):
        parts_at(source)
    with pytest.raises(ModelError, match="Add the part that ends in 00001"):
        parts_at(source.with_name("m-00002-of-00002.gguf"))
