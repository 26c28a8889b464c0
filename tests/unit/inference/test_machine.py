"""Free memory and cores: containers have less than their machine, phones have no psutil."""

import os
from pathlib import Path
from types import SimpleNamespace

import pytest

from munin_app.inference import machine

GIGABYTE = 1 << 30


@pytest.fixture(autouse=True)
def bare_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """8 GB free, 4 real cores of 8, no control group. Returns the folder that /proc and /sys/fs/cgroup lie in."""
    memory = SimpleNamespace(available=8 * GIGABYTE)
    known = SimpleNamespace(virtual_memory=lambda: memory, cpu_count=lambda logical: 8 if logical else 4)
    monkeypatch.setattr(machine, "psutil", known)
    monkeypatch.setattr(machine, "_PROC", tmp_path / "proc")
    monkeypatch.setattr(machine, "_CGROUP", tmp_path / "cgroup")
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: set(range(8)), raising=False)
    return tmp_path


def write(folder: Path, files: dict[str, str]) -> None:
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(content + "\n")


def test_without_limits_the_machine_counts() -> None:
    assert (machine.free_memory(), machine.real_cores()) == (8 * GIGABYTE, 4)


def test_container_of_version_2(bare_machine: Path) -> None:
    files = {
        "proc/self/cgroup": "0::/app",
        "cgroup/memory.max": str(3 * GIGABYTE),
        "cgroup/memory.current": str(2 * GIGABYTE),
        "cgroup/memory.stat": f"anon 1\ninactive_file {GIGABYTE // 2}",
        "cgroup/app/memory.max": "max",
        "cgroup/app/memory.current": "5",
        "cgroup/app/cpu.max": "250000 100000",
    }
    write(bare_machine, files)
    assert (machine.free_memory(), machine.real_cores()) == (GIGABYTE * 3 // 2, 2)


def test_container_of_version_1(bare_machine: Path) -> None:
    files = {
        "proc/self/cgroup": "8:memory:/app\n2:cpu,cpuacct:/\n0::/",
        "cgroup/memory/app/memory.limit_in_bytes": str(GIGABYTE),
        "cgroup/memory/app/memory.usage_in_bytes": str(GIGABYTE // 4),
        "cgroup/cpu/cpu.cfs_quota_us": "50000",
        "cgroup/cpu/cpu.cfs_period_us": "100000",
    }
    write(bare_machine, files)
    assert (machine.free_memory(), machine.real_cores()) == (GIGABYTE * 3 // 4, 1)


def test_limit_above_what_the_machine_has_changes_nothing(bare_machine: Path) -> None:
    files = {
        "proc/self/cgroup": "0::/",
        "cgroup/memory.max": str(100 * GIGABYTE),
        "cgroup/memory.current": "0",
        "cgroup/cpu.max": "max 100000",
    }
    write(bare_machine, files)
    assert (machine.free_memory(), machine.real_cores()) == (8 * GIGABYTE, 4)


def test_processors_that_are_not_ours_do_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: {3}, raising=False)
    assert machine.real_cores() == 1


def test_without_psutil_linux_tells_and_elsewhere_it_stays_unknown(bare_machine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine, "psutil", None)
    assert machine.free_memory() is None
    assert machine.real_cores() == 4  # of eight, half are taken to be hyper-threads
    write(bare_machine, {"proc/meminfo": "MemTotal: 4000 kB\nMemAvailable:    2000 kB"})
    assert machine.free_memory() == 2_048_000
