"""What a model thinks, on the screen: folded away above the answer, and opened by who wants to see it."""

import flet as ft
from flet.messaging.protocol import MessageAction

from munin_app.inference.scripted import ScriptedChatModel
from tests.conftest import StartMunin
from tests.ui.harness import OpenPage

THINKING = "<think>\nA raven, surely.\n</think>\n\nIt is a raven."


async def press(page: OpenPage, *, expanded: bool) -> None:
    """The line above the answer, which says to screen readers whether it is open."""
    line = page.one(ft.Semantics, expanded=expanded)
    assert isinstance(line.content, ft.Container) and line.content.ink
    await page.fire(line.content, "click")


async def test_thinking_is_shown_as_a_line_that_opens_while_it_streams(start_munin: StartMunin) -> None:
    model = ScriptedChatModel([THINKING])
    munin = await start_munin(model)
    async with OpenPage(munin) as page:
        model.pause(after_words=3)
        await page.say("Which bird?")
        await page.until(lambda: page.has("Thinking …"))
        assert not page.has("A raven,")
        await press(page, expanded=False)
        assert page.has("A raven")
        model.resume()
        await page.until(lambda: page.has("Thought for 1 s"))
        await page.until(lambda: page.has("A raven, surely."))
        assert page.has("It is a raven.") and not page.has("Thinking …")
        await press(page, expanded=True)
        assert not page.has("A raven, surely.")


async def test_copy_takes_the_answer_alone(start_munin: StartMunin) -> None:
    munin = await start_munin(ScriptedChatModel([THINKING]))
    async with OpenPage(munin) as page:
        await page.say("Which bird?")
        await page.until(lambda: page.has("Thought for 1 s"))
        await page.click("Copy reply")
        calls = [message.body for message in page.connection.sent if message.action == MessageAction.INVOKE_METHOD]
        assert [call.args for call in calls if call.name == "set"] == [{"data": "It is a raven."}]


async def test_model_that_only_thought_says_so_and_can_be_asked_again(start_munin: StartMunin) -> None:
    munin = await start_munin(ScriptedChatModel(["<think>For ever", "Short."]))
    async with OpenPage(munin) as page:
        await page.say("Which bird?")
        await page.until(lambda: page.has("ran out before it answered"))
        assert page.has("What it thought is kept above.")
        await page.press("Retry")
        await page.until(lambda: page.has("Short."))
        assert page.all(ft.ListView)
