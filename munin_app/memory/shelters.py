"""Where passages of files are kept: beside the memories on disk, or in memory for temporary chats. Parts of MemoryService."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any, TypeVar

import apsw

from munin_app.domain.memories import ForgetReport, RecallOutcome
from munin_app.memory import store, word_index
from munin_app.memory.making import BackFill
from munin_app.memory.opening import Opened, open_in_memory
from munin_app.memory.ranking import Query
from munin_app.storage.database import Database

if TYPE_CHECKING:
    from munin_app.memory.service import MemoryService

T = TypeVar("T")


class OnDisk:
    """Passages beside the memories."""

    def __init__(self, memory: "MemoryService") -> None:
        self._memory = memory

    async def opened(self) -> Opened | None:
        await self._memory.warm_up()
        return None if self._memory._read_only else self._memory._opened

    async def search(self, opened: Opened, database: Database, text: str, query: Callable[[Any], Query]) -> RecallOutcome:
        manifest = self._memory._host.manifest
        return await self._memory._search(opened, database, query(await self._memory._query_vector(text)), manifest)

    async def forget(self, delete: Callable[[apsw.Connection], int]) -> ForgetReport:
        return await self._memory._forget(delete)

    def fill(self, database: Database) -> asyncio.Task[None] | None:
        host = self._memory._host
        if host.ready and not self._memory._foreign_vectors:
            self._memory._start_back_fill(database, host)
        return self._memory._back_filling

    async def guarded(self, what: str, work: Coroutine[Any, Any, T], otherwise: T) -> T:
        return await self._memory._guarded(what, work, otherwise)


class InMemory(OnDisk):
    """Passages in a database of their own that is gone with this process."""

    def __init__(self, memory: "MemoryService") -> None:
        super().__init__(memory)
        self._own: Opened | None = None
        self._opening = asyncio.Lock()
        self._filling: asyncio.Task[None] | None = None

    async def opened(self) -> Opened | None:
        await self._memory.warm_up()
        async with self._opening:
            if self._own is None and not self._memory._closed:
                self._own = await open_in_memory(extension=self._memory._use_extension)
        return self._own

    async def forget(self, delete: Callable[[apsw.Connection], int]) -> ForgetReport:
        own = self._own
        if own is None or own.database is None:
            return ForgetReport()
        removed = await word_index.write(own.database, delete)
        await own.database.read(own.rows.refresh)
        return ForgetReport(removed)

    def fill(self, database: Database) -> asyncio.Task[None] | None:
        host, before = self._memory._host, self._filling

        async def fill() -> None:
            if before is not None:
                await asyncio.wait([before])
            await database.write(lambda connection: store.adopt_encoder(connection, *host.name))
            await BackFill(database, host, lambda: (), lambda: None).run()

        if host.ready:
            self._filling = asyncio.create_task(self.guarded("Vectors of a file were not made", fill(), None))
        return self._filling

    async def close(self) -> None:
        if self._filling is not None:
            self._filling.cancel()
            await asyncio.wait([self._filling])
        own, self._own = self._own, None
        if own and own.database:
            await own.database.close()
