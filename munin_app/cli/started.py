"""Munin for the length of a command; what it has to tell once goes to standard error."""

import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from munin_app.bootstrap import Munin
from munin_app.cli.output import printable


@asynccontextmanager
async def started() -> AsyncIterator[Munin]:
    """Raises what `Munin.start` raises. Everything that was begun is finished before it closes."""
    munin = await Munin.start()
    try:
        yield munin
    finally:
        for notice in munin.notices:
            print(f"munin: {printable(str(notice))}", file=sys.stderr)
        await munin.controller.drain()
        await munin.close()
