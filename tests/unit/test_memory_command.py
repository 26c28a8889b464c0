"""`munin memory`, in this process: what the limit of facts pushed out is listed and brought back."""

import asyncio
import json
from pathlib import Path

import pytest

from munin_app.cli import main
from munin_app.domain.facts import ACTIVE_FACTS_MAX
from munin_app.domain.ids import new_id
from munin_app.domain.messages import Exchange, Message, Role
from munin_app.profile import MemoryProfileService


async def _fill(path: Path) -> None:
    profile = MemoryProfileService(path, None)
    await profile.open()
    for number in range(ACTIVE_FACTS_MAX):
        words = f"I like colour{chr(97 + number % 26)}{number} paint"
        await profile.learn_from(Exchange(Message(new_id(), "c", None, Role.USER, words, 0)))
    await profile.add("Name is Ada")
    await profile.close()


def test_what_made_room_is_listed_and_brought_back(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    home.mkdir()
    asyncio.run(_fill(home / "profile.json"))
    assert main(["memory", "facts", "--made-room"]) == 0
    (line,) = capsys.readouterr().out.splitlines()
    assert "Likes coloura0 paint" in line and "for “Name is Ada”" in line

    assert main(["memory", "restore", line.split()[0], "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["status"] == "active"
    assert main(["memory", "facts", "--made-room", "--json"]) == 0
    (other,) = capsys.readouterr().out.splitlines()  # the limit still holds
    assert json.loads(other)["text"] == "Likes colourb1 paint"
