"""Files that each release wrote are opened by this one, and nothing in them is lost.

`tests/data/release-N/` is a data folder as release N left it. It is written once, by `python -m tests.unit.test_released_files
N`, and never changed: when a schema changes, a new folder is added beside it.
"""

import asyncio
import json
import os
import shutil
import sys
import tempfile
from pathlib import Path

import apsw
import pytest

from munin_app.bootstrap import Munin
from munin_app.chat.schema import MIGRATIONS
from munin_app.cli import main
from munin_app.domain.messages import Message
from munin_app.domain.personas import Persona
from munin_app.inference.scripted import ScriptedChatModel
from munin_app.memory import EncoderManifest, MemoryService
from munin_app.memory.hashing import HashEmbedder
from munin_app.profile.document import VERSION, version_of

RELEASES = sorted((Path(__file__).parents[1] / "data").glob("release-*"))
SAID = ("My name is Ada and I live in Oslo.", "The boathouse key hangs behind the green door.")
FILES = ("munin.db", "munin_memory.db", "profile.json", "profile.key", "settings.json")


async def _start(home: Path) -> Munin:
    memory = MemoryService(home / "munin_memory.db", EncoderManifest("hash", home, 64, threshold=0.3), load_encoder=HashEmbedder)
    return await Munin.start(make_model=lambda path, settings: ScriptedChatModel(["Noted."]), memory=memory)


def _rows(database: Path, like: dict[str, list[str]] | None = None) -> tuple[dict[str, list[str]], dict[str, list[str]]]:
    """(columns by table, rows by table). `like`: of these tables and columns only."""
    connection = apsw.Connection(str(database))
    try:
        tables = [str(row[0]) for row in connection.execute("SELECT name FROM pragma_table_list WHERE type = 'table'")]
        columns = like or {
            table: [str(row[1]) for row in connection.execute(f"PRAGMA table_info({table})")]
            for table in tables
            if not table.startswith("sqlite_")
        }
        rows = {
            table: sorted(map(repr, connection.execute(f"SELECT {', '.join(names)} FROM {table}")))
            for table, names in columns.items()
        }
        assert connection.pragma("integrity_check") == "ok"
    finally:
        connection.close()
    return columns, rows


@pytest.mark.parametrize("release", RELEASES, ids=lambda folder: folder.name)
async def test_a_data_folder_of_each_release_opens_with_everything_in_it(release: Path, home: Path) -> None:
    shutil.copytree(release, home)
    columns, rows = _rows(home / "munin.db")
    facts = json.loads((release / "profile.json").read_bytes())["facts"]
    munin = await _start(home)
    try:
        assert munin.settings.theme == "dark" and not munin.notices
        conversation = (await munin.chats.list())[-1]
        path = await munin.chats.path(conversation.id)
        assert [message.text for message in path] == [SAID[0], "Noted.", SAID[1], "Noted."]
        assert {fact.text for fact in munin.profile.facts} >= {"Name is Ada", "Lives in Oslo"}
        every = [munin.profile.get(fact["id"]) for fact in facts]
        assert [(fact.text, fact.status.value, fact.pinned) for fact in every] == [
            (fact["text"], fact["status"], fact["pinned"]) for fact in facts
        ]
        (found, *_) = (await munin.memory.recall("Where hangs the boathouse key, behind the green door?")).results
        assert found.memory.text == SAID[1]
        used = await munin.chats.used_by(path[-1].id)
        assert {fact.text for fact in used.facts} == {"Name is Ada", "Lives in Oslo"}
        assert await munin.shelf.search_messages("boathouse")
    finally:
        await munin.controller.drain()
        await munin.close()
    assert _rows(home / "munin.db", columns)[1] == rows


@pytest.mark.parametrize("release", RELEASES, ids=lambda folder: folder.name)
async def test_what_is_upgraded_is_copied_first_and_what_is_forgotten_leaves_the_copy(release: Path, home: Path) -> None:
    shutil.copytree(release, home)
    version, rows = _version(release / "munin.db"), _rows(home / "munin.db")
    document = (release / "profile.json").read_bytes()
    munin = await _start(home)
    try:
        upgraded = {path.name for path in home.glob("*.version-*")}
        if version < len(MIGRATIONS):
            assert _rows(home / f"munin.db.version-{version}") == rows
        if version_of(document) < VERSION:
            assert (home / f"profile.json.version-{version_of(document)}").read_bytes() == document
        assert len(upgraded) == (version < len(MIGRATIONS)) + (version_of(document) < VERSION)
        fact = next(fact for fact in munin.profile.facts if fact.text == "Lives in Oslo")
        await munin.forgetting.forget_fact(fact.id)
        assert not list(home.glob("*.version-*"))
    finally:
        await munin.close()


@pytest.mark.parametrize("name", ["munin.db", "profile.json"])
def test_what_a_newer_release_wrote_is_refused_in_one_line_and_untouched(
    name: str, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copytree(RELEASES[-1], home)
    newer = bytearray((home / name).read_bytes())
    if name == "munin.db":
        newer[60:64] = (len(MIGRATIONS) + 1).to_bytes(4, "big")
    (home / name).write_bytes(newer.replace(b'"version": %d' % VERSION, b'"version": %d' % (VERSION + 1)))
    before = {file: (home / file).read_bytes() for file in FILES}
    assert main(["chat", "-m", "Hello"]) == 1
    error = capsys.readouterr().err
    assert error.count("\n") == 1 and f"{home / name} was written by a newer Munin" in error
    assert {file: (home / file).read_bytes() for file in FILES} == before


def _version(database: Path) -> int:
    """From the header: opening a file of a release would change its folder."""
    return int.from_bytes(database.read_bytes()[60:64], "big")


async def _write(folder: Path) -> None:
    with tempfile.TemporaryDirectory() as home:
        os.environ["MUNIN_HOME"] = home
        munin = await _start(Path(home))
        await munin.load_model()
        await munin.change_settings(theme="dark")
        conversation = await munin.controller.new_conversation()
        for text in SAID:
            await _say(munin, conversation.id, text)
        await _use_what_there_is(munin)
        await munin.close()
        folder.mkdir(parents=True)
        for name in FILES:
            shutil.copy(Path(home) / name, folder)


async def _say(munin: Munin, conversation_id: str, text: str) -> Message:
    message = await munin.controller.send(conversation_id, text)
    await munin.controller.drain()
    return message


async def _use_what_there_is(munin: Munin) -> None:
    """A row in every table but that of offered Undo, which the next start empties; and a fact of every kind."""
    first = await munin.controller.new_conversation()
    said = await _say(munin, first.id, "I love long walks.")
    await munin.branches.edit(said.id, "I love long walks by the sea.")
    await munin.controller.drain()
    await munin.chats.set_bookmarked(said, True)
    await munin.shelf.tag([first.id], ["walks"])
    await munin.shelf.duplicate(first.id)
    await munin.shelf.save_drafts([(first.id, "Not sent yet"), ("", "Nor begun")])
    old = await munin.controller.new_conversation()
    await _say(munin, old.id, "I play the cello. I never fly at night.")
    await munin.shelf.set_archived([old.id], True)
    diary = await munin.controller.personas.save(Persona("diary", "Diary", "heart", "You listen.", 0.5, own_memory=True))
    kept = await munin.controller.new_conversation(persona_id=diary.id)
    await _say(munin, kept.id, "I live in Bergen.")
    cello = next(fact for fact in munin.profile.facts if "cello" in fact.text)
    await munin.profile.edit(cello.id, "Plays the viola")
    walks = next(fact for fact in munin.profile.facts if "walks" in fact.text)
    await munin.forgetting.forget_fact(walks.id)
    await munin.profile.set_pinned(next(fact.id for fact in munin.profile.facts if fact.text == "Name is Ada"), True)


if __name__ == "__main__":
    asyncio.run(_write(Path(__file__).parents[1] / "data" / f"release-{sys.argv[1]}"))
