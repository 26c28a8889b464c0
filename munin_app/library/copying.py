"""A copy that takes minutes, seen from the loop: it tells how far it is, and can be cancelled. The disk's work is in `adding`."""

import asyncio
import threading
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from munin_app.errors import ModelError
from munin_app.library.adding import CopyCancelled, put, remove
from munin_app.library.progress import Meter, Progress, Report
from munin_app.library.splits import parts_of


async def copied(files: Sequence[Path], name: str, folder: Path, report: Report) -> Path:
    """Returns the file to load. Raises ModelError. Cancelled, it ends when nothing is left of the copy."""
    loop, ended = asyncio.get_running_loop(), threading.Event()

    def told(progress: Progress) -> None:
        with suppress(RuntimeError):  # the loop was closed: nobody listens
            loop.call_soon_threadsafe(report, progress)

    def work() -> Path:
        meter = Meter(told, sum(file.stat().st_size for file in files))
        meter.at(0)

        def progressed(done: int) -> bool:
            meter.received(done)
            return not ended.is_set()

        return put(files, name, folder, progressed)

    copy = asyncio.create_task(asyncio.to_thread(work))
    try:
        return await asyncio.shield(copy)
    except asyncio.CancelledError:
        ended.set()
        with suppress(CopyCancelled, ModelError):
            first = await copy  # it was done at that very moment
            remove([first.with_name(part) for part in parts_of(first.name)])
        raise
