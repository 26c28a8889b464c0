"""What a state is made on: Munin over a scripted model behind its gate, and one page of it. Knows neither a client nor its
absence."""

import asyncio
import os
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import flet as ft

from munin_app.bootstrap import Munin
from munin_app.config import Settings
from munin_app.domain.events import TurnFinished
from munin_app.domain.inference import ChatRequest, ModelInfo, Purpose
from munin_app.domain.messages import MemoryState, MessageStatus, Role
from munin_app.inference.scripted import ScriptedChatModel
from munin_app.memory import EncoderManifest, MemoryService
from munin_app.memory.hashing import HashEmbedder
from munin_app.ui.gate import Door, Gate
from munin_app.ui.session import PageSession

DAY_MS = 24 * 60 * 60 * 1000
CHAPTERS = (  # title, tags, days ago, the user's words, the reply
    ("Boat names from the sagas", ("boat",), 0, "Which names would fit a small wooden boat?", "Wren, Skua and Tern are short."),
    ("A weekend in Bergen", (), 0, "What is there to see in Bergen when it rains?", "The Hanseatic quarter has roofs."),
    ("Bread that keeps for a week", ("kitchen",), 1, "Why does rye bread keep longer?", "It holds more water."),
    (
        "Letter to the landlord",
        (),
        1,
        "Help me ask for a new window",
        "Dear Ms Lund, the window in the kitchen no longer closes.",
    ),
    ("Norwegian for the ferry", ("language",), 4, "How do I ask for a ticket?", "En billett, takk."),
    ("Why the tide comes twice", (), 5, "Why are there two tides a day?", "The moon pulls the near side most."),
)


class Model(ScriptedChatModel):
    """Says what it was told to say next, and something short after that."""

    def __init__(self) -> None:
        super().__init__(self._words)
        self.next_reply = ""

    def _words(self, request: ChatRequest) -> str:
        if request.purpose is Purpose.UTILITY:
            return ""
        reply, self.next_reply = self.next_reply or "All right.", ""
        return reply

    async def load(self) -> ModelInfo:
        self._info = replace(
            await super().load(),
            name="Qwen3 4B Instruct",
            quantisation="Q4_K_M",
            architecture="qwen3",
            memory_bytes=3_400_000_000,
        )
        return self._info


APPEARANCE = ("theme", "text_size", "density", "contrast", "motion", "language")


@dataclass
class Stage:
    gate: Gate
    model: Model
    door: Door

    @property
    def page(self) -> ft.Page:
        return self.door.page

    @property
    def munin(self) -> Munin:
        assert self.gate.munin
        return self.gate.munin

    @property
    def session(self) -> PageSession:
        """Another one after the page was locked."""
        assert self.door.state.session
        return self.door.state.session

    @property
    def is_dark(self) -> bool:
        """As the page is drawn."""
        return self.session.tokens.dark if self.door.state.session else self.door.state.tokens.dark

    async def answered(self) -> None:
        """The client has all that was sent to it."""
        await ft.SemanticsService().get_accessibility_features()

    async def until(self, condition: Callable[[], object], seconds: float = 60) -> None:
        async with asyncio.timeout(seconds):
            while not condition():  # noqa: ASYNC110  # a screen has no event for "now it shows this"
                await asyncio.sleep(0.01)

    async def clear(self) -> None:
        """A new chat, with nothing over it, and every mirror as it was."""
        self.gate.locked = self.gate._has_passphrase = False
        if self.door.state.session is None:
            await self.door.enter()
        await self.look(Settings())
        session, munin = self.session, self.munin
        self.model.resume()
        for conversation_id in munin.controller.running_conversations():
            await munin.controller.stop_and_wait(conversation_id)
        await munin.controller.drain()
        session.shell.close_dialog()
        await session.shell.end_snack()
        session.conversations.select(False)
        munin.notices.clear()
        session._mirror_model()
        session.model.downloading = False
        await session.chat.new()
        session.chat.state.refused = ""
        await session.shell.idle()
        for chip in session.attachments.state.chips:
            await session.attachments.remove(chip)
        session.chat.fill("")

    async def look(self, as_: Settings, language: str = "") -> None:
        """How it looks; `language`: one without sentences, to see how it is laid out."""
        before = os.environ.pop("MUNIN_LANGUAGE", "")
        if language:
            os.environ["MUNIN_LANGUAGE"] = language
        wished = {name: getattr(as_, name) for name in APPEARANCE}
        if before != language or any(getattr(self.munin.settings, name) != value for name, value in wished.items()):
            await self.munin.change_settings(**wished)
            await self.until(lambda: self.session.navigation.settings == self.munin.settings)

    async def ask(self, words: str, reply: str = "") -> None:
        """Sends it; the turn runs."""
        self.model.next_reply = reply
        self.session.chat.fill(words)
        await self.session.chat.send()

    async def say(self, words: str, reply: str = "") -> None:
        """Sends it, until the reply is there and all is remembered and learned."""
        ended = asyncio.Event()
        unsubscribe = self.munin.subscribe(lambda event: ended.set() if isinstance(event, TurnFinished) else None)
        await self.ask(words, reply)
        await asyncio.wait_for(ended.wait(), 60)
        unsubscribe()
        await self.munin.controller.drain()
        await self.until(
            lambda: self.session.chat.state.messages and not self.session.chat.state.busy
        )  # the page has heard of it

    async def open(self, title: str) -> None:
        """A chat of those that were there before."""
        found = [one for one in await self.munin.chats.list() if one.title == title]
        await self.session.chat.open(found[0].id)


Make = Callable[[Stage], Awaitable[None]]


@dataclass(frozen=True)
class Scene:
    name: str
    make: Make
    words: tuple[str, ...]
    """Must be on the page."""
    widths: tuple[str, ...]
    below: bool
    """One has to scroll to see them."""


class Scenes:
    """Those of one file: `@scenes.add("writing", "Writing")`."""

    def __init__(self) -> None:
        self.made: list[Scene] = []

    def add(
        self, name: str, *words: str, widths: tuple[str, ...] = ("wide", "phone"), below: bool = False
    ) -> Callable[[Make], Make]:
        def added(make: Make) -> Make:
            self.made.append(Scene(name, make, words, widths, below))
            return make

        return added


@asynccontextmanager
async def world(home: Path) -> AsyncIterator[tuple[Gate, Model]]:
    """Munin with nothing in it but a model."""
    model = Model()
    memory = MemoryService(home / "munin_memory.db", EncoderManifest("hash", home, 64, threshold=0.3), load_encoder=HashEmbedder)
    gate = Gate(lambda: Munin.start(make_model=lambda path, size: model, memory=memory))
    await gate.open()
    try:
        assert gate.munin
        await gate.munin.load_model()
        yield gate, model
    finally:
        await gate.close()


async def furnish(munin: Munin) -> None:
    """Chats of some days, with tags, one of them pinned and one archived."""
    for title, tags, days, words, reply in reversed(CHAPTERS):
        made = await munin.chats.create()
        said = await munin.chats.append(
            made.id, Role.USER, words, parent_id=None, memory=MemoryState.PENDING, status=MessageStatus.COMPLETED
        )
        await munin.controller.remember(said)
        await munin.chats.append(
            made.id, Role.ASSISTANT, reply, parent_id=said.id, memory=MemoryState.WIPED, status=MessageStatus.COMPLETED
        )
        await munin.chats.rename(made.id, title)
        if tags:
            await munin.shelf.tag([made.id], tags)
        await munin.chats.database.write(
            lambda connection, made=made, days=days: connection.execute(
                "UPDATE conversation SET updated_at = updated_at - ? WHERE id = ?", (days * DAY_MS, made.id)
            )
        )
    pinned, archived = (await munin.chats.list())[-1], (await munin.chats.list())[-2]
    await munin.chats.set_pinned(pinned.id, True)
    await munin.shelf.set_archived([archived.id], True)
