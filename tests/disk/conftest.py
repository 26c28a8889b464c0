"""Data folders on file systems of their own, which can be full or read-only. Root minds no permissions."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.backup.profiles import fact, fill, write_profile
from tests.conftest import StartMunin
from tests.disks import Disk, mounted
from tests.locking.conftest import no_keyring

__all__ = ["no_keyring"]


@pytest.fixture
def home(home: Path) -> Iterator[Path]:
    """The data folder is a file system of 24 MB."""
    with mounted(home, 24):
        yield home


@pytest.fixture
def disk(home: Path) -> Disk:
    """That of the data folder."""
    return Disk(home)


@pytest.fixture
def stick(tmp_path: Path) -> Iterator[Disk]:
    """Another file system, of 4 MB."""
    with mounted(tmp_path / "stick", 4) as folder:
        yield Disk(folder)


@pytest.fixture
async def filled(home: Path, start_munin: StartMunin) -> Path:
    """Chats, memories, facts and settings; Munin is closed."""
    write_profile(home, [fact("Likes tea"), fact("Plays the violin")])
    munin = await start_munin()
    await fill(munin, conversations=3, turns=3)
    await munin.change_settings(theme="dark")
    await munin.memory.warm_up()
    await munin.controller.catch_up()
    await munin.close()
    return home
