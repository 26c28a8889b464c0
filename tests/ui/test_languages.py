"""The language of an open page: chosen in Settings, applied at once; where lines begin on the right, everything is mirrored."""

from collections.abc import AsyncIterator
from datetime import date, datetime
from pathlib import Path

import flet as ft
import pytest

from munin_app import i18n
from munin_app.bootstrap import Munin
from munin_app.config import load_settings
from munin_app.inference.scripted import ScriptedChatModel
from munin_app.ui.components.base import edge, padding
from munin_app.ui.format import day, facts_counted, grouped_number, languages, percent, size
from tests.ui.harness import OpenPage

ARABIC = "ماذا أفعل؟"


@pytest.fixture
async def munin(home: Path) -> AsyncIterator[Munin]:
    async with await Munin.start(make_model=lambda path, settings: ScriptedChatModel(["**نعم**"])) as munin:
        yield munin


async def test_a_chosen_language_is_spoken_at_once_and_kept(page: OpenPage, munin: Munin, home: Path) -> None:
    page.session.go("settings")
    await page.until(lambda: page.has("Appearance"))
    await page.click("Language: Deutsch")
    await page.until(lambda: page.has("Aussehen") and page.has("Schriftgröße"))
    assert page.page.locale_configuration and page.page.locale_configuration.current_locale == ft.Locale("de")
    assert not page.has("Appearance")
    assert load_settings(home / "settings.json").language == "de"
    page.session.go("personas")
    await page.until(lambda: page.has("Lektor"))
    page.session.go("settings")
    await page.click("Sprache: English")
    await page.until(lambda: page.has("Appearance"))


async def test_a_message_begins_where_its_language_does(page: OpenPage, munin: Munin) -> None:
    await munin.load_model()
    await page.say(ARABIC)
    await page.until(lambda: page.has("**نعم**") and not page.session.chat.state.busy)
    assert page.one(ft.Text, value=ARABIC, selectable=True).rtl
    assert page.one(ft.Markdown).rtl
    assert not page.page.rtl


@pytest.fixture
def right_to_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MUNIN_LANGUAGE", "ar")
    i18n.use_language()


@pytest.mark.usefixtures("right_to_left")
async def test_a_page_is_mirrored_where_lines_begin_on_the_right(page: OpenPage) -> None:
    assert page.page.rtl
    assert padding(left=1, right=2) == ft.Padding.only(left=2, right=1)
    assert edge(ft.BorderSide(1)) == ft.Border.only(right=ft.BorderSide(1))
    assert edge(ft.BorderSide(1), at_end=True) == ft.Border.only(left=ft.BorderSide(1))


def test_dates_numbers_and_sizes_are_german_in_german() -> None:
    i18n.use_language("de")
    noon = int(datetime(2025, 3, 14, 12).timestamp() * 1000)
    assert day(noon, date(2025, 11, 1)) == "14. März"
    assert day(noon, date(2026, 1, 1)) == "14. März 2025"
    assert (grouped_number(4096), size(2_490_000_000), percent(0.45)) == ("4.096", "2,5 GB", "45\u00a0%")
    assert (facts_counted(1), facts_counted(2)) == ("1 Fakt", "2 Fakten")
    assert languages(["en", "de"]) == "Englisch, Deutsch"
