"""Everything as JSON Lines: each record is as docs/export.md says, and nothing that is kept is missing."""

import asyncio
import json
import re
import stat
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest

from munin_app.bootstrap import Munin
from munin_app.chat.attached.files import read_content
from munin_app.cli import main
from munin_app.domain.personas import Persona
from tests.chat.conftest import Talk

DOCUMENT = Path(__file__).resolve().parents[2] / "docs" / "export.md"
KINDS: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "number": (int, float),
    "boolean": (bool,),
    "array": (list,),
    "any": (str, int, float, bool, dict, list),
}


def described() -> dict[str, dict[str, str]]:
    """Record to field to kind; the second table of facts as "sources"."""
    found: defaultdict[str, dict[str, str]] = defaultdict(dict)
    record = ""
    for line in DOCUMENT.read_text(encoding="utf-8").splitlines():
        if heading := re.match(r"### (\w+)$", line):
            record = heading[1]
        elif line.startswith("Each of `sources`"):
            record = "sources"
        elif field := re.match(r"\| (\w+) \| (string|number|boolean|array|any)(\??) \|", line):
            found[record][field[1]] = field[2] + field[3]
    return dict(found)


def require(record: dict[str, Any], kinds: dict[str, str]) -> None:
    assert list(record) == list(kinds)
    for field, kind in kinds.items():
        value = record[field]
        if value is None:
            assert kind.endswith("?") or kind == "any", field
        else:
            assert isinstance(value, KINDS[kind.rstrip("?")]) and (isinstance(value, bool) <= (kind in ("boolean", "any"))), field
        if value and field.endswith("_at"):
            assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00", value)


async def test_a_filled_profile(munin: Munin, talk: Talk, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    await talk("My name is Ada and I live in Oslo.")
    turn = await talk("What rhymes with sea?")
    await munin.branches.edit(turn.user.id, "What rhymes with “boat”?")
    await munin.controller.drain()
    await munin.chats.set_bookmarked(turn.reply, True)
    file = await munin.controller.attachments.add(turn.conversation.id, await read_content("notes.md", b"# Tides"))
    await munin.controller.send(turn.conversation.id, "And this?", [file.id])
    await munin.controller.drain()
    await munin.profile.add("Likes tea")
    await munin.controller.personas.save(Persona("", "Sailor", "travel", "You sail.", starters=("Ahoy",)))
    (conversation,) = await munin.chats.list()
    await munin.shelf.tag([conversation.id], ["sea"])
    await munin.change_settings(theme="dark")

    target = tmp_path / "out.jsonl"
    assert await asyncio.to_thread(main, ["export", "--everything", str(target)]) == 0
    assert stat.S_IMODE(target.stat().st_mode) == 0o600
    lines = [json.loads(line) for line in target.read_text(encoding="utf-8").splitlines()]
    assert f"{len(lines)} records" in capsys.readouterr().out
    tables = described()
    of: defaultdict[str, list[dict[str, Any]]] = defaultdict(list)
    for line in lines:
        require(line, tables[line["type"]])
        of[line["type"]].append(line)
    assert of.keys() == tables.keys() - {"sources"} and lines[0]["type"] == "header"

    assert {one["name"]: one["value"] for one in of["setting"]}["theme"] == "dark"
    assert "Sailor" in {one["name"] for one in of["persona"]}
    facts = {one["text"]: one for one in of["fact"]}
    assert {"Likes tea", "Lives in Oslo", "Name is Ada"} <= facts.keys()
    (source,) = facts["Lives in Oslo"]["sources"]
    require(source, tables["sources"])
    messages = {one["id"]: one for one in of["message"]}
    assert "Oslo" in messages[source["message"]]["text"][source["start"] : source["end"]]
    assert len(messages) == 8 and of["conversation"][0]["leaf"] in messages and of["conversation"][0]["tags"] == ["sea"]
    assert sum(one["bookmarked_at"] is not None for one in of["message"]) == 1
    assert [(one["name"], one["text"]) for one in of["attachment"]] == [("notes.md", "# Tides")]
    seen: set[str | None] = {None}
    for one in of["message"]:
        assert one["parent"] in seen
        seen.add(one["id"])
    branches = [one for one in of["message"] if one["parent"] == turn.user.parent_id]
    assert len(branches) == 2
    assert {one["message"] for one in of["memory"]} == {one["id"] for one in of["message"] if one["memory"] == "indexed"}

    assert await asyncio.to_thread(main, ["export", "--everything", str(target)]) == 1
    assert "is there already" in capsys.readouterr().err
    assert await asyncio.to_thread(main, ["export", "--everything", str(tmp_path / "no folder" / "a")]) == 1
    assert "could not be written" in capsys.readouterr().err
