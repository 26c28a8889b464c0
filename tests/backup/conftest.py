"""A small backup, and the data folder it was made of."""

from pathlib import Path

import pytest

from munin_app.backup.writing import write_backup
from tests.backup.profiles import fact, fill, write_profile
from tests.conftest import StartMunin


@pytest.fixture
async def backup(home: Path, tmp_path: Path, start_munin: StartMunin) -> Path:
    """Of a small profile; `home` is as it was when it was made."""
    write_profile(home, [fact("Likes tea"), fact("Plays the violin")])
    munin = await start_munin()
    await fill(munin, conversations=3, turns=4)
    await munin.change_settings(theme="dark")
    await munin.close()
    target, _ = write_backup(tmp_path / "kept.zip", [])
    return target
