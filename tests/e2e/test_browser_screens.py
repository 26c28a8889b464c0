"""Every screen and state in a real browser: it is drawn, it fits, and a screen reader finds a name on whatever can be used.

On one page, which is a phone's and a wide one in turn. With MUNIN_SHOTS set to a folder, all of them at both sizes, and pictures
are left there, dark and light (docs/screens.md)."""

import os
from pathlib import Path

import pytest

from munin_app.config import Settings
from munin_app.ui.actions import library
from tests.e2e.app_thread import AppThread, app_thread
from tests.e2e.flet_driver import CHROMIUM, Screen, chromium
from tests.ui import names
from tests.ui.screens import SCENES
from tests.ui.screens.stage import Scene, Stage

pytestmark = [
    pytest.mark.browser,
    pytest.mark.slow,
    pytest.mark.skipif(not CHROMIUM, reason="no Chromium here: install Debian's package chromium"),
]
SIZES = {"wide": (1280, 800), "phone": (390, 844)}
SHOTS = os.environ.get("MUNIN_SHOTS", "")
ONLY = os.environ.get("MUNIN_SHOTS_ONLY", "")
"""Part of the names of those to be made."""
BLOCK = 10
"""Scenes until the page has its other size, which takes it a second."""
ROUNDS = (
    {width: [(scene, width) for scene in SCENES if width in scene.widths] for width in SIZES}
    if SHOTS
    else {"in-turn": [(scene, scene.widths[number // BLOCK % len(scene.widths)]) for number, scene in enumerate(SCENES)]}
)
"""What is shown on one page, one after the other, and how wide."""
SCROLLED = ("Go to ", "Zu ", "language")
"""Chips of rows that scroll sideways, of which the browser's tree says nothing."""
BLANK = 6_000
"""A picture of fewer bytes shows next to nothing."""
MIDDLE = (360, 400)
"""Over the page at both sizes."""
STILL = 4
"""Looks at a screen until nothing moves; a ring never stops."""

NAMELESS = """() => {
  const says = node => (node.getAttribute('aria-label') || '').trim() || (node.textContent || '').trim()
    || [...node.querySelectorAll('[aria-label]')].map(inner => inner.getAttribute('aria-label')).join('').trim();
  const roles = ['button', 'link', 'checkbox', 'switch', 'textbox', 'tab', 'slider', 'menuitem', 'radio'];
  const found = [];
  for (const node of document.querySelectorAll('flt-semantics, flt-semantics-host input, flt-semantics-host textarea')) {
    const field = node.matches('input, textarea');
    if (!field && !roles.includes(node.getAttribute('role')) && !node.hasAttribute('flt-tappable')) continue;
    const group = node.parentElement && node.parentElement.closest('flt-semantics[aria-label]');
    // Flet's eye in a field for a secret has the field's name around it
    if (says(node) || (field && group) || (group && group.querySelector('input'))) continue;
    const box = node.getBoundingClientRect();
    found.push(`${node.tagName} ${node.getAttribute('role')} at ${Math.round(box.x)}, ${Math.round(box.y)},`
      + ` ${Math.round(box.width)} x ${Math.round(box.height)}`);
  }
  return found;
}"""
IN_SIGHT = """words => [...document.querySelectorAll('flt-semantics, flt-semantics-host h2')].some(node => {
  const box = node.getBoundingClientRect(), said = (node.getAttribute('aria-label') || '') + node.textContent;
  return !node.querySelector('flt-semantics') && said.includes(words) && box.height > 0 && box.top >= 0
    && box.bottom <= innerHeight;
})"""
WIDER = """() => {
  const found = [];
  for (const node of document.querySelectorAll('flt-semantics')) {
    if (node.querySelector('flt-semantics')) continue;
    const box = node.getBoundingClientRect();
    if (!box.width || box.bottom < 0 || box.top > innerHeight || (box.left >= -1 && box.right <= innerWidth + 1)) continue;
    let above = node.parentElement, scrolls = false;
    for (; above; above = above.parentElement)
      scrolls = scrolls || ['scroll', 'auto'].includes(getComputedStyle(above).overflowX);
    if (!scrolls) found.push(`${(node.getAttribute('aria-label') || node.textContent).slice(0, 60)}:`
      + ` ${Math.round(box.left)} to ${Math.round(box.right)}`);
  }
  return found;
}"""


@pytest.mark.parametrize("round_", ROUNDS)
def test_every_screen_is_drawn_fits_and_has_names(home: Path, round_: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(library, "free_memory", lambda: 8_000_000_000)
    faults: list[str] = []
    with chromium() as browser, app_thread(home) as app:
        screen = Screen(browser, app.address, *SIZES["wide"])
        screen.wait_until(lambda: app.stage is not None, "no page was opened")
        for scene, width in ROUNDS[round_]:
            faults += _faults(screen, app, scene, width)
        assert screen.foreign == []
        screen.close()
    assert not faults, "\n".join(faults)


def test_the_systems_wishes_and_the_language_reach_the_page(home: Path) -> None:
    """Reduced motion and forced colours; and the words that are Flutter's own."""
    with chromium() as browser, app_thread(home) as app:
        screen = Screen(browser, app.address, 390, 844)
        screen.wait_until(lambda: app.stage is not None, "no page was opened")
        stage = app.stage
        assert stage
        screen.page.emulate_media(reduced_motion="reduce", forced_colors="active", color_scheme="dark")
        screen.wait_until(lambda: stage.session.tokens.still and stage.session.tokens.high_contrast, "nothing was heard of it")
        for language, alert in (("en", "Alert"), ("de", "Benachrichtigung")):
            app.do(stage.look(Settings(language=language)))
            app.do(stage.session.shell.attempt(_asked(stage)))
            screen.wait_for(alert)
            screen.press("Escape")
            screen.wait_gone(alert)
        assert screen.foreign == []
        screen.close()


async def _asked(stage: Stage) -> None:
    stage.session.data.ask_to_erase()


def _faults(screen: Screen, app: AppThread, scene: Scene, width: str) -> list[str]:
    """Made whether it is looked at or not: later ones have its chats in their list."""
    stage = app.stage
    assert stage
    app.do(stage.clear())
    _resize(screen, stage, width)
    app.do(scene.make(stage))
    if SHOTS and ONLY not in scene.name:
        return []
    found = _missing(screen, app, scene)
    found += [f"{scene.name}: no name: {line}" for line in screen.page.evaluate(NAMELESS)]
    wider = [line for line in screen.page.evaluate(WIDER) if not line.startswith(SCROLLED)]
    found += [f"{scene.name}: wider than the page: {line}" for line in wider]
    return [*found, *_pictures(screen, app, scene, width)]


def _resize(screen: Screen, stage: Stage, width: str) -> None:
    is_wide = width == "wide"
    if stage.session.navigation.wide != is_wide:
        screen.page.set_viewport_size({"width": SIZES[width][0], "height": SIZES[width][1]})
        screen.page.emulate_media(color_scheme="light" if is_wide else "dark")
        screen.wait_until(lambda: stage.session.navigation.wide == is_wide, "the page did not hear of its size")


def _missing(screen: Screen, app: AppThread, scene: Scene) -> list[str]:
    """What belongs to the state and is not on the page; the first of it must be seen, if need be after scrolling."""
    stage, first = app.stage, scene.words[0]
    assert stage

    async def drawn() -> None:
        await stage.until(lambda: not _unsaid(stage, scene), 50)
        await stage.answered()

    try:
        app.do(drawn())  # the client has this scene, and shows none before it that says the same
    except TimeoutError:
        return [f"{scene.name}: {words!r} is not there" for words in _unsaid(stage, scene)]
    screen.page.mouse.move(*MIDDLE)

    def seen() -> bool:
        if not scene.below:
            return screen.has(first)
        if screen.page.evaluate(IN_SIGHT, first):
            return True
        screen.page.mouse.wheel(0, 300)
        return False

    try:
        screen.wait_until(seen, f"{first!r} is not seen", 60)
    except AssertionError as error:
        return [f"{scene.name}: {error}"]
    return []


def _unsaid(stage: Stage, scene: Scene) -> list[str]:
    said = names.texts(stage.page)
    return [words for words in scene.words if not any(words in text for text in said)]


def _pictures(screen: Screen, app: AppThread, scene: Scene, width: str) -> list[str]:
    stage = app.stage
    assert stage
    if not SHOTS:
        return [] if len(screen.page.screenshot()) > BLANK else [f"{scene.name}: blank"]
    found = []
    screen.page.mouse.move(0, 0)
    for scheme in ("dark", "light"):
        screen.page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
        screen.wait_until(lambda dark=scheme == "dark": stage.is_dark == dark, "the page did not change its colours")  # type: ignore[misc]
        app.do(stage.answered())
        picture = _still(screen)
        if len(picture) < BLANK:
            found.append(f"{scene.name}: blank")
        path = Path(SHOTS) / f"{scene.name}-{width}-{scheme}.png"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(picture)
    return found


def _still(screen: Screen) -> bytes:
    """After what moves has come to rest."""
    before = b""
    for _ in range(STILL):
        screen.page.wait_for_timeout(120)
        picture = screen.page.screenshot()
        if picture == before:
            break
        before = picture
    return picture
