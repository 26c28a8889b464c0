"""Files that each release wrote are opened by this one, and nothing in them is lost.

`tests/data/release-N/` is a data folder as release N left it. It is written once, by `python -m tests.unit.test_released_files
N`, and never changed: when a schema changes, a new folder is added beside it.
"""

import asyncio
import os
import shutil
import sys
import tempfile
from pathlib import Path

import pytest

from munin_app.bootstrap import Munin
from munin_app.inference.scripted import ScriptedChatModel
from munin_app.memory import EncoderManifest, MemoryService
from munin_app.memory.hashing import HashEmbedder

RELEASES = sorted((Path(__file__).parents[1] / "data").glob("release-*"))
SAID = ("My name is Ada and I live in Oslo.", "The boathouse key hangs behind the green door.")


async def _start(home: Path) -> Munin:
    memory = MemoryService(home / "munin_memory.db", EncoderManifest("hash", home, 64, threshold=0.3), load_encoder=HashEmbedder)
    return await Munin.start(make_model=lambda path, settings: ScriptedChatModel(["Noted."]), memory=memory)


@pytest.mark.parametrize("release", RELEASES, ids=lambda folder: folder.name)
async def test_a_data_folder_of_each_release_opens_with_everything_in_it(release: Path, home: Path) -> None:
    shutil.copytree(release, home)
    munin = await _start(home)
    try:
        (conversation,) = await munin.chats.list()
        assert [message.text for message in await munin.chats.path(conversation.id)] == [SAID[0], "Noted.", SAID[1], "Noted."]
        assert {fact.text for fact in munin.profile.facts} == {"Name is Ada", "Lives in Oslo"}
        assert munin.settings.theme == "dark" and not munin.notices
        (found, *_) = (await munin.memory.recall("Where hangs the boathouse key, behind the green door?")).results
        assert found.memory.text == SAID[1]
        used = await munin.chats.used_by((await munin.chats.path(conversation.id))[-1].id)
        assert {fact.text for fact in used.facts} == {"Name is Ada", "Lives in Oslo"}
    finally:
        await munin.controller.drain()
        await munin.close()


async def _write(folder: Path) -> None:
    with tempfile.TemporaryDirectory() as home:
        os.environ["MUNIN_HOME"] = home
        munin = await _start(Path(home))
        await munin.load_model()
        await munin.change_settings(theme="dark")
        conversation = await munin.controller.new_conversation()
        for text in SAID:
            await munin.controller.send(conversation.id, text)
            await munin.controller.drain()
        await munin.close()
        folder.mkdir(parents=True)
        for name in ("munin.db", "munin_memory.db", "profile.json", "settings.json"):
            shutil.copy(Path(home) / name, folder)


if __name__ == "__main__":
    asyncio.run(_write(Path(__file__).parents[1] / "data" / f"release-{sys.argv[1]}"))
