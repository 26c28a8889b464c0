"""Every screen and state without a client: nothing crashes, and whatever can be used has a name and is reached by keyboard."""

from pathlib import Path

import pytest

from munin_app.ui.actions import library
from tests.ui import names
from tests.ui.harness import GatedPage
from tests.ui.screens import SCENES
from tests.ui.screens.stage import Scene, Stage, world

SIZES = {"wide": (1280, 800), "phone": (390, 844)}


def shows(page: GatedPage, words: str) -> bool:
    return any(words in text for text in names.texts(page.page))


@pytest.mark.parametrize("width", SIZES)
async def test_whatever_can_be_used_has_a_name_and_is_reached(home: Path, width: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(library, "free_memory", lambda: 8_000_000_000)
    async with world(home) as (gate, model), GatedPage(gate, *SIZES[width]) as page:
        (door,) = gate._doors
        stage = Stage(gate, model, door)
        found = [line for scene in SCENES if width in scene.widths for line in await _faults(stage, page, scene)]
    assert not found, "\n".join(found)


async def _faults(stage: Stage, page: GatedPage, scene: Scene) -> list[str]:
    await stage.clear()
    await scene.make(stage)
    await page.settle()
    for words in scene.words:
        try:
            await page.until(lambda words=words: shows(page, words), 30)
        except TimeoutError:
            return [f"{scene.name}: {words!r} is not there, but {names.texts(page.page)}"]
    paths = names.shown(page.page)
    told = {
        "no name": names.nameless,
        "out of reach": names.out_of_reach,
        "read for nothing": names.noisy,
        "not read": names.unread,
    }
    return [f"{scene.name}: {fault}: {line}" for fault, find in told.items() for line in find(paths)]


def test_every_scene_is_in_the_list_of_screens() -> None:
    listed = (Path(__file__).parents[2] / "docs" / "screens.md").read_text()
    assert [scene.name for scene in SCENES if f"`{scene.name}`" not in listed] == []
