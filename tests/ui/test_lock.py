"""The window over locked data: it asks, it locks by itself, and nothing of the content is in a page that asks."""

import asyncio
import threading
from collections.abc import AsyncIterator
from pathlib import Path

import flet as ft
import pytest

from munin_app.bootstrap import Munin, closed_data_folder
from munin_app.inference.scripted import ScriptedChatModel
from munin_app.locking.switching import turn_off, turn_on
from munin_app.storage import passphrase
from munin_app.storage.locks import let_go, read_lock
from munin_app.ui.gate import Gate
from munin_app.ui.session import PageSession
from tests.locking.conftest import SECRET
from tests.ui.harness import GatedPage

SAID = "The boathouse key hangs behind the green door."


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch, home: Path) -> None:
    monkeypatch.setattr(passphrase, "LOG2_N", 8)
    monkeypatch.setattr("munin_app.locking.system_keyring.is_available", lambda: False)


@pytest.fixture
async def gate() -> AsyncIterator[Gate]:
    gate = Gate(lambda: Munin.start(make_model=lambda path, settings: ScriptedChatModel()))
    gate.first_wait_seconds = 0.01
    await gate.open()
    yield gate
    await gate.close()


@pytest.fixture
async def page(gate: Gate, request: pytest.FixtureRequest) -> AsyncIterator[GatedPage]:
    async with GatedPage(gate, *getattr(request, "param", (1280, 800))) as page:
        await page.until(lambda: gate.munin and gate.munin.model_state.phase == "ready")
        await page.say(SAID)
        await page.until(lambda: page.has(SAID))
        assert gate.munin
        await gate.munin.controller.drain()
        yield page


async def lock_in_settings(page: GatedPage) -> None:
    page.session.go("data")
    await page.until(lambda: page.has("Whoever can read this disk can read your data"))
    await page.click("Lock your data")
    await page.until(lambda: page.has("Lock your data?"))
    await page.type("Passphrase", SECRET)
    await page.type("The same again", SECRET)
    await page.press("Lock")
    await page.until(lambda: page.has("Your data is locked."))


@pytest.mark.parametrize("page", [(1280, 800), (390, 844)], indirect=True, ids=["desktop", "phone"])
async def test_data_is_locked_and_unlocked_in_settings(page: GatedPage, gate: Gate, home: Path) -> None:
    await lock_in_settings(page)
    assert read_lock(home)
    await page.until(lambda: page.has("Encrypted on this disk"))
    page.session.go("chat")
    page.session.go("data")
    await page.click("Unlock for good")
    await page.until(lambda: page.has("Unlock for good?"))
    await page.press("Unlock")
    await page.until(lambda: page.has("Your data is not locked any more."))
    assert read_lock(home) is None and gate.munin and len(await gate.munin.chats.list()) == 1


async def test_locked_while_it_is_unlocked_for_good_it_does_not_ask_for_what_is_no_more(page: GatedPage, gate: Gate) -> None:
    await lock_in_settings(page)
    gate.switch("Unlocking", turn_off, "Your data is not locked any more.")
    gate.lock_now()
    await page.until(lambda: page.has("Your data is not locked any more."))
    assert not gate.locked


async def test_whatever_fails_munin_starts_again(page: GatedPage, gate: Gate) -> None:
    def broken(folder: Path, progress: object) -> None:
        raise RuntimeError

    gate.switch("Locking", broken, "Your data is locked.")
    await page.until(lambda: page.has("Something went wrong in Munin (RuntimeError). Try again."))
    assert gate.munin and not gate.locked


async def test_nothing_is_locked_under_a_backup_that_is_being_written(page: GatedPage, gate: Gate, home: Path) -> None:
    assert gate.munin
    go_on = threading.Event()
    backup = asyncio.create_task(gate.munin.keep(lambda: go_on.wait(90)))
    await asyncio.sleep(0)
    page.session.go("data")
    await page.click("Lock your data")
    await page.type("Passphrase", SECRET)
    await page.type("The same again", SECRET)
    await page.press("Lock")
    await page.until(lambda: page.has("A backup or a restore is running. Try again when it is done; nothing was changed."))
    go_on.set()
    assert await backup and read_lock(home) is None
    await page.press("Lock")
    await page.until(lambda: page.has("Your data is locked."))
    assert read_lock(home)


async def test_two_that_differ_or_are_short_lock_nothing(page: GatedPage, home: Path) -> None:
    page.session.go("data")
    await page.click("Lock your data")
    for first, second, said in (("short", "short", "expected at least 8"), (SECRET, SECRET + "x", "differ")):
        await page.type("Passphrase", first)
        await page.type("The same again", second)
        await page.press("Lock")
        await page.until(lambda said=said: page.has(said))
    assert read_lock(home) is None


async def test_lock_now_leaves_nothing_on_the_page_and_the_passphrase_brings_it_back(page: GatedPage, gate: Gate) -> None:
    await lock_in_settings(page)
    page.session.go("chat")
    await page.until(lambda: page.has("The boathouse key"))
    await page.until(lambda: "boathouse" in page.everything())
    gate.lock_now()
    await page.until(lambda: page.has("Munin is locked"))
    await page.until(lambda: "boathouse" not in page.everything())
    assert page.page.on_keyboard_event is None
    await page.type("Passphrase", "something else")
    await page.press("Open")
    await page.until(lambda: page.has("The passphrase is another one"))
    assert gate.locked
    await page.type("Passphrase", SECRET)
    await page.press("Open")
    await page.until(lambda: page.has("The boathouse key"))
    assert not gate.locked


async def test_each_wrong_passphrase_takes_longer(page: GatedPage, gate: Gate) -> None:
    await lock_in_settings(page)
    gate.lock_now()
    waits: list[float] = []

    async def noted(seconds: float) -> None:
        waits.append(seconds)

    gate.pause = noted
    for _ in range(3):
        assert "another one" in await gate.unlock("something else")
    assert waits == [0.01, 0.02, 0.04]
    assert await gate.unlock(SECRET) == ""


async def test_without_use_it_locks_by_itself(page: GatedPage, gate: Gate, monkeypatch: pytest.MonkeyPatch) -> None:
    await lock_in_settings(page)
    assert gate.munin
    await gate.munin.change_settings(auto_lock_minutes=5)
    assert gate._timer and not gate.locked
    gate._used_at -= 299.9
    gate._wait_for_disuse()
    await page.until(lambda: gate.locked and page.has("Munin is locked"))


async def test_after_the_machine_slept_the_first_press_is_not_obeyed(page: GatedPage, gate: Gate) -> None:
    await lock_in_settings(page)
    assert gate.munin
    await gate.munin.change_settings(auto_lock_minutes=5)
    gate._used_at -= 3600
    button = page.named("Unlock for good")
    await page.flet.dispatch_event(button._i, "click", None)
    await page.until(lambda: page.has("Munin is locked"))
    assert not page.has("Unlock for good?")


async def test_at_start_it_asks_before_anything_is_opened(home: Path) -> None:
    async with await Munin.start(make_model=lambda path, settings: ScriptedChatModel()) as munin:
        conversation = await munin.controller.new_conversation()
        await munin.load_model()
        await munin.controller.send(conversation.id, SAID)
        await munin.controller.drain()

    def lock() -> None:
        with closed_data_folder():
            turn_on(home, SECRET, keyring=False, progress=lambda done, total: None)

    await asyncio.to_thread(lock)
    let_go(home)
    gate = Gate(lambda: Munin.start(make_model=lambda path, settings: ScriptedChatModel()))
    await gate.open()
    assert gate.munin is None
    async with GatedPage(gate, 390, 844) as page:
        assert page.has("Munin is locked") and "boathouse" not in page.everything()
        await page.type("Passphrase", SECRET)
        await page.press("Open")
        await page.until(lambda: gate.munin is not None)
        page.session.go("conversations")
        await page.until(lambda: page.has("The boathouse key"))
    await gate.close()


async def test_the_passphrase_is_changed_by_who_knows_it(page: GatedPage, gate: Gate) -> None:
    await lock_in_settings(page)
    await page.click("Change the passphrase")
    await page.type("Passphrase now", "something else")
    await page.type("New passphrase", "another long one")
    await page.type("The same again", "another long one")
    await page.press("Change")
    await page.until(lambda: page.has("The passphrase is another one"))
    await page.type("Passphrase now", SECRET)
    await page.press("Change")
    await page.until(lambda: page.has("The passphrase is changed."))
    gate.lock_now()
    assert await gate.unlock("another long one") == ""


async def test_where_nothing_can_be_locked_the_page_says_why(page: GatedPage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("munin_app.locking.switching.has_ciphers", lambda: False)
    page.session.go("data")
    await page.until(lambda: page.has("the system encrypts the app's folder"))
    assert not [one for one in page.all(ft.TextButton) if one.tooltip == "Lock your data"]


async def test_a_page_that_is_closed_while_it_opens_is_let_go(gate: Gate, monkeypatch: pytest.MonkeyPatch) -> None:
    opened, stopped = PageSession.start, PageSession.stop
    stops: list[PageSession] = []

    async def closed_meanwhile(session: PageSession) -> None:
        await opened(session)
        assert session.page.on_close
        await session.page.on_close()  # type: ignore[call-arg, misc]

    async def noted(session: PageSession) -> None:
        stops.append(session)
        await stopped(session)

    monkeypatch.setattr(PageSession, "start", closed_meanwhile)
    monkeypatch.setattr(PageSession, "stop", noted)
    async with GatedPage(gate):
        assert gate._doors == [] and len(stops) == 1
