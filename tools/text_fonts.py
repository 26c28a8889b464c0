"""Makes assets/fonts/Inter*.otf out of the npm package inter-ui (woff2 is for browsers; a window and phones need OpenType).

A few code points are taken out, so that the emoji font draws them: Inter's black heart would break ❤️‍🔥 into two signs.
Run by hand; the results are committed. Needs fonttools and brotli in a throw-away environment.

    python tools/text_fonts.py folder-of-inter-ui
"""

import sys
from pathlib import Path

from fontTools.ttLib import TTFont

TARGET = Path(__file__).resolve().parent.parent / "assets" / "fonts"
FACES = ["web/Inter-Regular", "web/Inter-Medium", "web/Inter-SemiBold", "web/Inter-Italic", "display/InterDisplay-SemiBold"]
LEFT_TO_EMOJI = {0x2600, 0x2665, 0x26A0, 0x2764, 0x2B1C}


def main() -> None:
    package = Path(sys.argv[1])
    for face in FACES:
        with TTFont(package / f"{face}.woff2") as font:
            font.flavor = None
            for table in font["cmap"].tables:
                table.cmap = {code: glyph for code, glyph in table.cmap.items() if code not in LEFT_TO_EMOJI}
            font.save(TARGET / f"{Path(face).name}.otf")


if __name__ == "__main__":
    main()
