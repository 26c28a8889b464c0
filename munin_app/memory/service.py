"""MemoryService: remember, recall, forget. Memory never breaks chat: each method logs, degrades and reports.

Knows how its parts work together; SQL, ranking and the encoder are theirs. Callers hold this one object whatever
works: without an encoder it finds by words, without a database it remembers and finds nothing and `status` says why.
"""

import asyncio
import logging
import time
from collections.abc import Callable, Collection, Coroutine
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import apsw

from munin_app.domain.events import VectorsMade, notify
from munin_app.domain.ids import now_ms
from munin_app.domain.memories import (
    EVERYTHING,
    SHARED,
    ArmStatus,
    ForgetReport,
    Memory,
    MemoryFilter,
    RecallOutcome,
    VectorProgress,
)
from munin_app.domain.messages import Message
from munin_app.errors import EncoderError, MuninError
from munin_app.i18n import _
from munin_app.memory import set_aside, store, word_index, words
from munin_app.memory.encoder import OnnxEmbedder
from munin_app.memory.encoder_host import EncoderHost
from munin_app.memory.encoder_thread import Priority
from munin_app.memory.making import BackFill, Ticket, batches, embed
from munin_app.memory.manifest import EncoderManifest, TextEncoder
from munin_app.memory.opening import Opened, open_memory
from munin_app.memory.passages import PassageMemory
from munin_app.memory.ranking import Query, search
from munin_app.memory.shelters import InMemory, OnDisk
from munin_app.memory.signals import SHIPPED, Weights
from munin_app.memory.status import Condition, describe
from munin_app.storage.database import Database

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

T = TypeVar("T")
log = logging.getLogger(__name__)


class MemoryService:
    """Every method may be called from any task of the application's loop, before and after `close`; none raises."""

    def __init__(
        self,
        database_path: Path,
        encoder: EncoderManifest | None,
        *,
        problem: str = "",
        read_only: bool = False,
        load_encoder: Callable[[EncoderManifest], TextEncoder] = OnnxEmbedder,
        use_extension: bool = True,
        weights: Weights = SHIPPED,
    ) -> None:
        """Opens nothing. `problem`: why there is no encoder. `use_extension` False compares vectors with NumPy, as where
        sqlite-vec cannot be loaded. Other `weights` are for measuring what each signal is worth."""
        self._path = database_path
        self._read_only = read_only
        self._use_extension = use_extension
        self._weights = weights
        self._load_encoder = load_encoder
        self._host = EncoderHost(encoder, load_encoder, problem)
        self._changing_encoder = asyncio.Lock()
        self._back_fill: BackFill | None = None
        self._opened: Opened | None = None
        self._opening: asyncio.Task[None] | None = None
        self._warming: asyncio.Task[None] | None = None
        self._back_filling: asyncio.Task[None] | None = None
        self._listeners: list[Callable[[VectorsMade], None]] = []
        self._tickets: dict[str, Ticket] = {}
        self._foreign_vectors = False
        self._set_aside: Path | None = None
        self._trouble = ""
        self._closed = False
        self.passages = PassageMemory(OnDisk(self))
        """Of files that are attached."""
        self._private = InMemory(self)
        self.private_passages = PassageMemory(self._private)
        """Of those in temporary chats: nothing of them touches the disk."""

    @property
    def set_aside(self) -> Path | None:
        """Where a damaged database was moved; None when there is none, or nothing was opened yet."""
        return self._set_aside

    @property
    def encoder(self) -> EncoderManifest | None:
        """The one in use, loaded or not."""
        return self._host.manifest

    def subscribe(self, listener: Callable[[VectorsMade], None]) -> None:
        """`listener` is called on the loop while vectors are made up for: `status` says how many are there."""
        self._listeners.append(listener)

    async def warm_up(self) -> None:
        """Opens the database and loads the encoder. Idempotent; concurrent calls share one."""
        if self._warming is None and not self._closed:
            self._warming = asyncio.create_task(self._warm_up())
        if self._warming is not None:
            await asyncio.shield(self._warming)

    async def remember(self, message: Message, *, scope: str = SHARED) -> bool:
        """True when the message is stored durably. Remembering it again replaces it."""
        if not message.text.strip() or self._read_only:
            return False
        ticket = Ticket()
        self._cancel([message.id])
        self._tickets[message.id] = ticket
        host = self._host
        try:
            await self.warm_up()
            return await self._store(message, scope, ticket)
        except Exception as error:
            self._note(_("A message was not remembered"), error)
            return False
        finally:
            if self._tickets.get(message.id) is ticket:
                del self._tickets[message.id]
            if host is not self._host and self._database and not self._closed:  # another encoder came meanwhile
                self._start_back_fill(self._database, self._host)

    async def recall(
        self,
        query: str,
        top_k: int = 6,
        threshold: float | None = None,
        *,
        scopes: Collection[str] = (SHARED,),
        exclude_messages: Collection[str] = (),
        now: int | None = None,
    ) -> RecallOutcome:
        """Best first. `threshold` (a similarity) replaces the calibrated bar, and then repetitions of the query are found too.
        `now` (Unix ms) is from where “last week” is seen: the present, unless told otherwise."""
        try:
            await self.warm_up()
            opened, database = self._opened, self._database
            if opened is None or database is None or top_k < 1 or not query.strip():
                return RecallOutcome()
            started, manifest = time.perf_counter(), self._host.manifest
            vector = await self._query_vector(query)
            embedded = time.perf_counter()
            asked_at = now_ms() if now is None else now
            wanted = Query(query, vector, tuple(scopes), tuple(exclude_messages), top_k, threshold, asked_at)
            outcome = await self._search(opened, database, wanted, manifest)
            embed_ms, search_ms = (embedded - started) * 1000, (time.perf_counter() - embedded) * 1000
            return replace(outcome, embed_ms=embed_ms, search_ms=search_ms)
        except Exception as error:
            self._note(_("Recall found nothing"), error)
            return RecallOutcome()

    async def forget_messages(self, ids: Collection[str]) -> ForgetReport:
        """Also what is being remembered just now, and damaged copies: they may hold the same text."""
        wanted = tuple(ids)
        self._cancel(wanted)
        return await self._forget(lambda connection: store.delete_documents(connection, wanted))

    async def forget_all(self) -> ForgetReport:
        self._cancel(tuple(self._tickets))
        return await self._forget(store.delete_everything, shrink=True)

    async def count(self, meant: MemoryFilter = EVERYTHING) -> int:
        """Remembered messages."""
        return await self._read(lambda connection: store.count(connection, meant), 0)

    async def browse(self, offset: int = 0, limit: int = 50, meant: MemoryFilter = EVERYTHING) -> tuple[Memory, ...]:
        """Newest first; of a long message the beginning."""
        nothing: tuple[Memory, ...] = ()
        return await self._read(lambda connection: store.newest(connection, offset, limit, meant), nothing)

    async def indexed_ids(self, meant: MemoryFilter = EVERYTHING) -> set[str]:
        """Ids of the remembered messages: to compare with munin.db, to forget many at once."""
        nothing: set[str] = set()
        return await self._read(lambda connection: store.message_ids(connection, meant), nothing)

    async def status(self) -> tuple[ArmStatus, ...]:
        """`encoder`, `vectors`, `words`, `database`. Loads nothing."""
        chunks = await self._read(store.chunk_counts, (0, 0)) if self._database else (0, 0)
        messages = await self.count() if self._database else 0
        words_work = await self._read(words.works, False) if self._database else True
        return describe(
            Condition(
                closed=self._closed,
                opened=self._opened,
                read_only=self._read_only,
                host=self._host,
                foreign_vectors=self._foreign_vectors,
                set_aside=self._set_aside,
                trouble=self._trouble,
                messages=messages,
                chunks=chunks[0],
                without_vector=chunks[1],
                making_vectors=bool(self._tickets) or (self._back_filling is not None and not self._back_filling.done()),
                words_work=words_work,
            )
        )

    async def use_encoder(self, manifest: EncoderManifest) -> None:
        """Another encoder from now on; its vectors are made in the background, and those of the one before are kept meanwhile.
        Raises EncoderError where it cannot be loaded: then the one in use stays."""
        await self.warm_up()
        async with self._changing_encoder:
            if self._closed or self._read_only:
                raise EncoderError(_("Memory is closed. Open Munin again, and choose the encoder then."))
            if self._host.ready and manifest == self._host.manifest:
                return
            host = EncoderHost(manifest, self._load_encoder)
            await host.load()
            if not host.ready:
                await host.close()
                raise EncoderError(host.problem)
            await self._stop_back_filling()
            before, self._host = self._host, host
            if self._database is not None:
                await self._guarded(_("The encoder was not adopted"), self._adopt(self._database, host), None)
            await before.close()

    async def vector_progress(self) -> VectorProgress:
        rate = self._back_fill.per_second if self._back_fill else 0.0

        def progress(connection: apsw.Connection) -> VectorProgress:
            total, without = store.chunk_counts(connection)
            former = store.former_encoder(connection)
            return VectorProgress(total - without, total, former[0] if former else "", rate)

        return await self._read(progress, VectorProgress(0, 0))

    async def back_filled(self) -> None:
        """Returns when the vectors that could be made up for are made."""
        await self.warm_up()
        if self._back_filling is not None:
            await asyncio.wait([self._back_filling])

    async def close(self) -> None:
        """What waits for a vector gets it at the next start."""
        self._closed = True
        under_way = [task for task in (self._opening, self._warming) if task is not None]
        if under_way:
            await asyncio.wait(under_way)
        async with self._changing_encoder:
            await self._stop_back_filling()
            await self._host.close()
        await self._private.close()
        database, self._opened = self._database, None
        if database is not None:
            await self._guarded(_("The memory database was not closed"), database.close(), None)

    async def _stop_back_filling(self) -> None:
        if self._back_filling is not None:
            self._back_filling.cancel()
            await asyncio.wait([self._back_filling])

    @property
    def _database(self) -> Database | None:
        return self._opened.database if self._opened else None

    async def _open(self) -> None:
        if self._opening is None and not self._closed:
            self._opening = asyncio.create_task(self._open_database())
        if self._opening is not None:
            await asyncio.shield(self._opening)

    async def _open_database(self) -> None:
        self._opened = await open_memory(self._path, read_only=self._read_only, extension=self._use_extension)
        self._set_aside = self._opened.set_aside
        if self._opened.problem:
            log.warning("Chat goes on without memory: %s", self._opened.problem)

    async def _warm_up(self) -> None:
        await self._guarded(_("Memory did not start"), self._open(), None)
        if self._database is None:
            return
        await self._host.load()
        if self._host.ready:
            await self._guarded(_("The encoder was not adopted"), self._adopt(self._database, self._host), None)
        if self._opened is not None:
            await self._guarded(_("Rows were not read"), self._database.read(self._opened.rows.refresh), None)

    async def _adopt(self, database: Database, host: EncoderHost) -> None:
        if self._read_only:
            self._foreign_vectors = await database.read(store.encoder_of) not in (None, host.name)
            return
        self._foreign_vectors = True  # until the next line has succeeded
        await database.write(lambda connection: store.adopt_encoder(connection, *host.name))
        self._foreign_vectors = False
        self._start_back_fill(database, host)

    def _start_back_fill(self, database: Database, host: EncoderHost) -> None:
        """After the one that runs, if one does: it may have looked past what is missing now."""
        before = self._back_filling
        fill = self._back_fill = BackFill(database, host, lambda: self._tickets, lambda: notify(self._listeners, VectorsMade()))

        async def run() -> None:
            if before is not None:
                try:
                    await asyncio.wait([before])
                except asyncio.CancelledError:
                    before.cancel()
                    raise
            await self._guarded(_("Back-filling stopped"), fill.run(), None)

        self._back_filling = asyncio.create_task(run())
        self._back_filling.add_done_callback(lambda task: notify(self._listeners, VectorsMade()))

    async def _store(self, message: Message, scope: str, ticket: Ticket) -> bool:
        database = self._database
        if database is None:
            return False
        parts = await self._parts(message.text.strip())

        def put(connection: apsw.Connection) -> list[store.Chunk]:
            # asked on the database's thread: whoever forgot this message has cancelled before deleting there
            return [] if ticket.cancelled else store.put_document(connection, message, scope, parts)

        chunks = await word_index.write(database, put)
        self._trouble = ""
        if self._host.ready and not self._foreign_vectors:
            for batch in batches(chunks):
                nothing: set[int] = set()
                work = embed(database, self._host, batch, Priority.REMEMBER, ticket)
                await self._guarded(_("Vectors were not kept"), work, nothing)
        return bool(chunks) and not ticket.cancelled

    async def _parts(self, text: str) -> list[str]:
        host = self._host
        try:
            return await host.parts(text)
        except EncoderError:
            if host is self._host:
                raise
            return await self._host.parts(text)  # another encoder came meanwhile, and that one was closed

    async def _query_vector(self, query: str) -> "NDArray[np.float32] | None":
        if not self._host.ready or self._foreign_vectors:
            return None
        return await self._guarded(_("A query was sought by words only"), self._host.embed_query(query), None)

    async def _search(self, opened: Opened, database: Database, query: Query, manifest: EncoderManifest | None) -> RecallOutcome:
        bar = (manifest.threshold, manifest.threshold_growth) if manifest else (0.0, 0.0)
        encoder = (manifest.id, manifest.dimension) if manifest else None

        def find(connection: apsw.Connection) -> RecallOutcome:
            # asked on the database's thread: another encoder may have been adopted since the query was embedded
            comparable = store.encoder_of(connection) == encoder
            wanted = query if comparable else replace(query, vector=None)
            return search(connection, opened.rows, wanted, opened.exact, *bar, self._weights)

        return await database.read(find)

    def _cancel(self, ids: Collection[str]) -> None:
        for message_id in ids:
            if ticket := self._tickets.get(message_id):
                ticket.cancelled = True

    async def _forget(self, delete: Callable[[apsw.Connection], int], *, shrink: bool = False) -> ForgetReport:
        removed, failures = 0, []
        try:
            await self._open()
            if self._database is None or self._read_only:
                failures = await asyncio.to_thread(self._why_not_forgotten)
            else:
                removed = await word_index.write(self._database, delete)
                if shrink:
                    await self._database.read(lambda connection: connection.execute("VACUUM"))  # gives the space back
                if self._opened is not None:
                    await self._database.read(self._opened.rows.refresh)  # nothing stays in memory either
                if not await self._database.erase_traces():
                    failures = [
                        _("Another program reads {name}: traces stay in its log until it and Munin are closed.").format(
                            name=self._path.name
                        )
                    ]
        except Exception as error:
            self._note(_("Something was not forgotten"), error)
            reason = str(error) if isinstance(error, MuninError) else type(error).__name__
            failures = [
                _("{path} could not be cleared of it ({reason}). Try again after a restart of Munin.").format(
                    path=self._path, reason=reason
                )
            ]
        if not self._read_only:
            failures += await self._guarded(
                _("A damaged copy was not deleted"), asyncio.to_thread(set_aside.erase, self._path), []
            )
            self._set_aside = await asyncio.to_thread(set_aside.latest, self._path)
        return ForgetReport(removed, tuple(failures))

    def _why_not_forgotten(self) -> list[str]:
        if not self._path.exists():
            return []  # nothing was ever stored
        problem = self._opened.problem if self._opened else ""
        reason = problem or (_("It was opened only to read.") if self._read_only else _("Memory is closed."))
        return [_("{path} still holds what was to be forgotten. {reason}").format(path=self._path, reason=reason)]

    async def _read(self, work: Callable[[apsw.Connection], T], otherwise: T) -> T:
        async def read() -> T:
            await self._open()
            return await self._database.read(work) if self._database else otherwise

        return await self._guarded(_("Memory could not be read"), read(), otherwise)

    async def _guarded(self, what: str, work: Coroutine[Any, Any, T], otherwise: T) -> T:
        try:
            return await work
        except Exception as error:
            self._note(what, error)
            return otherwise

    def _note(self, what: str, error: Exception) -> None:
        """Ours are sentences without private text; of other errors the class only (an FTS5 error quotes the query)."""
        self._trouble = str(error) if isinstance(error, MuninError) else f"{what} ({type(error).__name__})."
        log.warning("%s: %s", what, self._trouble)
