"""A model for each conversation, one of them in memory: what is loaded when, and what happens when that fails."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest

from munin_app.bootstrap import AppEvent, Munin
from munin_app.chat.model_state import ModelOf
from munin_app.config import ModelSettings
from munin_app.domain.events import Turn, TurnFinished
from munin_app.domain.inference import Purpose, SamplingParams
from munin_app.domain.messages import Conversation, MessageStatus
from munin_app.domain.personas import Persona
from munin_app.errors import MessageRefused, ModelError, ModelTooLarge
from munin_app.memory import EncoderManifest, MemoryService
from munin_app.memory.hashing import HashEmbedder
from tests.named_models import BROKEN, NamedModels, model_files


@pytest.fixture
def models() -> NamedModels:
    return NamedModels()


@pytest.fixture
def folder(home: Path, no_starter: None) -> Path:
    """Two models: auk comes first and is the default."""
    return model_files(home / "models", "auk", "wren")


@pytest.fixture
async def munin(home: Path, folder: Path, models: NamedModels) -> AsyncIterator[Munin]:
    memory = MemoryService(home / "munin_memory.db", EncoderManifest("hash", home, 64), load_encoder=HashEmbedder)
    async with await Munin.start(make_model=models.make, memory=memory) as munin:
        await munin.load_model()
        yield munin


async def begun(munin: Munin) -> str:
    return (await munin.controller.new_conversation()).id


async def said(munin: Munin, conversation_id: str, text: str = "Who are you?") -> Turn:
    turns: list[Turn] = []
    end = munin.subscribe(lambda event: turns.append(event.turn) if isinstance(event, TurnFinished) else None)
    await munin.controller.send(conversation_id, text)
    await munin.controller.drain()
    end()
    return turns[-1]


async def of(munin: Munin, conversation_id: str) -> ModelOf:
    return await munin.switch.model_of(await munin.chats.get(conversation_id))


async def test_chosen_model_is_loaded_and_answers_in_that_chat_only(munin: Munin, models: NamedModels, folder: Path) -> None:
    first, second = await begun(munin), await begun(munin)
    await munin.switch.choose_for(first, str(folder / "wren.gguf"))
    assert models.loaded() == ["wren"]
    assert (await said(munin, first)).reply.text == "I am wren."
    assert (await said(munin, second)).reply.text == "I am auk."
    assert (await said(munin, first)).reply.text == "I am wren."
    assert models.loaded() == ["wren"] and munin.settings.model_path == ""


async def test_opening_a_chat_does_not_load_its_model(munin: Munin, models: NamedModels, folder: Path) -> None:
    other = await begun(munin)
    await said(munin, other)
    await munin.chats.set_model(other, str(folder / "wren.gguf"))
    await munin.controller.open_conversation(other)
    await munin.controller.drain()
    assert models.made == ["auk"] and await of(munin, other) == ModelOf(folder / "wren.gguf", in_use=False)
    assert models.asked("auk")[-1] is Purpose.REPLY, "the wrong model read the chat"


async def test_choosing_the_default_means_whatever_the_default_is(munin: Munin, folder: Path) -> None:
    chat = await begun(munin)
    await munin.switch.choose_for(chat, str(folder / "wren.gguf"))
    await munin.switch.choose_for(chat, str(folder / "auk.gguf"))
    await munin.use_model_file(str(folder / "wren.gguf"))
    assert (await munin.chats.get(chat)).model_path == ""
    assert (await said(munin, chat)).reply.text == "I am wren."


async def test_failed_choice_keeps_the_old_model(munin: Munin, models: NamedModels, folder: Path) -> None:
    chat = await begun(munin)
    models.broken = {"wren"}
    with pytest.raises(ModelError, match="damaged"):
        await munin.switch.choose_for(chat, str(folder / "wren.gguf"))
    assert (await munin.chats.get(chat)).model_path == ""
    assert (munin.model_state.phase, models.loaded()) == ("ready", ["auk"])
    assert (await said(munin, chat)).reply.text == "I am auk."


async def test_model_that_fails_at_sending_says_why(munin: Munin, models: NamedModels, folder: Path) -> None:
    chat, other = await begun(munin), await begun(munin)
    await munin.chats.set_model(chat, str(folder / "wren.gguf"))
    models.broken = {"wren"}
    reply = (await said(munin, chat)).reply
    assert (reply.status, reply.error) == (MessageStatus.FAILED, BROKEN)
    assert (await said(munin, other)).reply.text == "I am auk."


async def test_chat_whose_model_is_gone_is_answered_by_the_default(munin: Munin, folder: Path) -> None:
    chat = await begun(munin)
    await munin.switch.choose_for(chat, str(folder / "wren.gguf"))
    await munin.remove_model("wren")
    assert await of(munin, chat) == ModelOf(folder / "auk.gguf", in_use=True, missing="wren")
    assert (await said(munin, chat)).reply.text == "I am auk."


async def test_removing_the_default_while_another_model_is_in_use(munin: Munin, models: NamedModels, folder: Path) -> None:
    chat = await begun(munin)
    await munin.use_model_file(str(folder / "auk.gguf"))
    await munin.switch.choose_for(chat, str(folder / "wren.gguf"))
    await munin.remove_model("auk")
    assert munin.settings.model_path == "" and models.loaded() == ["wren"]
    assert (await munin.switch.model_of(None)) == ModelOf(folder / "wren.gguf", in_use=True)


async def test_message_waits_for_the_reply_of_another_model(munin: Munin, models: NamedModels, folder: Path) -> None:
    first, second = await begun(munin), await begun(munin)
    await munin.chats.set_model(second, str(folder / "wren.gguf"))
    models.newest["auk"].pause()
    await munin.controller.send(first, "Who are you?")
    await models.newest["auk"].wait_until_standing()
    await munin.controller.send(second, "And you?")
    with pytest.raises(MessageRefused, match="still answering"):
        await munin.switch.choose_for(first, str(folder / "wren.gguf"))
    assert models.made == ["auk"]
    models.newest["auk"].resume()
    await munin.controller.drain()
    replies = [(await munin.chats.path(chat))[-1].text for chat in (first, second)]
    assert replies == ["I am auk.", "I am wren."]


async def test_turn_that_waits_for_another_model_can_be_stopped(munin: Munin, models: NamedModels, folder: Path) -> None:
    first, second = await begun(munin), await begun(munin)
    await munin.chats.set_model(second, str(folder / "wren.gguf"))
    models.newest["auk"].pause()
    await munin.controller.send(first, "Who are you?")
    await models.newest["auk"].wait_until_standing()
    await munin.controller.send(second, "And you?")
    await asyncio.wait_for(munin.controller.stop_and_wait(second), 60)
    models.newest["auk"].resume()
    await munin.controller.drain()
    assert models.made == ["auk"]
    assert (await munin.chats.path(second))[-1].status is MessageStatus.STOPPED
    assert (await said(munin, second)).reply.text == "I am wren."


async def test_many_chats_at_once_are_each_answered_by_their_own_model(munin: Munin, folder: Path) -> None:
    chats = [await begun(munin) for _ in range(6)]
    for chat in chats[::2]:
        await munin.chats.set_model(chat, str(folder / "wren.gguf"))
    await asyncio.gather(*(munin.controller.send(chat, "Who are you?") for chat in chats))
    await munin.controller.drain()
    replies = [(await munin.chats.path(chat))[-1].text for chat in chats]
    assert replies == ["I am wren.", "I am auk."] * 3


async def test_other_settings_do_not_bring_the_default_back(munin: Munin, models: NamedModels, folder: Path) -> None:
    chat = await begun(munin)
    await munin.switch.choose_for(chat, str(folder / "wren.gguf"))
    await munin.change_settings(theme="dark")
    assert models.made == ["auk", "wren"]
    await munin.change_settings(threads=1)
    assert models.made == ["auk", "wren", "wren"] and models.loaded() == ["wren"]


async def test_choosing_a_default_that_another_chat_uses_already_loads_nothing(
    munin: Munin, models: NamedModels, folder: Path
) -> None:
    chat = await begun(munin)
    await munin.switch.choose_for(chat, str(folder / "wren.gguf"))
    await munin.use_model_file(str(folder / "wren.gguf"))
    assert models.made == ["auk", "wren"]
    await munin.use_model_file(str(folder / "auk.gguf"))
    assert models.loaded() == ["auk"]


async def test_choice_is_kept_over_a_restart(home: Path, munin: Munin, models: NamedModels, folder: Path) -> None:
    chat = await begun(munin)
    await munin.switch.choose_for(chat, str(folder / "wren.gguf"))
    await said(munin, chat)
    await munin.close()
    memory = MemoryService(home / "munin_memory.db", EncoderManifest("hash", home, 64), load_encoder=HashEmbedder)
    async with await Munin.start(make_model=models.make, memory=memory) as munin:
        conversation: Conversation = await munin.chats.get(chat)
        await munin.switch.choose(conversation)
        await munin.load_model()
        assert models.loaded() == ["wren"]
        assert (await said(munin, chat)).reply.text == "I am wren."
        events: list[AppEvent] = []
        munin.subscribe(events.append)
        await munin.switch.choose_for(chat, "")
        assert models.loaded() == ["auk"] and events


async def test_settings_of_a_model_hold_for_it_alone(munin: Munin, models: NamedModels, folder: Path) -> None:
    own = ModelSettings(temperature=0.0, top_k=7, max_reply_tokens=32, instructions="Rhyme.")
    await munin.switch.set_for_model(folder / "wren.gguf", own)
    chat, other = await begun(munin), await begun(munin)
    await munin.chats.set_model(chat, str(folder / "wren.gguf"))
    await said(munin, chat)
    await said(munin, other)
    mine, plain = ([one for one in models.newest[name].requests if one.max_tokens][-1] for name in ("wren", "auk"))
    assert (mine.sampling.temperature, mine.sampling.top_k, mine.max_tokens) == (0.0, 7, 32)
    assert "Rhyme." in mine.messages[0].text
    assert plain.sampling == SamplingParams(temperature=0.4) and "Rhyme." not in plain.messages[0].text


async def test_only_what_loading_depends_on_loads_the_model_anew(munin: Munin, models: NamedModels, folder: Path) -> None:
    auk, wren = folder / "auk.gguf", folder / "wren.gguf"
    await munin.switch.set_for_model(auk, ModelSettings(temperature=0.1))
    await munin.switch.set_for_model(wren, ModelSettings(context_tokens=1024))
    assert models.made == ["auk"]
    await munin.switch.set_for_model(auk, ModelSettings(context_tokens=2048))
    assert models.made == ["auk", "auk"] and models.newest["auk"].settings.context_tokens == 2048
    await munin.switch.set_for_model(auk, ModelSettings())
    assert models.newest["auk"].settings.context_tokens == 0
    assert munin.settings.model_settings == {str(wren): ModelSettings(context_tokens=1024)}


async def test_model_that_memory_is_short_for_is_loaded_anyway_and_later_too(
    munin: Munin, models: NamedModels, folder: Path
) -> None:
    chat, other = await begun(munin), await begun(munin)
    models.large = {"wren"}
    with pytest.raises(ModelTooLarge):
        await munin.switch.choose_for(chat, str(folder / "wren.gguf"))
    await munin.switch.choose_for(chat, str(folder / "wren.gguf"), load_anyway=True)
    assert models.loaded() == ["wren"]
    await said(munin, other)
    assert (await said(munin, chat)).reply.text == "I am wren."
    assert not munin.settings.load_anyway


async def test_a_persona_brings_its_model_and_a_choice_in_the_chat_outranks_it(
    munin: Munin, models: NamedModels, folder: Path
) -> None:
    personas = munin.controller.personas
    tutor = await personas.save(Persona("", "Finch", "school", "Teach.", model_path=str(folder / "wren.gguf")))
    assert await personas.get(tutor.id) == tutor
    chat = (await munin.controller.new_conversation(persona_id=tutor.id)).id
    assert (await said(munin, chat)).reply.text == "I am wren." and (
        await said(munin, await begun(munin))
    ).reply.text == "I am auk."
    await munin.switch.choose_for(chat, str(folder / "auk.gguf"))
    assert (await said(munin, chat)).reply.text == "I am auk."
    await munin.switch.choose_for(chat, str(folder / "wren.gguf"))
    assert (await munin.chats.get(chat)).model_path == "", "it follows its persona again"
    await personas.save(replace(tutor, model_path=str(folder / "gone.gguf")))
    assert (await said(munin, chat)).reply.text == "I am auk."
