"""How fast is it here: choosing, measuring, stopping, copying; the model in use comes back whatever happens."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import flet as ft
import pytest

from munin_app.bootstrap import Munin
from munin_app.config import Settings
from munin_app.inference.scripted import ScriptedChatModel
from tests.tiny_models import write_tiny_model
from tests.ui.harness import OpenPage
from tests.ui.test_library import PathModel


class Fleet:
    """Makes models, and can have the next one stand still while it is measured."""

    def __init__(self) -> None:
        self.made: list[PathModel] = []
        self.standing = False

    def make(self, path: Path, settings: Settings) -> ScriptedChatModel:
        model = PathModel(path, settings)
        if self.standing and self.made:
            model.pause()
        self.made.append(model)
        return model


@pytest.fixture
def fleet() -> Fleet:
    return Fleet()


@pytest.fixture
async def munin(home: Path, fleet: Fleet) -> AsyncIterator[Munin]:
    (home / "models").mkdir(parents=True)
    write_tiny_model(home / "models" / "wren.gguf", "llama")
    write_tiny_model(home / "models" / "bad.gguf", "llama")
    async with await Munin.start(make_model=fleet.make) as munin:
        await munin.use_model_file(str(home / "models" / "wren.gguf"))
        yield munin


@pytest.fixture
async def page(munin: Munin) -> AsyncIterator[OpenPage]:
    async with OpenPage(munin) as page:
        page.session.go("models")
        await page.until(lambda: page.has("How fast is it here?") or page.session.settings.models.entries)
        page.session.go("speed")
        await page.until(lambda: page.has("Chat pauses meanwhile") and page.has("wren"))
        yield page


async def test_models_are_measured_and_the_one_in_use_comes_back(page: OpenPage, munin: Munin, fleet: Fleet) -> None:
    before = munin.model
    await page.press("Measure")
    await page.until(lambda: not page.session.speed.state.running)
    speeds = {speed.id: speed for speed in page.session.speed.state.speeds}
    assert "bad.gguf is damaged." in speeds["bad"].error and not speeds["wren"].error
    assert page.has("Reading") and page.has("Writing") and page.has("bad could not be measured.")
    assert munin.model is not before and munin.model_state.phase == "ready"
    assert munin.model_state.info and munin.model_state.info.path.name == "wren.gguf"
    assert all(model.closed for model in fleet.made if model is not munin.model), "each made room for the next"


async def test_only_what_is_chosen_is_measured(page: OpenPage, munin: Munin) -> None:
    for switch in page.all(ft.Switch):
        if switch.tooltip != "Measure wren":
            await page.fire(switch, "change", False, value=False)
    await page.press("Measure")
    await page.until(lambda: not page.session.speed.state.running)
    assert [speed.id for speed in page.session.speed.state.speeds] == ["wren"]


async def test_stop_brings_the_model_in_use_back(page: OpenPage, munin: Munin, fleet: Fleet) -> None:
    fleet.standing = True
    await page.press("Measure")
    await page.until(lambda: page.has("Measuring"))
    await page.until(lambda: len(fleet.made) > 1 and fleet.made[-1].requests)
    fleet.standing = False
    await page.press("Stop")
    await page.until(lambda: page.has("Stopped. The model in use is back."))
    assert munin.model_state.phase == "ready" and munin.model is fleet.made[-1]
    assert fleet.made[-2].closed
    assert not page.session.speed.state.running


async def test_page_that_is_closed_meanwhile_leaves_the_model_in_use(munin: Munin, fleet: Fleet) -> None:
    async with OpenPage(munin) as page:
        page.session.go("speed")
        await page.until(lambda: page.has("wren"))
        fleet.standing = True
        page.session.speed.measure()
        await page.until(lambda: len(fleet.made) > 1 and fleet.made[-1].requests)
        fleet.standing = False
        ready = asyncio.Event()
        munin.subscribe(lambda _: ready.set() if munin.model_state.phase == "ready" else None)
    await asyncio.wait_for(ready.wait(), 60)
    assert munin.model is fleet.made[-1] and fleet.made[-2].closed


async def test_figures_are_copied_as_text(page: OpenPage) -> None:
    await page.press("Measure")
    await page.until(lambda: not page.session.speed.state.running)
    text = page.session.speed.text()
    assert text.startswith("Munin ") and "wren: reading" in text and "bad: bad.gguf is damaged." in text
    await page.press("Copy as text")
    await page.until(lambda: page.has("Figures copied."))
