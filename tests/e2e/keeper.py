"""All that makes data the user's to keep, one after the other in one process: keeper.py FOLDER, with MUNIN_HOME set."""

import asyncio
import os
import shutil
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent.parent))

from munin_app import paths
from munin_app.bootstrap import Munin
from munin_app.cli import main
from munin_app.inference.scripted import ScriptedChatModel
from munin_app.storage import passphrase
from tests.imports.exports import EVERY, as_json
from tests.unit.test_released_files import RELEASES


async def copied(folder: Path) -> None:
    """What the app does behind its window."""
    munin = await Munin.start(make_model=lambda path, settings: ScriptedChatModel(["Noted."]))
    try:
        await munin.change_settings(copies_folder=str(folder))
        await munin.warm_up()
        await munin.controller.drain()
        assert list(folder.glob("munin-copy-*")), munin.notices
    finally:
        await munin.close()


def keep(folder: Path) -> None:
    def munin(*arguments: str) -> None:
        assert main(arguments) == 0, arguments

    shutil.copytree(RELEASES[0], paths.data_folder())  # to be upgraded
    for name, value in EVERY.items():
        munin("import", str(as_json(folder, value, f"{name}.json")), "--remember", "--facts")
    plain, sealed = str(folder / "kept.zip"), str(folder / "kept.munin")
    munin("backup", plain)
    munin("backup", "--passphrase", sealed)
    (folder / "copies").mkdir()
    asyncio.run(copied(folder / "copies"))
    munin("restore", "--yes", plain)
    munin("restore", "--yes", "--merge", sealed)
    munin("export", "--everything", str(folder / "all.jsonl"))
    munin("export")
    munin("lock", "on")
    munin("lock", "passphrase")
    os.environ["MUNIN_PASSPHRASE"] = os.environ["MUNIN_NEW_PASSPHRASE"]
    munin("lock", "status")
    munin("lock", "off")
    munin("erase", "--yes", "--models")
    assert not list(paths.data_folder().iterdir())


if __name__ == "__main__":
    passphrase.LOG2_N = 8
    keep(Path(sys.argv[1]))
