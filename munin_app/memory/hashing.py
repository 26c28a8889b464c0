"""A deterministic encoder without a model: for tests and for trying things out. It compares words, not meanings."""

import re
import zlib
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from munin_app.memory.manifest import EncoderManifest

if TYPE_CHECKING:
    from numpy.typing import NDArray

_TOKEN = re.compile(r"\w+|[^\w\s]")


class HashEmbedder:
    """Each word adds one to the dimension its CRC-32 falls on; the sum is L2-normalised. The same on every machine."""

    def __init__(self, manifest: EncoderManifest) -> None:
        self._manifest = manifest

    @property
    def model_id(self) -> str:
        return self._manifest.id

    @property
    def dimension(self) -> int:
        return self._manifest.dimension

    def embed_query(self, text: str) -> "NDArray[np.float32]":
        vector = np.zeros(self.dimension, dtype=np.float32)
        for word in _TOKEN.findall(text.casefold()) or [text]:
            vector[zlib.crc32(word.encode()) % self.dimension] += 1
        unit: NDArray[np.float32] = (vector / np.linalg.norm(vector)).astype(np.float32)
        return unit

    def embed_documents(self, texts: Sequence[str]) -> "NDArray[np.float32]":
        return np.stack([self.embed_query(text) for text in texts])

    def token_spans(self, text: str) -> Sequence[tuple[int, int]]:
        return [found.span() for found in _TOKEN.finditer(text)]
