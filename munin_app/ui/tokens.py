"""Design tokens: colours, type, spacing, fonts. Amber is memory and nothing else; serif italic is the person's own words.

Knows nothing of screens. A view takes `Tokens`, never a literal colour.
"""

from dataclasses import dataclass, replace
from functools import cache

import flet as ft


@dataclass(frozen=True, slots=True)
class Tokens:
    """Colours of one theme, whether the page is wide enough for the panel, and the language; a change of any draws all anew."""

    dark: bool
    wide: bool
    bg: str
    panel: str
    raised: str
    well: str
    line: str
    text: str
    text2: str
    text3: str
    seed: str
    on_seed: str
    tint: str
    on_tint: str
    memory: str
    memory_bg: str
    memory_line: str
    danger: str
    danger_line: str
    warn: str
    shadow: str
    snack: str
    on_snack: str
    language: str = ""
    rtl: bool = False
    """Lines begin on the right."""


def _dark(wide: bool) -> Tokens:
    return Tokens(
        dark=True,
        wide=wide,
        bg="#0E1315",
        panel="#131A1C",
        raised="#182124",
        well="#1F2A2D",
        line="#283538",
        text="#E7EDEC",
        text2="#AEBBBC",
        text3="#8B9A9D",
        seed="#8CCBC8",
        on_seed="#06292B",
        tint="#17383B",
        on_tint="#E2F2F0",
        memory="#EBBF70",
        memory_bg="#251F12",
        memory_line="#4B3C1E",
        danger="#F4A097",
        danger_line="#56302F",
        warn="#F0A784",
        shadow="#40000000",
        snack="#E7EDEC",
        on_snack="#131B1D",
    )


def _light(wide: bool) -> Tokens:
    return Tokens(
        dark=False,
        wide=wide,
        bg="#FBFCFB",
        panel="#F2F5F4",
        raised="#FFFFFF",
        well="#E9EFED",
        line="#DAE3E1",
        text="#131B1D",
        text2="#475659",
        text3="#5F6E71",
        seed="#12585B",
        on_seed="#FFFFFF",
        tint="#DCEDEB",
        on_tint="#0D2A2C",
        memory="#765000",
        memory_bg="#FCF3E0",
        memory_line="#EAD6AA",
        danger="#A3312A",
        danger_line="#F0CBC6",
        warn="#95471A",
        shadow="#14000000",
        snack="#1F2A2D",
        on_snack="#E7EDEC",
    )


@cache
def tokens(dark: bool, wide: bool, language: str = "", rtl: bool = False) -> Tokens:
    return replace((_dark if dark else _light)(wide), language=language, rtl=rtl)


CLEAR = "#00000000"
BREAKPOINT = 840
"""Below: one pane and a bottom bar; from here: the 280 px panel beside the page."""
PANEL, COLUMN, SHEET = 280, 760, 372
S1, S2, S3, S4, S5, S6, S8 = 4, 8, 12, 16, 20, 24, 32
RADIUS_INNER, RADIUS_CARD, RADIUS_BUBBLE, RADIUS_COMPOSER, RADIUS_PILL = 8, 12, 20, 28, 999
TOUCH = 44

FONTS = {
    "Inter": "fonts/Inter-Regular.otf",
    "Inter Medium": "fonts/Inter-Medium.otf",
    "Inter SemiBold": "fonts/Inter-SemiBold.otf",
    "Inter Italic": "fonts/Inter-Italic.otf",
    "Inter Display": "fonts/InterDisplay-SemiBold.otf",
    "Garamond": "fonts/EBGaramond12-Regular.otf",
    "Garamond Italic": "fonts/EBGaramond12-Italic.otf",
    "Mono": "fonts/JetBrainsMono-Regular.ttf",
}
"""One family name for one file, so each weight is a family. What they lack (CJK, emoji) comes from assets/assets/fonts/."""

TYPE = {  # role: (size, line height, family, tracking)
    "hello": (38, 46, "Garamond", -0.4),
    "title": (24, 32, "Inter Display", -0.3),
    "brand": (19, 24, "Inter Display", -0.3),
    "head": (18, 26, "Inter SemiBold", -0.2),
    "label": (15, 22, "Inter Medium", -0.1),
    "strong": (15, 22, "Inter SemiBold", -0.1),
    "chat": (16, 26, "Inter", -0.1),
    "body": (15, 22, "Inter", -0.1),
    "small": (13, 20, "Inter", 0),
    "smallb": (13, 20, "Inter Medium", 0),
    "micro": (12, 16, "Inter Medium", 0.1),
    "quote": (18, 25, "Garamond Italic", 0),
    "code": (13.5, 22, "Mono", 0),
}


def font(family: str, **keywords: object) -> ft.TextStyle:
    return ft.TextStyle(font_family=family, **keywords)  # type: ignore[arg-type]  # passed on


def style(role: str, colour: str | None = None) -> ft.TextStyle:
    """The text style of a role; `TextStyle.height` is a multiple of the size."""
    size, line_height, family, tracking = TYPE[role]
    return font(family, size=size, height=line_height / size, letter_spacing=tracking, color=colour)


def _scheme(t: Tokens) -> ft.ColorScheme:
    """Material's roles for the stock controls (switch, selection, tooltip), so that none falls back to its own palette."""
    return ft.ColorScheme(
        primary=t.seed,
        on_primary=t.on_seed,
        primary_container=t.tint,
        on_primary_container=t.on_tint,
        secondary=t.memory,
        surface=t.bg,
        on_surface=t.text,
        on_surface_variant=t.text2,
        outline=t.text3,
        outline_variant=t.line,
        surface_container=t.panel,
        surface_container_high=t.raised,
        surface_container_highest=t.well,
        error=t.danger,
    )


def theme(dark: bool) -> ft.Theme:
    return ft.Theme(color_scheme=_scheme(tokens(dark, True)), font_family="Inter", visual_density=ft.VisualDensity.STANDARD)
