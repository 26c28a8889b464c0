"""The list of chats, the palette and the keyboard, in one process: what a person sees and does."""

import asyncio
from pathlib import Path

import apsw
import flet as ft

from munin_app.bootstrap import Munin
from munin_app.domain.ids import new_id
from munin_app.inference.scripted import ScriptedChatModel
from munin_app.ui.actions.conversations import DRAWN
from munin_app.ui.actions.latest import Latest
from munin_app.ui.state import PaletteEntry
from munin_app.ui.views.palette import hint
from tests.conftest import StartMunin
from tests.ui.harness import OpenPage


async def talk(munin: Munin, text: str, conversation_id: str = "") -> str:
    where = conversation_id or (await munin.controller.new_conversation()).id
    await munin.controller.send(where, text)
    await munin.controller.drain()
    return where


async def fill(munin: Munin, count: int) -> None:
    """Conversations "chat 0", "chat 1", … of one message each, the last one newest."""
    ids = [new_id() for _ in range(count)]
    conversations = [(one, f"chat {number}", number, number, f"m{one}") for number, one in enumerate(ids)]
    messages = [(f"m{one}", one, f"words of chat {number}", number) for number, one in enumerate(ids)]

    def insert(connection: apsw.Connection) -> None:
        connection.executemany(
            "INSERT INTO conversation (id, title, created_at, updated_at, leaf_id) VALUES (?, ?, ?, ?, ?)", conversations
        )
        connection.executemany(
            "INSERT INTO message (id, conversation_id, role, text, created_at, status, memory) "
            "VALUES (?, ?, 'user', ?, ?, 'completed', 'off')",
            messages,
        )

    await munin.chats.database.write(insert)


def pressed(page: OpenPage, name: str, *, ctrl: bool = False, shift: bool = False) -> ft.KeyboardEvent:
    return ft.KeyboardEvent(name="keyboard_event", control=page.page, key=name, shift=shift, ctrl=ctrl, alt=False, meta=False)


async def key(page: OpenPage, name: str, *, ctrl: bool = False, shift: bool = False) -> None:
    await page.session.on_key(pressed(page, name, ctrl=ctrl, shift=shift))
    await page.settle()


def fields(page: OpenPage) -> list[ft.TextField]:
    return [field for field in page.all(ft.TextField) if field.hint_text == hint()]


async def look_for(page: OpenPage, query: str) -> list[PaletteEntry]:
    """A palette that was closed may leave its field behind: the newest one is meant."""
    if not page.session.palette.is_open:
        await page.settle()  # one that was just closed is not drawn any more
        before = {field._i for field in fields(page)}
        await key(page, "K", ctrl=True)
        await page.until(lambda: {field._i for field in fields(page)} - before)
    await page.fire(fields(page)[-1], "change", query, value=query)
    await page.until(lambda: page.session.palette.state.query == query)
    return list(page.session.palette.state.entries)


# the palette


async def test_what_is_typed_before_the_palettes_field_has_the_keyboard_is_kept(start_munin: StartMunin) -> None:
    munin = await start_munin()
    async with OpenPage(munin) as page:
        page.session.palette.pause_seconds = 0
        page.session.chat.fill("A draft")
        await key(page, "K", ctrl=True)
        await page.until(lambda: fields(page))
        palette, chat = page.session.palette, page.session.chat
        await page.session.on_key(pressed(page, "B"))
        chat.type("A draftb")  # the composer has the keyboard still
        for letter in "er":
            await page.session.on_key(pressed(page, letter.upper()))
        await palette.search("r")  # the field has it
        assert palette.state.query == "ber"
        await page.fire(fields(page)[-1], "focus")
        await page.until(lambda: fields(page)[-1].value == "ber")
        await page.until(lambda: chat.draft._text == "A draft")
        await palette.search("be")
        assert palette.state.query == "be"


async def test_palette_finds_chats_and_messages_and_opens_at_the_message(start_munin: StartMunin) -> None:
    munin = await start_munin(ScriptedChatModel(lambda request: "so be it"))
    boat = await talk(munin, "The boathouse key hangs behind the green door")
    for number in range(20):
        await talk(munin, f"and {number}", boat)
    await talk(munin, "heat pumps")
    async with OpenPage(munin) as page:
        entries = await look_for(page, "key green")
        assert [entry.group for entry in entries] == ["Chats", "Messages"]
        assert [piece for piece, marked in entries[1].name if marked] == ["key", "green"]
        await page.until(lambda: page.has("The boathouse key hangs behind the green door"))
        await key(page, "Arrow Down")
        await page.fire(page.one(ft.TextField, hint_text=hint()), "submit", "key green")
        await page.until(lambda: page.session.chat.conversation_id == boat and page.session.chat.state.marked)
        first = (await munin.chats.path(boat))[0]
        assert page.session.chat.state.marked == first.id and not page.session.chat.state.following
        await page.until(lambda: not page.session.palette.is_open)


async def test_palette_does_what_it_names_and_arrows_go_round(start_munin: StartMunin) -> None:
    async with OpenPage(await start_munin()) as page:
        assert [entry.group for entry in await look_for(page, "dark")] == ["Settings"]
        await key(page, "Arrow Up")
        await page.session.palette.take_chosen()
        assert page.session.navigation.view == "settings" and not page.session.palette.is_open
        assert await look_for(page, "nothing like it") == []
        await page.until(lambda: page.has("Nothing has these words."))
        await page.session.palette.take_chosen()  # there is none
        await key(page, "K", ctrl=True)
        assert not page.session.palette.is_open


async def test_empty_palette_offers_the_newest_chats_and_what_can_be_done(start_munin: StartMunin) -> None:
    munin = await start_munin()
    await fill(munin, 30)
    async with OpenPage(munin) as page:
        await look_for(page, "x")
        entries = await look_for(page, "")
        chats = [entry.name[0][0] for entry in entries if entry.group == "Chats"]
        assert chats == [f"chat {number}" for number in range(29, 23, -1)]
        assert {"New chat", "Keyboard shortcuts", "Settings"} <= {entry.name[0][0] for entry in entries}


async def test_palette_opens_by_a_button_on_a_phone(start_munin: StartMunin) -> None:
    async with OpenPage(await start_munin(), 390, 844) as page:
        page.session.go("conversations")
        await page.click("Search chats, messages and settings (Ctrl K)")
        await page.until(lambda: fields(page))
        assert page.session.palette.is_open


async def test_only_the_newest_of_what_was_asked_for_is_looked_for() -> None:
    worked: list[str] = []
    may_go = asyncio.Event()

    async def work(value: str) -> None:
        worked.append(value)
        await may_go.wait()

    latest = Latest(work)
    asked = []
    for value in ("a", "ab", "abc", "abcd"):
        asked.append(asyncio.create_task(latest.ask(value)))
        await asyncio.sleep(0)
    may_go.set()
    await asyncio.gather(*asked)
    assert worked == ["a", "abcd"]


# the list


async def test_list_draws_fifty_and_more_when_its_end_comes_near(start_munin: StartMunin) -> None:
    munin = await start_munin()
    await fill(munin, 120)
    async with OpenPage(munin) as page:
        await page.until(lambda: page.has("chat 119"))
        assert len(page.session.conversations.state.items) == DRAWN and not page.has("chat 69")
        await page.session.conversations.more()
        await page.until(lambda: page.has("chat 69"))
        await page.session.conversations.more()
        await page.session.conversations.more()  # there is no more
        assert len(page.session.conversations.state.items) == 120


async def test_archived_chats_leave_the_list_with_undo_and_stand_behind_a_chip(start_munin: StartMunin) -> None:
    munin = await start_munin()
    await fill(munin, 3)
    async with OpenPage(munin) as page:
        await page.until(lambda: page.has("chat 1"))
        (one,) = [one for one in page.session.conversations.state.items if one.title == "chat 1"]
        await page.session.conversations.archive([one.id], True)
        await page.until(lambda: page.has("1 chat archived.") and page.has("Archived · 1"))
        assert "chat 1" not in page.texts()
        await page.session.show_archive()
        await page.until(lambda: "chat 1" in page.texts() and "chat 2" not in page.texts())
        assert [entry.detail for entry in await look_for(page, "chat 1") if entry.group == "Chats"] == [(("Archived", False),)]
        page.session.shell.close_dialog()
        await page.session.shell.take_snack()
        await page.session.conversations.show()
        await page.until(lambda: "chat 1" in page.texts())
        assert not page.has("Archived ·")


async def test_tags_are_typed_shown_and_filter(start_munin: StartMunin) -> None:
    munin = await start_munin()
    await fill(munin, 3)
    async with OpenPage(munin) as page:
        await page.until(lambda: page.has("chat 1"))
        (one,) = [one for one in page.session.conversations.state.items if one.title == "chat 1"]
        page.session.conversations.ask_tags([one.id])
        await page.until(lambda: page.has("Tags of this chat"))
        await page.fire(page.one(ft.TextField, hint_text="Work, holidays"), "change", "Work, Boat", value="Work, Boat")
        await page.press("Save")
        await page.until(lambda: page.session.conversations.state.tags == ("Boat", "Work"))
        await page.session.conversations.show(tag="Work")
        await page.until(lambda: "chat 2" not in page.texts() and "chat 1" in page.texts())
        await munin.shelf.tag([one.id], [], instead=True)
        await page.session.conversations._changed([one.id])
        await page.until(lambda: "chat 2" in page.texts())  # the tag is gone, and with it the filter


async def test_many_are_selected_and_deleted_with_undo(start_munin: StartMunin) -> None:
    munin = await start_munin()
    await fill(munin, 60)
    async with OpenPage(munin) as page:
        await page.until(lambda: page.has("chat 59"))
        actions = page.session.conversations
        row = next(control for control in page.all(ft.Container) if control.on_long_press)
        await page.fire(row, "long_press")
        await page.until(lambda: page.has("1 selected"))
        await actions.select_all()
        await page.until(lambda: page.has("60 selected"))
        actions.choose(actions.state.items[0].id)
        await page.until(lambda: page.has("59 selected"))
        await page.click("Delete what is selected")
        await page.until(lambda: page.has("59 chats deleted."))
        assert [one.title for one in await munin.chats.list()] == ["chat 59"] and not actions.state.selecting
        await page.session.shell.take_snack()
        assert len(await munin.chats.list()) == 60
        await actions.select_all()
        await actions.delete_selected()
        await page.session.shell.end_snack()
        assert not set(await munin.chats.all_ids()) - {page.session.chat.conversation_id}


async def test_a_page_that_is_closed_ends_its_offer_of_undo(start_munin: StartMunin) -> None:
    munin = await start_munin()
    await fill(munin, 3)
    async with OpenPage(munin) as page:
        await page.session.conversations.delete([(await munin.chats.list())[0]])
        assert len(await munin.chats.hidden()) == 1
    assert not await munin.chats.hidden() and len(await munin.chats.list()) == 2


async def test_rows_choose_while_selecting_and_escape_ends_it(start_munin: StartMunin) -> None:
    munin = await start_munin()
    await fill(munin, 2)
    async with OpenPage(munin, 390, 844) as page:
        page.session.go("conversations")
        await page.until(lambda: page.has("chat 1"))
        page.session.conversations.select(True)
        await page.settle()
        rows = [control for control in page.all(ft.Container) if control.on_long_press]
        await page.fire(rows[-1], "click")
        await page.until(lambda: page.has("1 selected"))
        assert page.session.navigation.view == "conversations"
        await key(page, "Escape")
        await page.until(lambda: not page.has("1 selected"))


async def test_a_duplicate_opens_and_goes_its_own_way(start_munin: StartMunin) -> None:
    munin = await start_munin()
    chat = await talk(munin, "heat pumps")
    async with OpenPage(munin) as page:
        await page.session.conversations.duplicate(await munin.chats.get(chat))
        copy = page.session.chat.conversation_id
        assert copy != chat
        await page.until(lambda: page.has("heat pumps (copy)"))
        await talk(munin, "more of it", copy)
        assert len(await munin.chats.path(copy)) == 4 and len(await munin.chats.path(chat)) == 2


# drafts and temporary chats


async def test_drafts_survive_a_restart_and_leave_when_sent(start_munin: StartMunin) -> None:
    munin = await start_munin()
    chat = await talk(munin, "hello")
    async with OpenPage(munin) as page:
        page.session.chat.type("a new thought")
        await page.session.chat.open(chat)
        page.session.chat.type("half a thought")
    async with OpenPage(munin) as page:
        await page.until(lambda: page.one(ft.TextField, hint_text="Message Munin").value == "a new thought")
        await page.session.chat.open(chat)
        assert page.session.chat.draft._text == "half a thought" and page.session.chat.flag.filled
        await page.session.chat.send()
        await munin.controller.drain()
        assert await munin.shelf.drafts() == {"": "a new thought"}


async def test_a_pause_in_typing_saves_the_draft(start_munin: StartMunin) -> None:
    munin = await start_munin()
    saved: list[object] = []
    async with OpenPage(munin) as page:
        drafts, save = page.session.chat.drafts, munin.shelf.save_drafts

        async def noting(pairs: list[tuple[str, str]]) -> None:
            await save(pairs)
            saved.append(pairs)

        munin.shelf.save_drafts = noting  # type: ignore[method-assign, assignment]
        for text in ("h", "ha", "half"):
            page.session.chat.type(text)
        await page.until(lambda: saved)
        assert saved == [[("", "half")]] and drafts.get("") == "half"


async def test_draft_of_a_temporary_chat_never_touches_the_disk(start_munin: StartMunin, home: Path) -> None:
    munin = await start_munin()
    async with OpenPage(munin) as page:
        await page.session.chat.new(temporary=True)
        await page.say("zanzibarite things")
        await munin.controller.drain()
        page.session.chat.type("zanzibarite thoughts")
        await page.session.chat.drafts.save()
        await page.session.chat.new()
        assert page.session.chat.draft._text == ""
    assert not [file for file in home.rglob("*") if file.is_file() and b"zanzibarit" in file.read_bytes()]


async def test_a_temporary_chat_is_kept_when_asked(start_munin: StartMunin) -> None:
    munin = await start_munin()
    async with OpenPage(munin) as page:
        await page.session.chat.new(temporary=True)
        await page.say("heat pumps")
        await munin.controller.drain()
        await page.until(lambda: not page.session.chat.state.busy)
        page.session.chat.type("and then")
        await page.click("Keep this chat")
        await page.until(lambda: page.has("This chat is kept."))
        chat = page.session.chat.conversation_id
        await page.session.chat.new()
        await page.session.chat.open(chat)
        assert page.session.chat.draft._text == "and then"
        assert [one.id for one in await munin.chats.list()] == [chat]


# the keyboard


async def test_shortcuts(start_munin: StartMunin) -> None:
    munin = await start_munin()
    chat = await talk(munin, "hello")
    async with OpenPage(munin) as page:
        await page.until(lambda: page.has("hello"))
        await key(page, "B", ctrl=True)
        await page.until(lambda: "hello" not in page.texts())
        await page.click("Show the chats (Ctrl B)")
        await page.until(lambda: "hello" in page.texts())
        await key(page, ",", ctrl=True)
        assert page.session.navigation.view == "settings"
        await page.session.chat.open(chat)
        before = page.session.chat.state.field
        page.session.go("memory")
        await key(page, "Escape", shift=True)
        assert page.session.navigation.view == "chat" and page.session.chat.state.field > before
        await key(page, "/", ctrl=True)
        await page.until(lambda: page.has("Show or hide the chats") and page.has("Ctrl B") and page.has("New line"))
        await key(page, "N", ctrl=True)  # the keyboard is the dialog's
        assert page.session.chat.conversation_id == chat


async def test_the_end_of_a_palette_that_was_closed_does_not_close_the_next_one(start_munin: StartMunin) -> None:
    async with OpenPage(await start_munin()) as page:
        await page.session.palette.toggle()
        await page.until(lambda: page.all(ft.AlertDialog))
        (first,) = page.all(ft.AlertDialog)
        await page.session.palette.toggle()
        await page.settle()
        await page.session.palette.toggle()
        await page.fire(first, "dismiss")
        assert page.session.palette.is_open
