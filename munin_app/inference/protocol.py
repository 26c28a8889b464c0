"""What crosses between the host and the worker: plain picklable values. Knows nothing of queues, threads or processes."""

from collections.abc import Callable
from dataclasses import dataclass, field
from logging import LogRecord
from pathlib import Path
from typing import Protocol

from munin_app.domain.ids import new_id
from munin_app.domain.inference import ChatRequest, ModelEvent, ModelInfo
from munin_app.inference.machine import free_memory
from munin_app.inference.memory_estimate import SESSIONS_LIMIT, KvType

Step = ModelEvent | None
"""What a running request yields. None: nothing to tell, but others may have their turn."""


@dataclass(frozen=True, slots=True)
class EngineSettings:
    path: Path
    context_size: int = 4096
    """In tokens; capped by what the model was trained for. 0: as large as fits the memory that is free."""
    threads: int | None = None
    """None: as many as there are real cores."""
    sessions_folder: Path | None = None
    """Where the state of sessions that are to be kept is saved. None: nowhere."""
    sessions_limit: int = SESSIONS_LIMIT
    """In bytes, all sessions together."""
    sessions_key: bytes | None = field(default=None, repr=False)
    """What their files are sealed with. None: they are not."""
    kv_type: KvType = "f16"
    gpu_layers: int = -1
    """-1: all, where the build of llama.cpp has a GPU; where it has none this says nothing."""
    load_anyway: bool = False
    """Although memory seems too short."""
    free_memory: Callable[[], int | None] = free_memory
    """In bytes; asked where the worker runs."""
    template: str = ""
    """Id of a known chat template to use in place of the file's own. Empty: the file's own."""


class Control(Protocol):
    """Asked between steps, and by llama.cpp itself during prefill: answers must come within microseconds."""

    def stop(self) -> bool:
        """The request is to end."""

    def pause(self) -> bool:
        """Something more urgent waits: break off the running batch and yield."""


@dataclass(frozen=True, slots=True)
class Load:
    call_id: str = field(default_factory=new_id)


@dataclass(frozen=True, slots=True)
class Count:
    texts: tuple[str, ...]
    call_id: str = field(default_factory=new_id)


@dataclass(frozen=True, slots=True)
class Forget:
    session_id: str
    call_id: str = field(default_factory=new_id)


@dataclass(frozen=True, slots=True)
class Submit:
    request: ChatRequest


@dataclass(frozen=True, slots=True)
class Cancel:
    request_id: str


@dataclass(frozen=True, slots=True)
class Close:
    pass


Call = Load | Count | Forget
Command = Call | Submit | Cancel | Close


@dataclass(frozen=True, slots=True)
class Loaded:
    info: ModelInfo


@dataclass(frozen=True, slots=True)
class Event:
    request_id: str
    event: ModelEvent


@dataclass(frozen=True, slots=True)
class Answer:
    """To a call: a value (ModelInfo, list[int] or None) or an error for the user."""

    call_id: str
    value: ModelInfo | list[int] | None = None
    error: str | None = None
    too_large: bool = False
    """The error is a ModelTooLarge."""
    suggested_template: str = ""
    """Beside an error: the known chat template that would mend it."""


@dataclass(frozen=True, slots=True)
class Logged:
    """For the log of the process that has one."""

    record: LogRecord


@dataclass(frozen=True, slots=True)
class Closed:
    """The last message of a worker that was told to close."""


@dataclass(frozen=True, slots=True)
class Died:
    """The last message of, or about, a worker that ended by itself. Its requests and calls got no end."""

    reason: str


Report = Loaded | Event | Answer | Logged | Closed | Died
