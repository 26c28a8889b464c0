"""Design tokens: colours, type, spacing, fonts. Amber is memory and nothing else; serif italic is the person's own words.

Knows nothing of screens. A view takes `Tokens`, never a literal colour.
"""

from dataclasses import dataclass, fields
from functools import cache

import flet as ft

from munin_app.ui.palettes import CLEAR as _CLEAR
from munin_app.ui.palettes import DARK, DARK_HIGH, LIGHT, LIGHT_HIGH, Palette

CLEAR = _CLEAR
COMPACT = 0.88


@dataclass(frozen=True, slots=True)
class Tokens(Palette):
    """Colours of one theme, and how the page is drawn: a change of any draws all anew."""

    dark: bool
    wide: bool
    """Wide enough for the panel."""
    language: str = ""
    rtl: bool = False
    """Lines begin on the right."""
    scale: float = 1.0
    """Of the text; 1.6 at most."""
    compact: bool = False
    high_contrast: bool = False
    still: bool = False
    """Nothing moves by itself."""

    @property
    def narrow(self) -> bool:
        """Large text on one pane: what else stands side by side stands one below the other."""
        return not self.wide and self.scale > 1

    @property
    def touch(self) -> int:
        """How high and wide what can be pressed is. A line of the largest text fits."""
        return round(COMPACT * TOUCH) if self.compact and self.wide else TOUCH - 4 * self.compact

    def high(self, height: float, lines: int = 1) -> float:
        """A height that was meant for so many lines of small text, as high as they are."""
        return round((COMPACT if self.compact else 1) * height + lines * 20 * (self.scale - 1))

    def broad(self, width: float) -> float:
        """A width that holds text: it grows half as much as the text does."""
        return round(width * (1 + self.scale) / 2)

    def space(self, pixels: float) -> float:
        """Between things that stand one below the other."""
        return round(0.65 * pixels) if self.compact else pixels


@cache
def tokens(
    dark: bool,
    wide: bool,
    language: str = "",
    rtl: bool = False,
    *,
    scale: float = 1.0,
    compact: bool = False,
    high_contrast: bool = False,
    still: bool = False,
) -> Tokens:
    palette = (DARK_HIGH if dark else LIGHT_HIGH) if high_contrast else DARK if dark else LIGHT
    colours = {one.name: getattr(palette, one.name) for one in fields(palette)}
    return Tokens(
        **colours,
        dark=dark,
        wide=wide,
        language=language,
        rtl=rtl,
        scale=scale,
        compact=compact,
        high_contrast=high_contrast,
        still=still,
    )


BREAKPOINT = 840
"""Below: one pane and a bottom bar; from here: the 280 px panel beside the page."""
PANEL, COLUMN, SHEET = 280, 760, 372
S1, S2, S3, S4, S5, S6, S8 = 4, 8, 12, 16, 20, 24, 32
RADIUS_INNER, RADIUS_CARD, RADIUS_BUBBLE, RADIUS_COMPOSER, RADIUS_PILL = 8, 12, 20, 28, 999
TOUCH = 44
NO_MOTION = ft.AnimationStyle.no_animation()

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

LARGE = 18
COMPACT_LINES = 0.93
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


def style(t: Tokens, role: str, colour: str | None = None) -> ft.TextStyle:
    """The text style of a role; `TextStyle.height` is a multiple of the size. What is large anyway grows by half."""
    size, line_height, family, tracking = TYPE[role]
    scale = t.scale if size <= LARGE else (1 + t.scale) / 2
    height = line_height / size * (COMPACT_LINES if t.compact else 1)
    return font(family, size=round(size * scale, 1), height=height, letter_spacing=tracking * scale, color=colour)


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


def theme(t: Tokens) -> ft.Theme:
    """Where the keyboard is shows on what has no ring of its own by a third of the seed's colour."""
    ink = CLEAR if t.still else None
    return ft.Theme(
        color_scheme=_scheme(t),
        font_family="Inter",
        visual_density=ft.VisualDensity.STANDARD,
        splash_color=ink,
        highlight_color=ink,
        focus_color=t.seed.replace("#", "#55"),
    )
