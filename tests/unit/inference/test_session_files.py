"""Saved sessions as files: nothing that is damaged or foreign is ever used, and nothing is left of what was forgotten."""

import os
import stat
import threading
from collections.abc import Sequence
from pathlib import Path

import pytest

from munin_app.inference.session_files import SavedSession, SessionFiles, forget_session_files
from munin_app.inference.template import Segment
from munin_app.inference.tokens import TokenisedSegment

SEGMENTS = (TokenisedSegment(Segment("<|user|>", False), (1, 2)), TokenisedSegment(Segment("odd \ud800 text", True), (3, 4, 5)))
TOKENS = (1, 2, 3, 4)
STATE = bytes(range(256)) * 40


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "sessions"


@pytest.fixture(params=[None, bytes(32)], ids=["readable", "sealed"])
def data_key(request: pytest.FixtureRequest) -> bytes | None:
    return request.param


@pytest.fixture
def files(folder: Path, data_key: bytes | None) -> SessionFiles:
    return SessionFiles(folder, "a model", 100_000, data_key)


def save(files: SessionFiles, session: str = "chat", state: bytes = STATE) -> None:
    files.save(session, SEGMENTS, TOKENS, memoryview(state))
    files.wait()


def state_of(saved: SavedSession, stops: Sequence[bool] = ()) -> bytearray | None:
    answers = iter(stops)
    reading = saved.state(lambda: next(answers, False))
    while True:
        try:
            next(reading)
        except StopIteration as end:
            return end.value


def only_file(folder: Path) -> Path:
    (file,) = folder.iterdir()
    return file


def test_session_comes_back_as_it_was(files: SessionFiles) -> None:
    save(files)
    saved = files.find("chat")
    assert saved
    assert (saved.segments, saved.tokens, state_of(saved)) == (SEGMENTS, TOKENS, STATE)


def test_session_that_was_never_saved_is_not_found(files: SessionFiles) -> None:
    assert files.find("chat") is None


def test_file_is_for_its_owner_only(files: SessionFiles, folder: Path) -> None:
    save(files)
    assert stat.S_IMODE(only_file(folder).stat().st_mode) == 0o600


def test_later_save_replaces_the_earlier(files: SessionFiles, folder: Path) -> None:
    save(files)
    save(files, state=b"newer")
    saved = files.find("chat")
    assert saved and state_of(saved) == b"newer"
    assert only_file(folder)


def test_session_of_another_model_is_not_found_and_stays_for_that_model(files: SessionFiles, folder: Path) -> None:
    save(files)
    other = SessionFiles(folder, "another model", 100_000)
    assert other.find("chat") is None
    save(other, state=b"other")
    saved = files.find("chat")
    assert saved and state_of(saved) == STATE


@pytest.mark.parametrize("length", [0, 5, 28, 60, 200, 5_000, -1])
def test_truncated_file_is_ignored_and_deleted(files: SessionFiles, folder: Path, length: int) -> None:
    save(files)
    whole = only_file(folder).read_bytes()
    only_file(folder).write_bytes(whole[:length])
    assert files.find("chat") is None
    assert not list(folder.iterdir())


@pytest.mark.parametrize("position", [0, 9, 13, 17, 60, 150])
def test_file_with_a_damaged_header_is_ignored_and_deleted(files: SessionFiles, folder: Path, position: int) -> None:
    save(files)
    damage(only_file(folder), position)
    assert files.find("chat") is None
    assert not list(folder.iterdir())


@pytest.mark.parametrize("position", [25, -1, -5_000])
def test_file_with_a_damaged_state_is_ignored_and_deleted(
    files: SessionFiles, folder: Path, data_key: bytes | None, position: int
) -> None:
    save(files)
    damage(only_file(folder), position)
    saved = files.find("chat")
    if data_key:  # one chunk: its seal is broken as a whole
        assert saved is None
    else:
        assert saved and state_of(saved) is None
    assert not list(folder.iterdir())


def damage(file: Path, position: int) -> None:
    content = bytearray(file.read_bytes())
    content[position] ^= 0x10
    file.write_bytes(content)


def test_sealed_file_holds_nothing_readable_and_a_broken_chunk_of_it_is_found(folder: Path) -> None:
    files, state = SessionFiles(folder, "a model", 10_000_000, bytes(32)), b"plain words " * 300_000
    save(files, state=state)
    whole = only_file(folder).read_bytes()
    assert b"plain words" not in whole and b"user" not in whole
    saved = files.find("chat")
    assert saved and state_of(saved) == state
    only_file(folder).write_bytes(whole[:1_500_000] + b"?" + whole[1_500_001:])
    saved = files.find("chat")
    assert saved and state_of(saved) is None
    assert not list(folder.iterdir())


def test_another_key_finds_nothing(folder: Path) -> None:
    save(SessionFiles(folder, "a model", 100_000, bytes(32)))
    assert SessionFiles(folder, "a model", 100_000, bytes([1] * 32)).find("chat") is None


def test_garbage_is_ignored_and_deleted(files: SessionFiles, folder: Path) -> None:
    save(files)
    only_file(folder).write_bytes(os.urandom(10_000))
    assert files.find("chat") is None
    assert not list(folder.iterdir())


def test_file_of_another_session_is_not_taken_for_this_one(files: SessionFiles, folder: Path) -> None:
    save(files, "other")
    other = only_file(folder)
    save(files)
    (mine,) = set(folder.iterdir()) - {other}
    mine.write_bytes(other.read_bytes())
    assert files.find("chat") is None
    assert files.find("other")


def test_reading_that_was_stopped_leaves_the_file(files: SessionFiles) -> None:
    save(files)
    saved = files.find("chat")
    assert saved and state_of(saved, stops=[True]) is None
    assert state_of(saved) == STATE


def test_oldest_go_when_there_is_no_room_and_what_was_used_stays(folder: Path) -> None:
    files = SessionFiles(folder, "a model", 2 * (len(STATE) + 1_000))
    save(files, "one")
    save(files, "two")
    for age, file in enumerate(folder.iterdir()):
        os.utime(file, (1_000 + age, 1_000 + age))
    assert files.find("one")
    save(files, "three")
    assert files.find("two") is None
    assert files.find("one") and files.find("three")


def test_session_larger_than_all_there_is_room_for_is_not_saved(folder: Path) -> None:
    save(SessionFiles(folder, "a model", 1_000))
    assert not folder.exists()


def test_forgetting_deletes_what_every_model_saved(files: SessionFiles, folder: Path) -> None:
    save(files)
    save(SessionFiles(folder, "another model", 100_000))
    save(files, "other")
    assert len(list(folder.iterdir())) == 3
    files.forget("chat")
    assert only_file(folder)
    assert files.find("other")


def test_forgetting_amid_a_save_leaves_nothing(files: SessionFiles, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    writing, may_go_on = threading.Event(), threading.Event()

    def slow_sum(data: bytes, start: int = 0) -> int:
        writing.set()
        may_go_on.wait(60)
        return 0

    monkeypatch.setattr("munin_app.inference.session_files.zlib.crc32", slow_sum)
    files.save("chat", SEGMENTS, TOKENS, memoryview(STATE))
    assert writing.wait(60)
    threading.Timer(0.05, may_go_on.set).start()
    files.forget("chat")
    assert not list(folder.iterdir())


def test_what_a_killed_save_left_is_never_used_and_deleted_at_the_next_start(files: SessionFiles, folder: Path) -> None:
    save(files)
    half = only_file(folder).with_suffix(".tmp")
    os.replace(only_file(folder), half)
    assert files.find("chat") is None
    SessionFiles(folder, "a model", 100_000)
    assert not list(folder.iterdir())


def test_forgetting_reaches_what_a_killed_save_left(files: SessionFiles, folder: Path) -> None:
    save(files)
    os.replace(only_file(folder), only_file(folder).with_suffix(".tmp"))
    forget_session_files(folder, "chat")
    assert not list(folder.iterdir())


def test_folder_that_cannot_be_written_costs_nothing_but_the_save(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "file").touch()
    files = SessionFiles(tmp_path / "file" / "sessions", "a model", 100_000)
    save(files)
    assert files.find("chat") is None
    assert "could not be saved" in caplog.text
