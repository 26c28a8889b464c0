"""The order in which the worker does things, with an engine that takes exactly as many steps as it is told."""

import pickle
import queue
import threading
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from munin_app.domain.inference import Cancelled, ChatRequest, Completed, Failed, ModelInfo, Purpose, TextDelta
from munin_app.errors import ModelError
from munin_app.inference.protocol import (
    Answer,
    Cancel,
    Close,
    Closed,
    Command,
    Control,
    Count,
    Event,
    Forget,
    Load,
    Loaded,
    Report,
    Step,
    Submit,
)
from munin_app.inference.worker import serve
from tests.unit.inference.requests import request, user

INFO = ModelInfo("fake", "Fake", Path("fake.gguf"), 1, "fake", "none", 10, 10)


@dataclass
class StepEngine:
    """Each request takes three steps. `meanwhile` puts commands into the inbox while a step runs."""

    inbox: queue.SimpleQueue[Command]
    meanwhile: dict[tuple[str, int], Command] = field(default_factory=dict)
    info: ModelInfo = INFO
    log: list[str] = field(default_factory=list)
    running: set[str] = field(default_factory=set)

    def run(self, request: ChatRequest, control: Control) -> Generator[Step, None, None]:
        self.running.add(request.id)
        try:
            yield from self._steps(request, control)
        finally:
            self.running.remove(request.id)

    def _steps(self, request: ChatRequest, control: Control) -> Generator[Step, None, None]:
        name = request.session_id
        for step in range(3):
            if control.stop():
                self.log.append(f"{name} stopped")
                yield Cancelled("")
                return
            self.log.append(f"{name} {step}")
            if command := self.meanwhile.get((name, step)):
                self.inbox.put(command)
            if name == "broken" and step == 1:
                raise RuntimeError("the user's words")
            yield TextDelta(f"{step} ") if request.purpose is Purpose.REPLY else None
        yield Completed("0 1 2 ")

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        return [len(text) for text in texts]

    def forget_session(self, session_id: str) -> None:
        self.log.append(f"{session_id} forgotten")

    def rest(self) -> None:
        self.log.append("rests")

    def close(self) -> None:
        self.log.append("closed")


@dataclass
class Bench:
    """Feeds the worker, runs it until nothing is left to do, and keeps what it reports."""

    inbox: queue.SimpleQueue[Command] = field(default_factory=queue.SimpleQueue)
    reports: list[Report] = field(default_factory=list)
    too_early: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.engine = StepEngine(self.inbox)
        self.load: Callable[[Callable[[], bool]], StepEngine] = lambda _go_on: self.engine

    def run(self, *commands: Command, expected_ends: int) -> list[str]:
        """Closes the worker after that many requests and calls have come to their end."""
        for command in commands:
            self.inbox.put(command)
        ends = 0

        def emit(report: Report) -> None:
            nonlocal ends
            self.reports.append(report)
            is_end = isinstance(report, Event) and not isinstance(report.event, TextDelta)
            if is_end and report.request_id in self.engine.running:
                self.too_early.append(report.request_id)
            ends += isinstance(report, Answer) or is_end
            if ends == expected_ends:
                self.inbox.put(Close())

        serve(lambda go_on: self.load(go_on), self.inbox, emit)
        assert self.reports[-1] == Closed()
        assert not self.too_early, "the end was told before the request had let go of its context"
        return self.engine.log

    def events(self, wanted: ChatRequest) -> list[object]:
        return [report.event for report in self.reports if isinstance(report, Event) and report.request_id == wanted.id]


@pytest.fixture
def bench() -> Bench:
    return Bench()


def job(name: str, purpose: Purpose = Purpose.REPLY) -> ChatRequest:
    return request(user("?"), session=name, purpose=purpose)


def test_commands_and_reports_survive_the_way_to_a_process() -> None:
    wanted = job("a")
    values = [Load(), Count(("x",)), Forget("a"), Submit(wanted), Cancel(wanted.id), Close()]
    values += [Loaded(INFO), Event(wanted.id, Completed("x")), Answer("id", [1]), Closed()]
    assert pickle.loads(pickle.dumps(values)) == values


def test_replies_come_one_after_the_other_in_order(bench: Bench) -> None:
    log = bench.run(Submit(job("a")), Submit(job("b")), expected_ends=2)
    assert log == ["a 0", "a 1", "a 2", "b 0", "b 1", "b 2", "closed"]


def test_reply_before_prefill_before_utility(bench: Bench) -> None:
    log = bench.run(
        Submit(job("u", Purpose.UTILITY)), Submit(job("p", Purpose.PREFILL)), Submit(job("r", Purpose.REPLY)), expected_ends=3
    )
    assert [line.split()[0] for line in log] == ["r"] * 3 + ["p"] * 3 + ["u"] * 3 + ["closed"]


def test_utility_work_stands_still_while_a_reply_runs_and_then_goes_on(bench: Bench) -> None:
    utility = job("u", Purpose.UTILITY)
    bench.engine.meanwhile = {("u", 0): Submit(job("r"))}
    log = bench.run(Submit(utility), expected_ends=2)
    assert log == ["u 0", "r 0", "r 1", "r 2", "u 1", "u 2", "closed"]
    assert bench.events(utility) == [Completed("0 1 2 ")]


def test_prefill_that_has_begun_ends_before_a_reply_begins(bench: Bench) -> None:
    prefill = job("p", Purpose.PREFILL)
    bench.engine.meanwhile = {("p", 0): Submit(job("r"))}
    log = bench.run(Submit(prefill), expected_ends=2)
    assert log == ["p 0", "p stopped", "r 0", "r 1", "r 2", "closed"]
    assert bench.events(prefill) == [Cancelled("")]


def test_prefill_that_waits_is_done_after_the_reply(bench: Bench) -> None:
    log = bench.run(Submit(job("r")), Submit(job("p", Purpose.PREFILL)), expected_ends=2)
    assert log[3:6] == ["p 0", "p 1", "p 2"]


def test_cancelled_request_that_waits_never_starts(bench: Bench) -> None:
    second = job("b")
    log = bench.run(Submit(job("a")), Submit(second), Cancel(second.id), Cancel("nobody"), expected_ends=2)
    assert "b 0" not in log
    assert bench.events(second) == [Cancelled("")]


def test_request_can_be_cancelled_while_the_model_loads(bench: Bench) -> None:
    wanted = job("a")

    def load(go_on: Callable[[], bool]) -> StepEngine:
        bench.inbox.put(Cancel(wanted.id))
        go_on()
        assert bench.events(wanted) == [Cancelled("")], "it waited for the load"
        return bench.engine

    bench.load = load
    assert bench.run(Submit(wanted), expected_ends=1) == ["closed"]


def test_closing_gives_up_a_load(bench: Bench) -> None:
    wanted, load_call = job("a"), Load()

    def load(go_on: Callable[[], bool]) -> StepEngine:
        bench.inbox.put(Close())
        assert not go_on()
        raise ModelError("could not load")

    bench.load = load
    bench.run(Submit(wanted), load_call, expected_ends=99)
    assert bench.events(wanted) == [Cancelled("")]
    assert [report.error for report in bench.reports if isinstance(report, Answer)] == [
        "The model was closed before it answered."
    ]


def test_one_load_serves_all_and_a_failed_one_is_tried_again(bench: Bench) -> None:
    attempts = iter([ModelError("no file"), None])

    def load(_go_on: Callable[[], bool]) -> StepEngine:
        if error := next(attempts):
            raise error
        return bench.engine

    bench.load = load
    calls = [Load(), Load(), Load()]
    bench.run(*calls, expected_ends=3)
    assert bench.reports[:-1] == [
        Answer(calls[0].call_id, error="no file"),
        Loaded(INFO),
        Answer(calls[1].call_id, INFO),
        Answer(calls[2].call_id, INFO),
    ]


def test_failed_load_fails_the_request_with_its_sentence(bench: Bench) -> None:
    def load(_go_on: Callable[[], bool]) -> StepEngine:
        raise ModelError("There is no model file.")

    bench.load = load
    wanted = job("a")
    bench.run(Submit(wanted), expected_ends=1)
    assert bench.events(wanted) == [Failed("There is no model file.")]


def test_unforeseen_error_becomes_a_sentence_without_the_users_words(bench: Bench, caplog: pytest.LogCaptureFixture) -> None:
    broken = job("broken")
    log = bench.run(Submit(broken), Submit(job("next")), expected_ends=2)
    failed = bench.events(broken)[-1]
    assert isinstance(failed, Failed)
    assert failed.text == "0 "
    assert "RuntimeError" in failed.error
    assert "Try again" in failed.error
    assert "the user's words" not in failed.error + caplog.text
    assert log[-4:] == ["next 0", "next 1", "next 2", "closed"]


def test_forgetting_waits_for_the_sessions_running_turn_to_stop(bench: Bench) -> None:
    wanted, forget = job("a"), Forget("a")
    bench.engine.meanwhile = {("a", 1): forget}
    log = bench.run(Submit(wanted), expected_ends=2)
    assert log == ["a 0", "a 1", "a stopped", "a forgotten", "closed"]


def test_calls_are_answered_while_a_reply_runs(bench: Bench) -> None:
    count = Count(("four", "x"))
    bench.engine.meanwhile = {("a", 0): count}
    bench.run(Submit(job("a")), expected_ends=2)
    answered = bench.reports.index(Answer(count.call_id, [4, 1]))
    assert any(isinstance(report, Event) for report in bench.reports[answered:])


def test_closing_ends_everything_as_cancelled_and_frees_the_engine(bench: Bench) -> None:
    running, waiting = job("a"), job("b")
    bench.engine.meanwhile = {("a", 1): Close()}
    log = bench.run(Submit(running), Submit(waiting), expected_ends=99)
    assert bench.events(running)[-1] == Cancelled("0 1 ")
    assert bench.events(waiting) == [Cancelled("")]
    assert log[-1] == "closed"


def test_engine_may_rest_once_when_nothing_was_asked_for_some_time(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("munin_app.inference.worker._IDLE_SECONDS", 0.01)
    commands: Iterator[Command] = iter([Submit(job("b")), Close()])

    def rest() -> None:
        bench.engine.log.append("rests")
        threading.Timer(0.1, lambda: bench.inbox.put(next(commands))).start()

    monkeypatch.setattr(bench.engine, "rest", rest)
    log = bench.run(Submit(job("a")), expected_ends=99)
    assert log == ["a 0", "a 1", "a 2", "rests", "b 0", "b 1", "b 2", "rests", "closed"]
