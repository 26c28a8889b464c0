"""Locks a data folder, or unlocks it for good: the process that test_lock_killed.py kills, or that kills itself at a given step.

locker.py HOME on|off STEP        STEP 0: not by itself
"""

import os
import signal
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent.parent))

from munin_app.locking.opening import open_by_passphrase
from munin_app.locking.switching import turn_off, turn_on
from munin_app.storage import passphrase

SECRET = "a raven on a grey stone"
STEPS = ("open", "os.rename", "os.remove", "os.rmdir", "os.mkdir", "os.chmod", "os.listdir", "os.scandir", "shutil.rmtree")


def main(home: Path, direction: str, last: int) -> None:
    passphrase.LOG2_N = 8
    if direction == "off":
        open_by_passphrase(home, SECRET)
    steps = 0

    def watch(event: str, arguments: tuple[object, ...]) -> None:
        nonlocal steps
        if event in STEPS:
            steps += 1
            if steps == last:
                os.kill(os.getpid(), signal.SIGKILL)

    print("begin", flush=True)
    sys.addaudithook(watch)
    if direction == "on":
        turn_on(home, SECRET, keyring=False, progress=lambda done, total: None)
    else:
        turn_off(home, lambda done, total: None)
    print(f"done {steps}", flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]))
