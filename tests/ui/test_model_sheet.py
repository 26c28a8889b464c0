"""The settings of one model in the window: what holds, where that comes from, what is refused, and the way back."""

from collections.abc import AsyncIterator
from pathlib import Path

import flet as ft
import pytest

from munin_app.bootstrap import Munin
from munin_app.config import ModelSettings
from tests.named_models import SHORT, NamedModels, model_files
from tests.ui.harness import OpenPage
from tests.unit.inference.gguf_files import write_gguf


@pytest.fixture
def models() -> NamedModels:
    return NamedModels()


@pytest.fixture
async def munin(home: Path, no_starter: None, models: NamedModels) -> AsyncIterator[Munin]:
    """Two models; wren's file recommends a temperature."""
    folder = model_files(home / "models", "auk", "wren")
    write_gguf(folder / "wren.gguf", {"general.architecture": "llama", "general.sampling.temp": 0.6})
    async with await Munin.start(make_model=models.make) as munin:
        await munin.load_model()
        yield munin


@pytest.fixture
def wren(home: Path) -> Path:
    return home / "models" / "wren.gguf"


async def typed(page: OpenPage, key: str, text: str) -> None:
    page.session.model_sheet.type(key, text)
    await page.settle()


async def test_values_say_where_they_come_from(page: OpenPage, wren: Path) -> None:
    await page.session.model_sheet.open(wren)
    await page.until(lambda: page.has("0.6, from the file") and page.has("0.95, Munin's own"))
    assert page.has("512 tokens, as for every model") and not page.has("Reset to the model's own")


async def test_typed_values_are_kept_and_reset(page: OpenPage, munin: Munin, wren: Path) -> None:
    await page.session.model_sheet.open(wren)
    await page.until(lambda: page.has("Repeat penalty"))
    field = next(field for field in page.all(ft.TextField) if field.hint_text == "0.6")
    await page.fire(field, "change", "0,2", value="0,2")
    await typed(page, "instructions", " Rhyme. ")
    await page.press("Save")
    await page.until(lambda: page.has("Kept for wren."))
    assert munin.settings.set_for(wren) == ModelSettings(temperature=0.2, instructions="Rhyme.")
    assert not page.session.navigation.model_sheet

    await page.session.model_sheet.open(wren)
    await page.until(lambda: page.has("Set by you · else 0.6"))
    await page.press("Reset to the model's own")
    await page.until(lambda: page.has("0.6, from the file"))
    assert munin.settings.model_settings == {}


@pytest.mark.parametrize(
    ("key", "text", "said"),
    [
        ("temperature", "3", '"temperature" is 3.0; expected 0 to 2.'),
        ("top_k", "a few", "Top-k is 'a few'; expected a whole number, or nothing."),
        ("context_tokens", "12", '"context_tokens" is 12'),
    ],
)
async def test_senseless_value_is_refused_in_place(
    page: OpenPage, munin: Munin, wren: Path, key: str, text: str, said: str
) -> None:
    await page.session.model_sheet.open(wren)
    await typed(page, key, text)
    await page.session.model_sheet.save()
    await page.until(lambda: page.has(said))
    assert munin.settings.model_settings == {} and page.session.navigation.model_sheet


async def test_context_that_memory_is_short_for_can_be_used_anyway(page: OpenPage, munin: Munin, models: NamedModels) -> None:
    models.large_context = 8000
    assert munin.model.info
    await page.session.model_sheet.open(munin.model.info.path)
    await typed(page, "context_tokens", "8000")
    await page.session.model_sheet.save()
    await page.until(lambda: page.has(SHORT))
    await page.press("Load anyway")
    await page.until(lambda: models.newest["auk"].settings.context_tokens == 8000 and models.loaded() == ["auk"])


async def test_sheet_opens_from_the_menus_and_closes_with_escape(page: OpenPage) -> None:
    menu = page.named("Change model")
    assert isinstance(menu, ft.PopupMenuButton)
    await page.fire(menu.items[-2], "click")
    await page.until(lambda: page.has("Repeat penalty"))
    page.session.escape()
    await page.until(lambda: not page.session.navigation.model_sheet)
    page.session.go("models")
    await page.until(lambda: page.has("On this device"))
    more = page.named("More: wren")
    assert isinstance(more, ft.PopupMenuButton)
    await page.fire(more.items[0], "click")
    await page.until(lambda: page.has("0.6, from the file"))


async def test_news_that_a_sheet_of_a_phone_closed_leaves_the_next_one_open(munin: Munin, wren: Path) -> None:
    """It comes from the browser, which may be slower than the user's next tap."""
    async with OpenPage(munin, 390, 844) as page:
        await page.session.model_sheet.open(wren)
        await page.until(lambda: page.has("0.6, from the file"))
        earlier = page.one(ft.BottomSheet)
        page.session.shell.close_sheet()
        await page.settle()
        await page.session.model_sheet.open(wren)
        await page.settle()
        await page.fire(earlier, "dismiss")
        assert page.session.navigation.model_sheet == str(wren)
        await page.fire(page.all(ft.BottomSheet)[-1], "dismiss")
        assert not page.session.navigation.model_sheet


async def test_sheet_of_a_phone_stays_when_the_page_becomes_wide(munin: Munin, wren: Path) -> None:
    async with OpenPage(munin, 390, 844) as page:
        await page.session.model_sheet.open(wren)
        await page.until(lambda: page.has("0.6, from the file"))
        (sheet,) = page.all(ft.BottomSheet)
        page.page.width = 1280
        page.session.measure()
        await page.settle()
        await page.fire(sheet, "dismiss")
        assert page.session.navigation.model_sheet == str(wren) and page.has("0.6, from the file")


async def test_model_that_memory_is_short_for_is_loaded_anyway_from_the_header(
    page: OpenPage, models: NamedModels, wren: Path
) -> None:
    models.large = {"wren"}
    await page.session.chat.choose_model(str(wren))
    await page.until(lambda: page.has(SHORT))
    assert models.loaded() == ["auk"]
    await page.press("Load anyway")
    await page.until(lambda: models.loaded() == ["wren"])
