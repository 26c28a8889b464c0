"""Commands in a real browser: the list, and that the keyboard stays with the composer however one is chosen."""

from pathlib import Path

import pytest

from tests.e2e.flet_driver import CHROMIUM, Screen, chromium, munin

pytestmark = [
    pytest.mark.browser,
    pytest.mark.slow,
    pytest.mark.skipif(not CHROMIUM, reason="no Chromium here: install Debian's package chromium"),
]
SHOTS = Path(__file__).parents[1] / "shots"
FIELD = "Message Munin"


def holds(screen: Screen, text: str) -> None:
    screen.wait_until(lambda: screen.field(FIELD).input_value() == text, f"the composer does not hold {text!r}", 60)


def test_commands_by_enter_tab_and_tap(home: Path) -> None:
    with chromium() as browser, munin(home, "-m", "tests.e2e.browser_scripted_app", "Short.") as address:
        screen = Screen(browser, address, 1280, 800, scheme="dark")
        screen.wait_for("stays on this device")
        screen.type(FIELD, "/")
        screen.wait_for("Choose who answers here")
        screen.shoot(SHOTS / "desktop-commands-dark.png")
        screen.press("ArrowDown")
        screen.press("Enter")
        holds(screen, "/forget ")
        screen.page.keyboard.type("x")
        holds(screen, "/forget x")

        screen.replace(FIELD, "/m")
        screen.wait_for("Choose the model here")
        screen.press("ArrowUp")
        screen.press("Tab")
        holds(screen, "/model ")
        screen.page.keyboard.type("x")
        holds(screen, "/model x")

        screen.replace(FIELD, "/rem")
        screen.tap("/remember TEXT")
        holds(screen, "/remember ")
        screen.page.keyboard.type("I live in Oslo")
        holds(screen, "/remember I live in Oslo")
        screen.press("Enter")
        screen.wait_for("Noted: Lives in Oslo")
        assert not screen.has("Short.")
        screen.close()
