"""A copy a day, the oldest go, and what else lies there stays."""

import asyncio
import os
import threading
import time
from pathlib import Path

import pytest

from munin_app.backup import writing
from munin_app.backup.copies import DAY_SECONDS, copies, copy_if_due
from munin_app.backup.manifest import encode
from munin_app.backup.reading import read_manifest
from munin_app.backup.writing import write_backup
from munin_app.errors import BackupError
from tests.conftest import StartMunin


def test_one_a_day_and_so_many_are_kept(backup: Path, tmp_path: Path) -> None:
    folder = tmp_path / "copies"
    folder.mkdir()
    (folder / "munin-2020-01-01.zip").write_bytes(b"the user's own")
    for day in range(10, 15):
        (folder / f"munin-copy-2020-01-{day}-000000.zip").write_bytes(b"old")
        os.utime(folder / f"munin-copy-2020-01-{day}-000000.zip", (day, day))
    unfinished = [folder / f"munin-copy-2020-01-{day}-000000.munin.part" for day in (14, 15)]
    for half in unfinished:
        half.write_bytes(b"half a copy")
    os.utime(unfinished[0], (14, 14))
    (folder / "munin-copy-2020-01-13-000000.zip.part").mkdir()  # cannot be unlinked
    os.utime(folder / "munin-copy-2020-01-13-000000.zip.part", (13, 13))
    written = copy_if_due(folder, 3, [])
    (folder / "munin-copy-2020-01-13-000000.zip.part").rmdir()
    assert [half.exists() for half in unfinished] == [False, True], "one may be being written on another machine"
    unfinished[1].unlink()
    assert written and read_manifest(written).counts.conversations == 3
    assert [one.name[11:21] for one in copies(folder)][:2] == ["2020-01-13", "2020-01-14"] and copies(folder)[2] == written
    assert copy_if_due(folder, 3, []) is None
    yesterday = time.time() - DAY_SECONDS - 1
    os.utime(written, (yesterday, yesterday))
    written.rename(folder / "munin-copy-2020-02-01-000000.zip")
    assert copy_if_due(folder, 1, []) == copies(folder)[0]
    assert (folder / "munin-2020-01-01.zip").exists() and len(list(folder.iterdir())) == 2
    with pytest.raises(BackupError, match="is not there"):
        copy_if_due(tmp_path / "gone", 1, [])


async def test_a_copy_is_made_when_munin_is_opened_and_a_missing_folder_is_told(start_munin: StartMunin, tmp_path: Path) -> None:
    munin = await start_munin()
    await munin.change_settings(copies_folder=str(tmp_path / "copies"), copies_kept=2)
    await munin.warm_up()
    await munin.controller.drain()
    assert "is not there" in munin.notices[0]
    (tmp_path / "copies").mkdir()
    await munin.warm_up()
    await munin.controller.drain()
    assert len(copies(tmp_path / "copies")) == 1


async def test_closing_ends_a_copy_and_waits_until_it_has_ended(
    start_munin: StartMunin, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, go_on = threading.Event(), threading.Event()

    def slow(*arguments: object) -> bytes:
        begun.set()
        assert go_on.wait(60)
        return encode(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(writing, "encode", slow)
    (tmp_path / "copies").mkdir()
    munin = await start_munin()
    await munin.change_settings(copies_folder=str(tmp_path / "copies"))
    munin.copy_in_background()
    assert await asyncio.to_thread(begun.wait, 10)
    closing = asyncio.create_task(munin.close())
    await asyncio.wait([closing], timeout=0.1)
    assert not closing.done()
    go_on.set()
    await closing
    assert not list((tmp_path / "copies").iterdir())


async def test_a_backup_that_was_asked_for_is_finished_before_munin_closes(start_munin: StartMunin, tmp_path: Path) -> None:
    munin, begun = await start_munin(), threading.Event()

    def back_up() -> Path:
        begun.set()
        return write_backup(tmp_path / "kept.zip", [])[0]

    asked = asyncio.create_task(munin.keep(back_up))
    assert await asyncio.to_thread(begun.wait, 10)
    asked.cancel()  # its page is gone
    await munin.close()
    assert read_manifest(tmp_path / "kept.zip") and not munin.is_keeping


async def test_a_backup_that_follows_another_while_munin_closes_is_finished_too(
    start_munin: StartMunin, monkeypatch: pytest.MonkeyPatch
) -> None:
    munin = await start_munin()
    begun, go_on = (threading.Event(), threading.Event()), (threading.Event(), threading.Event())
    closing_model, close_model = asyncio.Event(), munin.model.close
    kept: list[bool] = []

    def back_up(number: int) -> None:
        begun[number].set()
        go_on[number].wait(60)

    async def both() -> None:
        await munin.keep(lambda: back_up(0))
        await munin.keep(lambda: back_up(1))

    async def close() -> None:
        kept.append(munin.is_keeping)
        closing_model.set()
        await close_model()

    monkeypatch.setattr(munin.model, "close", close)
    asked = asyncio.create_task(both())
    assert await asyncio.to_thread(begun[0].wait, 10)
    closing = asyncio.create_task(munin.close())
    await asyncio.wait([closing], timeout=0.1)
    go_on[0].set()
    assert await asyncio.to_thread(begun[1].wait, 10)
    await asyncio.wait([asyncio.ensure_future(closing_model.wait())], timeout=0.1)
    go_on[1].set()
    await closing
    await asked
    assert kept == [False]
