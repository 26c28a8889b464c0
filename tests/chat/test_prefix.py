"""Where a prompt did not only grow, the turn says why."""

from munin_app.bootstrap import Munin
from munin_app.chat import prefix
from munin_app.inference.scripted import ScriptedChatModel
from tests.chat.conftest import Talk


async def test_a_chat_that_only_grows_gives_no_reason(munin: Munin, talk: Talk) -> None:
    assert [(await talk(text)).prompt_reset for text in ("My name is Ada.", "I live in Oslo.", "Where do I live?")] == [
        "",
        "",
        "",
    ]


async def test_forgetting_is_named_as_the_reason(munin: Munin, talk: Talk) -> None:
    await talk("My name is Ada.")
    await talk("Tell me about the sea.")
    await munin.forgetting.forget_fact(munin.profile.facts[0].id)
    assert (await talk("And the lake?")).prompt_reset == prefix.FORGOTTEN
    assert (await talk("And the river?")).prompt_reset == ""


async def test_switching_memory_off_is_named_as_the_reason(munin: Munin, talk: Talk) -> None:
    await munin.profile.add("Name is Ada")
    told = await talk("Tell me about the sea.")
    await munin.chats.set_memory_on(told.conversation.id, False)
    assert (await talk("And the lake?")).prompt_reset == prefix.MEMORY_SWITCHED


async def test_another_chat_in_between_is_named_as_the_reason(munin: Munin, talk: Talk, model: ScriptedChatModel) -> None:
    told = await talk("Tell me about the sea.")
    await talk("And this?", (await munin.controller.new_conversation()).id)
    assert (await talk("And the lake?", told.conversation.id)).prompt_reset == prefix.OTHER_CHAT


async def test_a_chat_that_is_opened_in_a_new_process_was_read_again(munin: Munin, talk: Talk) -> None:
    told = await talk("Tell me about the sea. " * 20)
    munin.controller.prefix = prefix.PrefixWatch()  # as a new process has it
    await talk("And this?", (await munin.controller.new_conversation()).id)
    assert (await talk("And the lake?", told.conversation.id)).prompt_reset == prefix.REOPENED
