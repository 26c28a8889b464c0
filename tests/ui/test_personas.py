"""Personas on the screen: chosen for a chat, made, changed, copied, reset and deleted; and whose a fact is."""

import flet as ft
import pytest

from munin_app.bootstrap import Munin
from munin_app.domain.memories import SHARED, persona_scope
from munin_app.domain.messages import MemoryState
from munin_app.domain.personas import ICONS as NAMES
from munin_app.inference.scripted import ScriptedChatModel
from munin_app.ui.components.persona import ICONS
from tests.conftest import StartMunin
from tests.ui.harness import OpenPage
from tests.ui.test_app import said

COACH = persona_scope("coach")
SIZES = pytest.mark.parametrize(("width", "height"), [(1280, 800), (390, 844)], ids=["desktop", "phone"])


@pytest.fixture
def model() -> ScriptedChatModel:
    return ScriptedChatModel(["All right."])


@pytest.fixture
async def munin(start_munin: StartMunin, model: ScriptedChatModel) -> Munin:
    return await start_munin(model)


async def filled(page: OpenPage, hint: str, typed: str) -> None:
    await page.until(lambda: any(field.hint_text == hint for field in page.all(ft.TextField)))
    await page.fire(page.one(ft.TextField, hint_text=hint), "change", value=typed)


async def chosen_in_header(page: OpenPage, name: str) -> None:
    """From the menu behind the persona's name."""
    menu = next(one for one in page.all(ft.PopupMenuButton) if str(one.tooltip).startswith("Persona: "))
    for item in menu.items:
        if any(getattr(control, "value", "") == name for control in item.content.controls):  # type: ignore[union-attr]
            await page.fire(item, "click")
            return
    raise AssertionError(f"{name} is not in the menu")


def test_every_icon_has_a_picture() -> None:
    assert set(ICONS) == set(NAMES)


@SIZES
async def test_a_new_chat_offers_personas_and_their_beginnings(munin: Munin, width: int, height: int) -> None:
    async with OpenPage(munin, width, height) as page:
        await page.until(lambda: page.has("Explain something"))
        await page.click("Talk to Coach")
        await page.until(lambda: page.has("I want to change a habit …") and page.has("What you tell Coach stays with it"))
        assert not page.has("Explain something")
        await said(page, munin, "I live in Bergen")
        assert [(fact.text, fact.scope) for fact in munin.profile.facts] == [("Lives in Bergen", COACH)]
        (conversation,) = await munin.chats.list()
        assert conversation.persona_id == "coach"
        assert page.named("Persona: Coach")


async def test_the_header_changes_who_answers(munin: Munin, model: ScriptedChatModel) -> None:
    async with OpenPage(munin) as page:
        await said(page, munin, "Good day")
        await chosen_in_header(page, "Tutor")
        await page.until(lambda: page.named("Persona: Tutor"))
        await said(page, munin, "And now?")
        assert "patient tutor" in model.requests[-1].messages[0].text


async def test_a_begun_chat_stays_and_a_new_one_is_offered(munin: Munin) -> None:
    async with OpenPage(munin) as page:
        await said(page, munin, "Good day")
        before = page.session.chat.conversation_id
        await chosen_in_header(page, "Coach")
        await page.until(lambda: page.has("Coach has a memory of its own, and this chat is remembered elsewhere."))
        assert (await munin.chats.get(before)).persona_id == "default"
        await page.session.shell.take_snack()
        await page.until(lambda: page.session.chat.conversation_id != before)
        await page.until(lambda: page.has("I want to change a habit …"))


@SIZES
async def test_a_persona_is_made_used_edited_and_reset(munin: Munin, width: int, height: int) -> None:
    async with OpenPage(munin, width, height) as page:
        page.session.go("settings")
        await page.click("Open Personas")
        await page.until(lambda: page.has("Who answers") or page.has("Each persona answers in its own way."))
        await page.press("New persona")
        await filled(page, "Name", "Chef")
        await filled(page, "How it is to answer", "Cook with what is there.")
        await filled(page, "Starter 1", "What can I cook with ")
        await page.click("Icon: cooking")
        await page.click("Memory: Its own")
        await filled(page, "Top p: as usual", "0,8")
        await page.press("Save")
        await page.until(lambda: page.has("Chef is saved.") and page.session.personas.state.form is None)
        chef = next(one for one in await munin.controller.personas.list() if one.name == "Chef")
        assert (chef.icon, chef.prompt, chef.own_memory) == ("cooking", "Cook with what is there.", True)
        assert (chef.starters, chef.temperature, chef.top_p) == (("What can I cook with ",), None, 0.8)
        await page.click("Edit Editor")
        await filled(page, "How it is to answer", "Only correct the spelling.")
        await page.press("Save")
        await page.until(lambda: page.has("Only correct the spelling."))
        editor = await munin.controller.personas.get("editor")
        await page.session.personas.reset(editor)
        await page.until(lambda: not page.has("Only correct the spelling."))


async def test_a_refused_form_stays_and_says_why(munin: Munin) -> None:
    async with OpenPage(munin) as page:
        page.session.go("personas")
        await page.until(lambda: page.has("Each persona answers in its own way."))
        await page.press("New persona")
        await filled(page, "Name", "Coach")
        await filled(page, "How it is to answer", "Help.")
        await page.press("Save")
        await page.until(lambda: page.has("There is a persona “Coach” already. Choose another name."))
        await filled(page, "Temperature: as in Settings", "warm")
        await page.press("Save")
        await page.until(lambda: page.has("The temperature is “warm”"))
        assert len(await munin.controller.personas.list()) == 4


async def test_a_used_persona_says_that_its_memory_stays(munin: Munin) -> None:
    await munin.profile.add("Plays the cello", COACH)
    async with OpenPage(munin) as page:
        page.session.go("personas")
        await page.click("Edit Coach")
        await page.until(lambda: page.has("this stays as it is; copy the persona"))
        assert not [one for one in page.all(ft.BaseControl) if getattr(one, "tooltip", "") == "Memory: Its own"]


@pytest.mark.parametrize(("label", "left"), [("Leave to everyone", [SHARED]), ("Forget", [])])
async def test_deleting_asks_what_becomes_of_its_memory(munin: Munin, label: str, left: list[str]) -> None:
    async with OpenPage(munin) as page:
        await page.click("Talk to Coach")
        await said(page, munin, "I live in Bergen")
        told = page.session.chat.state.messages[0].id
        page.session.go("personas")
        await page.settle()
        await page.session.personas.ask_delete(await munin.controller.personas.get("coach"))
        await page.until(lambda: page.has("Coach has a memory of its own: 1 fact, and what was said in 1 chat."))
        await page.press(label)
        await page.until(lambda: page.has("Coach is deleted."))
        await munin.controller.drain()
        assert [fact.scope for fact in munin.profile.facts] == left
        assert (await munin.chats.message(told)).memory is (MemoryState.INDEXED if left else MemoryState.FORGOTTEN)
        if not left:
            await page.press("Keep the chats")
        await page.click("Bring back Coach")
        await page.until(lambda: not page.session.personas.state.missing)


@SIZES
async def test_facts_say_whose_they_are_are_filtered_and_moved(munin: Munin, width: int, height: int) -> None:
    await munin.profile.add("Lives in Oslo")
    await munin.profile.add("Plays the cello", COACH)
    async with OpenPage(munin, width, height) as page:
        page.session.go("memory")
        await page.until(lambda: page.has("Plays the cello") and page.has("Lives in Oslo"))
        assert page.has("Coach: 1 of 40, only with messages to Coach")
        page.session.memory.choose_owner(COACH)
        await page.until(lambda: not page.has("Lives in Oslo"))
        page.session.memory.choose_owner("")
        fact = next(fact for fact in munin.profile.facts if fact.scope == SHARED)
        page.session.memory.ask_move(fact)
        await page.click("Move to Coach")
        await page.until(lambda: page.has("Moved to Coach."))
        assert {fact.scope for fact in munin.profile.facts} == {COACH}


async def test_a_fact_is_added_for_whose_facts_are_shown(munin: Munin) -> None:
    async with OpenPage(munin) as page:
        page.session.go("memory")
        await page.settle()
        page.session.memory.choose_owner(COACH)
        page.session.memory.ask_add()
        await page.until(lambda: page.has("It goes with every message to Coach."))
        await filled(page, "Lives in Oslo", "Plays the cello")
        await page.press("Add")
        await page.until(lambda: munin.profile.facts)
        assert munin.profile.facts[0].scope == COACH
