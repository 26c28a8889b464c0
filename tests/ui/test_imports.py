"""Settings → Data: an export is looked into, some of it imported and remembered; what is refused is said there."""

from collections.abc import AsyncIterator
from pathlib import Path

import flet as ft
import pytest

from munin_app.bootstrap import Munin
from tests.conftest import StartMunin
from tests.imports.exports import as_json, chatgpt
from tests.ui.harness import OpenPage


@pytest.fixture
async def munin(start_munin: StartMunin) -> Munin:
    return await start_munin()


@pytest.fixture
async def page(munin: Munin, request: pytest.FixtureRequest) -> AsyncIterator[OpenPage]:
    async with OpenPage(munin, *getattr(request, "param", (1280, 800))) as page:
        page.session.go("data")
        await page.until(lambda: page.has("Bring chats from another app"))
        yield page


async def look(page: OpenPage, file: Path) -> None:
    field = page.one(ft.TextField, hint_text="Path of an export")
    await page.fire(field, "change", str(file), value=str(file))
    await page.press("See what is in it")


@pytest.mark.parametrize("page", [(1280, 800), (390, 844)], indirect=True, ids=["desktop", "phone"])
async def test_some_chats_are_brought_and_remembered(page: OpenPage, munin: Munin, tmp_path: Path) -> None:
    await look(page, as_json(tmp_path, [chatgpt("c-1"), chatgpt("c-2", title="Second")]))
    await page.until(lambda: page.has("ChatGPT: 2 chats, 10 messages"))
    assert page.has("Left out: ") and await munin.chats.list() == ()
    await page.click("Leave out: Second")
    await page.fire(page.one(ft.Switch, tooltip="Remember these chats"), "change", value=True)
    await page.until(lambda: page.has("Look for facts about you"))
    await page.fire(page.one(ft.Switch, tooltip="Look for facts about you"), "change", value=True)
    await page.press("Import 1 chat")
    await page.until(lambda: page.has("Imported: 1 chat, 5 messages."))
    (conversation,) = await munin.chats.list()
    assert conversation.title == "Harbours"
    await munin.controller.drain()
    await page.until(lambda: not page.session.imports.state.remembered.total)
    assert await munin.memory.count() == 5 and munin.profile.candidates and not munin.profile.facts
    await page.until(lambda: any(one.title == "Harbours" for one in page.session.conversations.state.items))


async def test_what_is_here_already_is_not_chosen(page: OpenPage, munin: Munin, tmp_path: Path) -> None:
    file = as_json(tmp_path, [chatgpt(f"c-{number}", title=f"Chat {number}") for number in range(30)])
    await look(page, file)
    await page.press("Import 30 chats")
    await page.until(lambda: page.has("Imported: 30 chats, 150 messages."))
    await look(page, file)
    await page.until(lambda: page.has("30 chats are here already."))
    assert page.session.imports.state.chosen == frozenset() and page.has("all here already")
    await page.press("Show more (20 left)")
    await page.until(lambda: page.has("Chat 0"))
    await page.press("Choose all")
    await page.press("Import 30 chats")
    await page.until(lambda: page.has("Nothing was new."))


async def test_what_is_refused_is_said_on_the_page(page: OpenPage, tmp_path: Path) -> None:
    await page.press("See what is in it")
    await page.until(lambda: page.has("Type the path of an export first."))
    await look(page, as_json(tmp_path, "{"))
    await page.until(lambda: page.has("cut short or no JSON"))


async def test_paused_and_given_up(page: OpenPage, munin: Munin, tmp_path: Path) -> None:
    await look(page, as_json(tmp_path, [chatgpt(f"c-{number}") for number in range(40)]))
    await page.until(lambda: page.has("40 chats"))
    await page.fire(page.one(ft.Switch, tooltip="Remember these chats"), "change", value=True)
    await page.press("Import 40 chats")
    await page.until(lambda: page.has("Remembering imported chats"))
    await page.press("Pause")
    await page.until(lambda: page.has("Paused: "))
    await munin.controller.drain()
    before = await munin.memory.count()
    assert before < 200
    await page.press("Do not remember the rest")
    await page.until(lambda: page.has("stays out of memory"))
    await munin.controller.drain()
    assert await munin.memory.count() == before
    await page.until(lambda: not page.session.imports.state.remembered.total)


async def test_cancelled_what_is_there_is_whole(page: OpenPage, munin: Munin, tmp_path: Path) -> None:
    await look(page, as_json(tmp_path, [chatgpt(f"c-{number}") for number in range(400)]))
    await page.until(lambda: page.has("400 chats"))
    page.session.shell.run(page.session.imports.bring())
    await page.until(lambda: page.session.imports.state.done > 3)
    await page.press("Cancel")
    await page.until(lambda: page.has("Cancelled. "))
    conversations, messages = await munin.chats.counts()
    assert 3 < conversations < 400 and messages == 5 * conversations
