"""Opens munin_memory.db, or says why not. A damaged one is moved aside: it is an index and can be made again."""

import asyncio
import logging
from dataclasses import dataclass, field
from pathlib import Path

import apsw

from munin_app.errors import StorageError
from munin_app.i18n import _
from munin_app.memory import store, word_index, words
from munin_app.memory.rows import Rows
from munin_app.memory.schema import MIGRATIONS
from munin_app.memory.set_aside import latest, set_aside
from munin_app.memory.vectors import Exact, exact_by_extension, exact_by_numpy, load_extension
from munin_app.storage.database import Database

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Opened:
    """`database` is None when it cannot be used: then `problem` is a sentence for the user."""

    database: Database | None
    exact: Exact
    problem: str = ""
    set_aside: Path | None = None
    rows: Rows = field(default_factory=Rows)


async def open_memory(path: Path, *, read_only: bool, extension: bool) -> Opened:
    """Never raises StorageError."""
    try:
        return await _opened(path, read_only, extension)
    except StorageError as error:
        if read_only or not _is_damage(error):
            return Opened(None, exact_by_numpy, str(error), await asyncio.to_thread(latest, path))
    log.warning("%s is damaged: it is set aside and a fresh one is made", path.name)
    try:
        await asyncio.to_thread(set_aside, path)
        return await _opened(path, read_only, extension)
    except (StorageError, OSError) as error:
        problem = _("{path} is damaged and could not be replaced ({error}). Move it away, then start Munin again.").format(
            path=path, error=error
        )
        return Opened(None, exact_by_numpy, problem, await asyncio.to_thread(latest, path))


async def open_in_memory(*, extension: bool) -> Opened:
    """A memory that never touches the disk. Raises StorageError."""
    return await _opened(None, False, extension)


async def _opened(path: Path | None, read_only: bool, extension: bool) -> Opened:
    arms: list[Exact] = []

    def prepare(connection: apsw.Connection) -> None:
        arms.append(exact_by_extension if extension and load_extension(connection) else exact_by_numpy)

    database, rows = Database(path, MIGRATIONS, read_only=read_only), Rows()
    try:
        await database.open(prepare)
        if not read_only and not await database.read(word_index.is_sound):
            await database.write(word_index.rebuild)
        await database.read(_probe)
        await database.read(rows.watch)
    except (StorageError, apsw.Error, OSError) as error:
        await database.close()
        if isinstance(error, StorageError):
            raise
        raise StorageError(
            _("{path} cannot be used as memory ({kind}: {error}). Check the file and its folder.").format(
                path=path, kind=type(error).__name__, error=error
            )
        ) from error
    return Opened(database, arms[0], set_aside=await asyncio.to_thread(latest, path) if path else None, rows=rows)


def _probe(connection: apsw.Connection) -> None:
    """Touches each table, so that damage shows now."""
    words.prepare(connection)
    store.encoder_of(connection)
    store.chunk_counts(connection)
    words.sought(connection, "probe")


def _is_damage(error: StorageError) -> bool:
    return isinstance(error.__cause__, apsw.NotADBError | apsw.CorruptError)
