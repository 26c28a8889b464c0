"""The whole story in a real browser, with the real model and encoder: a person is remembered, sees it, corrects it, wipes it."""

import json
from pathlib import Path

import pytest

from munin_app.config import load_settings
from tests.e2e.flet_driver import CHROMIUM, Screen, chromium, munin
from tests.e2e.terminal import refused

pytestmark = [
    pytest.mark.browser,
    pytest.mark.model,
    pytest.mark.slow,
    pytest.mark.skipif(not CHROMIUM, reason="no Chromium here: install Debian's package chromium"),
]

SHOTS = Path(__file__).parents[1] / "shots"
REPLY_TOKENS = 48
SIZES = {"phone": (390, 844), "desktop": (1280, 800)}


class Person:
    """What someone does with the app, at one size of screen."""

    def __init__(self, screen: Screen, size: str) -> None:
        self.screen = screen
        self.size = size
        self.wide = size == "desktop"

    def shoot(self, name: str) -> None:
        self.screen.shoot(SHOTS / f"{self.size}-{name}.png")

    def say(self, text: str) -> None:
        self.screen.type("Message Munin", text)
        self.screen.press("Enter")
        self.screen.wait_for(text)

    def act_on_fact(self, action: str, fact: str) -> None:
        if self.wide:
            self.screen.tap(f"{action}: {fact}")
        else:
            self.screen.tap(f"Pin, edit, remove: {fact}")
            self.screen.tap(action)

    def open_settings(self) -> None:
        if not self.wide:
            self.screen.tap("Back")
        self.screen.tap("Settings")


@pytest.mark.parametrize("size", SIZES)
def test_a_person_is_remembered_and_can_see_correct_and_wipe_it(size: str, home: Path) -> None:
    home.mkdir()
    (home / "settings.json").write_text(json.dumps({"version": 1, "max_reply_tokens": REPLY_TOKENS}))
    with chromium() as browser:
        with munin(home) as address:
            screen = Screen(browser, address, *SIZES[size])
            _is_noted(Person(screen, size))
            _is_whole(screen)
        with munin(home) as address:
            screen = Screen(browser, address, *SIZES[size])
            person = Person(screen, size)
            _is_recognised(person)
            _corrects(person)
            _wipes(person, home)
            _is_whole(screen)
    assert refused(home) == []  # every socket but loopback was refused in the app, and none was tried


def _is_noted(person: Person) -> None:
    screen = person.screen
    screen.wait_for("What you write stays on this device")
    screen.wait_for("small starter model")
    person.shoot("1-first-run")
    person.say("My name is Ada and I live in Oslo")
    answering = ("Reading", "Writing", "Copy reply")  # a short reply may be over before anybody looks
    screen.wait_until(lambda: any(screen.has(words) for words in answering), "no reply began")
    person.shoot("2-writing")
    screen.wait_for("Munin noted: Name is Ada")
    screen.wait_for("Munin noted: Lives in Oslo")
    screen.wait_for("Copy reply")
    person.shoot("3-noted")


def _is_recognised(person: Person) -> None:
    screen = person.screen
    screen.wait_for("Ada.")
    person.say("What is my name? 東京 🙂")
    screen.wait_for("Copy reply")
    screen.tap("What this reply used")
    screen.wait_for("Name is Ada")
    screen.wait_for("Always sent")
    person.shoot("4-used")


def _corrects(person: Person) -> None:
    screen = person.screen
    screen.tap("Open Memory")
    screen.wait_for("Lives in Oslo")
    person.shoot("5-facts")
    person.act_on_fact("Edit", "Lives in Oslo")
    screen.replace("The fact", "Lives in Bergen")
    person.shoot("6-edit")
    screen.tap("Save")
    screen.wait_for("Lives in Bergen")
    person.act_on_fact("Remove", "Name is Ada")
    screen.wait_for("It leaves every prompt")
    screen.tap("Forget")
    screen.wait_for("Delete these too")
    person.shoot("7-forgotten")
    screen.tap("Keep the chats")
    screen.wait_gone("Name is Ada")


def _wipes(person: Person, home: Path) -> None:
    screen = person.screen
    if not person.wide:
        screen.tap("Status")
    screen.tap("Forget all facts")
    screen.wait_for("This cannot be undone.")
    person.shoot("8-forget-all")
    screen.tap("Forget all facts")
    screen.wait_for("All facts are forgotten.")
    assert json.loads((home / "profile.json").read_text())["facts"] == []
    person.open_settings()
    screen.tap("Go to Appearance")
    screen.tap("Theme: Dark")
    screen.wait_until(lambda: load_settings(home / "settings.json").theme == "dark", "the theme is not kept")
    person.shoot("9-settings-dark")


def _is_whole(screen: Screen) -> None:
    """Nothing left this machine, and nothing that was asked for was missing."""
    assert screen.foreign == []
    assert screen.failures == []
    screen.close()
