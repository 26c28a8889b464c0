"""Numbered migrations, append-only. Each runs together with its record in one transaction; `user_version` is the record."""

from collections.abc import Callable, Sequence

import apsw

from munin_app.errors import StorageError
from munin_app.i18n import _

Migration = str | Callable[[apsw.Connection], None]
"""SQL statements, or a function. Number N of a list brings a database from version N to N + 1."""


def version(connection: apsw.Connection) -> int:
    return int(connection.pragma("user_version"))


def refuse_newer(connection: apsw.Connection, migrations: Sequence[Migration], *, name: str) -> None:
    """Raises StorageError; nothing is written."""
    found = version(connection)
    if found > len(migrations):
        raise StorageError(
            _(
                "{name} was written by a newer Munin (version {found}, this program knows {number}). Update Munin; "
                "nothing was changed."
            ).format(name=name, found=found, number=len(migrations))
        )


def migrate(connection: apsw.Connection, migrations: Sequence[Migration], *, name: str, read_only: bool = False) -> None:
    """Brings the database to version `len(migrations)`. Raises StorageError, the file untouched, when it is newer than that."""
    refuse_newer(connection, migrations, name=name)
    found = version(connection)
    if read_only:
        if found < len(migrations):
            raise StorageError(
                _("{name} is of an older version ({found} of {number}). Open Munin once to upgrade it.").format(
                    name=name, found=found, number=len(migrations)
                )
            )
        return
    for number, migration in enumerate(migrations[found:], start=found + 1):
        with connection:
            if callable(migration):
                migration(connection)
            else:
                connection.execute(migration).fetchall()
            connection.pragma("user_version", number)
