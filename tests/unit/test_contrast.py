"""Contrast of every text on every ground it may stand on, in every theme. The formula is that of WCAG 2 (relative luminance)."""

import pytest

from munin_app.ui.palettes import DARK, DARK_HIGH, LIGHT, LIGHT_HIGH, Palette

NORMAL, HIGH, BORDER = 4.5, 7.0, 3.0
GROUNDS = ("bg", "panel", "raised", "well")
PAIRS = (
    *((ink, ground) for ink in ("text", "text2", "text3", "seed", "memory", "danger", "warn") for ground in GROUNDS),
    *((ink, ground) for ink in ("code_word", "code_string", "code_number") for ground in ("raised", "panel")),
    ("text", "chosen"),
    ("text", "memory_bg"),
    ("memory", "memory_bg"),
    ("on_seed", "seed"),
    ("on_tint", "tint"),
    ("on_snack", "snack"),
    ("snack_link", "snack"),
)
PALETTES = {"dark": DARK, "light": LIGHT, "dark, high contrast": DARK_HIGH, "light, high contrast": LIGHT_HIGH}


def _luminance(colour: str) -> float:
    parts = (int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5))
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    """1 to 21."""
    lighter, darker = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def _weak(palette: Palette, pairs: tuple[tuple[str, str], ...], least: float) -> dict[tuple[str, str], float]:
    figures = {(ink, ground): contrast(getattr(palette, ink), getattr(palette, ground)) for ink, ground in pairs}
    return {pair: round(figure, 2) for pair, figure in figures.items() if figure < least}


def test_formula_gives_the_known_figures() -> None:
    assert contrast("#000000", "#FFFFFF") == pytest.approx(21)
    assert contrast("#777777", "#FFFFFF") == pytest.approx(4.48, abs=0.005)


@pytest.mark.parametrize("name", PALETTES)
def test_text_can_be_read_on_what_it_stands_on(name: str) -> None:
    palette = PALETTES[name]
    assert _weak(palette, PAIRS, HIGH if "high" in name else NORMAL) == {}
    soft_button = ("on_tint" if "dark" in name else "seed", "tint")
    assert _weak(palette, (soft_button,), HIGH if "high" in name else NORMAL) == {}


@pytest.mark.parametrize("name", [name for name in PALETTES if "high" in name])
def test_borders_can_be_seen_in_high_contrast(name: str) -> None:
    lines = ("line", "edge", "memory_line", "danger_line")
    pairs = tuple((line, ground) for line in lines for ground in (*GROUNDS, "tint"))
    assert _weak(PALETTES[name], pairs, BORDER) == {}
