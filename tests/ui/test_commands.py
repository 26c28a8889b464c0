"""Commands in the composer: completed by keyboard and tap, done, refused with the draft kept, never sent."""

import flet as ft
import pytest

from munin_app.bootstrap import Munin
from munin_app.chat.commands import COMMANDS
from munin_app.inference.scripted import ScriptedChatModel
from tests.conftest import StartMunin
from tests.ui.harness import OpenPage
from tests.ui.test_app import said
from tests.ui.test_chats import key

SIZES = pytest.mark.parametrize(("width", "height"), [(1280, 800), (390, 844)], ids=["desktop", "phone"])


@pytest.fixture
async def munin(start_munin: StartMunin) -> Munin:
    return await start_munin(ScriptedChatModel(["All right."]))


async def type_(page: OpenPage, text: str) -> None:
    await page.settle()
    field = page.one(ft.TextField, hint_text="Message Munin")
    await page.fire(field, "focus")
    await page.fire(field, "change", text, value=text)


async def enter(page: OpenPage) -> None:
    await page.fire(page.one(ft.TextField, hint_text="Message Munin"), "submit")


def draft(page: OpenPage) -> str:
    return page.session.chat.draft._text


def offered(page: OpenPage) -> list[str]:
    return [command.name for command in page.session.slash.state.entries]


async def tap(page: OpenPage, usage: str) -> None:
    rows = [one for one in page.all(ft.Container) if isinstance(one.content, ft.Row) and one.on_click]
    (row,) = [one for one in rows if usage in [getattr(control, "value", "") for control in one.content.controls]]  # type: ignore[union-attr]
    await page.fire(row, "click")


async def nothing_was_said(munin: Munin) -> bool:
    return (await munin.chats.counts())[1] == 0


@SIZES
async def test_a_slash_shows_the_commands_and_typing_filters_them(munin: Munin, width: int, height: int) -> None:
    async with OpenPage(munin, width, height) as page:
        await type_(page, "/")
        await page.until(lambda: all(page.has(command.usage) and page.has(command.help) for command in COMMANDS))
        await type_(page, "/m")
        assert offered(page) == ["memories", "model"]
        await page.until(lambda: not page.has("/remember TEXT"))
        await type_(page, "/model ")
        assert offered(page) == []
        await type_(page, "/etc/hosts")
        assert offered(page) == []


@SIZES
async def test_a_tap_chooses_and_what_needs_no_more_is_done(munin: Munin, width: int, height: int) -> None:
    async with OpenPage(munin, width, height) as page:
        await type_(page, "/")
        await page.until(lambda: page.has("/remember TEXT"))
        await tap(page, "/remember TEXT")
        assert draft(page) == "/remember " and offered(page) == []
        await page.until(lambda: page.one(ft.TextField, hint_text="Message Munin").value == "/remember ")
        await said(page, munin, "Hello")
        before = page.session.chat.conversation_id
        await type_(page, "/n")
        await page.until(lambda: page.has("/new"))
        await tap(page, "/new")
        await page.until(lambda: page.session.chat.conversation_id != before and not draft(page))


async def test_arrows_tab_enter_and_escape(munin: Munin) -> None:
    async with OpenPage(munin) as page:
        await type_(page, "/m")
        await key(page, "Arrow Down")
        await key(page, "Tab")
        assert draft(page) == "/model "
        await type_(page, "/")
        await key(page, "Arrow Up")
        await enter(page)
        assert draft(page) == "/persona " and await nothing_was_said(munin)
        await type_(page, "/re")
        await key(page, "Escape")
        assert offered(page) == []
        await type_(page, "/rem")
        assert offered(page) == []  # closed by hand
        await key(page, "Arrow Up")
        await enter(page)
        await page.until(lambda: page.has("There is no command /rem. There are: /remember, /forget,"))
        assert draft(page) == "/rem" and await nothing_was_said(munin)
        await type_(page, "")
        await type_(page, "/rem")
        assert offered(page) == ["remember"]


@SIZES
async def test_a_fact_is_noted_with_undo_and_nothing_is_sent(munin: Munin, width: int, height: int) -> None:
    async with OpenPage(munin, width, height) as page:
        await page.say("/remember I live in Oslo")
        await page.until(lambda: page.has("Noted: Lives in Oslo"))
        assert draft(page) == "" and await nothing_was_said(munin)
        assert [fact.text for fact in munin.profile.facts] == ["Lives in Oslo"]
        await page.session.shell.take_snack()
        await page.until(lambda: page.has("Not noted.") and not munin.profile.facts)
        await page.say("/remember")
        assert draft(page) == "/remember "
        await enter(page)
        await page.until(lambda: page.has("Nothing stands after /remember. Type /remember TEXT."))


async def test_what_cannot_be_noted_comes_back_and_says_why(munin: Munin) -> None:
    async with OpenPage(munin) as page:
        await page.session.chat.new(temporary=True)
        await page.say("/remember I live in Oslo")
        await page.until(lambda: page.has("A temporary chat notes nothing."))
        assert draft(page) == "/remember I live in Oslo"
        await page.session.chat.new()
        await page.session.chat.set_memory(False)
        await page.say("/remember I live in Oslo")
        await page.until(lambda: page.has("Memory is off in this chat, so nothing is noted."))
        assert not munin.profile.facts
        await type_(page, "")
        await page.session.chat.drafts.save()
        assert not any("Oslo" in text for text in (await munin.shelf.drafts()).values())


async def test_a_fact_is_forgotten_with_undo_without_asking(munin: Munin) -> None:
    await munin.profile.add("Lives in Oslo")
    async with OpenPage(munin) as page:
        await page.say("/forget where I live")
        await page.until(lambda: page.has("Forgot: Lives in Oslo") and not munin.profile.facts)
        await page.session.shell.take_snack()
        await page.until(lambda: page.has("Known again.") and len(munin.profile.facts) == 1)
        assert await nothing_was_said(munin)


@SIZES
async def test_what_is_not_clear_is_searched_on_the_memory_page(munin: Munin, width: int, height: int) -> None:
    for text in ("Lives in Oslo", "Has a sister in Oslo", "Likes tea"):
        await munin.profile.add(text)
    async with OpenPage(munin, width, height) as page:
        await page.say("/forget Oslo")
        await page.until(lambda: page.has("It is not clear which fact “Oslo” means.") and page.has("Has a sister in Oslo"))
        assert page.session.navigation.view == "memory" and not page.has("Likes tea")
        assert page.one(ft.TextField, hint_text="Search facts").value == "Oslo"
        assert len(munin.profile.facts) == 3


async def test_memories_are_searched(munin: Munin) -> None:
    async with OpenPage(munin) as page:
        await said(page, munin, "The green tea is from Uji")
        await page.say("/memories green tea")
        await page.until(lambda: page.session.memory.state.found)
        assert page.session.navigation.view == "memory" and page.session.memory.state.tab == "memories"
        assert page.one(ft.TextField, hint_text="Search by meaning or by words").value == "green tea"


@SIZES
async def test_persona_and_model_by_name_or_from_a_list(munin: Munin, width: int, height: int) -> None:
    async with OpenPage(munin, width, height) as page:
        await page.say("/persona coa")
        await page.until(lambda: page.named("Persona: Coach"))
        await page.say("/persona")
        await page.until(lambda: page.has("Who answers in this chat"))
        await page.press("Tutor")
        await page.until(lambda: page._tipped("Persona: Tutor"))
        await page.say("/persona nobody")
        await page.until(lambda: page.has("There is no persona “nobody”. There are: Munin, Editor, Tutor, Coach."))
        assert draft(page) == "/persona nobody"
        model = page.session.settings.models.entries[0]
        await page.say("/model")
        await page.until(lambda: page.has("Model of this chat"))
        await page.press(model.name)
        await page.say(f"/model {model.name[:4]}x")
        await page.until(lambda: page.has(f"There is no model “{model.name[:4]}x”."))
        await page.say(f"/model {model.id}")
        await page.until(lambda: draft(page) == "" and page.session.chat.state.model_of.path == model.path)
        assert await nothing_was_said(munin)


async def test_a_path_is_sent_as_it_is(munin: Munin) -> None:
    async with OpenPage(munin) as page:
        for text in ("/etc/hosts", "//remember this", " /new"):
            await said(page, munin, text)
        own = [message.text for message in page.session.chat.state.messages[::2]]
        assert own == ["/etc/hosts", "//remember this", "/new"]


async def test_a_command_takes_no_messages_place(munin: Munin) -> None:
    async with OpenPage(munin) as page:
        await said(page, munin, "one")
        page.session.messages.edit(page.session.chat.state.messages[0])
        await page.settle()
        await type_(page, "/")
        assert offered(page) == []
        await page.say("/remember I live in Oslo")
        await page.until(lambda: page.has("A command cannot take the place of a message."))
        assert draft(page) == "/remember I live in Oslo" and not munin.profile.facts


async def test_commands_are_in_the_list_of_shortcuts(munin: Munin) -> None:
    async with OpenPage(munin) as page:
        await key(page, "/", ctrl=True)
        await page.until(lambda: page.has("/remember TEXT") and page.has("Choose who answers here"))
