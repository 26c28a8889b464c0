"""The page of settings: everything is there, is found by words, says its default and can be put back; About."""

from dataclasses import fields

import flet as ft
import pytest

from munin_app import about
from munin_app.bootstrap import Munin
from munin_app.config import Settings
from munin_app.i18n import use_language
from munin_app.ui.actions.about import report
from munin_app.ui.actions.setting_rows import found, groups, rows
from tests.conftest import StartMunin
from tests.ui.harness import OpenPage
from tests.ui.test_chats import look_for

SIZES = pytest.mark.parametrize(("width", "height"), [(1280, 800), (390, 844)], ids=["desktop", "phone"])
NOT_FOR_PEOPLE = {"chat_templates", "model_settings"}
"""By file: the Models page and the sheet of a model set them."""


@pytest.fixture
async def munin(start_munin: StartMunin) -> Munin:
    return await start_munin()


def test_every_setting_has_a_row_with_a_line_that_explains_it() -> None:
    assert {one.name for one in fields(Settings)} - NOT_FOR_PEOPLE <= {row.id for row in rows()}
    assert len({row.id for row in rows()}) == len(rows())
    assert {row.group for row in rows()} == groups().keys()
    assert all(row.name and row.help and row.others for row in rows())


@pytest.mark.parametrize(
    ("language", "query", "row"),
    [
        ("en", "dark", "theme"),
        ("en", "font", "text_size"),
        ("en", "animation", "motion"),
        ("en", "creative", "temperature"),
        ("en", "gpu", "gpu_layers"),
        ("en", "privacy", "version"),
        ("de", "dunkel", "theme"),
        ("de", "Schrift", "text_size"),
        ("de", "Lizenz", "licences"),
        ("de", "Sicherung", "backup"),
    ],
)
def test_a_setting_is_found_by_words_for_it(language: str, query: str, row: str) -> None:
    use_language(language)
    try:
        assert row in [one.id for one in found(query)]
    finally:
        use_language("en")


@SIZES
async def test_typing_filters_the_rows_and_says_when_none_is_left(munin: Munin, width: int, height: int) -> None:
    async with OpenPage(munin, width, height) as page:
        page.session.go("settings")
        await page.until(lambda: page.has("Threads") and page.has("Licences"))
        field = page.one(ft.TextField, hint_text="Search settings")
        await page.fire(field, "change", "animation", value="animation")
        await page.until(lambda: page.has("Motion") and not page.has("Threads"))
        await page.fire(field, "change", "xyzzy", value="xyzzy")
        await page.until(lambda: page.has("No setting has these words."))
        await page.click("Go to Data")
        await page.until(lambda: page.has("Data folder"))
        assert page.one(ft.TextField, hint_text="Search settings").value == ""
        assert page.session.settings.state.target == "data"


async def test_what_was_changed_names_its_default_and_goes_back_to_it(munin: Munin) -> None:
    async with OpenPage(munin) as page:
        page.session.go("settings")
        await page.until(lambda: page.has("Temperature"))
        assert not page.has("Default:")
        await page.click("Temperature: Lively")
        await page.until(lambda: page.has("Default: Balanced"))
        assert munin.settings.temperature == 0.8
        await page.click("Reset: Temperature")
        await page.until(lambda: munin.settings.temperature == 0.4 and not page.has("Default:"))


async def test_a_value_from_the_file_that_is_not_offered_is_shown(munin: Munin) -> None:
    await munin.change_settings(recall_timeout_ms=777, memory_on=False)
    async with OpenPage(munin) as page:
        page.session.go("settings")
        await page.until(lambda: page.has("777") and page.has("Default: On"))


@SIZES
async def test_the_palette_finds_a_setting_and_opens_it_there(munin: Munin, width: int, height: int) -> None:
    async with OpenPage(munin, width, height) as page:
        (entry,) = await look_for(page, "animation")
        assert (entry.group, entry.id) == ("Settings", "Motion")
        await page.session.palette.take(entry)
        assert page.session.navigation.view == "settings" and page.session.settings.state.target == "motion"
        await page.until(lambda: [row for row in page.all(ft.Container) if _marked(row)])


def _marked(row: ft.Container) -> bool:
    return isinstance(row.key, ft.ScrollKey) and row.key.value == "motion" and row.bgcolor is not None


async def test_about_shows_versions_and_licences_with_their_texts(munin: Munin) -> None:
    async with OpenPage(munin) as page:
        page.session.go("settings")
        await page.click("Show versions")
        await page.until(lambda: page.has("SQLite") and page.has("llama-cpp-python"))
        page.session.shell.close_dialog()
        await page.click("Show licences")
        await page.until(lambda: page.has("Fonts") and page.has("Packages") and page.has("EBGaramond"))
        (font,) = [one for one in about.fonts() if one.name == "Inter"]
        await page.session.about.show_text(font)
        await page.until(lambda: page.has("SIL OPEN FONT LICENSE"))


async def test_the_report_is_what_the_doctor_says_and_holds_none_of_the_words(munin: Munin) -> None:
    async with OpenPage(munin) as page:
        await page.say("The boathouse key hangs behind the green door.")
        await munin.controller.drain()
        page.session.go("settings")
        await page.click("Show the report")
        await page.until(lambda: page.has("[ready] chats"), 120)
        (said,) = [words for words in page.texts() if "[ready] chats" in words]
        assert "data folder:" in said and "encoder" in said and "boathouse" not in said


def test_packages_have_licences_and_none_is_left_out_in_silence() -> None:
    found = about.packages()
    assert {"flet", "numpy", "onnxruntime", "llama_cpp_python"} <= {one.name for one in found}
    assert "munin" not in {one.name for one in found}
    assert [one.name for one in found if not one.licence] == []
    assert report(()).startswith(f"Munin {about.versions()[0][1]}")
