"""What is done with one message: versions and arrows, continuing, deleting with Undo, bookmarks, figures, links."""

import asyncio

import flet as ft

from munin_app.domain.inference import Purpose
from munin_app.domain.messages import MessageStatus
from munin_app.inference.scripted import ScriptedChatModel
from munin_app.ui.state import MessageState
from tests.conftest import StartMunin
from tests.ui.harness import OpenPage
from tests.ui.test_app import said


def numbered() -> ScriptedChatModel:
    return ScriptedChatModel([f"answer {n}" for n in range(40)])


async def choose(page: OpenPage, label: str) -> None:
    """The newest menu item with that label."""
    found = [item for item in page.all(ft.PopupMenuItem) if label in [control.value for control in _texts(item.content)]]
    assert found, f"no menu says {label!r}"
    await page.fire(found[-1], "click")


def _texts(content: object) -> list[ft.Text]:
    return [control for control in getattr(content, "controls", []) if isinstance(control, ft.Text)]


def shown(page: OpenPage) -> list[str]:
    return [message.text for message in page.session.chat.state.messages]


def own(page: OpenPage) -> MessageState:
    return page.session.chat.state.messages[-2]


async def test_an_edited_message_shows_its_versions_and_the_arrows_go_between_them(start_munin: StartMunin) -> None:
    munin = await start_munin(numbered())
    async with OpenPage(munin) as page:
        await said(page, munin, "Tell me of boats")
        page.session.chat.type("half a draft")
        await page.click("Edit message")
        await page.until(lambda: page.has("Editing. The old version is kept."))
        assert page.one(ft.TextField, hint_text="Message Munin").value == "Tell me of boats"
        await said(page, munin, "Tell me of ships")
        assert shown(page) == ["Tell me of ships", "answer 1"]
        await page.until(lambda: page.has("2/2"))
        assert page.one(ft.TextField, hint_text="Message Munin").value == "half a draft"
        await page.click("Previous version")
        await page.until(lambda: shown(page) == ["Tell me of boats", "answer 0"] and page.has("1/2"))
        await page.click("Next version")
        await page.until(lambda: shown(page) == ["Tell me of ships", "answer 1"])


async def test_an_edit_in_the_middle_takes_what_follows_off_the_page_and_the_arrow_brings_it_back(
    start_munin: StartMunin,
) -> None:
    munin = await start_munin(numbered())
    async with OpenPage(munin) as page:
        await said(page, munin, "one")
        await said(page, munin, "two")
        page.session.messages.edit(page.session.chat.state.messages[0])
        await said(page, munin, "uno")
        assert shown(page) == ["uno", "answer 2"]
        await page.session.messages.show_version(page.session.chat.state.messages[0], -1)
        await page.until(lambda: shown(page) == ["one", "answer 0", "two", "answer 1"])


async def test_escape_gives_an_edit_up_and_an_unchanged_one_sends_nothing(start_munin: StartMunin) -> None:
    munin = await start_munin(numbered())
    async with OpenPage(munin) as page:
        await said(page, munin, "one")
        page.session.chat.type("a draft")
        page.session.messages.edit(own(page))
        await page.settle()
        page.session.escape()
        await page.settle()
        assert page.session.chat.draft._text == "a draft" and not page.session.chat.state.editing
        page.session.messages.edit(own(page))
        await page.say("one ")
        await page.settle()
        assert not page.session.chat.state.editing and not page.session.chat.state.busy
        assert shown(page) == ["one", "answer 0"]


async def test_a_refused_edit_keeps_the_words_and_goes_on_editing(start_munin: StartMunin) -> None:
    munin = await start_munin(numbered())
    async with OpenPage(munin) as page:
        await said(page, munin, "one")
        page.session.messages.edit(own(page))
        await page.say("word " * 9_000)
        await page.until(lambda: page.has("too long for the model"))
        assert page.session.chat.state.editing and page.session.chat.draft._text.startswith("word word")
        assert shown(page) == ["one", "answer 0"]


async def test_arrow_up_in_an_empty_composer_edits_the_last_message(start_munin: StartMunin) -> None:
    munin = await start_munin(numbered())
    up = ft.KeyboardEvent("keyboard_event", None, key="Arrow Up", shift=False, ctrl=False, alt=False, meta=False)
    async with OpenPage(munin) as page:
        await said(page, munin, "one")
        await page.session.on_key(up)
        assert not page.session.chat.state.editing  # the composer does not have the keyboard
        await page.fire(page.one(ft.TextField, hint_text="Message Munin"), "focus")
        await page.session.on_key(up)
        assert page.session.chat.state.editing == own(page).id
        page.session.escape()
        page.session.chat.type("words")
        await page.session.on_key(up)
        assert not page.session.chat.state.editing


async def test_shorter_is_asked_of_the_model_and_shown_as_another_version(start_munin: StartMunin) -> None:
    model = numbered()
    munin = await start_munin(model)
    async with OpenPage(munin) as page:
        await said(page, munin, "one")
        await choose(page, "Retry, shorter")
        await page.until(lambda: shown(page) == ["one", "answer 1"] and not page.session.chat.state.busy)
        asked = [request for request in model.requests if request.purpose is Purpose.REPLY][-1]
        assert "much shorter" in asked.messages[-1].text
        await page.until(lambda: page.has("2/2"))
        assert not page.has("much shorter")


async def test_a_stopped_reply_is_continued_in_place(start_munin: StartMunin) -> None:
    model = ScriptedChatModel([" one two three"])
    munin = await start_munin(model)
    async with OpenPage(munin) as page:
        model.pause(after_words=1)
        await page.say("count")
        await model.wait_until_standing()
        await page.until(lambda: shown(page)[-1:] == [" one"])
        page.session.escape()
        await page.until(lambda: page.has("Stopped"))
        model.resume()
        await page.click("Continue this reply")
        await page.until(lambda: shown(page) == ["count", " one one two three"] and not page.session.chat.state.busy)
        assert page.session.chat.state.messages[-1].status is MessageStatus.COMPLETED
        assert len(await munin.chats.path(page.session.chat.conversation_id)) == 2


async def test_a_deleted_message_comes_back_with_undo(start_munin: StartMunin) -> None:
    munin = await start_munin(numbered())
    async with OpenPage(munin) as page:
        await said(page, munin, "one")
        await said(page, munin, "two")
        await page.session.messages.delete(page.session.chat.state.messages[1])
        await page.until(lambda: shown(page) == ["one", "two", "answer 1"] and page.has("Message deleted."))
        await page.session.shell.take_snack()
        await page.until(lambda: shown(page) == ["one", "answer 0", "two", "answer 1"])


async def test_a_bookmark_is_listed_and_opens_its_chat_at_the_message_on_another_branch_too(start_munin: StartMunin) -> None:
    munin = await start_munin(numbered())
    async with OpenPage(munin) as page:
        await said(page, munin, "the boathouse key")
        marked = own(page)
        await page.session.messages.toggle_bookmark(marked)
        await page.until(lambda: page.has("Bookmarked.") and page._tipped("Remove bookmark"))
        page.session.messages.edit(marked)
        await said(page, munin, "the harbour key")
        await page.session.chat.new()
        await choose(page, "Bookmarks")
        where = "the harbour key · You, today"  # the title went with the edit
        await page.until(lambda: page.has("The messages you marked") and page.has(where))
        (row,) = [one for one in page.all(ft.Container) if one.on_click and where in _words(one)]
        await page.fire(row, "click")
        await page.until(lambda: shown(page) == ["the boathouse key", "answer 0"])
        assert page.session.chat.state.marked == marked.id


def _words(control: object) -> list[str]:
    parts = [getattr(control, "content", None), *getattr(control, "controls", [])]
    found = [str(getattr(control, "value", ""))] if isinstance(control, ft.Text) else []
    return [*found, *(word for part in parts if part is not None for word in _words(part))]


async def test_details_say_speed_what_was_read_and_how_full_the_context_is(start_munin: StartMunin) -> None:
    munin = await start_munin(numbered())
    async with OpenPage(munin) as page:
        await said(page, munin, "one")
        await choose(page, "Details")
        await page.until(lambda: page.has("How it was made"))
        assert page.has("Written: 2 tokens at") and page.has("were known already") and page.has("Context: ")


async def test_only_web_and_mail_addresses_are_asked_about(start_munin: StartMunin) -> None:
    munin = await start_munin()
    async with OpenPage(munin) as page:
        for address in ("file:///etc/passwd", "javascript:alert(1)", "munin://x", "", " https://example.org"):
            await page.session.messages.ask_link(address)
            assert page.session.overlay.dialog is None
        address = "https://example.org@evil.example/" + "x" * 300
        await page.session.messages.ask_link(address)
        await page.until(lambda: page.has(address))


async def test_on_a_phone_edit_is_in_the_menu(start_munin: StartMunin) -> None:
    munin = await start_munin(numbered())
    async with OpenPage(munin, 390, 844) as page:
        await said(page, munin, "one")
        assert "Edit message" not in [getattr(control, "tooltip", None) for control in page.all(ft.IconButton)]
        await choose(page, "Edit")
        await page.until(lambda: page.has("Editing. The old version is kept."))


async def test_what_the_user_changes_while_the_chat_is_read_again_is_shown(start_munin: StartMunin) -> None:
    munin = await start_munin()
    async with OpenPage(munin) as page:
        await said(page, munin, "hello")
        chat = page.session.chat
        (hello, _) = chat.state.messages
        await asyncio.gather(chat.reload(), chat.set_memory(False), page.session.messages.toggle_bookmark(hello))
        assert chat.state.conversation and not chat.state.conversation.memory_on and hello.bookmarked
