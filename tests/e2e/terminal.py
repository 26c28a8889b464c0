"""Runs the `munin` command as a user would: real model, real encoder, a data folder of its own, no network."""

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from munin_app.config import Settings, save_settings

OFFLINE = Path(__file__).parent / "offline"


def environment(home: Path) -> dict[str, str]:
    """Every socket but loopback is refused in the process; attempts are written to `home`.refused."""
    return {
        **os.environ,
        "MUNIN_HOME": str(home),
        "MUNIN_TEST_REFUSED": str(home.with_suffix(".refused")),
        "PYTHONPATH": str(OFFLINE),
        "PYTHONUNBUFFERED": "1",
    }


def refused(home: Path) -> list[str]:
    log = home.with_suffix(".refused")
    return log.read_text().splitlines() if log.exists() else []


def munin(home: Path, *arguments: str, expect: int = 0, **kwargs: Any) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        [sys.executable, "-m", "munin_app.cli", *arguments],
        env=environment(home),
        capture_output=True,
        text=True,
        timeout=300,
        **kwargs,
    )
    assert done.returncode == expect, f"exit {done.returncode}\n{done.stdout}\n{done.stderr}"
    return done


def lines(done: subprocess.CompletedProcess[str]) -> list[dict[str, Any]]:
    return [json.loads(line) for line in done.stdout.splitlines()]


def keep_short(home: Path) -> None:
    """Short replies: the model is real."""
    home.mkdir(exist_ok=True)
    if not (home / "settings.json").exists():
        save_settings(home / "settings.json", Settings(max_reply_tokens=16))


def turn(home: Path, text: str, *options: str) -> dict[str, Any]:
    """One turn in a process of its own: the turn's JSON object."""
    keep_short(home)
    (found,) = lines(munin(home, "chat", "--json", "-m", text, *options))
    return found


def turns(home: Path, texts: Sequence[str], *options: str) -> list[dict[str, Any]]:
    """Several turns of one conversation in one process: `munin chat` with its prompt loop fed from a pipe."""
    keep_short(home)
    return lines(munin(home, "chat", "--json", *options, input="\n".join(texts) + "\n"))
