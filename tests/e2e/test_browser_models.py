"""From the starter to another model, in a real browser: downloaded over a connection that drops, used, chatted with, removed."""

import asyncio
import hashlib
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.e2e.flet_driver import CHROMIUM, Screen, chromium, munin
from tests.e2e.terminal import refused
from tests.library.command import catalog_of
from tests.library.server import Answer, Request, Server, file_answer, serving

pytestmark = [
    pytest.mark.browser,
    pytest.mark.model,
    pytest.mark.slow,
    pytest.mark.skipif(not CHROMIUM, reason="no Chromium here: install Debian's package chromium"),
]
SHOTS = Path(__file__).parents[1] / "shots"
SIZES = {"desktop": (1280, 800), "phone": (390, 844)}
DROP, STALL = 30_000_000, 60_000_000


class Shaky:
    """Drops the first connection, stalls the second, and serves the rest of the file to the third."""

    def __init__(self, content: bytes) -> None:
        self.content = content
        self.starts: list[int] = []

    def __call__(self, request: Request) -> Answer:
        self.starts.append(request.start)
        answer = file_answer(request, self.content)
        drop = DROP if len(self.starts) == 1 else None
        stall = STALL - request.start if len(self.starts) == 2 else None
        return Answer(answer.status, answer.body, answer.headers, drop_after=drop, stall_after=stall)


@contextmanager
def served(handler: Shaky) -> Iterator[Server]:
    """In a thread of its own: the browser's driver holds this one."""
    loop, ready, ended = asyncio.new_event_loop(), threading.Event(), asyncio.Event()
    found: list[Server] = []

    async def serve() -> None:
        async with serving(handler) as server:
            found.append(server)
            ready.set()
            await ended.wait()

    thread = threading.Thread(target=loop.run_until_complete, args=(serve(),))
    thread.start()
    ready.wait()
    try:
        yield found[0]
    finally:
        loop.call_soon_threadsafe(ended.set)
        thread.join()
        loop.close()


def test_a_better_model_is_downloaded_used_and_removed(home: Path, model_path: Path) -> None:
    content = model_path.read_bytes()
    handler = Shaky(content)
    with served(handler) as server:
        _prepare(home, server, content)
        with chromium() as browser, munin(home) as address:
            screen = Screen(browser, address, *SIZES["desktop"], scheme="dark")
            _downloads_over_a_shaky_connection(screen, home, content)
            _uses_it_and_chats(screen)
            _removes_it(screen, home)
            assert screen.foreign == [] and screen.failures == []
            screen.close()
    assert handler.starts == [0, DROP, STALL], "what had arrived was not fetched again"
    assert refused(home) == []


def _prepare(home: Path, server: Server, content: bytes) -> None:
    home.mkdir()
    digest = hashlib.sha256(content).hexdigest()
    (home / "catalog.toml").write_text(catalog_of(server.address, digest, len(content), id="second", name="Second 135M"))
    (home / "settings.json").write_text(json.dumps({"version": 1, "max_reply_tokens": 24}))


def _shoot_all(screen: Screen, name: str) -> None:
    """The library of this very app at both sizes, in both themes."""
    for scheme in ("dark", "light"):
        for size, (width, height) in SIZES.items():
            screen.page.set_viewport_size({"width": width, "height": height})
            screen.page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
            screen.wait_until(lambda wide=size == "desktop": screen.has("Search chats") == wide, "the page did not adapt")
            screen.page.wait_for_timeout(500)  # the theme's animation
            screen.shoot(SHOTS / f"{size}-models-{name}-{scheme}.png")
    screen.page.set_viewport_size(dict(zip(("width", "height"), SIZES["desktop"], strict=True)))  # type: ignore[arg-type]
    screen.wait_for("Search chats")


def _downloads_over_a_shaky_connection(screen: Screen, home: Path, content: bytes) -> None:
    screen.wait_for("small starter model")
    screen.tap("Choose a better model")
    screen.wait_for("Worth a try")
    _shoot_all(screen, "offered")
    screen.page.mouse.move(840, 400)
    screen.scroll_to("Download Second 135M")
    screen.tap("Download Second 135M")
    screen.page.mouse.wheel(0, -5_000)
    part = home / "models" / "second.gguf.part"
    screen.wait_until(lambda: part.exists() and part.stat().st_size >= STALL - 300_000, "the connection did not drop and go on")
    screen.wait_for("Pause Second 135M")
    _shoot_all(screen, "downloading")
    screen.tap("Pause Second 135M")
    screen.wait_for("Paused")
    screen.tap("Resume Second 135M")
    screen.wait_for("Second 135M is here.")
    assert (home / "models" / "second.gguf").read_bytes() == content


def _uses_it_and_chats(screen: Screen) -> None:
    screen.tap("Use it")
    screen.wait_for("Second 135M is in use.")
    screen.tap("New chat")
    screen.type("Message Munin", "Hello there")
    screen.press("Enter")
    screen.wait_for("Copy reply")


def _removes_it(screen: Screen, home: Path) -> None:
    screen.tap("Models")
    screen.wait_for("In use")
    _shoot_all(screen, "used")
    screen.tap("More: Second 135M")
    screen.tap("Remove")
    screen.wait_for("It is in use")
    screen.press("Tab")
    screen.shoot(SHOTS / "desktop-models-remove.png")
    screen.page.get_by_role("button", name="Remove", exact=True).last.click()
    screen.wait_for("98 MB are free again.")
    assert not (home / "models" / "second.gguf").exists()
