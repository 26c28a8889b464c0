"""A phone shows another app, and Munin again: the model's memory is given back and taken again, and nothing is lost."""

import asyncio
from collections.abc import AsyncIterator

import pytest
from flet.messaging.protocol import MessageAction

from munin_app.bootstrap import Munin
from munin_app.domain.messages import MessageStatus
from munin_app.inference.scripted import ScriptedChatModel
from tests.conftest import StartMunin
from tests.ui.harness import OpenPage


@pytest.fixture
def model() -> ScriptedChatModel:
    return ScriptedChatModel(["One two three four."])


@pytest.fixture
async def munin(start_munin: StartMunin, model: ScriptedChatModel) -> Munin:
    return await start_munin(model)


@pytest.fixture
async def phone(munin: Munin) -> AsyncIterator[OpenPage]:
    async with OpenPage(munin, 390, 844) as page:
        yield page


async def becomes(page: OpenPage, state: str) -> None:
    await page.fire(page.page, "app_lifecycle_state_change", {"state": state})


async def test_a_paused_app_gives_the_model_back_and_a_resumed_one_has_it(phone: OpenPage, munin: Munin) -> None:
    await becomes(phone, "pause")
    await phone.until(lambda: munin.model.info is None)
    await becomes(phone, "restart")
    assert munin.model.info is None, "not shown yet"
    await becomes(phone, "resume")
    await phone.until(lambda: munin.model_state.phase == "ready")
    await phone.say("Hello")
    await phone.until(lambda: phone.has("One two three four."))


async def test_losing_the_focus_changes_nothing(phone: OpenPage, munin: Munin) -> None:
    """A call, a system dialog, another window."""
    for state in ("inactive", "hide", "show"):
        await becomes(phone, state)
    assert munin.model.info


async def test_a_reply_that_is_being_written_is_finished_first(phone: OpenPage, munin: Munin, model: ScriptedChatModel) -> None:
    model.pause(after_words=1)
    await phone.say("Hello")
    await phone.until(lambda: munin.controller.running_conversations())
    await becomes(phone, "pause")
    assert munin.model.info
    model.resume()
    await phone.until(lambda: munin.model.info is None)
    await becomes(phone, "resume")
    await phone.until(lambda: phone.has("One two three four."))


async def test_a_short_look_elsewhere_leaves_the_reply_alone(phone: OpenPage, munin: Munin, model: ScriptedChatModel) -> None:
    model.pause(after_words=1)
    await phone.say("Hello")
    await phone.until(lambda: munin.controller.running_conversations())
    await becomes(phone, "pause")
    await becomes(phone, "resume")
    model.resume()
    await phone.until(lambda: phone.has("One two three four."))
    assert munin.model_state.phase == "ready"


async def test_a_reply_that_takes_too_long_is_stopped_and_kept(phone: OpenPage, munin: Munin, model: ScriptedChatModel) -> None:
    phone.session.lifecycle.rest_after_seconds = 0.05
    model.pause(after_words=2)
    await phone.say("Hello")
    await phone.until(lambda: phone.has("One two"))
    await becomes(phone, "pause")
    await phone.until(lambda: munin.model.info is None)
    (conversation,) = await munin.chats.list()
    reply = (await munin.chats.messages(conversation.id))[-1]
    assert reply.status is MessageStatus.STOPPED and reply.text.startswith("One two")


async def test_what_is_typed_is_saved_at_once(phone: OpenPage, munin: Munin) -> None:
    phone.session.chat.fill("Half a thought")
    await becomes(phone, "pause")
    await phone.until(lambda: munin.model.info is None)
    assert "Half a thought" in str(await munin.shelf.drafts())


async def test_closing_a_paused_page_brings_the_model_back(munin: Munin) -> None:
    async with OpenPage(munin, 390, 844) as page:
        await becomes(page, "pause")
        await page.until(lambda: munin.model.info is None)
    async with asyncio.timeout(30):
        await munin.controller.drain()
    assert munin.model_state.phase == "ready"


async def test_a_phone_stays_awake_while_a_reply_is_written_and_no_longer(munin: Munin, model: ScriptedChatModel) -> None:
    def asked(page: OpenPage) -> list[str]:
        calls = [one.body.name for one in page.connection.sent if one.action == MessageAction.INVOKE_METHOD]
        return [name for name in calls if name in ("enable", "disable")]

    async with OpenPage(munin, 390, 844, web=False, platform="android") as phone:
        model.pause(after_words=1)
        await phone.say("Hello")
        await phone.until(lambda: asked(phone) == ["enable"])
        model.resume()
        await phone.until(lambda: asked(phone) == ["enable", "disable"])
    async with OpenPage(munin, 1280, 800, web=False, platform="linux") as computer:
        await computer.say("Hello")
        await computer.until(lambda: computer.session.chat.state.messages and not computer.session.chat.state.busy)
        assert asked(computer) == []
