"""`munin bench window` measures what it says, and a page holds no more of a long chat than it draws."""

from functools import partial

import pytest

from munin_app.inference.scripted import ScriptedChatModel
from munin_app.ui.actions.window import DRAWN
from munin_app.ui.bench import Plan, measure, table, write_conversation
from tests.conftest import StartMunin
from tests.ui.harness import OpenPage
from tests.ui.test_app import said


async def test_the_bench_gives_figures_and_ratios_of_both_sizes() -> None:
    shown = await measure(Plan(messages=40, conversations=40, rounds=3), lambda _: None)
    assert [one["messages"] for one in shown["chats"]] == [20, 40] and len(table(shown)) == 5
    figures = [value for one in (*shown["chats"], *shown["lists"], shown["ratio"]) for value in one.values()]
    assert min(figures) > 0


@pytest.mark.parametrize("around", [0, 50, 99])
async def test_a_long_chat_is_drawn_in_parts_whatever_is_asked_for(start_munin: StartMunin, around: int) -> None:
    munin = await start_munin(ScriptedChatModel())
    chat = await munin.chats.database.write(partial(write_conversation, title="A chat", count=100))
    path = [message.id for message in await munin.chats.path(chat)]
    async with OpenPage(munin) as page:
        await page.session.chat.open(chat, path[around])
        state = page.session.chat.state
        assert path[around] in [message.id for message in state.messages] and len(state.messages) <= DRAWN
        assert page.session.chat.window.ids == path
        while state.before:
            page.session.chat.show_earlier()
        while state.after:
            page.session.chat.show_later()
        assert [message.id for message in state.messages] == path
        await page.session.shell.idle()
        assert all(message.used is not None for message in state.messages if message.role == "assistant")
        await said(page, munin, "and now?")  # sending goes to the end
        assert not state.after and len(state.messages) <= DRAWN + 2 and state.messages[-1].text == "All right."


async def test_what_another_window_says_waits_below_a_view_of_the_past(start_munin: StartMunin) -> None:
    munin = await start_munin()
    chat = await munin.chats.database.write(partial(write_conversation, title="A chat", count=100))
    path = [message.id for message in await munin.chats.path(chat)]
    async with OpenPage(munin) as page:
        await page.session.chat.open(chat, path[10])
        await munin.controller.send(chat, "from elsewhere")
        await munin.controller.drain()
        await page.until(lambda: len(page.session.chat.window.ids) == 102)
        assert path[10] in [message.id for message in page.session.chat.state.messages] and not page.has("from elsewhere")
        page.session.chat.show_end()
        await page.until(lambda: page.has("from elsewhere") and page.has("All right."))
