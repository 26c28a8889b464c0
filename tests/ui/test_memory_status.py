"""The Memory page follows vectors that are being made again."""

import threading
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from munin_app.bootstrap import Munin
from munin_app.domain.ids import new_id
from munin_app.domain.messages import Message, Role
from munin_app.inference.scripted import ScriptedChatModel
from munin_app.memory import EncoderManifest, MemoryService
from munin_app.memory.hashing import HashEmbedder
from munin_app.memory.making import BATCH
from tests.ui.harness import OpenPage


class Held(HashEmbedder):
    """Waits before each text until it may go on."""

    def __init__(self, manifest: EncoderManifest) -> None:
        super().__init__(manifest)
        self.may_go_on = threading.Semaphore(0)

    def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.may_go_on.acquire()
        return super().embed_documents(texts)


async def test_status_counts_the_vectors_while_they_are_made(home: Path) -> None:
    path = home / "munin_memory.db"
    home.mkdir()
    without = MemoryService(path, None)
    for number in range(2 * BATCH):
        await without.remember(Message(new_id(), "c", None, Role.USER, f"kayak trip {number}", 0))
    await without.close()
    encoder = Held(EncoderManifest("hash", home, 64))
    memory = MemoryService(path, EncoderManifest("hash", home, 64), load_encoder=lambda _: encoder)
    async with await Munin.start(make_model=lambda path, size: ScriptedChatModel(["Yes."]), memory=memory) as munin:
        await memory.warm_up()
        async with OpenPage(munin) as page:
            page.session.go("memory")
            page.session.memory.show("status")
            for made in (0, BATCH):
                await page.until(lambda made=made: page.has(f"Vectors are being made: {made} of {2 * BATCH}."))
                encoder.may_go_on.release(BATCH)
            await page.until(lambda: page.has(f"{2 * BATCH} vectors."))
