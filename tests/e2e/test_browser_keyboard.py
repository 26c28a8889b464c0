"""The main story by keyboard alone, in a real browser: no click. At its end a temporary chat, which leaves no byte on disk."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from munin_app.config import load_settings
from tests.e2e.flet_driver import CHROMIUM, Screen, chromium, munin

pytestmark = [
    pytest.mark.browser,
    pytest.mark.slow,
    pytest.mark.skipif(not CHROMIUM, reason="no Chromium here: install Debian's package chromium"),
]
FIELD = "Message Munin"
SECRET, ANSWER = "zanzibarwhistle", "quokkalantern"
APP = ("-m", "tests.e2e.browser_scripted_app", "Boats " + "float " * 200, "Ships float.", f"A {ANSWER}.", "Short.")
MOST_TABS = 80
FOCUSED = """() => {
  const node = document.activeElement;
  const group = node && node.closest('flt-semantics[aria-label]');
  return node ? (node.getAttribute('aria-label') || node.textContent || (group && group.getAttribute('aria-label')) || '') : '';
}"""


class Hands:
    """On the keyboard."""

    def __init__(self, screen: Screen) -> None:
        self.screen = screen

    @property
    def at(self) -> str:
        """What has the keyboard."""
        found: str = self.screen.page.evaluate(FOCUSED)
        return found.strip()

    def tabs(self, key: str = "Tab") -> Iterator[str]:
        """One after the other, as far as the key goes."""
        for _ in range(MOST_TABS):
            self.screen.press(key)
            self.screen.page.wait_for_timeout(40)  # the frame in which the page tells the browser
            yield self.at

    def reach(self, name: str) -> None:
        passed = []
        for at in self.tabs():
            if at.startswith(name):
                return
            passed.append(at)
        raise AssertionError(f"Tab does not come to {name!r}, but to {passed}")

    def write(self, text: str) -> None:
        """Into the composer: a new chat gives it the keyboard, unless a button has it (docs/look.md)."""
        field = self.screen.field(FIELD)
        if not field.evaluate("node => node === document.activeElement"):
            self.reach(FIELD)
        self.screen.page.keyboard.type(text, delay=4)
        self.screen.wait_until(lambda: field.input_value() == text, f"the composer does not hold {text!r}")
        self.screen.press("Enter")

    def find(self, words: str, first: str) -> None:
        """In the palette; takes the first entry, which says `first`."""
        self.screen.press("Control+K")
        self.screen.wait_for("Search chats, messages, settings")
        self.screen.page.keyboard.type(words, delay=4)
        self.screen.wait_for(first)
        self.screen.press("Enter")


def test_main_story_by_keyboard_alone(home: Path) -> None:
    with chromium() as browser, munin(home, *APP) as address:
        screen = Screen(browser, address, 1280, 800)
        hands = Hands(screen)
        _writes_stops_and_edits(hands)
        _finds_it_again(hands)
        _deletes_a_message_and_takes_that_back(hands)
        _changes_the_theme(hands, home)
        _adds_a_fact_and_forgets_it(hands)
        _reads_the_shortcuts(hands)
        _talks_in_private(hands, home)
        assert screen.foreign == []
        screen.close()
    assert _traces(home) == []


def _writes_stops_and_edits(hands: Hands) -> None:
    screen = hands.screen
    screen.wait_for("stays on this device")
    hands.write("Tell me of boats")
    screen.wait_for("Boats float")
    screen.press("Escape")
    screen.wait_for("Stopped")
    screen.press("ArrowUp")
    screen.wait_for("Editing. The old version is kept.")
    screen.press("Control+A")
    hands.screen.page.keyboard.type("Tell me of ships", delay=4)
    screen.press("Enter")
    screen.wait_for("Ships float.")
    screen.wait_for("Version 2 of 2")
    hands.reach("Previous version")
    screen.press("Enter")
    screen.wait_for("Version 1 of 2")
    screen.press("Shift+Escape")


def _finds_it_again(hands: Hands) -> None:
    screen = hands.screen
    screen.press("Control+Shift+O")
    screen.wait_for("stays on this device")
    hands.find("boats", "Tell me of boats")
    screen.wait_for("Stopped")


def _deletes_a_message_and_takes_that_back(hands: Hands) -> None:
    screen = hands.screen
    hands.reach("More about this reply")
    screen.press("Enter")
    screen.wait_for("Retry, shorter")
    hands.reach("Delete")
    screen.press("Enter")
    screen.wait_gone("Stopped")
    screen.wait_for("Message deleted.")
    screen.press("Control+Alt+Z")
    screen.wait_for("Stopped")


def _changes_the_theme(hands: Hands, home: Path) -> None:
    screen = hands.screen
    screen.press("Control+,")
    screen.wait_for("Everything here stays on this device.")
    hands.reach("Theme: Dark")
    screen.press("Enter")
    screen.wait_until(lambda: load_settings(home / "settings.json").theme == "dark", "the theme is not kept")


def _adds_a_fact_and_forgets_it(hands: Hands) -> None:
    screen = hands.screen
    hands.find("memory", "Memory")
    screen.wait_for("Search facts")
    hands.reach("Add fact")
    screen.press("Enter")
    screen.wait_for("Add a fact")
    _stays_in_the_dialog(hands, ("Lives in Oslo", "Cancel", "Add"))
    hands.reach("Lives in Oslo")
    screen.page.keyboard.type("Lives in Bergen", delay=4)
    screen.press("Enter")
    screen.wait_for("Remove: Lives in Bergen")
    hands.reach("Remove: Lives in Bergen")
    screen.press("Space")
    screen.wait_for("It leaves every prompt")
    hands.reach("Forget")
    screen.press("Enter")
    screen.wait_gone("Remove: Lives in Bergen")


def _stays_in_the_dialog(hands: Hands, names: tuple[str, ...]) -> None:
    """Round and round, and not to what lies below."""
    for number, at in enumerate(hands.tabs()):
        assert at.startswith(names), f"{at!r} lies below the dialog"
        if number == 2 * len(names):
            return


def _reads_the_shortcuts(hands: Hands) -> None:
    hands.screen.press("F1")
    hands.screen.wait_for("Keyboard shortcuts")
    hands.screen.press("Escape")
    hands.screen.wait_gone("Keyboard shortcuts")


def _talks_in_private(hands: Hands, home: Path) -> None:
    screen = hands.screen
    hands.find("private", "New temporary chat")
    screen.wait_for("Nothing is read from memory")
    hands.write(f"My word is {SECRET}")
    screen.wait_for(ANSWER)
    screen.wait_for("Copy reply")
    assert _traces(home) == [], "while it is open"
    screen.press("Control+Shift+O")
    screen.wait_gone(ANSWER)
    assert _traces(home) == [], "after it was left"


def _traces(home: Path) -> list[str]:
    """Files of the data folder in which a word of the temporary chat stands, in any case and in the ways text is stored."""
    forms = [word.encode(coding) for word in (SECRET, ANSWER) for coding in ("utf-8", "utf-16-le")]
    found = []
    for file in (path for path in home.rglob("*") if path.is_file()):
        content = file.read_bytes().lower()
        if any(form in content for form in forms):
            found.append(file.name)
    return found
