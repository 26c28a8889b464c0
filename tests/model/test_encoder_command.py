"""Another encoder in the terminal, with the real one under another name: added, listed, used, killed half-way, removed."""

import asyncio
import json
import subprocess
import sys
from pathlib import Path

import pytest

from munin_app.bootstrap import Munin
from munin_app.domain.ids import new_id
from munin_app.domain.messages import Message, Role
from munin_app.memory import MemoryService
from munin_app.paths import memory_database, starter_models_folder
from tests.library.command import munin as command

STARTER = "all-MiniLM-L6-v2-int8"
MESSAGES = 120


async def run(*arguments: str) -> tuple[int | None, str, str]:
    process = await command(*arguments)
    output, error = await process.communicate()
    return process.returncode, output.decode(), error.decode()


@pytest.fixture
async def twin(home: Path, tmp_path: Path) -> Path:
    """The starter's encoder in a folder of its own, and some messages that the starter's has read."""
    folder = tmp_path / "twin"
    folder.mkdir()
    for file in (starter_models_folder() / STARTER).iterdir():
        (folder / file.name).write_bytes(file.read_bytes())
    (folder / "config.json").write_text(json.dumps({"hidden_size": 384, "max_position_embeddings": 512}))
    async with await Munin.start() as app:
        for number in range(MESSAGES):
            text = f"On trip {number} the heron of the lake watched the red kayak."
            assert await app.memory.remember(Message(new_id(), "c", None, Role.USER, text, number))
    return folder


async def made() -> tuple[int, int, str]:
    memory = MemoryService(memory_database(), None, read_only=True)
    progress = await memory.vector_progress()
    await memory.close()
    return progress.made, progress.total, progress.former


async def test_it_is_added_used_and_removed(twin: Path) -> None:
    assert "Added twin. It is assumed that it gives vectors by their mean." in (await run("add", str(twin), "--link"))[1]
    code, output, _ = await run("use", "twin")
    assert code == 0 and f"twin reads {MESSAGES} parts" in output and "Memory uses twin." in output
    assert await made() == (MESSAGES, MESSAGES, "")
    rows = [json.loads(line) for line in (await run("list", "--json"))[1].splitlines()]
    assert {row["id"]: row["in_use"] for row in rows if row["kind"] == "encoder" and row["here"]} == {
        STARTER: False,
        "twin": True,
    }
    assert all("fit" in row for row in rows)
    code, _, error = await run("remove", STARTER)
    assert code == 1 and "came with Munin and stays" in error
    assert (await run("remove", "twin"))[0] == 0
    assert (twin / "model.onnx").exists()


async def test_killed_half_way_it_goes_on_at_the_next_start(twin: Path) -> None:
    assert (await run("add", str(twin)))[0] == 0
    process = await command("use", "twin")
    while not (0 < (await made())[0] < MESSAGES and (await made())[2]):  # noqa: ASYNC110
        await asyncio.sleep(0.02)  # another process: it has no event to wait for
    process.kill()
    await process.wait()
    half, total, former = await made()
    assert 0 < half < total == MESSAGES and former == STARTER
    async with await Munin.start() as app:
        await app.memory.back_filled()
        assert app.settings.encoder == "twin"
    assert await made() == (MESSAGES, MESSAGES, "")


async def test_beside_an_open_munin_it_is_refused(twin: Path) -> None:
    assert (await run("add", str(twin)))[0] == 0
    async with await Munin.start():
        code, _, error = await run("use", "twin")
    assert code == 1 and "already open" in error


async def test_doctor_names_the_encoder_and_says_when_it_is_gone(twin: Path, home: Path) -> None:
    (home / "settings.json").write_text(json.dumps({"version": 1, "encoder": "gone"}))
    doctor = [sys.executable, "-m", "munin_app.cli", "doctor"]
    process = await asyncio.create_subprocess_exec(*doctor, stdout=subprocess.PIPE)
    output = (await process.communicate())[0].decode()
    assert 'The encoder "gone" is not here.' in output and "munin models use ID" in output
