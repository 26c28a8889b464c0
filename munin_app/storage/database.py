"""A SQLite database on one owner thread. Knows nothing of what is stored.

A connection shared by threads crashes, and the event loop must not wait for a disk: so every use of the connection is a
function that runs on the store's own thread, one after the other.
"""

import asyncio
import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TypeVar

import apsw

from munin_app.errors import StorageError
from munin_app.i18n import _
from munin_app.storage import upgrades
from munin_app.storage.connecting import connect
from munin_app.storage.migrations import Migration, migrate, refuse_newer, version

T = TypeVar("T")
SQLiteValue = None | int | float | bytes | str
"""What SQLite stores."""


class Database:
    """`await database.read(f)` and `await database.write(f)` run `f(connection)`; a write is one transaction.

    Raises StorageError when the file cannot be opened, is no database, or was written by a newer Munin.
    """

    def __init__(
        self, path: Path | None, migrations: Sequence[Migration], *, read_only: bool = False, keep_copy: bool = False
    ) -> None:
        """`path` None is a database in memory that never touches the disk. `keep_copy`: it is copied before it is upgraded."""
        self.path = path
        self._migrations = migrations
        self._read_only = read_only
        self._keep_copy = keep_copy
        self._connection: apsw.Connection | None = None
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix=f"sqlite-{path.stem if path else 'memory'}")

    async def open(self, prepare: Callable[[apsw.Connection], None] | None = None) -> None:
        """`prepare` runs on the fresh connection before the migrations (to load an extension)."""
        await self._on_thread(self._open, prepare)

    async def read(self, work: Callable[[apsw.Connection], T]) -> T:
        return await self._on_thread(lambda: work(self._opened()))

    async def write(self, work: Callable[[apsw.Connection], T]) -> T:
        def transaction() -> T:
            connection = self._opened()
            connection.execute("BEGIN IMMEDIATE")
            try:
                result = work(connection)
                connection.execute("COMMIT")
            except BaseException:
                if connection.in_transaction:  # on a full disk SQLite has rolled back by itself
                    connection.execute("ROLLBACK")
                raise
            return result

        return await self._on_thread(transaction)

    async def erase_traces(self) -> bool:
        """After deletes: leaves no copy of deleted rows in the file or its write-ahead log (secure_delete has zeroed
        the pages; the log still holds the old ones until it is truncated).

        False: another program is reading, and the log is truncated only when it is done and this database closes.
        """

        def truncate() -> bool:
            try:
                self._opened().wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
            except (apsw.BusyError, apsw.LockedError):
                return False
            return True

        return await self._on_thread(truncate)

    async def erase_copies(self) -> None:
        """Those from before an upgrade, which hold what is about to be forgotten. Raises StorageError."""
        if not self.path:
            return
        try:
            await asyncio.to_thread(upgrades.delete_copies, self.path)
        except OSError as error:
            raise StorageError(
                _("{file} was kept from before an upgrade, holds this too, and cannot be deleted ({error}). Delete it.").format(
                    file=error.filename or self.path, error=error.strerror
                )
            ) from error

    async def close(self) -> None:
        await self._on_thread(self._close)
        self._thread.shutdown(wait=False)

    async def _on_thread(self, work: Callable[..., T], *arguments: object) -> T:
        def guarded() -> T:
            try:
                return work(*arguments)
            except apsw.FullError as error:
                raise StorageError(
                    _("The disk is full: {name} could not be written. Free some space and try again.").format(name=self._name())
                ) from error
            except (apsw.NotADBError, apsw.CorruptError) as error:
                raise StorageError(
                    _("{name} is damaged ({error}). Restore a copy of it, or move it away to start afresh.").format(
                        name=self._name(), error=error
                    )
                ) from error
            except (apsw.IOError, apsw.ReadOnlyError) as error:
                raise StorageError(
                    _(
                        "{name} cannot be read or written ({error}). Check whether the disk is full, and the file's permissions."
                    ).format(name=self._name(), error=error)
                ) from error
            except (apsw.BusyError, apsw.LockedError) as error:
                raise StorageError(
                    _("{name} is in use by another program. Close it and try again.").format(name=self._name())
                ) from error
            except apsw.ConstraintError:
                raise  # a fault of the caller's, not of the file
            except apsw.Error as error:
                raise StorageError(
                    _("{name} cannot be used ({error}). Restore a copy of it, or move it away.").format(
                        name=self._name(), error=error
                    )
                ) from error

        # shield: a caller that is cancelled must not leave a transaction half-way or a result unread
        return await asyncio.shield(asyncio.get_running_loop().run_in_executor(self._thread, guarded))

    def _name(self) -> str:
        return str(self.path) if self.path else _("the database in memory")

    def _opened(self) -> apsw.Connection:
        if self._connection is None:
            raise StorageError(_("{name} is not open.").format(name=self._name()))
        return self._connection

    def _open(self, prepare: Callable[[apsw.Connection], None] | None) -> None:
        if self._connection is not None:
            return
        flags = apsw.SQLITE_OPEN_READONLY if self._read_only else apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE
        try:
            connection = connect(self.path, flags) if self.path else apsw.Connection(":memory:", flags=flags)
        except apsw.CantOpenError as error:
            raise StorageError(
                _("{name} cannot be opened ({error}). Check that the folder exists and can be written.").format(
                    name=self._name(), error=error
                )
            ) from error
        try:
            connection.set_busy_timeout(5000)
            refuse_newer(connection, self._migrations, name=self._name())
            connection.pragma("foreign_keys", True)
            if not self._read_only:
                connection.pragma("secure_delete", True)
                if self.path:
                    connection.pragma("journal_mode", "wal")
                    connection.pragma("synchronous", "full")
            if prepare:
                prepare(connection)
            if self.path and self._keep_copy and 0 < version(connection) < len(self._migrations):
                upgrades.copy_database(connection, self.path, version(connection))
            migrate(connection, self._migrations, name=self._name(), read_only=self._read_only)
        except BaseException:
            connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)  # what was refused is left as it was found
            connection.close()
            raise
        if self.path and not self._read_only:
            os.chmod(self.path, 0o600)
        self._connection = connection

    def _close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None
