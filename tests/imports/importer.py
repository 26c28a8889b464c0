"""Imports a file, remembered, a few chats at once, and says how far it is: the process that test_killed.py kills."""

import asyncio
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent.parent))

from munin_app.bootstrap import Munin
from munin_app.imports import importing
from munin_app.imports.writing import Wish


async def bring() -> None:
    munin = await Munin.start()
    wish = Wish(remember=True, facts=True)
    await munin.import_chats(Path(sys.argv[1]), wish, report=lambda done: print("done", done, flush=True))


importing.BATCH_MESSAGES = 20
asyncio.run(bring())
