"""Forgetting: the thing and all that was derived from it, while chat messages stay until they are deleted."""

from pathlib import Path

import pytest

from munin_app.bootstrap import Munin
from munin_app.domain.events import FactsForgotten
from munin_app.domain.inference import ChatRequest, Purpose
from munin_app.domain.messages import MemoryState
from munin_app.errors import MessageRefused, ModelError, NotFound
from munin_app.inference.scripted import ScriptedChatModel
from tests.chat.conftest import Talk
from tests.conftest import StartMunin


def _answer(request: ChatRequest) -> str:
    everything = " ".join(message.text for message in request.messages)
    asked = request.messages[-1].text.lower()
    return "You are called Zebulonia." if "name?" in asked and "Zebulonia" in everything else "All right."


@pytest.fixture
def model() -> ScriptedChatModel:
    return ScriptedChatModel(_answer)


def replies_asked(model: ScriptedChatModel) -> list[str]:
    return [
        "\n".join(message.text for message in request.messages) for request in model.requests if request.purpose is Purpose.REPLY
    ]


def files_that_hold(home: Path, wanted: bytes) -> set[str]:
    return {path.name for path in home.rglob("*") if path.is_file() and wanted in path.read_bytes()}


async def test_a_forgotten_fact_is_in_no_later_prompt_and_no_file_but_its_chats(
    munin: Munin, talk: Talk, model: ScriptedChatModel, home: Path
) -> None:
    told = await talk("My name is Zebulonia.")
    answered = await talk("What is my name?")
    assert "Zebulonia" in answered.reply.text
    (fact,) = munin.profile.facts

    forgotten = await munin.forgetting.forget_fact(fact.id)
    assert [message.id for message in forgotten.sources] == [told.user.id]
    assert answered.reply.id in {message.id for message in forgotten.replies}
    assert told.conversation.id in model.forgotten
    assert files_that_hold(home, b"Zebulonia") <= {"munin.db"}
    titles = [conversation.title for conversation in await munin.chats.list()]
    assert not any("Zebulonia" in title for title in titles)

    for text in ("What is my name?", "Who am I?", "Please try: what is my name?"):
        turn = await talk(text)
        assert "Zebulonia" not in replies_asked(model)[-1] and "Zebulonia" not in turn.reply.text
    assert munin.profile.facts == () and munin.profile.candidates == ()


async def test_a_forgotten_fact_is_not_learned_again_from_its_message_nor_indexed_at_a_rebuild(
    munin: Munin, talk: Talk, home: Path, start_munin: StartMunin
) -> None:
    told = await talk("My name is Zebulonia.")
    await munin.forgetting.forget_fact(munin.profile.facts[0].id)
    await munin.close()
    for path in home.glob("munin_memory.db*"):
        path.unlink()
    again = await start_munin()
    await again.memory.warm_up()
    await again.controller.catch_up()
    assert told.user.id not in await again.memory.indexed_ids() and again.profile.facts == ()
    assert (await again.chats.message(told.user.id)).memory is MemoryState.FORGOTTEN


async def test_a_forgotten_message_is_not_sent_again_by_retry(munin: Munin, talk: Talk) -> None:
    told = await talk("My name is Zebulonia.")
    await munin.forgetting.forget_fact(munin.profile.facts[0].id)
    with pytest.raises(MessageRefused, match="was forgotten"):
        await munin.controller.retry(told.reply.id)


async def test_delete_these_too_leaves_the_word_in_no_file(munin: Munin, talk: Talk, home: Path) -> None:
    await talk("My name is Zebulonia.")
    await talk("What is my name?")
    forgotten = await munin.forgetting.forget_fact(munin.profile.facts[0].id)
    await munin.forgetting.delete_messages([message.id for message in (*forgotten.sources, *forgotten.replies)])
    assert files_that_hold(home, b"Zebulonia") == set()
    assert [message.text for message in await munin.chats.path((await munin.chats.list())[0].id)]


async def test_undo_of_a_noted_fact_takes_the_fact_and_leaves_the_chat(
    munin: Munin, talk: Talk, model: ScriptedChatModel
) -> None:
    await munin.profile.add("Lives in Oslo")
    learned: list[object] = []
    munin.profile.subscribe(lambda: learned.append(munin.profile.facts))
    await talk("My name is Zebulonia.")
    (fact,) = [fact for fact in munin.profile.facts if fact.attribute == "name"]
    from munin_app.domain.facts import LearnedFact

    await munin.forgetting.undo_learned(LearnedFact(fact, "My name is Zebulonia"))
    assert [fact.text for fact in munin.profile.facts] == ["Lives in Oslo"]
    await talk("Go on.")
    assert "My name is Zebulonia." in replies_asked(model)[-1]


async def test_a_forgotten_memory_is_recalled_and_prompted_no_more(munin: Munin, talk: Talk, model: ScriptedChatModel) -> None:
    told = await talk("The boathouse key hangs behind the green door.")
    conversation = await munin.controller.new_conversation()
    found = await talk("Where hangs the boathouse key, behind the green door?", conversation.id)
    assert [snippet.message_id for snippet in found.used.snippets] == [told.user.id]
    await munin.forgetting.forget_memories([told.user.id])
    assert told.user.id not in await munin.memory.indexed_ids()
    await talk("And what else?", conversation.id)
    assert "hangs behind the green door." not in replies_asked(model)[-1]
    assert (await munin.chats.used_by(found.reply.id)).snippets == ()


async def test_a_deleted_conversation_can_be_brought_back_until_it_is_erased(munin: Munin, talk: Talk, home: Path) -> None:
    told = await talk("The boathouse key is cerulean.")
    await munin.forgetting.hide_conversation(told.conversation.id)
    assert await munin.chats.list() == ()
    with pytest.raises(NotFound):
        await munin.chats.get(told.conversation.id)
    other = await munin.controller.new_conversation()
    asked = await talk("What colour is the boathouse key? Is it cerulean?", other.id)
    assert asked.used.snippets == ()  # hidden from recall at once
    await munin.forgetting.unhide_conversation(told.conversation.id)
    assert told.conversation.id in {conversation.id for conversation in await munin.chats.list()}

    for conversation in await munin.chats.list():
        await munin.forgetting.hide_conversation(conversation.id)
    await munin.forgetting.erase_hidden()
    assert await munin.memory.count() == 0
    assert files_that_hold(home, b"cerulean") == set()


async def test_an_offer_of_undo_ends_with_the_next_start(munin: Munin, talk: Talk, start_munin: StartMunin, home: Path) -> None:
    told = await talk("The boathouse key is cerulean.")
    await munin.forgetting.hide_conversation(told.conversation.id)
    await munin.close()
    again = await start_munin()
    assert await again.chats.all_ids() == () and files_that_hold(home, b"cerulean") == set()


async def test_clearing_chats_leaves_facts_and_wiping_facts_leaves_chats(munin: Munin, talk: Talk) -> None:
    await talk("My name is Ada.")
    await munin.forgetting.clear_chats()
    assert await munin.chats.counts() == (0, 0) and await munin.memory.count() == 0
    assert len(munin.profile.facts) == 1
    await talk("I live in Oslo.")
    await munin.forgetting.forget_all_facts()
    assert munin.profile.facts == () and await munin.chats.counts() == (1, 2)


async def test_forgetting_all_memories_leaves_chats_facts_and_no_way_back(munin: Munin, talk: Talk) -> None:
    await talk("My name is Ada.")
    await munin.forgetting.forget_all_memories()
    assert await munin.memory.count() == 0 and len(munin.profile.facts) == 1
    await munin.controller.catch_up()
    assert await munin.memory.count() == 0
    await talk("The key is blue.")
    assert await munin.memory.count() == 2


async def test_tokens_that_a_kill_kept_from_being_dropped_are_dropped_at_the_next_start(
    munin: Munin, talk: Talk, start_munin: StartMunin, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = await talk("My name is Zebulonia.")

    async def killed(_: str) -> None:
        raise ModelError("killed here")

    with monkeypatch.context() as patch:
        patch.setattr(munin.model, "forget_session", killed)
        forgotten = await munin.forgetting.forget_fact(munin.profile.facts[0].id)
        await munin.close()
    assert forgotten.failures
    model = ScriptedChatModel()
    again = await start_munin(model)
    assert told.conversation.id in model.forgotten
    assert await again.chats.stale_sessions() == ()


async def test_an_order_to_forget_forgets_as_the_memory_page_does(munin: Munin, talk: Talk, home: Path) -> None:
    events: list[FactsForgotten] = []
    munin.subscribe(lambda event: events.append(event) if isinstance(event, FactsForgotten) else None)
    told = await talk("My name is Zebulonia.")
    (fact,) = munin.profile.facts
    order = await talk("Forget that my name is Zebulonia. I live in Oslo.")
    assert [(event.message_id, [one.text for one in event.facts]) for event in events] == [(order.user.id, ["Name is Zebulonia"])]
    assert [one.text for one in munin.profile.facts] == ["Lives in Oslo"] and munin.profile.candidates == ()
    for message_id in (told.user.id, order.user.id):
        assert (await munin.chats.message(message_id)).memory is MemoryState.FORGOTTEN
    assert files_that_hold(home, b"Zebulonia") <= {"munin.db", "munin.db-wal"}  # in the chat messages, which stay

    await talk("My name is Zebulonia.")  # said again: for the user to decide
    assert [one.text for one in munin.profile.candidates] == ["Name is Zebulonia"]
    await munin.profile.bring_back(fact)
    assert {one.text for one in munin.profile.facts} == {"Name is Zebulonia", "Lives in Oslo"}


@pytest.mark.parametrize("text", ["Forget that I live in Rome.", "My boss said forget that I live in Oslo.", "forget my coffee"])
async def test_an_order_that_means_no_fact_changes_and_teaches_nothing(munin: Munin, talk: Talk, text: str) -> None:
    for fact in ("Lives in Oslo", "Likes coffee", "Likes coffee cake"):
        await munin.profile.add(fact)
    before = munin.profile.revision
    told = await talk(text)
    assert munin.profile.revision == before and munin.profile.candidates == ()
    assert (await munin.chats.message(told.user.id)).memory is MemoryState.INDEXED


async def test_an_order_is_obeyed_while_learning_is_off(munin: Munin, talk: Talk) -> None:
    await munin.profile.add("Lives in Oslo")
    await munin.change_settings(learn_facts="off")
    await talk("Forget that I live in Oslo. My name is Ada.")
    assert munin.profile.facts == munin.profile.candidates == ()


async def test_a_correction_finds_its_fact_by_the_exchange_before(munin: Munin, talk: Talk) -> None:
    await talk("I live in Berlin")
    await talk("No, it's Bergen")
    assert [fact.text for fact in munin.profile.facts] == ["Lives in Bergen"]
    assert [fact.text for fact in munin.profile.history] == ["Lives in Berlin"]
