"""The text of a PDF, whoever made it: read in a process of its own that is ended when it takes too long or too much.

Where there are no processes (phones) it is read on a thread: there a page that takes too long is waited for, and pypdf's own
bounds hold the memory. The child imports pypdf and nothing else of Munin.
"""

import contextlib
import io
import multiprocessing
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from multiprocessing.connection import Connection

from munin_app.inference.links import has_processes

PAGES_MAX = 2_000
SECONDS = 60.0
"""For a whole file; what was read by then is kept."""
MEMORY_BYTES = 1 << 30
"""Of the child, where the system can bound that."""
_LOOK_SECONDS = 0.1

Report = tuple[str, object]
"""("page", text), ("pages", how many there are), ("refused", why: one of the next line), ("done", None)."""
ENCRYPTED, DAMAGED, TOOK_TOO_LONG = "encrypted", "damaged", "too long"


@dataclass(slots=True)
class PdfText:
    pages: list[str]
    total: int = 0
    """Pages that the file has, read or not."""
    problem: str = ""
    """ENCRYPTED, DAMAGED or TOOK_TOO_LONG: why it is not all that there is."""


Progress = Callable[[int, int], object]
"""Pages read, and pages that there are. Called on the reading thread."""


def extract(content: bytes, characters: int) -> Iterator[Report]:
    """Page by page, until there are that many characters."""
    from pypdf import PdfReader

    try:
        reader = PdfReader(io.BytesIO(content))
        if reader.is_encrypted and not reader.decrypt(""):
            yield "refused", ENCRYPTED
            return
        total = len(reader.pages)
        yield "pages", total
        for number in range(min(total, PAGES_MAX)):
            text = _page(reader, number)
            yield "page", text
            characters -= len(text)
            if characters <= 0:
                break
    except Exception:  # pypdf's own errors, and whatever else a hostile file brings up
        yield "refused", DAMAGED
    else:
        yield "done", None


def _page(reader: object, number: int) -> str:
    """Of a page that cannot be read: nothing. The others may be whole."""
    try:
        text: str = reader.pages[number].extract_text()  # type: ignore[attr-defined]
    except MemoryError:
        raise
    except Exception:
        return ""
    return text


def read_pdf(content: bytes, characters: int, progress: Progress, stop: threading.Event) -> PdfText:
    """Blocks: call it on a thread. `stop` ends it early. Raises nothing."""
    reports = _from_process if has_processes() else extract_in_time
    found = PdfText([])
    problem = DAMAGED  # an end without a word
    for kind, value in reports(content, characters, stop, SECONDS):
        if kind == "page":
            found.pages.append(str(value).encode("utf-8", "replace").decode())
            progress(len(found.pages), found.total)
        elif kind == "pages":
            found.total = int(str(value))
        else:
            problem = "" if kind == "done" else str(value)
    found.problem = problem
    return found


def extract_in_time(content: bytes, characters: int, stop: threading.Event, seconds: float) -> Iterator[Report]:
    """In this thread; looks at the clock between pages."""
    end = time.monotonic() + seconds
    for report in extract(content, characters):
        yield report
        if stop.is_set() or time.monotonic() > end:
            yield "refused", TOOK_TOO_LONG
            return


def _from_process(content: bytes, characters: int, stop: threading.Event, seconds: float) -> Iterator[Report]:
    from munin_app.inference.process_link import start_alone

    spawn = multiprocessing.get_context("spawn")
    ours, its = spawn.Pipe()
    process = spawn.Process(target=run_child, args=(its, characters), name="munin-pdf", daemon=True)
    end = time.monotonic() + seconds
    try:
        start_alone(process)
        its.close()  # an end of the child's that stays open here would hide its death
        sender = threading.Thread(target=_send, args=(ours, content), name="munin-pdf-file", daemon=True)
        sender.start()  # a pipe is smaller than a file
        while not stop.is_set():
            if time.monotonic() > end:
                yield "refused", TOOK_TOO_LONG
                return
            if ours.poll(_LOOK_SECONDS):
                report: Report = ours.recv()
                yield report
                if report[0] in ("done", "refused"):
                    return
    except (EOFError, OSError):  # the child is gone
        yield "refused", DAMAGED
    finally:
        if process.pid is not None:
            process.kill()
            process.join()
        ours.close()


def _send(connection: Connection, content: bytes) -> None:
    with contextlib.suppress(OSError):  # the child is gone: the reader will say so
        connection.send_bytes(content)


def run_child(connection: Connection, characters: int) -> None:
    """The child's whole life."""
    import logging

    logging.disable(logging.CRITICAL)  # pypdf tells of every oddity, with the file's own words
    _bound_memory()
    try:
        for report in extract(connection.recv_bytes(), characters):
            connection.send(report)
    except (OSError, EOFError):
        pass  # the parent is gone


def _bound_memory() -> None:
    try:
        import resource
    except ImportError:  # Windows
        return
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
