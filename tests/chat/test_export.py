"""A conversation leaves as Markdown, the shown path, and as JSON, every branch; by the command beside an open app."""

import asyncio
import json
from pathlib import Path

import pytest

from munin_app.bootstrap import Munin
from munin_app.cli import main
from tests.chat.conftest import Talk


async def test_markdown_and_json(munin: Munin, talk: Talk, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    await talk("The **boathouse** key hangs behind the green door.")
    turn = await talk("And the other one?")
    await munin.branches.edit(turn.user.id, "And the spare one?")
    await munin.controller.drain()
    (conversation,) = await munin.chats.list()
    await munin.chats.rename(conversation.id, "Keys")

    assert await asyncio.to_thread(main, ["export"]) == 0
    assert f"{conversation.id}  " in (listed := capsys.readouterr().out) and "Keys" in listed
    assert await asyncio.to_thread(main, ["export", conversation.id[:30]]) == 0
    text = capsys.readouterr().out
    assert text.startswith("# Keys\n") and text.count("## You") == text.count("## Munin") == 2
    assert "And the spare one?" in text and "And the other one?" not in text
    assert "The **boathouse** key hangs behind the green door." in text

    file = tmp_path / "keys.json"
    command = ["export", conversation.id, "--format", "json", "-o", str(file)]
    assert await asyncio.to_thread(main, command) == 0
    document = json.loads(file.read_text())
    assert (document["format"], document["version"], document["title"]) == ("munin-conversation", 1, "Keys")
    assert len(document["messages"]) == 6
    ids = {one["id"] for one in document["messages"]}
    assert document["leaf"] in ids and all(one["parent"] in {None, *ids} for one in document["messages"])
    assert await asyncio.to_thread(main, command) == 1
    assert "is there already" in capsys.readouterr().err
    assert await asyncio.to_thread(main, ["export", "nothing"]) == 1
