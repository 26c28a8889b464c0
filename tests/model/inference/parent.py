"""A program with a model: says its child's process id when a reply streams, and waits to be killed."""

import asyncio
import multiprocessing
import sys
from pathlib import Path

from munin_app.inference.host import LlamaChatModel
from munin_app.inference.process_link import ProcessLink
from tests.unit.inference.requests import request, user

print("main module runs", flush=True)


async def main() -> None:
    model = LlamaChatModel(Path(sys.argv[1]), context_size=2048, start_link=ProcessLink)
    async for _ in model.stream(request(user("Tell a very long story"), tokens=2000)):
        print("child", *(child.pid for child in multiprocessing.active_children()), flush=True)


if __name__ == "__main__":
    asyncio.run(main())
