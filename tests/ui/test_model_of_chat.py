"""The model of a chat in the window: the header's menu, and what is said where another one is in memory."""

from collections.abc import AsyncIterator
from pathlib import Path

import flet as ft
import pytest

from munin_app.bootstrap import Munin
from tests.named_models import BROKEN, NamedModels, model_files
from tests.ui.harness import OpenPage

LOADED_LATER = "This chat uses auk. It is loaded when you send."


@pytest.fixture
def models() -> NamedModels:
    return NamedModels()


@pytest.fixture
async def munin(home: Path, no_starter: None, models: NamedModels) -> AsyncIterator[Munin]:
    model_files(home / "models", "auk", "wren")
    async with await Munin.start(make_model=models.make) as munin:
        await munin.load_model()
        yield munin


def labels(item: ft.PopupMenuItem) -> list[str]:
    assert isinstance(item.content, ft.Row)
    return [control.value for control in item.content.controls if isinstance(control, ft.Text)]


def choices(page: OpenPage) -> dict[str, ft.PopupMenuItem]:
    """The entries of the header's menu by name."""
    menu = page.named("Change model")
    assert isinstance(menu, ft.PopupMenuButton)
    return {labels(item)[0]: item for item in menu.items}


async def choose(page: OpenPage, name: str) -> None:
    await page.fire(choices(page)[name], "click")


async def test_menu_lists_what_is_here_and_marks_the_default(page: OpenPage) -> None:
    assert [labels(item) for item in choices(page).values()][:2] == [["auk", "Default"], ["wren"]]
    await choose(page, "All models")
    await page.until(lambda: page.has("On this device"))


async def test_chosen_model_is_loaded_for_this_chat(page: OpenPage, munin: Munin, models: NamedModels) -> None:
    await page.session.chat.new()
    first = page.session.chat.conversation_id
    await choose(page, "wren")
    await page.until(lambda: models.loaded() == ["wren"] and page.has("wren") and not page.has("Loading"))
    await page.say("Who are you?")
    await page.until(lambda: page.has("I am wren."))
    await munin.controller.drain()

    await page.session.chat.new()
    await page.until(lambda: page.has(LOADED_LATER))
    assert models.loaded() == ["wren"]
    await page.say("And you?")
    await page.until(lambda: page.has("I am auk."))
    await page.until(lambda: not page.has(LOADED_LATER))
    await munin.controller.drain()

    await page.session.chat.open(first)
    await page.until(lambda: page.has("This chat uses wren. It is loaded when you send."))
    await page.press("Load now")
    await page.until(lambda: models.loaded() == ["wren"] and not page.has("It is loaded when you send."))


async def test_failed_choice_says_why_and_the_old_one_stays(page: OpenPage, models: NamedModels) -> None:
    models.broken = {"wren"}
    await choose(page, "wren")
    await page.until(lambda: page.has(BROKEN))
    await page.until(lambda: page.session.chat.state.model_of.path and page.session.chat.state.model_of.path.stem == "auk")
    assert models.loaded() == ["auk"] and not page.has("It is loaded when you send.")


async def test_chat_whose_model_is_gone_says_so_once(page: OpenPage, munin: Munin) -> None:
    await choose(page, "wren")
    await page.until(lambda: munin.model.info and munin.model.info.id == "wren")
    await munin.remove_model("wren")
    gone = "wren, the model of this chat, is no longer here. auk answers instead."
    await page.until(lambda: page.has(gone))
    await page.session.chat.accept_default()
    await page.until(lambda: not page.has(gone))


async def test_models_page_names_the_default_while_another_is_in_use(page: OpenPage, munin: Munin) -> None:
    await choose(page, "wren")
    await page.until(lambda: munin.model.info and munin.model.info.id == "wren")
    page.session.go("models")
    await page.until(lambda: page.has("In use") and page.has("Default"))


async def test_model_for_background_work_is_chosen_in_settings(page: OpenPage, munin: Munin, home: Path) -> None:
    page.session.go("settings")
    await page.until(lambda: page.has("Background work"))
    assert page.has("a model of its own takes memory beside the chat's")

    def offered(chosen: str) -> dict[object, ft.PopupMenuItem]:
        menu = page.named(f"Background work: {chosen}")
        assert isinstance(menu, ft.PopupMenuButton)
        return {item.content.value: item for item in menu.items if isinstance(item.content, ft.Text)}

    await page.until(lambda: list(offered("Same as chat")) == ["Same as chat", "auk", "wren"])
    await page.fire(offered("Same as chat")["wren"], "click")
    await page.until(lambda: munin.settings.background_model == str(home / "models" / "wren.gguf"))
    await page.until(lambda: page.has("more memory"))
    await page.fire(offered("wren")["Same as chat"], "click")
    await page.until(lambda: munin.settings.background_model == "")


async def answered_by_auk(page: OpenPage, munin: Munin) -> str:
    """The id of the reply."""
    await page.say("Who are you?")
    await page.until(lambda: page.has("I am auk."))
    await munin.controller.drain()
    await page.until(lambda: not page.session.chat.state.busy)
    return page.session.chat.state.messages[-1].id


async def test_a_reply_is_made_again_by_another_model_and_the_chat_keeps_its_own(
    page: OpenPage, munin: Munin, models: NamedModels
) -> None:
    await answered_by_auk(page, munin)
    await page.session.messages.ask_model(page.session.chat.state.messages[-1])
    await page.until(lambda: page.has("The chat keeps auk"))
    await page.click("wren")
    await page.until(lambda: page.has("I am wren.") and page.has("2/2"))
    await munin.controller.drain()
    await page.until(lambda: page.has("By wren"))
    await page.session.messages.show_used(page.session.chat.state.messages[-1])
    await page.until(lambda: page.has("Model: wren"))
    page.session.navigation.sheet = None
    conversation = await munin.chats.get(page.session.chat.conversation_id)
    assert conversation.model_path == "" and munin.settings.model_path == ""
    await page.until(lambda: page.has(LOADED_LATER))
    await page.click("Previous version")
    await page.until(lambda: page.has("I am auk.") and page.has("1/2"))
    await page.until(lambda: not page.has("By "))
    await page.say("And now?")
    await page.until(lambda: page.has("And now?") and not page.session.chat.state.busy)
    assert models.loaded() == ["auk"]


async def test_another_model_that_cannot_be_loaded_says_so_and_the_old_one_is_back(
    page: OpenPage, munin: Munin, home: Path, models: NamedModels
) -> None:
    models.broken.add("wren")
    reply = await answered_by_auk(page, munin)
    await page.session.chat.retry(reply, model_path=str(home / "models" / "wren.gguf"))
    await page.until(lambda: not page.session.chat.state.busy and page.has("2/2"))
    assert page.session.chat.state.messages[-1].error == BROKEN
    assert models.loaded() == ["auk"] and munin.model_state.phase == "ready"
    await page.click("Previous version")
    await page.until(lambda: page.has("I am auk."))


async def test_a_model_that_is_gone_changes_nothing(page: OpenPage, munin: Munin, home: Path) -> None:
    reply = await answered_by_auk(page, munin)
    await page.session.chat.retry(reply, model_path=str(home / "models" / "gone.gguf"))
    await page.until(lambda: page.has("gone is no longer here. Choose another model."))
    assert page.session.chat.state.messages[-1].id == reply and not page.session.chat.state.busy


async def test_the_composer_names_who_answers(page: OpenPage) -> None:
    await page.until(lambda: page.one(ft.TextField, hint_text="Message Munin"))
    await page.session.personas.choose(next(one for one in page.session.personas.state.items if one.name == "Tutor"))
    await page.until(lambda: [one for one in page.all(ft.TextField) if one.hint_text == "Message Tutor"])
