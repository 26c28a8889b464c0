"""What kills the worker's process, and what is left then: the app, the text so far, and a model that comes back."""

import asyncio
import logging
import multiprocessing
import os
import queue
import resource
import select
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from multiprocessing.process import BaseProcess
from pathlib import Path

import pytest
import pytest_asyncio

from munin_app.domain.inference import Completed, Failed, ModelEvent, TextDelta
from munin_app.errors import ModelError
from munin_app.inference.host import LlamaChatModel
from munin_app.inference.process_link import ProcessLink
from munin_app.inference.protocol import Answer, Close, Closed, Died, Load, Report
from munin_app.inference.worker import EngineFactory
from munin_app.paths import program_folder
from tests.unit.inference.child_engines import log_something, run_out_of_memory, tell_modules
from tests.unit.inference.requests import LONG_TEXT, request, user

pytestmark = [
    pytest.mark.model,
    pytest.mark.asyncio(loop_scope="module"),
    pytest.mark.skipif(sys.platform != "linux", reason="sends signals, sets limits, waits on process descriptors"),
]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def model(model_path: Path) -> AsyncIterator[LlamaChatModel]:
    model = LlamaChatModel(model_path, context_size=2048, start_link=ProcessLink)
    yield model
    await model.close()
    assert not multiprocessing.active_children()


@pytest.fixture(autouse=True)
def no_core_dumps() -> Iterator[None]:
    limits = resource.getrlimit(resource.RLIMIT_CORE)
    resource.setrlimit(resource.RLIMIT_CORE, (0, limits[1]))
    yield
    resource.setrlimit(resource.RLIMIT_CORE, limits)


def child() -> BaseProcess:
    (child,) = multiprocessing.active_children()
    return child


def child_id() -> int:
    number = child().pid
    assert number
    return number


async def story(model: LlamaChatModel, *, after: int) -> tuple[str, asyncio.Task[ModelEvent]]:
    """A reply that runs: what had arrived after that many pieces, and its end."""
    arrived: list[str] = []
    enough = asyncio.Event()

    async def follow() -> ModelEvent:
        async for event in model.stream(request(user("Tell a very long story"), tokens=1500)):
            if isinstance(event, TextDelta):
                arrived.append(event.text)
            if len(arrived) >= after:
                enough.set()
        return event

    ending = asyncio.ensure_future(follow())
    ending.add_done_callback(lambda _: enough.set())
    await enough.wait()
    return "".join(arrived), ending


async def greeting(model: LlamaChatModel) -> ModelEvent:
    return [event async for event in model.stream(request(user("Hello"), session="greeting", tokens=2))][-1]


@pytest.mark.parametrize(
    ("number", "said"),
    [
        (signal.SIGKILL, "signal 9, perhaps out of memory"),
        (signal.SIGSEGV, "signal 11, a memory fault"),
        (signal.SIGILL, "signal 4, an illegal instruction"),
        (signal.SIGABRT, "signal 6, an abort"),
        (signal.SIGUSR1, "signal 10"),
    ],
)
async def test_reply_keeps_what_arrived_and_the_next_one_works(model: LlamaChatModel, number: signal.Signals, said: str) -> None:
    so_far, ending = await story(model, after=3)
    os.kill(child_id(), number)
    end = await ending
    assert isinstance(end, Failed)
    assert end.text.startswith(so_far)
    assert said in end.error
    assert end.error.endswith("What had arrived is kept. Retry restarts it.")
    assert model.info is None
    assert not multiprocessing.active_children(), "restarted without being asked"
    assert isinstance(await greeting(model), Completed)
    assert model.info


async def test_memory_limit_amid_a_reply_ends_the_child_only(model: LlamaChatModel) -> None:
    so_far, ending = await story(model, after=3)
    resource.prlimit(child_id(), resource.RLIMIT_AS, (1 << 20, 1 << 20))
    with pytest.raises(ModelError, match="stopped unexpectedly"):
        await model.count_tokens([LONG_TEXT * 200])
    end = await ending
    assert isinstance(end, Failed)
    assert end.text.startswith(so_far)
    assert isinstance(await greeting(model), Completed)


async def test_every_waiting_request_and_call_learns_of_it(model: LlamaChatModel) -> None:
    _, first = await story(model, after=1)
    second = asyncio.ensure_future(greeting(model))
    await asyncio.sleep(0)  # it is posted
    os.kill(child_id(), signal.SIGSTOP)  # so that it answers nothing more
    counting = asyncio.ensure_future(model.count_tokens(["one"]))
    forgetting = asyncio.ensure_future(model.forget_session("session"))
    await asyncio.sleep(0)
    os.kill(child_id(), signal.SIGKILL)
    ends = await asyncio.gather(first, second, counting, return_exceptions=True)
    assert [type(end) for end in ends[:2]] == [Failed, Failed]
    assert isinstance(ends[2], ModelError)
    await forgetting  # the session went with the child
    assert (await model.load()) == model.info


async def test_ctrl_c_is_left_to_the_app(model: LlamaChatModel) -> None:
    await model.load()
    os.kill(child_id(), signal.SIGINT)
    assert isinstance(await greeting(model), Completed)


async def test_child_that_does_not_answer_is_killed_by_closing(model_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("munin_app.inference.host._CLOSE_SECONDS", 0.2)
    others = set(multiprocessing.active_children())
    stuck = LlamaChatModel(model_path, context_size=512, start_link=ProcessLink)
    _, ending = await story(stuck, after=1)
    (its_child,) = set(multiprocessing.active_children()) - others
    assert its_child.pid
    os.kill(its_child.pid, signal.SIGSTOP)
    await stuck.close()
    assert isinstance(await ending, Failed)
    assert set(multiprocessing.active_children()) == others


async def test_child_that_hangs_is_killed_by_stop(model: LlamaChatModel, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("munin_app.inference.host._DEAF_SECONDS", 0.2)
    so_far, ending = await story(model, after=1)
    os.kill(child_id(), signal.SIGSTOP)
    (running,) = model._running
    model.cancel(running)
    end = await ending
    assert isinstance(end, Failed)
    assert end.text.startswith(so_far)
    assert "it no longer answered" in end.error
    assert isinstance(await greeting(model), Completed)


def answers(engine_factory: EngineFactory) -> list[Report]:
    """What a child with that engine reports to Load and Close."""
    reports: queue.SimpleQueue[Report] = queue.SimpleQueue()
    link = ProcessLink(engine_factory, reports.put)
    link.send(Load())
    first = reports.get(timeout=60)
    link.send(Close())
    assert link.end(20)
    return [first, *(reports.get() for _ in range(reports.qsize()))]


async def test_child_imports_the_engine_and_little_else_of_munin() -> None:
    first, last = answers(tell_modules)
    assert isinstance(first, Answer) and first.error
    modules = first.error.split()
    assert {name.split(".")[1] for name in modules if name.startswith("munin_app.")} == {
        "domain",
        "errors",
        "i18n",
        "inference",
        "storage",
    }
    assert "llama_cpp" in modules
    assert {"flet", "apsw", "onnxruntime", "tokenizers", "pytest"}.isdisjoint(modules)
    assert last == Closed()


async def test_worker_that_ran_out_of_memory_ends() -> None:
    assert answers(run_out_of_memory) == [Died("out of memory")]


async def test_what_the_child_logs_reaches_the_apps_log(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.ERROR):
        answers(log_something)
    assert ("munin_app.inference.worker", "the model's worker met LookupError") in {
        (record.name, record.getMessage()) for record in caplog.records
    }


def killed_program(command: list[str]) -> int:
    """Starts a program, kills it when its child is at work, and returns a descriptor of the child."""
    environment = {**os.environ, "PYTHONPATH": os.fspath(program_folder())}
    with subprocess.Popen(command, cwd=program_folder(), env=environment, stdout=subprocess.PIPE, text=True) as program:
        assert program.stdout
        assert program.stdout.readline() == "main module runs\n"
        word, number = program.stdout.readline().split()
        assert word == "child"
        descriptor = os.pidfd_open(int(number))
        program.kill()
    return descriptor


@pytest.mark.parametrize("way", [["tests/model/inference/parent.py"], ["-m", "tests.model.inference.parent"]])
async def test_killed_program_takes_its_child_along_and_its_main_module_ran_once(model_path: Path, way: list[str]) -> None:
    descriptor = killed_program([sys.executable, *way, os.fspath(model_path)])
    ended, _, _ = select.select([descriptor], [], [], 5)
    os.close(descriptor)
    assert ended, "the child outlived its parent by five seconds"
