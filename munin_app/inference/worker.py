"""The owner of the engine: takes commands from an inbox, runs the most urgent request a step at a time, reports.

Knows nothing of asyncio, and not whether it lives in a thread or in a process: `serve` needs an inbox to read and a
function to report with. Cancelling needs no shared memory: the inbox is read between steps and from within prefill.
"""

import logging
import queue
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from munin_app.domain.inference import Cancelled, ChatRequest, Failed, ModelInfo, Purpose, ReasoningDelta, TextDelta
from munin_app.errors import ChatTemplateError, ModelError, ModelTooLarge
from munin_app.i18n import N_, _, translated
from munin_app.inference.protocol import (
    Answer,
    Call,
    Cancel,
    Close,
    Closed,
    Command,
    Control,
    Count,
    Died,
    Event,
    Forget,
    Load,
    Loaded,
    Report,
    Step,
    Submit,
)

logger = logging.getLogger(__name__)

_CLOSED = N_("The model was closed before it answered.")
_IDLE_SECONDS = 20
"""Not less: each save writes the whole state, some hundred megabytes for a large model."""
_RANKS = {Purpose.REPLY: 0, Purpose.PREFILL: 1, Purpose.UTILITY: 2}


class Inbox(Protocol):
    """What is needed of a `queue.SimpleQueue`."""

    def get(self, *, timeout: float | None = None) -> Command: ...
    def get_nowait(self) -> Command: ...
    def empty(self) -> bool: ...


class RequestEngine(Protocol):
    """What is needed of an Engine."""

    info: ModelInfo

    def run(self, request: ChatRequest, control: Control) -> Generator[Step, None, None]: ...
    def count_tokens(self, texts: Sequence[str]) -> list[int]: ...
    def forget_session(self, session_id: str) -> None: ...
    def rest(self) -> None: ...
    def close(self) -> None: ...


EngineFactory = Callable[[Callable[[], bool]], RequestEngine]
"""Loads the model. Is given a function that says whether to go on loading."""


def serve(engine_factory: EngineFactory, inbox: Inbox, emit: Callable[[Report], None]) -> None:
    """Runs until a Close command. The last report is Closed, or Died when memory ran out or the worker itself is broken."""
    try:
        _Worker(engine_factory, inbox, emit).serve()
    except MemoryError:
        emit(Died(_("out of memory")))
    except Exception as error:
        emit(Died(type(error).__name__))
    else:
        emit(Closed())


@dataclass(eq=False)
class _Job:
    """One request. Is its own Control."""

    request: ChatRequest
    worker: "_Worker"
    steps: Generator[Step, None, None] | None = None
    cancelled: bool = False
    arrived: list[str] = field(default_factory=list)
    thought: list[str] = field(default_factory=list)

    def stop(self) -> bool:
        self.worker.read_inbox()
        return self.must_end

    def pause(self) -> bool:
        """Chat comes first, and so does counting its tokens: a prompt is being built."""
        return self.request.purpose is Purpose.UTILITY and (self.worker.has_chat_work() or self.worker.has_calls())

    @property
    def must_end(self) -> bool:
        """A prefill that has begun gives way to a reply for good: they share one KV cache."""
        gives_way = self.steps is not None and self.request.purpose is Purpose.PREFILL
        return self.cancelled or self.worker.closing or (gives_way and self.worker.has_reply())

    @property
    def urgency(self) -> int:
        return -1 if self.must_end else _RANKS[self.request.purpose]


class _Worker:
    def __init__(self, engine_factory: EngineFactory, inbox: Inbox, emit: Callable[[Report], None]) -> None:
        self._engine_factory = engine_factory
        self._inbox = inbox
        self._emit = emit
        self._engine: RequestEngine | None = None
        self._jobs: list[_Job] = []
        self._calls: list[Call] = []
        self._rested = False
        self.closing = False

    def serve(self) -> None:
        try:
            while not self.closing:
                if not self._jobs and not self._calls:
                    self._wait()
                self.read_inbox()
                self._answer_calls()
                self._step()
        finally:
            self._shut_down()

    def _wait(self) -> None:
        """For a command; when none comes for some time, the engine may tidy up, once."""
        rests = self._engine is None or self._rested
        try:
            self._accept(self._inbox.get(timeout=None if rests else _IDLE_SECONDS))
        except queue.Empty:
            self._rested = True
            self._loaded_engine().rest()

    def read_inbox(self) -> None:
        while not self._inbox.empty():
            try:
                self._accept(self._inbox.get_nowait())
            except queue.Empty:
                return

    def has_reply(self) -> bool:
        return any(job.request.purpose is Purpose.REPLY for job in self._jobs)

    def has_chat_work(self) -> bool:
        return any(job.request.purpose is not Purpose.UTILITY for job in self._jobs)

    def has_calls(self) -> bool:
        return bool(self._calls)

    def _accept(self, command: Command) -> None:
        self._rested = False
        match command:
            case Submit(request):
                self._jobs.append(_Job(request, self))
            case Cancel(request_id):
                self._cancel([job for job in self._jobs if job.request.id == request_id])
            case Close():
                self.closing = True
            case Forget(session_id):
                self._cancel([job for job in self._jobs if job.request.session_id == session_id])
                self._calls.append(command)
            case Load() | Count():
                self._calls.append(command)

    def _cancel(self, jobs: list[_Job]) -> None:
        """One that runs sees it at its next step; one that waits, perhaps for the model to load, ends here."""
        for job in jobs:
            job.cancelled = True
            if job.steps is None:
                self._end(job)
                self._emit(Event(job.request.id, Cancelled("")))

    def _answer_calls(self) -> None:
        waiting: list[Call] = []
        while self._calls and not self.closing:
            call = self._calls.pop(0)
            if isinstance(call, Forget) and any(
                job.cancelled and job.request.session_id == call.session_id for job in self._jobs
            ):
                waiting.append(call)  # its turn is just ending
            else:
                self._emit(self._answer(call))
        self._calls += waiting

    def _answer(self, call: Call) -> Answer:
        try:
            match call:
                case Forget(session_id):
                    if self._engine:
                        self._engine.forget_session(session_id)
                    return Answer(call.call_id)
                case Count(texts):
                    return Answer(call.call_id, self._loaded_engine().count_tokens(texts))
                case Load():
                    return Answer(call.call_id, self._loaded_engine().info)
        except MemoryError:  # what lies about in this worker may be the reason: a new one starts clean
            raise
        except Exception as error:
            return Answer(
                call.call_id,
                error=translated(_CLOSED) if self.closing else _sentence(error),
                too_large=isinstance(error, ModelTooLarge),
                suggested_template=error.suggested if isinstance(error, ChatTemplateError) else "",
            )

    def _loaded_engine(self) -> RequestEngine:
        if self._engine is None:
            self._engine = self._engine_factory(self._may_go_on)
            self._emit(Loaded(self._engine.info))
        return self._engine

    def _may_go_on(self) -> bool:
        self.read_inbox()
        return not self.closing

    def _step(self) -> None:
        if not self._jobs or self.closing:
            return
        job = min(self._jobs, key=lambda job: job.urgency)  # of equals, the first that came
        try:
            engine = self._loaded_engine()
            if job not in self._jobs:  # cancelled while the model was loading
                return
            job.steps = job.steps or engine.run(job.request, job)
            self._report(job, next(job.steps))
        except MemoryError:
            raise
        except Exception as error:
            if not self.closing:  # else loading was given up, and the job ends with the others
                self._fail(job, error)

    def _report(self, job: _Job, step: Step) -> None:
        if isinstance(step, TextDelta):
            job.arrived.append(step.text)
        elif isinstance(step, ReasoningDelta):
            job.thought.append(step.text)
        elif step is not None:
            self._end(job)
        if step is not None:
            self._emit(Event(job.request.id, step))

    def _fail(self, job: _Job, error: Exception) -> None:
        if job in self._jobs:
            self._end(job)
            self._emit(Event(job.request.id, Failed(_sentence(error), "".join(job.arrived), reasoning="".join(job.thought))))

    def _end(self, job: _Job) -> None:
        self._jobs.remove(job)
        if job.steps:
            job.steps.close()  # here and now: left to the garbage collector, it would end at any time and on any thread

    def _shut_down(self) -> None:
        """Closed as told, it ends what waits; ended by an error, it leaves that to the host."""
        for job in self._jobs:
            if job.steps:
                job.steps.close()
            if self.closing:
                self._emit(Event(job.request.id, Cancelled("".join(job.arrived), reasoning="".join(job.thought))))
        for call in self._calls if self.closing else ():
            self._emit(Answer(call.call_id, error=translated(_CLOSED)))
        if self._engine:
            self._engine.close()


def _sentence(error: Exception) -> str:
    if isinstance(error, ModelError):
        return str(error)
    # the message of an unforeseen error may hold the user's text: only its kind is logged
    logger.error("the model's worker met %s", type(error).__name__)
    return _("The model stopped unexpectedly ({kind}). Try again; if it happens again, choose another model.").format(
        kind=type(error).__name__
    )
