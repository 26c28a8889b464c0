"""Where the worker lives: in a process where the machine has them, in a thread elsewhere."""

import importlib.util
import queue
from typing import NoReturn

import pytest

from munin_app.inference.links import ThreadLink, best_link
from munin_app.inference.process_link import ProcessLink
from munin_app.inference.protocol import Died, Report
from tests.unit.inference.child_engines import tell_modules


def test_desktop_has_a_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("FLET_PLATFORM", raising=False)
    assert best_link() is ProcessLink


@pytest.mark.parametrize("platform", ["android", "ios"])
def test_phone_has_a_thread(monkeypatch: pytest.MonkeyPatch, platform: str) -> None:
    monkeypatch.setenv("FLET_PLATFORM", platform)
    assert best_link() is ThreadLink


def test_python_without_processes_has_a_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    assert best_link() is ThreadLink


def test_process_that_cannot_be_started_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(process: object) -> NoReturn:
        raise OSError(12, "Cannot allocate memory")

    monkeypatch.setattr("multiprocessing.process.BaseProcess.start", refuse)
    reports: queue.SimpleQueue[Report] = queue.SimpleQueue()
    link = ProcessLink(tell_modules, reports.put)
    assert reports.get(timeout=60) == Died("its process could not be started: Cannot allocate memory")
    assert link.end(5)
