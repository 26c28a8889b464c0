"""Opens memory with an encoder and makes up for vectors, saying each text; when it has said so many, it waits to be killed.

The process that test_reembedding.py kills.
"""

import asyncio
import sys
import threading
from collections.abc import Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[3]))

import numpy as np
from numpy.typing import NDArray

from munin_app.memory import EncoderManifest, MemoryService
from munin_app.memory.hashing import HashEmbedder


class Saying(HashEmbedder):
    left = int(sys.argv[4])

    def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        print(*texts, sep="\n", flush=True)
        self.left -= 1
        if self.left == 0:
            threading.Event().wait()
        return super().embed_documents(texts)


async def embed(path: Path, encoder: str, dimension: int) -> None:
    memory = MemoryService(path, EncoderManifest(encoder, Path(), dimension), load_encoder=Saying)
    await memory.back_filled()
    await memory.close()


asyncio.run(embed(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])))
