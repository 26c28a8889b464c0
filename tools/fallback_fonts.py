"""Makes assets/assets/fonts/: the fallback fonts that the web client asks for by exact path when text needs a script Inter lacks.

Run once per Flet release, by hand, never by set-up: the result is committed. Needs fonttools and brotli in a throw-away
environment, Debian's fonts-noto-core, and the unpacked npm packages @fontsource/noto-sans-{sc,tc,hk,jp,kr} and
@fontsource/noto-color-emoji (same slices as Flutter's list). It knows Flutter's compiled client, nothing of Munin.

    python tools/fallback_fonts.py path/to/main.dart.js /usr/share/fonts/truetype/noto folder-of-npm-packages
"""

import re
import sys
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from io import BytesIO
from pathlib import Path

from fontTools import subset
from fontTools.ttLib import TTFont

TARGET = Path(__file__).resolve().parent.parent / "assets" / "assets" / "fonts"
CJK = re.compile(r"^Noto Sans (?:SC|TC|HK|JP|KR) \d+$")
EMOJI = "Noto Color Emoji"
JOINERS = {0x20, 0x200C, 0x200D, 0x25CC, 0xFE0F}
# A joined emoji is drawn only where one file holds all of its parts: ❤️‍🔥 🙂‍↔️ 🏃‍➡️ are cut apart between Flutter's slices.
SECOND_PARTS = {
    "❤": "🔥🩹",
    "⛓": "💥",
    "🍋": "🟩",
    "🍄": "🟫",
    "🙂": "↔↕",
    "👁": "🗨",
    "🏃": "➡",
    "🚶": "➡",
    "🧎": "➡",
}


@dataclass
class FallbackFont:
    name: str
    path: str
    code_points: set[int]


def flutter_fonts(client: str) -> list[FallbackFont]:
    """Flutter's own list, with the code points that it expects of each file."""
    fonts = [FallbackFont(name, path, set()) for name, path in re.findall(r'A\.z\("(Noto [^"]*)","([^"]*)"\)', client)]
    groups = re.search(r'n=\w\.\w+\("(,[0-9a-z,]*)"\)', client)
    ranges = re.search(r'n=A\.\w+\("([0-9A-Za-z]{10000,})"', client)
    if not (fonts and groups and ranges):
        raise SystemExit("Flutter's font tables were not found in that file: its compiled form has changed, adapt the patterns.")
    font_sets = [list(font_indices(group)) for group in groups[1].split(",")]
    for start, end, group in code_point_ranges(ranges[1]):
        for index in font_sets[group]:
            fonts[index].code_points.update(range(start, end))
    return fonts


def font_indices(group: str) -> Iterator[int]:
    """`5g5h` → indices: decimal prefix × 26 + letter, each counted from the one before."""
    previous = -1
    for prefix, letter in re.findall(r"(\d*)([a-z])", group):
        previous += int(prefix or 0) * 26 + ord(letter) - ord("a") + 1
        yield previous


def code_point_ranges(text: str) -> Iterator[tuple[int, int, int]]:
    """(start, end, font set): a lower-case token is a length, an upper-case one ends a range and names its set."""
    start, length = 0, 1
    for prefix, letter in re.findall(r"(\d*)([A-Za-z])", text):
        value = int(prefix or 0) * 26
        if letter.islower():
            length = value + ord(letter) - ord("a") + 2
        else:
            yield start, start + length, value + ord(letter) - ord("A")
            start, length = start + length, 1


def best_source(font: FallbackFont, noto: Path, packages: Path) -> Path:
    """The file that covers most of what Flutter expects: its own file, or Noto Sans (some slices are Latin)."""
    return max(candidates(font, noto, packages), key=lambda path: len(font.code_points & coverage(path)))


def candidates(font: FallbackFont, noto: Path, packages: Path) -> list[Path]:
    family = re.sub(r" \d+$", "", font.name)
    package = family.lower().replace(" ", "-")
    files = packages / package / "files"
    if family == EMOJI:
        return [files / f"{package}-emoji-400-normal.woff2"]
    if not CJK.match(font.name):
        own = noto / f"{family.replace(' ', '')}-Regular.ttf"
        return [own, noto / "NotoSans-Regular.ttf"] if family != font.name else [own]
    slice_number = re.search(r"\.(\d+)\.woff2$", font.path)
    names = [slice_number[1]] if slice_number else ["cyrillic", "vietnamese", "latin-ext", "latin"]
    return [files / f"{package}-{name}-400-normal.woff2" for name in names]


@cache
def coverage(path: Path) -> frozenset[int]:
    with TTFont(path) as font:
        return frozenset(font.getBestCmap())


def make(font: FallbackFont, source: Path) -> bytes:
    """The source cut down to the expected code points, with every ligature that they form; CJK slices come cut already."""
    if CJK.match(font.name):
        return source.read_bytes()
    options = subset.Options(flavor="woff2", hinting=False, notdef_outline=True, name_IDs=[0, 1, 2, 13, 14])
    options.drop_tables += ["SVG"]  # emoji come twice, and the client draws COLR
    with TTFont(source) as loaded:
        subsetter = subset.Subsetter(options)
        subsetter.populate(unicodes=font.code_points | JOINERS | second_parts(font))
        subsetter.subset(loaded)
        loaded.flavor = "woff2"
        data = BytesIO()
        loaded.save(data)
    return data.getvalue()


def second_parts(font: FallbackFont) -> set[int]:
    if not font.name.startswith(EMOJI):
        return set()
    return {ord(part) for first, parts in SECOND_PARTS.items() if ord(first) in font.code_points for part in parts}


def main() -> None:
    client, noto, packages = (Path(argument) for argument in sys.argv[1:])
    sizes: dict[str, int] = defaultdict(int)
    for font in flutter_fonts(client.read_text(encoding="utf-8")):
        source = best_source(font, noto, packages)
        data = make(font, source)
        covered = set(TTFont(BytesIO(data)).getBestCmap())
        if missing := font.code_points - covered:
            print(f"{font.name}: {len(missing)} of {len(font.code_points)} code points are not in {source.name}")
        target = TARGET / font.path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)
        sizes[font.path.split("/")[0]] += len(data)
    for family, size in sorted(sizes.items(), key=lambda item: -item[1])[:15]:
        print(f"{size:>9,} {family}")
    print(f"{sum(sizes.values()):>9,} in all")


if __name__ == "__main__":
    main()
