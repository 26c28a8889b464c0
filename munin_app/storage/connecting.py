"""Connections to SQLite, and whole copies of databases, with or without a key. Knows nothing of what is stored.

SQLite3 Multiple Ciphers encrypts each page and the write-ahead log (ChaCha20 with Poly1305). Where the driver has no ciphers,
as on phones, nothing is ever locked.
"""

import os
from contextlib import closing
from pathlib import Path

import apsw

from munin_app.i18n import _
from munin_app.storage.locks import key_of

CIPHER = "chacha20"
DISK_ERRORS = (OSError, apsw.FullError, apsw.IOError)
"""What a full or failing disk brings about, whoever writes."""
READ_WRITE = apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE


def reason_of(error: Exception) -> str:
    """What went wrong, for the brackets in a sentence. SQLite's own words blame the database, or are "not an error"."""
    if isinstance(error, apsw.FullError):
        return _("the disk is full")
    return (error.strerror if isinstance(error, OSError) else "") or str(error)


def has_ciphers() -> bool:
    return hasattr(apsw, "mc_version")


def connect(path: Path, flags: int = READ_WRITE) -> apsw.Connection:
    """With the key of the folder that the file lies in. Raises apsw.Error, LockError."""
    key = key_of(path)
    if flags & apsw.SQLITE_OPEN_READONLY:
        return _connect(_to_read(path), flags | apsw.SQLITE_OPEN_URI, key)
    return _connect(os.fspath(path), flags, key)


def copy_database(source: Path, target: Path, source_key: bytes | None, target_key: bytes | None) -> None:
    """The whole of it as one new file without a log, on the disk when this returns. Raises apsw.Error, OSError.

    By VACUUM INTO, which keeps row ids (chat search and the word index go by them)."""
    flags = apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_URI
    with closing(_connect(source.absolute().as_uri(), flags, source_key)) as connection:
        _write_into(connection, target, target_key)
        with closing(_connect(os.fspath(target), apsw.SQLITE_OPEN_READWRITE, target_key)) as copy:
            if copy.pragma("integrity_check") != "ok" or _shape(copy) != _shape(connection):
                raise apsw.CorruptError(_("the copy of {name} differs").format(name=source.name))
    os.chmod(target, 0o600)
    with open(target, "rb+") as file:
        os.fsync(file.fileno())


def copy_to_memory(path: Path, key: bytes) -> apsw.Connection:
    """An encrypted database, unencrypted and in memory only. Raises apsw.Error."""
    name = f"file:/munin-{os.urandom(8).hex()}?vfs=memdb"
    copy = apsw.Connection(name, flags=READ_WRITE | apsw.SQLITE_OPEN_URI)  # the first one; it goes when the last one closes
    try:
        with closing(_connect(_to_read(path), apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI, key)) as connection:
            connection.set_busy_timeout(5000)
            connection.execute("VACUUM INTO ?", (f"{name}&{_parameters(None)}",))
    except BaseException:
        copy.close()
        raise
    return copy


def write_database(content: bytes, target: Path, key: bytes) -> None:
    """An unencrypted database in memory becomes an encrypted file. Raises apsw.Error."""
    with closing(apsw.Connection(":memory:", flags=READ_WRITE | apsw.SQLITE_OPEN_URI)) as connection:
        # bytes 18 and 19 say whether the file had a write-ahead log (2), which memory cannot have (1)
        connection.deserialize("main", content[:18] + b"\1\1" + content[20:])
        _write_into(connection, target, key)
    os.chmod(target, 0o600)


def _write_into(connection: apsw.Connection, target: Path, key: bytes | None) -> None:
    """The connection must take addresses for names."""
    address = target.absolute().as_uri()
    try:
        connection.execute("VACUUM INTO ?", (f"{address}?{_parameters(key)}",))
    except apsw.Error as error:  # it quotes the address, and with it the key, where anyone may read it
        raise type(error)(str(error).partition("?")[0]) from None


def _to_read(path: Path) -> str:
    """SQLite wants to write a log even for a reader; where nobody can, and nobody has it open, there is no need.

    An address only then: SQLite refuses that of a Windows network path, which names a server."""
    folder, log = path.absolute().parent, path.with_name(path.name + "-wal")
    alone = not os.access(folder, os.W_OK) and not log.exists()
    return path.absolute().as_uri() + "?immutable=1" if alone else os.fspath(path)


def _connect(name: str, flags: int, key: bytes | None) -> apsw.Connection:
    connection = apsw.Connection(name, flags=flags)
    if key is not None:
        connection.pragma("cipher", CIPHER)
        connection.pragma("key", _raw(key))
        connection.pragma("temp_store", "memory")
    return connection


def _parameters(key: bytes | None) -> str:
    """Of the address of a database to make. Without a cipher it would be encrypted as its source is."""
    if not has_ciphers():
        return ""
    return f"cipher={CIPHER}&key={_raw(key) if key else ''}"


def _raw(key: bytes) -> str:
    return f"raw:{key.hex()}"


def _shape(connection: apsw.Connection) -> list[object]:
    """What a copy must have in common with its source: versions, and of each table how many rows and which row ids."""
    tables = connection.execute(
        "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND NOT wr AND name NOT LIKE 'sqlite_%' "
        "ORDER BY name"
    ).fetchall()
    counted = [connection.execute(f'SELECT count(*), total(rowid) FROM "{name}"').fetchall() for (name,) in tables]
    return [connection.pragma("user_version"), tables, counted]
