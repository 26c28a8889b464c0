"""`munin bench locked`: both sides do the same work, and one of them is locked."""

from pathlib import Path

import pytest

from munin_app.errors import LockError
from munin_app.evaluation.speed.locked import LOCKED, READABLE, Plan, _locked_copy, _ratio, _recall
from munin_app.storage.locks import key_of, let_go


async def test_recall_is_asked_of_both(tmp_path: Path) -> None:
    readable = tmp_path / "bench"
    readable.mkdir()
    locked = _locked_copy(readable)
    found = await _recall(Plan(memories=1000, queries=20), {READABLE: readable, LOCKED: locked}, lambda said: None)
    assert {name: len(times) for name, times in found.items()} == {READABLE: 20, LOCKED: 20}
    assert (readable / "bench_memory.db").read_bytes()[:6] == b"SQLite"
    assert (locked / "bench_memory.db").read_bytes()[:6] != b"SQLite"
    let_go(locked)
    with pytest.raises(LockError):
        key_of(locked / "bench_memory.db")


def test_more_is_slower() -> None:
    assert _ratio("recall_p95_ms", {READABLE: 10.0, LOCKED: 12.0}) == 1.2
    assert _ratio("decode_per_second", {READABLE: 60.0, LOCKED: 50.0}) == 1.2
