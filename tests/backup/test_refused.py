"""What is damaged, newer or hostile is refused in plain words, and the data folder is untouched."""

import random
from pathlib import Path

import apsw
import pytest

from munin_app.backup.pending import settle, stage
from munin_app.errors import BackupError
from tests.backup.forging import document_of, forge, members_of
from tests.backup.profiles import content_hash


@pytest.mark.parametrize("seed", range(100))
def test_a_damaged_file_is_refused_and_the_target_untouched(backup: Path, home: Path, seed: int) -> None:
    before, chance, whole = content_hash(home), random.Random(seed), bytearray(backup.read_bytes())
    if seed % 2:
        del whole[chance.randrange(len(whole)) :]
    else:
        whole[chance.randrange(len(whole))] ^= 1 << chance.randrange(8)
    backup.write_bytes(whole)
    with pytest.raises(BackupError, match="nothing was changed"):
        stage(backup, home, merge=bool(chance.randrange(2)))
    settle(home)
    assert content_hash(home) == before and not list(home.glob("restore.*"))


@pytest.mark.parametrize(
    "changes",
    [{"format": 2}, {"schemas": {"munin.db": 999}}, {"schemas": {"attachments": 1}}, {"schemas": {"profile.json": 99}}],
    ids=str,
)
def test_a_newer_file_is_refused_in_plain_words(backup: Path, home: Path, changes: dict[str, object]) -> None:
    before = content_hash(home)
    forge(backup, members_of(backup), document_of(backup, **changes))
    with pytest.raises(BackupError, match=r"written by a newer Munin .* Update Munin; nothing was changed"):
        stage(backup, home, merge=False)
    assert content_hash(home) == before


def test_a_hostile_archive_is_refused(backup: Path, home: Path, tmp_path: Path) -> None:
    before, whole, document = content_hash(home), members_of(backup), document_of(backup)
    bomb = {**document, "members": {name: {"size": 9, "sha256": "0" * 64} for name in whole}}
    hostile = [
        (whole, document, {"munin.db": "../munin.db"}),
        ({**whole, "../evil": b"x"}, document, {}),
        ({**whole, "munin.db": b"\0" * 50_000_000}, bomb, {}),
        ({"profile.json": b"{}"}, document, {}),
        ({**whole, "profile.json": b"[" * 100_000}, document, {}),
        ({**whole, "settings.json": b'{"version": 1, "gravity": 2}'}, document, {}),
        ({**whole, "munin.db": b"SQLite format 3\0" + bytes(4000)}, document, {}),
        (whole, {**document, "members": {"munin.db": {"size": 1 << 40, "sha256": ""}}}, {}),
        (whole, {**document, "counts": None}, {}),
    ]
    for members, said, names in hostile:
        forge(backup, members, said, names=names)
        with pytest.raises(BackupError, match=r"[Nn]othing was changed"):
            stage(backup, home, merge=False)
    assert content_hash(home) == before and not (tmp_path / "evil").exists() and not list(home.glob("restore.*"))


@pytest.mark.parametrize(
    "sql",
    [
        "CREATE TRIGGER evil AFTER INSERT ON message BEGIN DELETE FROM message; END",
        "CREATE TABLE evil (x)",
        "UPDATE message SET parent_id = id WHERE parent_id IS NULL",
        "UPDATE persona SET starters = 'no'",
    ],
)
def test_a_database_that_the_app_could_not_live_with_is_refused(backup: Path, home: Path, tmp_path: Path, sql: str) -> None:
    (tmp_path / "other").mkdir()
    members = members_of(backup)
    path = tmp_path / "other" / "munin.db"
    path.write_bytes(members["munin.db"])
    connection = apsw.Connection(str(path))
    connection.pragma("journal_mode", "delete")
    connection.execute("INSERT INTO persona VALUES ('a', 'A', 'heart', 'B', NULL, NULL, 0, '[]', 0, '')")
    connection.execute(sql)
    connection.close()
    forge(backup, {**members, "munin.db": path.read_bytes()}, document_of(backup))
    before = content_hash(home)
    with pytest.raises(BackupError, match=r"cannot be used: munin\.db .* Nothing was changed"):
        stage(backup, home, merge=False)
    assert content_hash(home) == before
