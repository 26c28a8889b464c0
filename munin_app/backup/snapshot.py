"""A consistent copy of munin.db while it is in use, in memory only: nothing of it is left on the disk."""

from contextlib import closing
from pathlib import Path

import apsw

from munin_app.backup.seal import Progress, silent
from munin_app.chat import deleted, rows
from munin_app.chat.schema import MIGRATIONS
from munin_app.errors import BackupError
from munin_app.i18n import _
from munin_app.storage.connecting import connect, copy_to_memory
from munin_app.storage.locks import key_of
from munin_app.storage.migrations import migrate

PAGES_AT_ONCE = 256


def snapshot(path: Path, progress: Progress = silent) -> apsw.Connection:
    """The database in memory, without what is hidden. Raises BackupError, and StorageError for another schema version."""
    if not path.exists():
        raise BackupError(_("There is no {path} yet, so there is nothing to back up. Open Munin once.").format(path=path))
    copy = _in_memory(path, progress)
    try:
        migrate(copy, MIGRATIONS, name=str(path), read_only=True)
        copy.pragma("secure_delete", True)
        leave_out_hidden(copy)
        copy.execute("DELETE FROM stale_session")  # of this device's sessions
    except BaseException:
        copy.close()
        raise
    return copy


def _in_memory(path: Path, progress: Progress) -> apsw.Connection:
    if key := key_of(path):  # whose pages cannot be copied into a database without a key
        return copy_to_memory(path, key)
    copy = apsw.Connection(":memory:")
    with closing(connect(path, apsw.SQLITE_OPEN_READONLY)) as source:
        source.set_busy_timeout(5000)
        copy_pages(source, copy, progress)
    return copy


def copy_pages(source: apsw.Connection, target: apsw.Connection, progress: Progress = silent) -> None:
    """All pages as they were at one moment: whoever writes meanwhile is neither stopped nor seen."""
    page_size = int(source.pragma("page_size"))
    source.execute("BEGIN")
    try:
        source.execute("SELECT count(*) FROM sqlite_schema").fetchall()  # the moment
        with target.backup("main", source, "main") as backup:
            while not backup.done:
                backup.step(PAGES_AT_ONCE)
                progress((backup.page_count - backup.remaining) * page_size, backup.page_count * page_size)
    finally:
        source.execute("COMMIT")


def leave_out_hidden(connection: apsw.Connection) -> None:
    """What the user deleted and may still take back, with all that was made of it; sessions that hold some of it are noted."""
    connection.pragma("foreign_keys", True)
    with connection:
        hidden = rows.column(connection, "SELECT id FROM conversation WHERE deleted_at IS NOT NULL")
        inside = rows.column(
            connection,
            "SELECT message.id FROM message JOIN conversation ON conversation.id = conversation_id WHERE deleted_at IS NOT NULL",
        )
        touched = deleted.end_offers(connection) | rows.delete_parts_of(connection, inside)
        rows.drop_summaries(connection, touched)
        rows.drop_titles_of(connection, inside)
        rows.mark_stale(connection, {*hidden, *touched})
        connection.executemany("DELETE FROM conversation WHERE id = ?", [(one,) for one in hidden])
