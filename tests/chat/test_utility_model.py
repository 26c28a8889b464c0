"""A second model for the background work: when it is loaded, what it is asked, and who does its work where it cannot."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from munin_app.bootstrap import Munin
from munin_app.chat import titles
from munin_app.config import Settings, load_settings
from munin_app.domain.inference import Purpose
from munin_app.domain.messages import MessageStatus, Role
from munin_app.errors import ModelError
from munin_app.inference.memory_estimate import UTILITY_CONTEXT
from munin_app.inference.scripted import ScriptedChatModel
from munin_app.memory import EncoderManifest, MemoryService
from munin_app.memory.hashing import HashEmbedder
from munin_app.profile.extraction import UTILITY_SESSION, extract_with_model
from tests.named_models import NamedModel, NamedModels, model_files

PERSONAL = "I usually wake up at five"
"""A message that is looked through for facts, by a model."""


class Models(NamedModels):
    """Keeps all that were made."""

    def __init__(self) -> None:
        super().__init__()
        self.all: list[NamedModel] = []

    def make(self, path: Path, settings: Settings) -> ScriptedChatModel:
        model = super().make(path, settings)
        self.all.append(self.newest[path.stem])
        return model

    def open(self) -> list[str]:
        return [model.info.path.stem for model in self.all if model.info and not model.closed]

    def utility(self, name: str) -> int:
        """How many utility requests went to models of this name."""
        mine = [model for model in self.all if model is self.newest.get(name)]
        return sum(request.purpose is Purpose.UTILITY for model in mine for request in model.requests)


@pytest.fixture
def models() -> Models:
    return Models()


@pytest.fixture
def folder(home: Path, no_starter: None) -> Path:
    """`auk` comes first and is the default."""
    return model_files(home / "models", "auk", "wren")


@pytest.fixture
async def munin(home: Path, folder: Path, models: Models) -> AsyncIterator[Munin]:
    """`wren` does the background work."""
    memory = MemoryService(home / "munin_memory.db", EncoderManifest("hash", home, 64), load_encoder=HashEmbedder)
    async with await Munin.start(make_model=models.make, memory=memory) as munin:
        await munin.load_model()
        await munin.change_settings(background_model=str(folder / "wren.gguf"))
        yield munin


async def say(munin: Munin, text: str = PERSONAL) -> str:
    chat = (await munin.controller.new_conversation()).id
    await munin.controller.send(chat, text)
    return chat


async def said(munin: Munin, text: str = PERSONAL) -> None:
    """Nothing of a turn fails because of the background work."""
    chat = await say(munin, text)
    await munin.controller.drain()
    reply = (await munin.chats.messages(chat))[-1]
    assert (reply.role, reply.status) == (Role.ASSISTANT, MessageStatus.COMPLETED)


async def test_second_model_is_loaded_when_it_is_needed_and_does_the_background_work_only(munin: Munin, models: Models) -> None:
    await said(munin, "Hello")
    assert models.made == ["auk"]
    await said(munin, f"{PERSONAL} and then I go for a swim in the cold lake behind our old house")
    assert models.open() == ["auk", "wren"]
    sessions = {request.session_id for request in models.newest["wren"].requests}
    assert sessions == {UTILITY_SESSION, titles.SESSION}
    assert models.asked("wren") == [] and models.utility("auk") == 0
    assert models.newest["wren"].settings.context_tokens == UTILITY_CONTEXT
    await munin.change_settings(background_model="")
    assert models.open() == ["auk"]
    await said(munin)
    assert models.utility("auk") == 1


@pytest.mark.parametrize("trouble", ["broken", "large", "gone"])
async def test_where_it_cannot_be_used_the_chat_model_does_its_work_and_that_is_said_once(
    munin: Munin, models: Models, folder: Path, trouble: str
) -> None:
    if trouble == "gone":
        (folder / "wren.gguf").unlink()
    else:
        getattr(models, trouble).add("wren")
    heard: list[object] = []
    munin.subscribe(heard.append)
    await said(munin)
    await said(munin)
    assert models.utility("auk") == 2 and models.made.count("wren") == (trouble != "gone")
    (notice,) = munin.notices
    assert notice.startswith("wren cannot do the background work, so the chat model does it.")
    assert heard


async def test_it_is_tried_again_after_the_chat_model_changed(munin: Munin, models: Models, folder: Path) -> None:
    models.large.add("wren")
    await said(munin)
    models.large.clear()
    await munin.load_model()
    model_files(folder / "more", "owl")
    await munin.use_model_file(str(folder / "more" / "owl.gguf"))
    await said(munin)
    assert models.open() == ["owl", "wren"] and models.utility("wren") == 1 and models.utility("owl") == 0


async def test_it_stands_still_while_a_reply_is_written(munin: Munin, models: Models) -> None:
    await said(munin)
    auk, wren = models.newest["auk"], models.newest["wren"]
    wren.pause()
    await say(munin)
    await wren.wait_until_standing()  # the second request of the background work
    assert len(wren.requests) == 2
    auk.pause()
    await say(munin)
    await auk.wait_until_standing()
    wren.resume()
    assert len(wren.requests) == 2
    auk.resume()
    await munin.controller.drain()
    assert len(wren.requests) == 4 and len({request.id for request in wren.requests}) == 4
    assert wren.requests[1].messages == wren.requests[2].messages


async def test_forgetting_reaches_it_and_what_it_was_doing(munin: Munin, models: Models) -> None:
    fact = (await munin.profile.add("Lives in Oslo")).fact
    await said(munin)
    auk, wren = models.newest["auk"], models.newest["wren"]
    wren.pause()
    await say(munin)
    await wren.wait_until_standing()
    auk.pause()
    await say(munin, "Hello")
    await auk.wait_until_standing()
    await munin.controller.utility.forget_session(UTILITY_SESSION)
    wren.resume()
    auk.resume()
    await munin.controller.drain()
    assert [request.session_id for request in wren.requests] == [UTILITY_SESSION] * 2  # what was interrupted is not begun again
    await munin.forgetting.forget_fact(fact.id)
    assert {UTILITY_SESSION, titles.SESSION} <= set(wren.forgotten) & set(auk.forgotten)


async def test_temporary_chat_leaves_nothing_in_it(munin: Munin, models: Models) -> None:
    await said(munin)
    chat = (await munin.controller.new_conversation(temporary=True)).id
    await munin.controller.close_temporary(chat)
    assert chat in models.newest["wren"].forgotten and chat in models.newest["auk"].forgotten


async def test_removed_model_leaves_its_work_to_the_chat_model(munin: Munin, models: Models, home: Path) -> None:
    await said(munin)
    await munin.remove_model("wren")
    assert models.open() == ["auk"] and load_settings(home / "settings.json").background_model == ""
    await said(munin)
    assert models.utility("auk") == 1 and munin.notices == []


async def test_model_that_cannot_be_removed_keeps_its_work(munin: Munin, models: Models, monkeypatch: pytest.MonkeyPatch) -> None:
    async def refuse(_: str) -> int:
        raise ModelError("wren could not be removed.")

    monkeypatch.setattr(munin.library, "remove", refuse)
    with pytest.raises(ModelError):
        await munin.remove_model("wren")
    await said(munin)
    assert models.utility("wren") == 1


async def test_one_file_is_in_memory_once(munin: Munin, models: Models, folder: Path) -> None:
    await said(munin)
    await munin.use_model_file(str(folder / "wren.gguf"))
    await said(munin)
    assert models.open() == ["wren"] and models.asked("wren") and models.utility("wren") == 1
    await munin.use_model_file(str(folder / "auk.gguf"))
    await said(munin)
    assert sorted(models.open()) == ["auk", "wren"]


async def test_it_makes_room_with_the_chat_model(munin: Munin, models: Models) -> None:
    await said(munin)
    async with munin.switch.set_aside("Busy."):
        await extract_with_model(munin.controller.utility, PERSONAL)
        assert models.open() == []
    await said(munin)
    assert models.open() == ["auk", "wren"]


async def test_what_it_was_doing_goes_on_after_it_was_released(munin: Munin, models: Models, folder: Path) -> None:
    await said(munin)
    wren = models.newest["wren"]
    wren.pause()
    await say(munin)
    await wren.wait_until_standing()
    await munin.change_settings(background_model="")
    await munin.controller.drain()
    assert wren.closed and models.utility("auk") == 1


async def test_closing_ends_it(home: Path, folder: Path, models: Models) -> None:
    munin = await Munin.start(make_model=models.make)
    await munin.load_model()
    await munin.change_settings(background_model=str(folder / "wren.gguf"))
    await said(munin)
    wren = models.newest["wren"]
    wren.pause()
    await say(munin)
    await wren.wait_until_standing()
    await asyncio.wait_for(munin.close(), 60)
    assert models.open() == []
