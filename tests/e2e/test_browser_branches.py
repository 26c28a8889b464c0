"""Edit, branch, return in a real browser: by keyboard on a desktop, by menu on a phone."""

from pathlib import Path

import pytest

from tests.e2e.flet_driver import CHROMIUM, Screen, chromium, munin

pytestmark = [
    pytest.mark.browser,
    pytest.mark.slow,
    pytest.mark.skipif(not CHROMIUM, reason="no Chromium here: install Debian's package chromium"),
]
SHOTS = Path(__file__).parents[1] / "shots"
REPLIES = ("Boats float.", "Ships float too.", "Yes.", "All of them float, as long as they are lighter than the water.")


@pytest.mark.parametrize(
    ("name", "width", "height", "scheme"),
    [("desktop", 1280, 800, "light"), ("phone", 390, 844, "dark")],
    ids=["desktop", "phone"],
)
def test_edit_branch_return(home: Path, name: str, width: int, height: int, scheme: str) -> None:
    with chromium() as browser, munin(home, "-m", "tests.e2e.browser_scripted_app", *REPLIES) as address:
        screen = Screen(browser, address, width, height, scheme=scheme)
        screen.wait_for("stays on this device")
        screen.type("Message Munin", "Tell me of boats")
        screen.press("Enter")
        screen.wait_for("Boats float.")
        screen.wait_for("Copy reply")
        if name == "desktop":
            screen.focus("Message Munin")
            screen.press("ArrowUp")
        else:
            screen.tap("More about this message")
            screen.shoot(SHOTS / f"{name}-message-menu-{scheme}.png")
            screen.tap("Edit")
        screen.wait_for("Editing. The old version is kept.")
        screen.focus("Message Munin")
        screen.wait_until(
            lambda: screen.field("Message Munin").input_value() == "Tell me of boats", "the old words are not there"
        )
        screen.shoot(SHOTS / f"{name}-editing-{scheme}.png")
        screen.replace("Message Munin", "Tell me of ships")
        screen.press("Enter")
        screen.wait_for("Ships float too.")
        screen.wait_for("Version 2 of 2")
        assert not screen.has("Boats float.")
        screen.wait_for("Copy reply")
        screen.shoot(SHOTS / f"{name}-versions-{scheme}.png")

        screen.tap("Previous version")
        screen.wait_for("Boats float.")
        screen.wait_gone("Ships float too.")
        screen.wait_for("Version 1 of 2")
        screen.type("Message Munin", "Do they all")
        screen.press("Enter")
        screen.wait_for("Yes.")
        screen.wait_for("Retry")
        screen.tap("More about this reply")
        screen.wait_for("Retry, longer")
        screen.shoot(SHOTS / f"{name}-reply-menu-{scheme}.png")
        screen.close()
