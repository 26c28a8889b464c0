"""What this machine has: free memory and real cores, as far as this process may use them. Knows nothing of models.

psutil knows it on desktops. Phones have no psutil: Linux tells the same in /proc, elsewhere it stays unknown. A container has
less than its machine: the limits of its control group (version 2 and 1) count.
"""

import os
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import psutil
else:
    try:
        import psutil
    except ImportError:
        psutil = None

_CGROUP = Path("/sys/fs/cgroup")
_PROC = Path("/proc")


def free_memory() -> int | None:
    """Bytes that a program can take without anything being swapped out. None: not known."""
    known = [free for free in (_machine_free(), _cgroup_free()) if free is not None]
    return min(known, default=None)


def resident_memory(process_id: int) -> int | None:
    """Bytes of a process of this user that lie in memory. None: not known, or it is gone."""
    if psutil:
        try:
            return int(psutil.Process(process_id).memory_info().rss)
        except psutil.Error:
            return None
    return _following(_words(_PROC / str(process_id) / "status"), "VmRSS:") * 1024 or None


def real_cores() -> int:
    """Physical cores, of those that this process may run on; at least 1."""
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    # without psutil, hyper-threads cannot be told apart: beyond four, half are taken to be that
    physical = (psutil and psutil.cpu_count(logical=False)) or (usable if usable <= 4 else usable // 2)
    return max(1, min(usable, physical, _cgroup_cores() or usable))


def _machine_free() -> int | None:
    if psutil:
        return int(psutil.virtual_memory().available)
    return _following(_words(_PROC / "meminfo"), "MemAvailable:") * 1024 or None


def _cgroup_free() -> int | None:
    """Of the tightest limit. Caches of files are given back when memory is short, so they count as free."""
    free: list[int] = []
    for group in _groups("memory"):
        most = _number(group / "memory.max") or _number(group / "memory.limit_in_bytes")
        taken = _number(group / "memory.current") or _number(group / "memory.usage_in_bytes")
        if most is not None and taken is not None:
            statistics = _words(group / "memory.stat")
            cached = _following(statistics, "inactive_file") or _following(statistics, "total_inactive_file")
            free.append(max(0, most - taken + cached))
    return min(free, default=None)


def _cgroup_cores() -> int | None:
    """The share of processor time, in whole cores, at least 1. None: no limit."""
    cores: list[int] = []
    for group in _groups("cpu"):
        quota = _words(group / "cpu.max") or [*_words(group / "cpu.cfs_quota_us"), *_words(group / "cpu.cfs_period_us")]
        if len(quota) == 2 and quota[0].isdecimal():  # else "max", or -1
            cores.append(max(1, int(quota[0]) // int(quota[1])))
    return min(cores, default=None)


def _groups(controller: str) -> list[Path]:
    """The folders of this process's control group and of those around it, in version 2 or 1."""
    found: list[Path] = []
    for line in _words(_PROC / "self/cgroup"):
        _, controllers, path = line.split(":", 2)
        if controllers == "" or controller in controllers.split(","):
            root = _CGROUP / controller if controllers else _CGROUP
            own = root / path.lstrip("/")
            found += [folder for folder in (own, *own.parents) if folder.is_relative_to(root)]
    return found


def _following(words: list[str], name: str) -> int:
    return int(words[words.index(name) + 1]) if name in words else 0


def _number(file: Path) -> int | None:
    """None: there is no such limit, or it is "max"."""
    words = _words(file)
    return int(words[0]) if words and words[0].isdecimal() else None


def _words(file: Path) -> list[str]:
    try:
        return file.read_text().split()
    except (OSError, ValueError):
        return []
