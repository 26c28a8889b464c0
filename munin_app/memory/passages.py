"""Passages of attached files, in the same tables as memories and found by the same search, in scopes that no recall asks for.

A passage is a document of its own, `CONTENT:N`; its conversation is its file, so that only passages of one file are
neighbours. They are listed, counted and browsed nowhere. What they are passages of, the caller knows.
"""

import asyncio
import json
from collections.abc import Awaitable, Callable, Collection, Coroutine, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

import apsw

from munin_app.domain.attachments import attachment_scope
from munin_app.domain.ids import now_ms
from munin_app.domain.memories import ForgetReport, RecallOutcome
from munin_app.domain.messages import Message, Role
from munin_app.memory import store, word_index
from munin_app.memory.opening import Opened
from munin_app.memory.ranking import Query
from munin_app.storage.database import Database

T = TypeVar("T")
_AT_ONCE = 32
"""Passages in one transaction: a recall waits for no more than that."""


@dataclass(frozen=True, slots=True)
class FoundPassage:
    content_id: str
    n: int
    similarity: float | None
    score: float
    why: str


class Shelter(Protocol):
    """What passages are kept in: a database, its rows in memory, the encoder that both kinds share."""

    async def opened(self) -> Opened | None: ...
    async def search(self, opened: Opened, database: Database, text: str, query: Callable[[Any], Query]) -> RecallOutcome: ...
    async def forget(self, delete: Callable[[apsw.Connection], int]) -> ForgetReport: ...
    def fill(self, database: Database) -> asyncio.Task[None] | None: ...
    async def guarded(self, what: str, work: Coroutine[Any, Any, T], otherwise: T) -> T: ...


class PassageMemory:
    """Nothing here raises: what fails is logged, and the caller goes on with the beginning of the file."""

    def __init__(self, shelter: Shelter) -> None:
        self._shelter = shelter
        self._filling: asyncio.Task[None] | None = None

    async def remember(
        self, content_id: str, created_at: int, texts: Sequence[str], wanted: Callable[[], Awaitable[bool]]
    ) -> bool:
        """True: they can be found by their words; their vectors follow. `wanted`: the file has not been removed meanwhile."""

        async def put() -> bool:
            opened = await self._shelter.opened()
            database = opened.database if opened else None
            if database is None:
                return False
            order = [*range(1, len(texts)), *range(min(1, len(texts)))]  # the first one last: it says that all are there
            for start in range(0, len(order), _AT_ONCE):
                if not await wanted():
                    break
                batch = [_document(content_id, n, texts[n], created_at) for n in order[start : start + _AT_ONCE]]
                await word_index.write(database, lambda connection: _put(connection, batch))  # noqa: B023  # runs before the next
            if not await wanted():
                await self.forget([content_id])
                return False
            self._filling = self._shelter.fill(database)
            return True

        return await self._shelter.guarded("A file's text was not indexed", put(), False)

    async def ready(self, seconds: float) -> None:
        """Until the vectors are made that are being made, or so long."""
        if self._filling is not None:
            await asyncio.wait([self._filling], timeout=seconds)

    async def find(
        self, text: str, content_ids: Collection[str], top_k: int, threshold: float, exclude: Collection[tuple[str, int]] = ()
    ) -> tuple[FoundPassage, ...]:
        """Best first, of these files only; those below the threshold (a similarity) left out."""
        scopes = tuple(attachment_scope(one) for one in content_ids)
        excluded = tuple(_identity(*one) for one in exclude)

        async def find() -> RecallOutcome:
            opened = await self._shelter.opened()
            if opened is None or opened.database is None or not scopes or not text.strip():
                return RecallOutcome()

            def query(vector: Any) -> Query:
                return Query(text, vector, scopes, excluded, top_k, threshold, now_ms())

            return await self._shelter.search(opened, opened.database, text, query)

        outcome = await self._shelter.guarded("A file was not searched", find(), RecallOutcome())
        found = []
        for result in outcome.results:
            content_id, _, n = result.memory.message_id.rpartition(":")
            found.append(FoundPassage(content_id, int(n), result.similarity, result.score, result.why))
        return tuple(found)

    async def forget(self, content_ids: Collection[str]) -> ForgetReport:
        return await self._shelter.forget(lambda connection: _delete(connection, content_ids))

    async def known(self) -> dict[str, bool]:
        """Content ids; True for those of which every passage is there."""

        async def read() -> dict[str, bool]:
            opened = await self._shelter.opened()
            return await opened.database.read(_known) if opened and opened.database else {}

        nothing: dict[str, bool] = {}
        return await self._shelter.guarded("Files in the index were not counted", read(), nothing)


def _identity(content_id: str, n: int) -> str:
    return f"{content_id}:{n}"


def _document(content_id: str, n: int, text: str, created_at: int) -> Message:
    """Later passages a little later: rows of one conversation are in order of time."""
    return Message(_identity(content_id, n), content_id, None, Role.USER, text, created_at + n)


def _put(connection: apsw.Connection, batch: Sequence[Message]) -> None:
    for one in batch:
        store.put_document(connection, one, attachment_scope(one.conversation_id), [one.text])


def _delete(connection: apsw.Connection, content_ids: Collection[str]) -> int:
    scopes = json.dumps([attachment_scope(one) for one in content_ids])
    sql = "SELECT message_id FROM document WHERE scope IN (SELECT value FROM json_each(?))"
    return store.delete_documents(connection, [str(row[0]) for row in connection.execute(sql, (scopes,)).fetchall()])


def _known(connection: apsw.Connection) -> dict[str, bool]:
    rows = connection.execute(
        f"SELECT conversation_id, max(message_id = conversation_id || ':0') FROM document WHERE {store.ATTACHED} "
        "GROUP BY conversation_id"
    )
    return {str(content_id): bool(whole) for content_id, whole in rows}
