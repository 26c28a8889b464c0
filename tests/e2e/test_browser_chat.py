"""What only a real browser shows of the chat screen: keys, scrolling while a reply streams, pictures that are never fetched."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.flet_driver import CHROMIUM, Screen, chromium, munin

pytestmark = [
    pytest.mark.browser,
    pytest.mark.slow,
    pytest.mark.skipif(not CHROMIUM, reason="no Chromium here: install Debian's package chromium"),
]
SHOTS = Path(__file__).parents[1] / "shots"


@pytest.fixture
def screen(home: Path) -> Iterator[Screen]:
    with chromium() as browser, munin(home, "-m", "tests.e2e.browser_scripted_app") as address:
        yield Screen(browser, address, 390, 844, scheme="dark")


def test_keys_scrolling_and_pictures(screen: Screen) -> None:
    screen.wait_for("stays on this device")
    _shift_enter_breaks_the_line_and_enter_sends(screen)
    _one_goes_on_typing_after_sending(screen)
    _view_follows_the_end_until_one_scrolls_away(screen)
    _escape_stops_and_retry_answers_again(screen)
    assert [url for url in screen.asked if "pictures.example" in url] == []
    screen.close()


def _shift_enter_breaks_the_line_and_enter_sends(screen: Screen) -> None:
    screen.type("Message Munin", "first line")
    screen.press("Shift+Enter")
    screen.page.keyboard.type("second line")
    screen.wait_until(lambda: screen.field("Message Munin").input_value() == "first line\nsecond line", "no second line")
    screen.press("Enter")
    screen.wait_for("first line second line")
    screen.wait_until(lambda: screen.field("Message Munin").input_value() == "", "the field was not emptied")


def _one_goes_on_typing_after_sending(screen: Screen) -> None:
    """Without a click: the layout has changed from the new chat to its messages by now."""
    screen.wait_for("Writing")
    screen.page.keyboard.type("and then", delay=20)
    screen.wait_until(lambda: screen.field("Message Munin").input_value() == "and then", "the composer lost the keyboard")
    screen.press("Control+A")
    screen.press("Delete")
    screen.wait_until(lambda: screen.field("Message Munin").input_value() == "", "the field was not emptied by hand")


def _view_follows_the_end_until_one_scrolls_away(screen: Screen) -> None:
    screen.wait_for("Paragraph 12 of many")
    assert not screen.has("To the end")
    screen.page.mouse.move(195, 400)
    screen.page.mouse.wheel(0, -2_000)
    screen.wait_for("To the end")
    screen.wait_for("begins.")
    there = screen.page.evaluate("document.querySelector('flt-semantics-host').innerText.includes('begins.')")
    screen.shoot(SHOTS / "phone-scrolled-up-dark.png")
    screen.wait_for("begins.")
    assert there and screen.has("To the end"), "the view jumped while it was scrolled away"
    screen.tap("To the end")
    screen.wait_gone("To the end")
    screen.wait_for("Writing")


def _escape_stops_and_retry_answers_again(screen: Screen) -> None:
    screen.press("Escape")
    screen.wait_for("Stopped")
    screen.shoot(SHOTS / "phone-stopped-dark.png")
    screen.tap("Retry")
    screen.wait_for("Short.")
