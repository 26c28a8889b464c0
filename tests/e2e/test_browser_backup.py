"""A backup, a restore and an erasing in a real browser: Munin closes for the last two, and the next start shows what they did."""

from pathlib import Path

import pytest

from tests.e2e.flet_driver import CHROMIUM, Screen, chromium, munin

pytestmark = [
    pytest.mark.browser,
    pytest.mark.slow,
    pytest.mark.skipif(not CHROMIUM, reason="no Chromium here: install Debian's package chromium"),
]
APP = ("-m", "tests.e2e.browser_scripted_app", "Behind the green door.")
SAID = "Where does the boathouse key hang"


def test_back_up_restore_and_erase(home: Path, tmp_path: Path) -> None:
    file = tmp_path / "kept.zip"
    with chromium() as browser:
        with munin(home, *APP, closes=True) as address:
            screen = Screen(browser, address, 1280, 800)
            _say(screen, SAID)
            _open_data(screen)
            screen.replace("Folder, or a new file", str(file))
            screen.tap("Back up")
            screen.wait_for("Backed up to")
            screen.tap("New chat")
            _say(screen, "Something said later")
            _open_data(screen)
            screen.scroll_to("Look into it")
            screen.type("Path of a backup", str(file))
            screen.tap("Look into it")
            screen.wait_for("Restore this backup?")
            assert screen.has("1 chat, 2 messages")
            screen.tap("Replace")
            screen.wait_for("The backup is checked")
            screen.tap("Close Munin")
        screen.close()  # not before Munin has closed: what was tapped travels through the page
        with munin(home, *APP, closes=True) as address:
            screen = Screen(browser, address, 1280, 800)
            screen.wait_for(SAID)
            assert not screen.has("Something said later")
            _open_data(screen)
            screen.page.mouse.move(840, 400)
            screen.page.mouse.wheel(0, 5_000)
            screen.tap("Erase everything")
            screen.tap("Models too")
            screen.wait_until(lambda: not (home / "munin.db").exists(), "Munin did not close")
            assert screen.page.locator("h1").inner_text() == "Munin is closed."
    assert list(home.iterdir()) == []


def _say(screen: Screen, text: str) -> None:
    screen.type("Message Munin", text)
    screen.press("Enter")
    screen.wait_for("Copy reply")


def _open_data(screen: Screen) -> None:
    screen.tap("Settings")
    screen.tap("Go to Data")
    screen.tap("Open Data")
    screen.wait_until(lambda: screen.field("Folder, or a new file").count() > 0, "the Data page does not open")
