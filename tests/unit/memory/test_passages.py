"""Passages of files: found among their own file's, and by nothing else that reads memory, whichever arm it finds by."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from munin_app.domain.messages import Message, Role
from munin_app.memory import EncoderManifest, MemoryService
from munin_app.memory.hashing import HashEmbedder

SAID = "The boathouse key hangs behind the green door."
OTHER = ["The weather was mild.", SAID, "Nothing else happened."]


async def always() -> bool:
    return True


@pytest.fixture(params=["sqlite-vec", "numpy", "words only", "vectors only"])
async def memory(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[MemoryService]:
    manifest = None if request.param == "words only" else EncoderManifest("hash", tmp_path, 64, threshold=0.3)
    memory = MemoryService(
        tmp_path / "munin_memory.db", manifest, load_encoder=HashEmbedder, use_extension=request.param != "numpy"
    )
    await memory.warm_up()
    if request.param == "vectors only":
        assert memory._opened and memory._opened.database
        await memory._opened.database.write(lambda connection: connection.execute("DROP TABLE temp.word_place"))
    yield memory
    await memory.close()


@pytest.mark.parametrize("private", [False, True], ids=["on disk", "in memory"])
async def test_only_its_own_file_finds_it(memory: MemoryService, private: bool) -> None:
    passages = memory.private_passages if private else memory.passages
    assert await passages.remember("a", 1, OTHER, always) and await passages.remember("b", 2, ["Cats purr."] * 3, always)
    await passages.ready(30)
    await memory.back_filled()
    found = await passages.find(SAID, ["a"], 1, -1.0)
    assert [(one.content_id, one.n) for one in found] == [("a", 1)]
    assert ("a", 1) not in {(one.content_id, one.n) for one in await passages.find(SAID, ["b"], 9, -1.0)}
    assert await passages.find(SAID, [], 9, -1.0) == ()
    assert ("a", 1) not in {(one.content_id, one.n) for one in await passages.find(SAID, ["a"], 9, -1.0, [("a", 1)])}


async def test_nothing_else_sees_it(memory: MemoryService) -> None:
    assert await memory.remember(Message("m", "c", None, Role.USER, "The boathouse door is green.", 5))
    assert await memory.remember(Message("n", "c", None, Role.USER, "The kettle is on the stove.", 6))
    before = [one.score for one in (await memory.recall(SAID, threshold=-1.0)).results]
    await memory.passages.remember("a", 1, OTHER, always)
    await memory.passages.ready(30)
    outcome = await memory.recall(SAID, 9, -1.0, scopes=("shared", "persona:x", "conversation:c"))
    assert {one.memory.message_id for one in outcome.results} <= {"m", "n"} and before
    assert [one.score for one in outcome.results] == before  # it weighs nothing either
    assert not outcome.left_out
    assert [one.message_id for one in await memory.browse()] == ["n", "m"]
    assert (await memory.count(), await memory.indexed_ids()) == (2, {"m", "n"})


async def test_what_is_forgotten_is_gone(memory: MemoryService, tmp_path: Path) -> None:
    await memory.passages.remember("a", 1, OTHER, always)
    await memory.passages.remember("b", 1, ["Another file."], always)
    await memory.passages.ready(30)
    assert await memory.passages.known() == {"a": True, "b": True}
    report = await memory.passages.forget(["a"])
    assert (report.removed, report.failures) == (3, ())
    assert await memory.passages.known() == {"b": True}
    assert await memory.passages.find(SAID, ["a"], 9, -1.0) == ()
    assert b"boathouse" not in b"".join(file.read_bytes() for file in tmp_path.iterdir() if file.is_file())


async def test_a_file_that_is_removed_while_it_is_taken_in_leaves_nothing(memory: MemoryService) -> None:
    answers = iter([True, False, False])

    async def wanted() -> bool:
        return next(answers)

    assert not await memory.passages.remember("a", 1, [f"passage {n}" for n in range(80)], wanted)
    assert await memory.passages.known() == {}


async def test_in_memory_nothing_touches_the_disk(memory: MemoryService, tmp_path: Path) -> None:
    await memory.private_passages.remember("a", 1, OTHER, always)
    await memory.private_passages.ready(30)
    assert await memory.passages.known() == {}
    assert b"boathouse" not in b"".join(file.read_bytes() for file in tmp_path.iterdir() if file.is_file())
    await memory.private_passages.forget(["a"])
    assert await memory.private_passages.known() == {}
