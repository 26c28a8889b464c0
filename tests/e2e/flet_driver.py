"""Drives the app in headless Chromium through Flutter's semantics tree, with real click and key events.

What is found is what a screen reader would find: labels, texts, fields by their hint. Waits are for texts, never for time.
"""

import contextlib
import itertools
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from playwright.sync_api import Browser, Locator, Page, Request, sync_playwright

from tests.e2e.terminal import environment

ARGUMENTS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome") or ""
ADDRESS = re.compile(r"http://127\.0\.0\.1:\d+/\?token=\S+")

NODES = """() => [...document.querySelectorAll('flt-semantics, flt-semantics-host h2')].map(node => {
  const own = [...node.childNodes].filter(c => c.nodeType === 3 || c.tagName === 'SPAN')
    .map(c => c.textContent).join('');
  return ((node.getAttribute('aria-label') || '') + '\\n' + own).trim();
}).filter(Boolean)"""

CENTRE = """(wanted) => {
  const name = node => {
    const own = [...node.childNodes].filter(c => c.nodeType === 3 || c.tagName === 'SPAN')
      .map(c => c.textContent).join('');
    return ((node.getAttribute('aria-label') || '') + '\\n' + own).trim();
  };
  const visible = r => r.width > 0 && r.height > 0 && r.x + r.width / 2 >= 0 && r.x + r.width / 2 <= innerWidth
    && r.y + r.height / 2 >= 0 && r.y + r.height / 2 <= innerHeight;
  const found = [];
  for (const node of document.querySelectorAll('flt-semantics')) {
    const label = name(node);
    const lines = label.split('\\n').map(line => line.trim());
    if (!lines.includes(wanted) && !label.startsWith(wanted)) continue;
    const target = node.matches('[flt-tappable]') ? node
      : node.querySelector('[flt-tappable]') || node.closest('[flt-tappable]') || node;
    const r = target.getBoundingClientRect();
    if (visible(r)) found.push({exact: lines.includes(wanted), tappable: target.matches('[flt-tappable]'),
      size: r.width * r.height, x: r.x + r.width / 2, y: r.y + r.height / 2});
  }
  found.sort((a, b) => (b.exact - a.exact) || (b.tappable - a.tappable) || (a.size - b.size));
  return found[0] || null;
}"""


@contextlib.contextmanager
def munin(home: Path, *arguments: str, closes: bool = False) -> Iterator[str]:
    """The app as a user starts it, over a data folder; gives the address that it printed. Ends it with SIGTERM; `closes`: it was
    closed from within.

    `arguments` are for Python; without any it is the command line's own app.
    """
    command = [sys.executable, *(arguments or ("-m", "munin_app.cli", "--web"))]
    process = subprocess.Popen(command, env=environment(home), stdout=subprocess.PIPE, text=True)
    assert process.stdout
    try:
        line = process.stdout.readline()
        address = ADDRESS.search(line)
        assert address, f"no address in {line!r}"
        yield address.group()
    finally:
        if not closes or sys.exc_info()[0]:
            process.terminate()
        code = process.wait(90)
        process.stdout.close()
        assert code == 0, f"Munin ended with {code}"


@contextlib.contextmanager
def chromium() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        try:
            yield browser
        finally:
            browser.close()


class Screen:
    """One browser tab with the app in it.

    `asked` holds every address that was asked for, `foreign` those on other machines that answered.
    """

    def __init__(self, browser: Browser, address: str, width: int, height: int, scheme: str = "light") -> None:
        self.context = browser.new_context(viewport={"width": width, "height": height}, color_scheme=scheme)  # type: ignore[arg-type]
        self.page: Page = self.context.new_page()
        self.foreign: list[str] = []
        self.failures: list[str] = []
        self.asked: list[str] = []
        self.page.on("request", lambda request: self.asked.append(request.url))
        self.page.on("requestfinished", self._note)
        self.page.on("response", lambda answer: self.failures.append(answer.url) if answer.status >= 400 else None)
        self.page.goto(address)
        self._enable_semantics()

    def _note(self, request: Request) -> None:
        if not request.url.startswith(("http://127.0.0.1", "data:", "blob:")):
            self.foreign.append(request.url)

    def _enable_semantics(self) -> None:
        """The placeholder is one pixel off-screen: only a click by script reaches it."""
        self.page.wait_for_selector("flt-semantics-placeholder", state="attached", timeout=60_000)
        self.page.evaluate("document.querySelector('flt-semantics-placeholder').click()")
        self.page.wait_for_selector("flt-semantics-host flt-semantics flt-semantics", state="attached", timeout=60_000)

    def texts(self) -> list[str]:
        found: list[str] = self.page.evaluate(NODES)
        return found

    def has(self, words: str) -> bool:
        return any(words in text for text in self.texts())

    def wait_for(self, words: str, seconds: float = 90) -> None:
        self.wait_until(lambda: self.has(words), f"{words!r} did not appear", seconds)

    def wait_gone(self, words: str, seconds: float = 90) -> None:
        self.wait_until(lambda: not self.has(words), f"{words!r} did not go", seconds)

    def wait_until(self, condition: Callable[[], bool], complaint: str, seconds: float = 90) -> None:
        end = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > end:
                raise AssertionError(f"{complaint}; there is: {self.texts()}")
            self.page.wait_for_timeout(100)  # how often the tree is looked at, not how long anything takes

    def tap(self, label: str, seconds: float = 90) -> None:
        """A mouse click in the middle of what has that label, once it is there and stands still."""
        places: list[dict[str, float] | None] = [None]

        def still() -> bool:
            places.append(self.page.evaluate(CENTRE, label))
            return places[-1] is not None and places[-1] == places[-2]

        self.wait_until(still, f"nothing to tap is called {label!r}", seconds)
        place = places[-1]
        assert place
        self.page.mouse.click(place["x"], place["y"])

    def scroll_to(self, label: str) -> None:
        """Turns the wheel until what has that label is well in sight. The mouse is over the list already."""
        height = (self.page.viewport_size or {"height": 0})["height"]

        def in_sight() -> bool:
            place = self.page.evaluate(CENTRE, label)
            if place and 80 < place["y"] < height - 80:
                return True
            self.page.mouse.wheel(0, 300)
            return False

        self.wait_until(in_sight, f"nothing is called {label!r}")

    def field(self, hint: str) -> Locator:
        name = f'[aria-label^="{hint}"]'
        return self.page.locator(f"input{name}, textarea{name}, flt-semantics{name} input, flt-semantics{name} textarea").first

    def focus(self, hint: str) -> None:
        """Clicks into the field until it has the keyboard: while a screen is being built a click may go nowhere. Also where it
        has the keyboard: what was tapped before may be just about to take it."""
        field = self.field(hint)
        field.wait_for(state="attached", timeout=90_000)
        checks = itertools.count()

        def focused() -> bool:
            if next(checks) % 10 == 0 and (box := field.bounding_box()):
                self.page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
                return False
            return bool(field.evaluate("node => node === document.activeElement"))

        self.wait_until(focused, f"the field {hint!r} does not take the keyboard")

    def type(self, hint: str, text: str) -> None:
        """Clicks into the field and types with the keyboard; what the keyboard cannot type is inserted."""
        self.focus(hint)
        if text.isascii():
            self.page.keyboard.type(text, delay=4)
        else:
            self.page.keyboard.insert_text(text)
        self.wait_until(lambda: self.field(hint).input_value() == text, f"the field {hint!r} does not hold {text!r}", 60)

    def replace(self, hint: str, text: str) -> None:
        self.focus(hint)
        self.page.keyboard.press("Control+A")
        self.page.keyboard.type(text, delay=4)
        self.wait_until(lambda: self.field(hint).input_value() == text, f"the field {hint!r} does not hold {text!r}", 60)

    def press(self, key: str) -> None:
        self.page.keyboard.press(key)

    def shoot(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self.page.screenshot(path=str(path))

    def close(self) -> None:
        self.context.close()
