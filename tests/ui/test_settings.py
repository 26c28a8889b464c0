"""Settings and Models where memory and the processor come in: Auto, the rows behind "How it runs", Load anyway."""

from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import flet as ft
import pytest

from munin_app.bootstrap import Munin
from munin_app.config import Settings
from munin_app.domain.inference import ModelInfo
from munin_app.errors import ModelTooLarge
from munin_app.inference.scripted import ScriptedChatModel
from munin_app.ui.format import grouped_number
from tests.ui.harness import OpenPage

TOO_LARGE = "It needs about 9.9 GB of memory; 2.0 GB are free."


class SizedModel(ScriptedChatModel):
    """Fits as the settings say; `huge.gguf`, and contexts of 8,192, only when loaded anyway."""

    def __init__(self, path: Path, settings: Settings, gpu: bool = False) -> None:
        super().__init__()
        self.settings = settings
        self._path = path
        self._gpu = gpu

    async def load(self) -> ModelInfo:
        large = self._path.name == "huge.gguf" or self.settings.context_tokens == 8192
        if large and not self.settings.load_anyway:
            raise ModelTooLarge(TOO_LARGE)
        self._info = replace(await super().load(), path=self._path, memory_bytes=432_000_000, squeezed=True, gpu=self._gpu)
        return self._info


@pytest.fixture
def gpu() -> bool:
    return False


@pytest.fixture
async def munin(gpu: bool) -> AsyncIterator[Munin]:
    async with await Munin.start(make_model=lambda path, settings: SizedModel(path, settings, gpu)) as munin:
        await munin.load_model()
        yield munin


@pytest.fixture
def huge(tmp_path: Path) -> Path:
    (tmp_path / "huge.gguf").write_bytes(b"GGUF")
    return tmp_path / "huge.gguf"


async def test_context_is_automatic_until_a_number_is_chosen(munin: Munin) -> None:
    async with OpenPage(munin) as page:
        page.session.go("settings")
        await page.until(lambda: page.has("Auto"))
        await page.click(f"Context: {grouped_number(4096)}")
        await page.until(lambda: munin.settings.context_tokens == 4096)
        await page.click("Context: Auto")
        await page.until(lambda: munin.settings.context_tokens == 0)


async def test_context_that_does_not_fit_is_refused_and_taken_all_the_same(munin: Munin) -> None:
    async with OpenPage(munin) as page:
        page.session.go("settings")
        await page.settle()
        await page.click(f"Context: {grouped_number(8192)}")
        await page.until(lambda: page.has(TOO_LARGE))
        assert munin.settings.context_tokens == 0
        await page.press("Load anyway")
        await page.until(lambda: munin.settings.context_tokens == 8192)
        assert munin.settings.load_anyway


async def test_how_it_runs_can_be_set_and_the_graphics_processor_only_where_there_is_one(munin: Munin) -> None:
    async with OpenPage(munin) as page:
        page.session.go("settings")
        await page.until(lambda: page.has("Compact context"))
        assert page.has("Threads") and not page.has("Graphics processor")
        await page.fire(page.one(ft.Switch, tooltip="Compact context"), "change", True, value=True)
        await page.until(lambda: munin.settings.kv_type == "q8_0")
        await page.click("Threads: 1")
        await page.until(lambda: munin.settings.threads == 1)


@pytest.mark.parametrize("gpu", [True])
async def test_graphics_processor_can_be_switched_off_where_there_is_one(munin: Munin) -> None:
    async with OpenPage(munin) as page:
        page.session.go("settings")
        await page.until(lambda: page.has("Graphics processor"))
        await page.fire(page.one(ft.Switch, tooltip="Graphics processor"), "change", False, value=False)
        await page.until(lambda: munin.settings.gpu_layers == 0)


async def test_file_that_does_not_fit_can_be_used_all_the_same(munin: Munin, huge: Path) -> None:
    async with OpenPage(munin) as page:
        page.session.go("models")
        await page.until(lambda: page.has("432 MB of memory"))
        assert page.has("as memory is short")
        await page.session.settings.use(str(huge))
        await page.until(lambda: page.has(TOO_LARGE))
        assert munin.settings.model_path == ""
        await page.press("Load anyway")
        await page.until(lambda: munin.settings.model_path == str(huge))
        await page.until(lambda: not page.has(TOO_LARGE))


async def test_model_that_does_not_fit_at_the_start_is_loaded_anyway_on_request(munin: Munin, huge: Path) -> None:
    await munin.use_model_file(str(huge), load_anyway=True)
    await munin.change_settings(theme="dark")
    munin.switch.settings = replace(munin.settings, load_anyway=False)
    await munin.switch.choose()
    await munin.load_model()
    async with OpenPage(munin) as page:
        await page.until(lambda: page.has("The model could not be loaded") and page.has(TOO_LARGE))
        await page.press("Load anyway")
        await page.until(lambda: munin.model_state.phase == "ready")
        assert munin.settings.load_anyway
