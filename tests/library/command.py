"""A file to download, a catalogue that offers it, and the `munin models` command in a process of its own."""

import asyncio
import hashlib
import random
import subprocess
import sys
from pathlib import Path

from tests.library.server import Server

CONTENT = b"GGUF" + random.Random(2).randbytes(12_000_000)
DIGEST = hashlib.sha256(CONTENT).hexdigest()
CATALOG = """
version = 1

[[chat]]
id = "m"
name = "M"
licence = "MIT"
context_tokens = 4096
languages = ["en"]
good_for = "Tests."

[[chat.files]]
file = "m.gguf"
address = "{address}/m.gguf"
sha256 = "{digest}"
size_bytes = {size}
"""


def offer(home: Path, server: Server) -> None:
    """Puts the server's file into a catalogue of the user's."""
    home.mkdir(exist_ok=True)
    (home / "catalog.toml").write_text(CATALOG.format(address=server.address, digest=DIGEST, size=len(CONTENT)))


async def munin(*arguments: str) -> asyncio.subprocess.Process:
    command = [sys.executable, "-m", "munin_app.cli", "models", *arguments]
    return await asyncio.create_subprocess_exec(*command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
