"""The encoder on its thread: loads it, cuts texts for it, embeds with it. Knows nothing of SQLite."""

import logging
from collections.abc import Callable
from typing import TYPE_CHECKING

from munin_app.errors import EncoderError
from munin_app.i18n import _
from munin_app.memory.chunks import TEXT_CHARACTERS_MAX, approximate_spans, sections, split
from munin_app.memory.encoder_thread import EncoderThread, Priority
from munin_app.memory.manifest import SPECIAL_TOKENS, EncoderManifest, TextEncoder

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

log = logging.getLogger(__name__)

QUERY_CHARACTERS_MAX = 4_000
CHUNK_TOKENS = 96
"""A sentence is drowned by 250 tokens around it: its question came to a similarity of 0.14 to 0.26, with 96 to 0.21 to 0.4."""


class EncoderHost:
    """`problem` says why there is no encoder, in a sentence for the user; empty before `load` and when all is well."""

    def __init__(
        self, manifest: EncoderManifest | None, load: Callable[[EncoderManifest], TextEncoder], problem: str = ""
    ) -> None:
        """`problem`: why there is no manifest."""
        self.manifest = manifest
        self.problem = "" if manifest else problem or _("No encoder is chosen.")
        self._load = load
        self._encoder: TextEncoder | None = None
        self._thread = EncoderThread()

    @property
    def name(self) -> tuple[str, int]:
        """Id and dimension, as they are recorded beside the vectors."""
        assert self.manifest is not None
        return self.manifest.id, self.manifest.dimension

    @property
    def ready(self) -> bool:
        return self._encoder is not None

    async def load(self) -> None:
        """Never raises."""
        manifest = self.manifest
        if manifest is None or self._encoder is not None:
            return
        try:
            self._encoder = await self._thread.run(Priority.RECALL, lambda: self._load(manifest))
            self.problem = ""
        except EncoderError as error:
            self.problem = str(error)
        except Exception as error:  # an encoder library may raise anything; memory goes on by words
            self.problem = _("The encoder {id} could not be loaded ({kind}). Install it again, or choose another.").format(
                id=manifest.id, kind=type(error).__name__
            )
        if self.problem:
            log.warning("Recall goes on by words only: %s", self.problem)

    async def embed_query(self, text: str) -> "NDArray[np.float32] | None":
        """Before everything else in the line; None for a text that the encoder cannot read.
        Raises EncoderError, or what the encoder raises."""
        encoder = self._loaded()
        vector = await self._thread.run(Priority.RECALL, lambda: encoder.embed_query(text[:QUERY_CHARACTERS_MAX]))
        return vector if vector.any() else None

    async def embed_document(self, text: str, priority: Priority) -> "NDArray[np.float32]":
        encoder = self._loaded()
        vectors = await self._thread.run(priority, lambda: encoder.embed_documents([text]))
        vector: NDArray[np.float32] = vectors[0]
        return vector

    async def parts(self, text: str) -> list[str]:
        """The chunks of a text, at least one; a long one is cut section by section, so that a recall can come between."""
        if len(text) > TEXT_CHARACTERS_MAX:
            log.info("A message of %d characters is indexed up to %d", len(text), TEXT_CHARACTERS_MAX)
        found: list[str] = []
        for section in sections(text[:TEXT_CHARACTERS_MAX]):
            found += await self._thread.run(Priority.REMEMBER, lambda part=section: self._split(part))  # type: ignore[misc]  # default binds the loop's value
        return found or [text]

    async def readable(self, text: str) -> list[str]:
        """The text, or its parts where the encoder would not read it to its end: another one has cut it."""
        return await self._thread.run(Priority.BACK_FILL, lambda: self._readable(text))

    async def close(self) -> None:
        await self._thread.close()

    def _split(self, section: str) -> list[str]:
        if self._encoder is None or self.manifest is None:
            return split(section, approximate_spans(section), CHUNK_TOKENS)
        return split(section, self._encoder.token_spans(section), min(CHUNK_TOKENS, self._most_tokens()))

    def _readable(self, text: str) -> list[str]:
        if len(self._loaded().token_spans(text)) <= self._most_tokens():
            return [text]
        return self._split(text)

    def _most_tokens(self) -> int:
        """Of a text that is read to its end."""
        assert self.manifest is not None
        prefix = len(self._loaded().token_spans(self.manifest.document_prefix))
        return self.manifest.max_tokens - SPECIAL_TOKENS - prefix

    def _loaded(self) -> TextEncoder:
        if self._encoder is None:
            raise EncoderError(self.problem or _("The encoder is not loaded."))
        return self._encoder
