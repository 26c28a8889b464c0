"""Draws the application's icons from the raven (assets/icons/raven.svg). Run by hand; the results are committed.

.venv/bin/python tools/icons.py
"""

import re
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

ASSETS = Path(__file__).resolve().parent.parent / "assets"
INK, RAVEN, LAMP = "#0E1315", "#E7EDEC", "#EBBF70"
ICONS = {  # file: (pixels, corner radius, share of the square that the raven's 24 units fill)
    "icon.png": (1024, 0.22, 0.74),
    "splash.png": (1024, None, 0.62),
    "favicon.png": (64, 0.22, 0.84),
    "icons/icon-192.png": (192, 0.22, 0.74),
    "icons/icon-512.png": (512, 0.22, 0.74),
    "icons/icon-maskable-192.png": (192, 0, 0.58),
    "icons/icon-maskable-512.png": (512, 0, 0.58),
    "icons/apple-touch-icon-192.png": (192, 0, 0.66),
    "icons/loading-animation.png": (512, None, 0.5),
}


def raven_path() -> str:
    found = re.search(r'\bd="([^"]+)"', (ASSETS / "icons" / "raven.svg").read_text(encoding="utf-8"))
    assert found is not None
    return found[1]


def drawing(radius: float | None, scale: float) -> str:
    """A square of 24 units: ink behind (none for a splash, where the raven takes the memory's amber), the raven amid it."""
    shift = 12 * (1 - scale)
    square = "" if radius is None else f'<rect width="24" height="24" rx="{24 * radius}" fill="{INK}"/>'
    colour = LAMP if radius is None else RAVEN
    place = f"translate({shift} {shift}) scale({scale})"
    raven = f'<path transform="{place}" fill="{colour}" fill-rule="evenodd" d="{raven_path()}"/>'
    eye = f'<circle cx="{shift + 11.5 * scale}" cy="{shift + 8.45 * scale}" r="{1.1 * scale}" fill="{LAMP}"/>'
    return f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24">{square}{raven}{eye if radius is not None else ""}</svg>'


def save(page: Page, file: Path, pixels: int, svg: str) -> None:
    page.set_viewport_size({"width": pixels, "height": pixels})
    page.set_content(f"<style>*{{margin:0}}svg{{display:block;width:{pixels}px;height:{pixels}px}}</style>{svg}")
    page.screenshot(path=file, omit_background=True)


def main() -> None:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox", "--disable-gpu"])
        page = browser.new_page()
        for name, (pixels, radius, scale) in ICONS.items():
            save(page, ASSETS / name, pixels, drawing(radius, scale))
        browser.close()


if __name__ == "__main__":
    main()
