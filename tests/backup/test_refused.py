"""What is damaged, newer or hostile is refused in plain words, and the data folder is untouched."""

import hashlib
import json
import random
import zipfile
from pathlib import Path

import apsw
import pytest

from munin_app.backup import manifest as manifests
from munin_app.backup.pending import settle, stage
from munin_app.backup.reading import read_manifest
from munin_app.backup.seal import COMMENT_BYTES, seal
from munin_app.errors import BackupError
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


def _forge(target: Path, members: dict[str, bytes], document: dict[str, object], *, names: dict[str, str] | None = None) -> None:
    """A sealed file, whatever is in it."""
    listed = {name: {"size": len(one), "sha256": hashlib.sha256(one).hexdigest()} for name, one in members.items()}
    with open(target, "w+b") as file:
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.comment = b" " * COMMENT_BYTES
            archive.writestr("manifest.json", json.dumps({"members": listed} | document))
            for name, one in members.items():
                archive.writestr((names or {}).get(name, name), one)
        seal(file)


def _document(backup: Path, **changes: object) -> dict[str, object]:
    document = json.loads(manifests.encode(read_manifest(backup)))
    del document["members"]
    return {**document, **changes}


def _members(backup: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(backup) as archive:
        return {name: archive.read(name) for name in archive.namelist() if name != "manifest.json"}


@pytest.mark.parametrize(
    "changes",
    [{"format": 2}, {"schemas": {"munin.db": 999}}, {"schemas": {"attachments": 1}}, {"schemas": {"profile.json": 99}}],
    ids=str,
)
def test_a_newer_file_is_refused_in_plain_words(backup: Path, home: Path, changes: dict[str, object]) -> None:
    before = content_hash(home)
    _forge(backup, _members(backup), _document(backup, **changes))
    with pytest.raises(BackupError, match=r"written by a newer Munin .* Update Munin; nothing was changed"):
        stage(backup, home, merge=False)
    assert content_hash(home) == before


def test_a_hostile_archive_is_refused(backup: Path, home: Path, tmp_path: Path) -> None:
    before, whole, document = content_hash(home), _members(backup), _document(backup)
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
        _forge(backup, members, said, names=names)
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
    members = _members(backup)
    path = tmp_path / "other" / "munin.db"
    path.write_bytes(members["munin.db"])
    connection = apsw.Connection(str(path))
    connection.pragma("journal_mode", "delete")
    connection.execute("INSERT INTO persona VALUES ('a', 'A', 'heart', 'B', NULL, NULL, 0, '[]', 0)")
    connection.execute(sql)
    connection.close()
    _forge(backup, {**members, "munin.db": path.read_bytes()}, _document(backup))
    before = content_hash(home)
    with pytest.raises(BackupError, match=r"cannot be used: munin\.db .* Nothing was changed"):
        stage(backup, home, merge=False)
    assert content_hash(home) == before
