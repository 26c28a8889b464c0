"""Runs a script in a process of its own and kills it at a random moment."""

import os
import random
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path

SHARE = -(-int(os.environ.get("MUNIN_KILLS", "30")) // 6)
"""Kills of each test (chat, facts, restore, import; the lock has two shares); `make soak` does 1,000 in all."""


def killed(
    script: Path,
    *arguments: object,
    moments: random.Random,
    lines: range,
    seconds: float = 0.1,
    environment: Mapping[str, str] | None = None,
) -> Iterator[str]:
    """Every line that it printed until its death, which comes at most `seconds` after one of those `lines` (from 1)."""
    left, later = moments.choice(lines), moments.uniform(0, seconds)
    command = [sys.executable, str(script), *map(str, arguments)]
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        for line in process.stdout:
            left -= 1
            if left == 0:
                threading.Timer(later, process.kill).start()
            if line.endswith("\n"):  # the last one may be cut short
                yield line.rstrip("\n")
    assert process.returncode != 0 and left <= 0, "it ended by itself"
