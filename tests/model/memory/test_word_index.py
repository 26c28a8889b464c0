"""The word index is derived: whatever happens to it, it is made again, nothing is lost, and nothing stays that was forgotten."""

from collections.abc import Callable
from pathlib import Path

import apsw
import pytest

from munin_app.domain.memories import ArmState
from munin_app.memory import MemoryService, word_index
from tests.model.memory.conftest import Build, said

Damage = Callable[[str], None]
SQL = [
    "DROP TABLE word",
    "DROP TABLE word_data",
    "DROP TABLE word_idx",
    "DROP TABLE word_docsize",
    "DROP TABLE word_config",
    "DELETE FROM word_data",
    "UPDATE word_data SET block = x'ffffffffffffffff' WHERE id = 10",
    "UPDATE word_data SET block = randomblob(length(block)) WHERE id > 10",
    "DELETE FROM word_docsize WHERE id % 2",
]


@pytest.fixture
def damage(path: Path) -> Damage:
    """From another connection: a schema that is held already makes the damage look different."""

    def damage(statement: str) -> None:
        connection = apsw.Connection(str(path))
        connection.execute(statement)
        connection.close()

    return damage


async def kayaks(build: Build) -> MemoryService:
    service = build(None)
    for number in range(30):
        assert await service.remember(said(f"kayak trip number {number}", id=f"m{number}"))
    return service


async def texts(service: MemoryService, query: str) -> list[str]:
    return [result.memory.text for result in (await service.recall(query)).results]


def is_sound(path: Path) -> bool:
    connection = apsw.Connection(str(path))
    sound = word_index.is_sound(connection)
    connection.close()
    return sound


async def words_state(service: MemoryService) -> ArmState:
    return next(arm.state for arm in await service.status() if arm.name == "words")


@pytest.mark.parametrize("statement", SQL)
async def test_damage_found_at_opening_is_mended(build: Build, damage: Damage, path: Path, statement: str) -> None:
    await (await kayaks(build)).close()
    damage(statement)
    service = build(None)
    assert (await texts(service, "number 17"))[0] == "kayak trip number 17"
    assert service.set_aside is None
    assert await service.count() == 30 and is_sound(path)
    assert await words_state(service) is ArmState.READY
    assert await service.remember(said("a sauna in June"))
    assert (await service.forget_messages(["m17"])).removed == 1
    assert is_sound(path)


@pytest.mark.parametrize("statement", SQL)
async def test_damage_while_running_loses_no_message(build: Build, damage: Damage, path: Path, statement: str) -> None:
    service = await kayaks(build)
    damage(statement)
    assert await service.remember(said("a sauna in June", id="sauna"))
    assert await service.count() == 31
    await service.close()
    again = build(None)
    assert await texts(again, "sauna") == ["a sauna in June"]
    assert is_sound(path)


@pytest.mark.parametrize("everything", [True, False])
@pytest.mark.parametrize("statement", SQL)
async def test_forgetting_does_not_stop_at_a_damaged_index(
    build: Build, damage: Damage, path: Path, statement: str, everything: bool
) -> None:
    service = await kayaks(build)
    await service.remember(said("The zanzibarite password is quokkafish", id="secret"))
    damage(statement)
    report = await (service.forget_all() if everything else service.forget_messages(["secret"]))
    assert report.failures == () and report.removed == (31 if everything else 1)
    held = b"".join(file.read_bytes() for file in path.parent.iterdir() if file.is_file())
    assert b"zanzibarit" not in held and b"quokkafish" not in held
    assert not await texts(service, "zanzibarite")


async def test_until_it_is_made_again_status_says_what_to_do(build: Build, damage: Damage) -> None:
    service = await kayaks(build)
    damage("DROP TABLE word")
    words = next(arm for arm in await service.status() if arm.name == "words")
    assert (words.state, words.remedy) == (ArmState.OFF, "Open Munin again: the index is made again by itself.")
