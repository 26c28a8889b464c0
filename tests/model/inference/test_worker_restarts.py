"""A model that dies again and again leaves nothing behind in the app: no descriptor, no thread, no process, no file."""

import multiprocessing
import os
import signal
import sys
import tempfile
import threading
from collections import Counter
from contextlib import aclosing
from pathlib import Path

import pytest

from munin_app.domain.inference import Completed, Failed, TextDelta
from munin_app.inference.host import LlamaChatModel
from munin_app.inference.process_link import ProcessLink
from tests.model.inference.conftest import TinyModel
from tests.unit.inference.requests import request, user

pytestmark = [
    pytest.mark.model,
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="counts descriptors in /proc"),
]

DEATHS = 50


def possessions(folder: Path) -> Counter[str]:
    """Open descriptors, threads, files of sessions, temporary files; once the thread that told of the last death has ended."""
    for thread in threading.enumerate():
        if thread.name.startswith("munin-model"):
            thread.join(60)
    descriptors = [os.readlink(f"/proc/self/fd/{number}").split("[")[0] for number in descriptors_open()]
    threads = [thread.name.split("-")[0] for thread in threading.enumerate()]
    return Counter([*descriptors, *threads, *map(str, folder.glob("*")), *os.listdir(tempfile.gettempdir())])


def descriptors_open() -> list[str]:
    """Those that are still there after they were listed."""
    return [number for number in os.listdir("/proc/self/fd") if os.path.exists(f"/proc/self/fd/{number}")]


async def killed_reply(model: LlamaChatModel, death: int) -> Failed:
    async with aclosing(model.stream(request(user("hello"), tokens=1000, keep=True))) as events:
        async for event in events:
            if isinstance(event, TextDelta):
                (child,) = multiprocessing.active_children()
                assert child.pid
                os.kill(child.pid, (signal.SIGKILL, signal.SIGABRT, signal.SIGSEGV)[death % 3])
                break
        end = [event async for event in events][-1]
    assert isinstance(end, Failed)
    return end


async def test_fifty_deaths_leave_nothing_behind(tiny_model: TinyModel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder, temporary = tmp_path / "sessions", tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", os.fspath(temporary))
    model = LlamaChatModel(tiny_model("llama"), context_size=512, threads=1, sessions_folder=folder, start_link=ProcessLink)
    await killed_reply(model, 0)  # the first child starts multiprocessing's own helper, which stays
    before = possessions(folder)
    for death in range(DEATHS):
        await killed_reply(model, death)
    assert not possessions(folder) - before  # what an earlier test had left may have gone meanwhile
    async with aclosing(model.stream(request(user("hello"), tokens=2))) as events:
        assert isinstance([event async for event in events][-1], Completed)
    await model.close()
    assert not multiprocessing.active_children()
