"""The worker in a child process: a native crash, an illegal instruction or the out-of-memory killer ends the child only.

Two pipes, with a thread at each end that would block. The child imports the engine and what that needs; it ends when
the parent does, however that ends, and leaves Ctrl+C to it.
"""

import logging
import multiprocessing
import os
import queue
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from logging.handlers import QueueHandler
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from types import ModuleType

from munin_app.i18n import N_, _, language, translated, use_language
from munin_app.inference.protocol import Closed, Command, Died, Logged, Report
from munin_app.inference.worker import EngineFactory, serve

_spawn = multiprocessing.get_context("spawn")
_starting = threading.Lock()

_REASONS = {
    4: N_("signal 4, an illegal instruction: llama.cpp was built for another processor"),
    6: N_("signal 6, an abort within llama.cpp"),
    7: N_("signal 7, a memory fault"),
    9: N_("signal 9, perhaps out of memory"),
    11: N_("signal 11, a memory fault"),
}


class ProcessLink:
    def __init__(self, engine_factory: EngineFactory, emit: Callable[[Report], None]) -> None:
        self._commands: queue.SimpleQueue[Command | None] = queue.SimpleQueue()
        self._process: BaseProcess | None = None
        self._thread = threading.Thread(target=self._run, args=(engine_factory, emit), name="munin-model", daemon=True)
        self._thread.start()

    @property
    def process_id(self) -> int | None:
        return self._process.pid if self._process else None

    def send(self, command: Command) -> None:
        self._commands.put(command)

    def end(self, seconds: float) -> bool:
        self._thread.join(seconds)
        if not self._thread.is_alive():
            return True
        if self._process:
            self._process.kill()
            self._thread.join(seconds)
        return False

    def _run(self, engine_factory: EngineFactory, emit: Callable[[Report], None]) -> None:
        try:
            commands, reports = self._start(engine_factory)
        except OSError as error:
            emit(Died(_("its process could not be started: {reason}").format(reason=error.strerror)))
            return
        assert self._process
        writer = threading.Thread(target=self._write, args=(commands,), name="munin-model-commands", daemon=True)
        writer.start()
        last = _relay(reports, emit)
        self._process.join()
        self._commands.put(None)
        writer.join()
        emit(last or Died(_reason(self._process.exitcode)))

    def _start(self, engine_factory: EngineFactory) -> tuple[Connection, Connection]:
        """The ends that commands go into and reports come out of."""
        its_commands, commands = _spawn.Pipe(duplex=False)
        reports, its_reports = _spawn.Pipe(duplex=False)
        process = _spawn.Process(
            target=run_child, args=(engine_factory, its_commands, its_reports, language()), name="munin-model", daemon=True
        )
        try:
            start_alone(process)
        except OSError:
            commands.close()
            reports.close()
            raise
        finally:  # an end of the child's that stays open here would hide its death
            its_commands.close()
            its_reports.close()
        self._process = process
        return commands, reports

    def _write(self, commands: Connection) -> None:
        with commands:
            while command := self._commands.get():
                try:
                    commands.send(command)
                except OSError:  # the child is gone: the reader will say so
                    return


def start_alone(process: BaseProcess) -> None:
    """spawn would import this program's main module in the child: Flet, the databases, everything. It needs none of it.

    From its first moment the child is deaf to Ctrl+C: it inherits this thread's mask.
    """
    with _starting, _ctrl_c_blocked():
        main = sys.modules["__main__"]
        sys.modules["__main__"] = ModuleType("__main__")
        try:
            process.start()
        finally:
            sys.modules["__main__"] = main


@contextmanager
def _ctrl_c_blocked() -> Iterator[None]:
    """In this thread, and in what is started from it meanwhile."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    from multiprocessing import resource_tracker

    resource_tracker.ensure_running()  # which would lift the mask
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _relay(reports: Connection, emit: Callable[[Report], None]) -> Closed | Died | None:
    """Until the child is silent for good. Returns its own last words, which count when it has really ended."""
    last: Closed | Died | None = None
    while True:
        try:
            report: Report = reports.recv()
        except (EOFError, OSError):
            return last
        match report:
            case Closed() | Died():
                last = report
            case Logged(record):
                logging.getLogger(record.name).handle(record)
            case _:
                emit(report)


def _reason(exit_code: int | None) -> str:
    if exit_code is None or exit_code >= 0:
        return _("exit code {code}").format(code=exit_code)
    if -exit_code in _REASONS:
        return translated(_REASONS[-exit_code])
    return _("signal {number}").format(number=-exit_code)


class _LogRelay(QueueHandler):
    """The parent has the log file."""

    def __init__(self, reports: Connection) -> None:
        super().__init__(queue.SimpleQueue())
        self._reports = reports

    def enqueue(self, record: logging.LogRecord) -> None:
        self._reports.send(Logged(record))


def run_child(engine_factory: EngineFactory, commands: Connection, reports: Connection, spoken: str) -> None:
    """The child's whole life. `spoken`: the language of its errors."""
    use_language(spoken)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.environ.setdefault("GGML_NO_BACKTRACE", "1")  # else an abort starts a debugger, when memory is short of all times
    logging.getLogger().addHandler(_LogRelay(reports))
    inbox: queue.SimpleQueue[Command] = queue.SimpleQueue()
    threading.Thread(target=_read, args=(commands, inbox), daemon=True).start()
    try:
        serve(engine_factory, inbox, reports.send)
    except BaseException:  # it could not even report: the parent reads it from the exit code
        os._exit(1)


def _read(commands: Connection, inbox: queue.SimpleQueue[Command]) -> None:
    try:
        while True:
            inbox.put(commands.recv())
    except (EOFError, OSError):  # the parent is gone: nobody needs the model
        os._exit(1)
