"""What was unpacked is verified before it may take the place of anything: whoever made the file, the app can live with it."""

import os
import re
from contextlib import closing
from pathlib import Path

import apsw

from munin_app.backup.manifest import DATABASE, KEY, PROFILE, SETTINGS
from munin_app.chat import rows
from munin_app.chat.schema import MIGRATIONS
from munin_app.config import load_settings
from munin_app.errors import BackupError, MuninError
from munin_app.i18n import N_, _, translated
from munin_app.profile.store import KEY_BYTES, ProfileStore
from munin_app.storage.connecting import DISK_ERRORS, connect
from munin_app.storage.files import read_file
from munin_app.storage.migrations import migrate

_QUESTIONS = {
    N_("a reply whose question is in another chat"): "SELECT count(*) FROM message JOIN message AS above "
    "ON above.id = message.parent_id WHERE above.conversation_id <> message.conversation_id",
    N_("a file that is attached in another chat than its message"): "SELECT count(*) FROM attachment JOIN message "
    "ON message.id = message_id WHERE message.conversation_id IS NOT attachment.conversation_id",
    N_("messages that answer each other in a ring"): "WITH RECURSIVE down(id) AS (SELECT id FROM message WHERE parent_id IS NULL "
    "UNION SELECT message.id FROM message JOIN down ON message.parent_id = down.id) "
    "SELECT (SELECT count(*) FROM message) - (SELECT count(*) FROM down)",
    N_("a persona whose starters are no list"): "SELECT count(*) FROM persona "
    "WHERE NOT json_valid(starters) OR json_type(starters) <> 'array'",
}
"""What a database of this schema could hold, and the app could not live with. Each counts to 0."""


def verify(folder: Path) -> None:
    """Brings munin.db there to the newest version and asks everything of it. Raises BackupError, DISK_ERRORS; deletes nothing."""
    try:
        with closing(open_database(folder / DATABASE)) as connection:
            check_database(connection)
        ProfileStore(folder / PROFILE, read_only=True).read()
        load_settings(folder / SETTINGS)
    except DISK_ERRORS:
        raise  # that is no fault of the backup's
    except (apsw.Error, MuninError) as error:
        reason = str(error).replace(str(folder) + os.sep, "")
        raise BackupError(
            _("What is in the backup cannot be used: {reason} Nothing was changed.").format(reason=reason)
        ) from error
    if (folder / KEY).exists() and len(read_file(folder / KEY)) != KEY_BYTES:
        raise BackupError(
            _("What is in the backup cannot be used: {key} has another length. Nothing was changed.").format(key=KEY)
        )


def open_database(path: Path) -> apsw.Connection:
    """Of the newest version, in one file without a log. Raises apsw.Error and StorageError."""
    connection = connect(path)
    try:
        connection.set_busy_timeout(5000)
        connection.pragma("foreign_keys", True)
        connection.pragma("secure_delete", True)
        connection.pragma("journal_mode", "delete")
        migrate(connection, MIGRATIONS, name=str(path))
    except BaseException:
        connection.close()
        raise
    return connection


def check_database(connection: apsw.Connection) -> None:
    """Raises BackupError."""
    if connection.pragma("integrity_check") != "ok" or connection.execute("PRAGMA foreign_key_check").fetchall():
        raise BackupError(_("{database} is damaged.").format(database=DATABASE))
    with closing(apsw.Connection(":memory:")) as fresh:
        migrate(fresh, MIGRATIONS, name=DATABASE)
        if _schema(connection) != _schema(fresh):
            raise BackupError(_("{database} has other tables than Munin's.").format(database=DATABASE))
    for found, question in _QUESTIONS.items():
        if rows.scalar(connection, question):
            raise BackupError(_("{database} holds {found}.").format(database=DATABASE, found=translated(found)))


def _schema(connection: apsw.Connection) -> set[tuple[str, str, str]]:
    """Without comments and spaces; SQLite's own tables aside."""
    found = connection.execute("SELECT type, name, coalesce(sql, '') FROM sqlite_schema WHERE name NOT LIKE 'sqlite_stat%'")
    return {(str(kind), str(name), "".join(re.sub(r"--[^\n]*", "", str(sql)).split())) for kind, name, sql in found}
