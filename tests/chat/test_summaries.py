"""What a compaction drops is summarised before, and the summary is forgotten with what it was made from."""

from pathlib import Path

from munin_app.bootstrap import Munin
from munin_app.chat import summaries
from munin_app.domain.inference import ChatRequest, Purpose
from munin_app.inference.scripted import ScriptedChatModel
from tests.conftest import StartMunin


def _answer(request: ChatRequest) -> str:
    if request.session_id == summaries.SESSION:
        return "They spoke of the cerulean boathouse."
    return "[]" if request.purpose is Purpose.UTILITY else "Yes. " * 40


async def long_talk(start_munin: StartMunin, turns: int) -> tuple[Munin, ScriptedChatModel, str]:
    model = ScriptedChatModel(_answer, context_size=1024)
    munin = await start_munin(model)
    conversation = await munin.controller.new_conversation()
    for number in range(turns):
        await munin.controller.send(conversation.id, f"Remark {number} about the cerulean boathouse by the lake.")
        await munin.controller.drain()
    return munin, model, conversation.id


def system_blocks(model: ScriptedChatModel) -> list[str]:
    return [request.messages[0].text for request in model.requests if request.purpose is Purpose.REPLY]


async def test_after_a_compaction_the_system_block_holds_a_summary_of_what_left(start_munin: StartMunin) -> None:
    _, model, _ = await long_talk(start_munin, 24)
    blocks = system_blocks(model)
    assert "Summary" not in blocks[0]
    assert '"They spoke of the cerulean boathouse."' in blocks[-1]


async def test_a_summary_is_made_on_the_utility_context_and_before_it_is_needed(start_munin: StartMunin) -> None:
    _, model, _ = await long_talk(start_munin, 24)
    kinds = [(request.session_id == summaries.SESSION, request.purpose) for request in model.requests]
    first_summary = next(index for index, (is_summary, _) in enumerate(kinds) if is_summary)
    assert all(purpose is Purpose.UTILITY for is_summary, purpose in kinds if is_summary)
    replies_before = sum(purpose is Purpose.REPLY for _, purpose in kinds[:first_summary])
    first_cut = next(index for index, block in enumerate(system_blocks(model)) if "Summary" in block)
    assert replies_before <= first_cut


async def test_forgetting_a_message_forgets_the_summary_that_it_went_into(start_munin: StartMunin, home: Path) -> None:
    munin, model, conversation_id = await long_talk(start_munin, 24)
    first, *_ = await munin.chats.path(conversation_id)
    await munin.forgetting.forget_memories([first.id])
    assert await summaries.stored(munin.chats, conversation_id) == ("", "")
    assert summaries.SESSION in model.forgotten
    assert b"They spoke of" not in (home / "munin.db").read_bytes()
    await munin.controller.send(conversation_id, "And now?")
    await munin.controller.drain()
    assert "They spoke of" not in system_blocks(model)[-1]
