"""Connections with a key: what goes wrong never tells the key."""

import os
import traceback
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import apsw
import pytest

from munin_app.storage.connecting import connect, copy_database, write_database


@pytest.mark.parametrize(
    "write",
    [
        lambda source, target, key: copy_database(source, target, None, key),
        lambda source, target, key: write_database(source.read_bytes(), target, key),
    ],
    ids=["copy", "write"],
)
def test_an_error_does_not_tell_the_key(tmp_path: Path, write: Callable[[Path, Path, bytes], None]) -> None:
    with closing(connect(tmp_path / "a.db")) as connection:
        connection.execute("CREATE TABLE t (a)")
    key = os.urandom(32)
    with pytest.raises(apsw.CantOpenError, match="unable to open") as raised:
        write(tmp_path / "a.db", tmp_path / "no folder" / "b.db", key)
    assert key.hex() not in "".join(traceback.format_exception(raised.value))


def test_a_network_path_is_read_by_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with closing(connect(tmp_path / "a.db")) as connection:
        connection.execute("CREATE TABLE t (a)")
    monkeypatch.setattr(Path, "as_uri", lambda self: f"file://server/share/{self.name}")  # as on Windows; SQLite refuses it
    with closing(connect(tmp_path / "a.db", apsw.SQLITE_OPEN_READONLY)) as connection:
        assert connection.execute("SELECT count(*) FROM t").fetchall() == [(0,)]
