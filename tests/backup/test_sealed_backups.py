"""Backups sealed with a passphrase: they come back whole, and what is wrong with one is said in plain words."""

import io
import os
import random
import sys
from pathlib import Path

import pytest

from munin_app.backup.pending import settle, stage
from munin_app.backup.reading import read_manifest, slot_of
from munin_app.backup.writing import write_backup
from munin_app.cli import main
from munin_app.errors import BackupError, LockError, WrongPassphrase
from munin_app.storage import passphrase
from munin_app.storage.passphrase import sealing_with, unwrap
from munin_app.storage.sealed import MAGIC
from tests.backup.profiles import content_hash

SECRET = "a raven on a grey stone"


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(passphrase, "LOG2_N", 8)


@pytest.fixture
def sealed(backup: Path, tmp_path: Path) -> Path:
    return write_backup(tmp_path / "sealed.munin", [], sealing=sealing_with(SECRET))[0]


def key_of(file: Path) -> bytes:
    slot = slot_of(file)
    assert slot
    return unwrap(slot, SECRET)


@pytest.mark.parametrize("merge", [False, True])
def test_it_holds_nothing_readable_and_comes_back_whole(sealed: Path, home: Path, merge: bool) -> None:
    content = sealed.read_bytes()
    assert not any(one in content for one in (b"violin", b"Likes tea", b"munin.db", b"SQLite format", b"PK\3\4"))
    before = content_hash(home)
    assert read_manifest(sealed, key=key_of(sealed)).counts.messages == 30
    if not merge:
        (home / "munin.db").unlink()
    stage(sealed, home, merge=merge, key=key_of(sealed))
    settle(home)
    assert content_hash(home) == before


@pytest.mark.parametrize("seed", range(100))
def test_a_damaged_file_is_refused_and_the_target_untouched(sealed: Path, home: Path, seed: int) -> None:
    before, chance, whole, key = content_hash(home), random.Random(seed), bytearray(sealed.read_bytes()), key_of(sealed)
    if seed % 2:
        del whole[chance.randrange(len(whole)) :]
    else:
        whole[chance.randrange(len(whole))] ^= 1 << chance.randrange(8)
    sealed.write_bytes(whole)
    with pytest.raises(BackupError, match="nothing was changed"):
        stage(sealed, home, merge=bool(chance.randrange(2)), key=key)
    settle(home)
    assert content_hash(home) == before and not list(home.glob("restore.*"))


def test_wrong_damaged_and_newer_are_three_sentences(sealed: Path) -> None:
    slot, whole = slot_of(sealed), sealed.read_bytes()
    assert slot
    with pytest.raises(WrongPassphrase, match="The passphrase is another one"):
        unwrap(slot, "something else")
    with pytest.raises(LockError, match="is sealed with a passphrase"):
        read_manifest(sealed)
    sealed.write_bytes(whole[:20] + b"\0" + whole[21:])
    with pytest.raises(BackupError, match=r"is damaged.*its beginning is damaged"):
        slot_of(sealed)
    sealed.write_bytes(MAGIC + b"\7" + whole[len(MAGIC) + 1 :])
    with pytest.raises(BackupError, match=r"written by a newer Munin \(seal 7, this program knows 1\)"):
        slot_of(sealed)


def test_a_script_gives_the_passphrase_without_the_command_line(
    backup: Path, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    before, file = content_hash(home), str(tmp_path / "by script.munin")
    monkeypatch.setattr(sys, "stdin", io.StringIO(f"{SECRET}\n"))
    assert main(["backup", file, "--passphrase"]) == 0
    assert "opens with its passphrase only" in capsys.readouterr().out
    (home / "munin.db").unlink()
    monkeypatch.setenv("MUNIN_BACKUP_PASSPHRASE", "not the one")
    assert main(["restore", file, "--yes"]) == 1
    assert "The passphrase is another one" in capsys.readouterr().err
    monkeypatch.setenv("MUNIN_BACKUP_PASSPHRASE", SECRET)
    assert main(["restore", file, "--yes"]) == 0
    assert content_hash(home) == before


def test_none_or_a_short_one_is_refused_and_nothing_written(
    backup: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for typed, said in (("", "none was given"), ("short\n", "expected at least 8")):
        monkeypatch.setattr(sys, "stdin", io.StringIO(typed))
        assert main(["backup", os.fspath(tmp_path / "new.munin"), "--passphrase"]) == 1
        assert said in capsys.readouterr().err
    assert not (tmp_path / "new.munin").exists()


def test_it_is_typed_twice(
    backup: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    typed = iter([SECRET, "something else", SECRET, SECRET])
    monkeypatch.setattr(sys.stdin, "isatty", lambda: True, raising=False)
    monkeypatch.setattr("getpass.getpass", lambda _: next(typed))
    assert main(["backup", str(tmp_path / "new.munin"), "--passphrase"]) == 1
    assert "differ" in capsys.readouterr().err
    assert main(["backup", str(tmp_path), "--passphrase"]) == 0
    assert slot_of(next(tmp_path.glob("munin-*.munin")))
