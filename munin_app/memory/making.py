"""Makes vectors: for what was just remembered, and in the background for what has none yet. Knows no query and no ranking."""

import logging
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass

from munin_app.memory import store, word_index
from munin_app.memory.encoder_host import EncoderHost
from munin_app.memory.encoder_thread import Priority
from munin_app.storage.database import Database

log = logging.getLogger(__name__)

BATCH = 16
"""Vectors in one transaction: each waits for the disk."""


@dataclass(slots=True)
class Ticket:
    """A `remember` under way. Whoever forgets its message meanwhile cancels it."""

    cancelled: bool = False


def batches(chunks: Sequence[store.Chunk]) -> Iterator[Sequence[store.Chunk]]:
    return (chunks[start : start + BATCH] for start in range(0, len(chunks), BATCH))


async def embed(
    database: Database, host: EncoderHost, batch: Sequence[store.Chunk], priority: Priority, ticket: Ticket
) -> set[int]:
    """One chunk at a time on the encoder's thread, one transaction for all. The ids of those without a vector."""
    vectors = []
    for chunk_id, text in batch:
        if ticket.cancelled:
            break
        try:
            vectors.append((chunk_id, await host.embed_document(text, priority)))
        except Exception as error:  # an encoder library may raise anything; the words of the text find it all the same
            log.warning("A vector was not made (%s)", type(error).__name__)
    await database.write(lambda connection: store.set_embeddings(connection, vectors, host.name))
    return {chunk_id for chunk_id, _ in batch} - {chunk_id for chunk_id, _ in vectors}


class BackFill:
    """Newest first, one transaction for each batch: a kill loses at most one. `busy` names messages that are being remembered
    just now; `tell` hears of each batch."""

    def __init__(
        self, database: Database, host: EncoderHost, busy: Callable[[], Collection[str]], tell: Callable[[], None]
    ) -> None:
        self.per_second = 0.0
        """0: not known yet, or it is done."""
        self._database = database
        self._host = host
        self._busy = busy
        self._tell = tell

    async def run(self) -> None:
        failed: set[int] = set()
        started, made = time.monotonic(), 0
        try:
            while batch := await self._next(failed):
                chunks = [chunk for whole in batch for chunk in await self._readable(whole)]
                left = await embed(self._database, self._host, chunks, Priority.BACK_FILL, Ticket())
                failed |= left
                made += len(chunks) - len(left)
                self.per_second = made / (time.monotonic() - started)
                self._tell()
        finally:
            self.per_second = 0.0
        if not failed:  # else going back to the encoder before is still worth something
            await self._database.write(lambda connection: store.drop_former(connection, self._host.name))

    async def _next(self, failed: Collection[int]) -> list[store.Chunk]:
        skipped, busy = tuple(failed), tuple(self._busy())
        return await self._database.read(lambda connection: store.without_embedding(connection, skipped, busy, BATCH))

    async def _readable(self, chunk: store.Chunk) -> Sequence[store.Chunk]:
        """A chunk that this encoder would not read to its end, as several that it does: another one has cut it."""
        parts = await self._host.readable(chunk[1])
        if len(parts) == 1:
            return [chunk]
        return await word_index.write(self._database, lambda connection: store.split_chunk(connection, chunk[0], parts))
