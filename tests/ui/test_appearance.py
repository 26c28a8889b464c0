"""Text size, density, contrast and motion: chosen in Settings, kept, and on the open page at once."""

import flet as ft
import pytest

from munin_app import paths
from munin_app.bootstrap import Munin
from munin_app.config import load_settings
from munin_app.ui.palettes import DARK, DARK_HIGH, LIGHT, LIGHT_HIGH
from munin_app.ui.tokens import TYPE, style, tokens
from tests.conftest import StartMunin
from tests.ui.harness import OpenPage

SIZES = pytest.mark.parametrize(("width", "height"), [(1280, 800), (390, 844)], ids=["desktop", "phone"])


@pytest.fixture
async def munin(start_munin: StartMunin) -> Munin:
    return await start_munin()


def size_of(page: OpenPage, words: str) -> float:
    sizes = {text.style.size for text in page.all(ft.Text) if text.value == words and text.style}
    assert len(sizes) == 1 and None not in sizes, sizes
    return float(sizes.pop() or 0)


@SIZES
async def test_text_size_is_kept_and_drawn_at_once(munin: Munin, width: int, height: int) -> None:
    async with OpenPage(munin, width, height) as page:
        page.session.go("settings")
        await page.until(lambda: page.has("Text size"))
        before = size_of(page, "Density")
        await page.click("Text size: 130%")
        await page.until(lambda: size_of(page, "Density") == pytest.approx(1.3 * before, abs=0.05))
        assert load_settings(paths.settings_file()).text_size == 130


async def test_large_text_takes_the_layout_of_a_narrower_page(munin: Munin) -> None:
    async with OpenPage(munin, 1280, 800) as page:
        assert page.session.navigation.wide
        await munin.change_settings(text_size=160)
        await page.until(lambda: not page.session.navigation.wide)
        await munin.change_settings(text_size=100)
        await page.until(lambda: page.session.navigation.wide)


@SIZES
async def test_high_contrast_density_and_motion_apply_to_the_open_page(munin: Munin, width: int, height: int) -> None:
    async with OpenPage(munin, width, height) as page:
        page.session.go("settings")
        await page.until(lambda: page.has("Contrast"))
        await page.click("Contrast: High")
        await page.until(lambda: page.page.bgcolor == LIGHT_HIGH.bg)
        await page.click("Theme: Dark")
        await page.until(lambda: page.page.bgcolor == DARK_HIGH.bg)
        await page.click("Contrast: Normal")
        await page.until(lambda: page.page.bgcolor == DARK.bg)
        await page.click("Density: Compact")
        await page.until(lambda: page.session.tokens.compact)
        await page.click("Motion: Reduced")
        await page.until(lambda: page.page.theme_animation_style is not None)
        settings = load_settings(paths.settings_file())
        assert (settings.contrast, settings.density, settings.motion) == ("normal", "compact", "reduced")


async def test_what_the_system_wishes_holds_until_the_user_says_otherwise(munin: Munin) -> None:
    async with OpenPage(munin) as page:
        page.session.navigation.system_contrast = page.session.navigation.system_still = True
        await page.until(lambda: page.page.bgcolor == LIGHT_HIGH.bg)
        assert page.session.tokens.still
        await munin.change_settings(contrast="normal", motion="full")
        await page.until(lambda: page.page.bgcolor == LIGHT.bg)
        assert not page.session.tokens.still


async def test_nothing_turns_where_nothing_is_to_move(munin: Munin) -> None:
    await munin.change_settings(motion="reduced")
    async with OpenPage(munin) as page:
        await munin.change_settings(threads=1)
        page.session.model.phase = "loading"
        await page.until(lambda: page.all(ft.ProgressRing))
        assert all(ring.value is not None for ring in page.all(ft.ProgressRing))


def test_what_can_be_pressed_holds_the_largest_line() -> None:
    for wide in (False, True):
        for compact in (False, True):
            t = tokens(False, wide, scale=1.6, compact=compact)
            line = style(t, "label")
            assert (line.size or 0) * (line.height or 0) <= t.touch
            assert t.touch >= (40 if not wide else 36)


def test_all_type_grows_and_what_is_small_grows_in_full() -> None:
    plain, large = tokens(False, True), tokens(False, True, scale=1.6)
    for role, (size, *_) in TYPE.items():
        ratio = (style(large, role).size or 0) / (style(plain, role).size or 1)
        assert ratio == pytest.approx(1.6 if size <= 18 else 1.3, abs=0.01), role
