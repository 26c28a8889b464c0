"""Backup, restore, import, export, lock, upgrade and erasing: the whole of it offline."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.e2e.terminal import environment, refused

KEEPER = Path(__file__).parent / "keeper.py"
SECRETS = {
    "MUNIN_PASSPHRASE": "a raven on a grey stone",
    "MUNIN_NEW_PASSPHRASE": "two ravens on it",
    "MUNIN_BACKUP_PASSPHRASE": "a raven in a box",
}


@pytest.mark.slow
def test_all_that_keeps_data_asks_for_no_connection(home: Path, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, str(KEEPER), str(tmp_path)], env=environment(home) | SECRETS, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert refused(home) == [] and not done.stderr
    for said in ("Imported 1 new chats", "Wrote", "Restored.", "Merged.", "Locked:", "The passphrase is changed", "Erased."):
        assert said in done.stdout
