"""Embeds each text once and keeps the vector on disk, so that a second run over the same file takes seconds."""

import hashlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import apsw
import numpy as np

from munin_app.memory import EncoderManifest, TextEncoder
from munin_app.memory.encoder import OnnxEmbedder

if TYPE_CHECKING:
    from numpy.typing import NDArray


class CachedEncoder:
    """The encoder of that manifest, loaded when a text comes that is not in the cache. Used on one thread."""

    def __init__(
        self, manifest: EncoderManifest, folder: Path, load: Callable[[EncoderManifest], TextEncoder] = OnnxEmbedder
    ) -> None:
        self._manifest = manifest
        self._encoder = load(manifest)
        folder.mkdir(parents=True, exist_ok=True)
        self._connection = apsw.Connection(str(folder / "embeddings.db"))
        self._connection.execute("CREATE TABLE IF NOT EXISTS embedding (key BLOB PRIMARY KEY, vector BLOB) WITHOUT ROWID")

    @property
    def model_id(self) -> str:
        return self._manifest.id

    @property
    def dimension(self) -> int:
        return self._manifest.dimension

    def embed_query(self, text: str) -> "NDArray[np.float32]":
        return self._cached("query", text, lambda: self._encoder.embed_query(text))

    def embed_documents(self, texts: Sequence[str]) -> "NDArray[np.float32]":
        return np.stack([self._cached("document", text, lambda: self._one(text)) for text in texts])  # noqa: B023  # called at once

    def token_spans(self, text: str) -> Sequence[tuple[int, int]]:
        return self._encoder.token_spans(text)

    def _one(self, text: str) -> "NDArray[np.float32]":
        vector: NDArray[np.float32] = self._encoder.embed_documents([text])[0]
        return vector

    def _cached(self, kind: str, text: str, embed: "Callable[[], NDArray[np.float32]]") -> "NDArray[np.float32]":
        key = hashlib.sha256(f"{self._manifest.id}\0{kind}\0{text}".encode()).digest()
        found = self._connection.execute("SELECT vector FROM embedding WHERE key = ?", (key,)).get
        if found is not None:
            return np.frombuffer(found, np.float32)
        vector = embed()
        self._connection.execute("INSERT OR REPLACE INTO embedding VALUES (?, ?)", (key, vector.tobytes()))
        return vector
