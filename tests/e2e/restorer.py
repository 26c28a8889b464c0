"""Restores backups in turn without end, and says before and after each: the process that test_restore_killed.py kills."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent.parent))

from munin_app.backup.pending import settle, stage


def restore(home: Path, first: int, steps: list[str]) -> None:
    """Steps: `replace FILE` or `merge FILE`. Lines: `begin N`, `staged N`, `done N`."""
    number = first
    while True:
        how, _, file = steps[number % len(steps)].partition(" ")
        print(f"begin {number}", flush=True)
        stage(Path(file), home, merge=how == "merge")
        print(f"staged {number}", flush=True)
        settle(home)
        print(f"done {number}", flush=True)
        number += 1


restore(Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3:])
