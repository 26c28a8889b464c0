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
_CATALOG = """
version = 1

[[chat]]
id = "{id}"
name = "{name}"
licence = "MIT"
context_tokens = 4096
languages = ["en"]
good_for = "Tests."

[[chat.files]]
file = "{id}.gguf"
address = "{address}/{id}.gguf"
sha256 = "{digest}"
size_bytes = {size}
"""


def catalog_of(address: str, digest: str, size: int, *, id: str = "m", name: str = "M") -> str:
    return _CATALOG.format(address=address, digest=digest, size=size, id=id, name=name)


def offer(home: Path, server: Server) -> None:
    """Puts the server's file into a catalogue of the user's."""
    home.mkdir(exist_ok=True)
    (home / "catalog.toml").write_text(catalog_of(server.address, DIGEST, len(CONTENT)))


async def munin(*arguments: str) -> asyncio.subprocess.Process:
    command = [sys.executable, "-m", "munin_app.cli", "models", *arguments]
    return await asyncio.create_subprocess_exec(*command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
