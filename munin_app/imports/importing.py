"""Shows what is in an export, then imports all of it or what was chosen. Reading happens on a thread, writing on the store's."""

import asyncio
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from munin_app.chat.conversations import ConversationRepository
from munin_app.domain.ids import now_ms
from munin_app.errors import ChatImportError
from munin_app.i18n import _
from munin_app.imports import wording
from munin_app.imports.archive import documents
from munin_app.imports.elements import elements
from munin_app.imports.formats import format_of
from munin_app.imports.shaping import ShapedConversation, shaped
from munin_app.imports.source import Unreadable
from munin_app.imports.writing import Known, Wish, Written, known, known_chats, new_in, write

CONVERSATIONS_MAX = 100_000
BATCH_MESSAGES, BATCH_CHARACTERS = 200, 1_000_000
"""Read, and written, at once. Each transaction waits for the disk, and whoever else wants the store waits for the transaction."""
Report = Callable[[int], None]
"""Called on the loop with the number of conversations that are done."""


@dataclass(frozen=True, slots=True)
class Refused:
    """A conversation that cannot be taken."""

    title: str
    reason: str
    """A part of a sentence."""


@dataclass(frozen=True, slots=True)
class Unknown:
    """Entries beside the chats of a file that are none."""

    number: int


Read = ShapedConversation | Refused | Unknown


@dataclass(frozen=True, slots=True)
class FoundChat:
    mark: str
    """What it is chosen by."""
    app: str
    title: str
    created_at: int
    updated_at: int
    messages: int
    new: int
    """Messages that are not here yet."""
    here: bool
    """The chat is here already."""


@dataclass(slots=True)
class Preview:
    path: Path
    apps: tuple[str, ...] = ()
    chats: tuple[FoundChat, ...] = ()
    """Newest first."""
    refused: tuple[Refused, ...] = ()
    left_out: Mapping[str, int] = field(default_factory=dict)
    """A name in `wording` to how often."""

    @property
    def messages(self) -> int:
        return sum(chat.messages for chat in self.chats)

    @property
    def new_messages(self) -> int:
        return sum(chat.new for chat in self.chats)

    @property
    def here(self) -> int:
        """Chats of which nothing is new."""
        return sum(not chat.new for chat in self.chats)

    @property
    def days(self) -> tuple[int, int]:
        """When the first chat began and the last one ended, Unix ms."""
        return min(chat.created_at for chat in self.chats), max(chat.updated_at for chat in self.chats)


@dataclass(frozen=True, slots=True)
class Imported:
    chats: int = 0
    """That were not here before."""
    messages: int = 0
    extended: int = 0
    """Chats that were here and got more messages."""

    def with_one(self, written: Written) -> "Imported":
        return replace(
            self,
            chats=self.chats + written.new,
            messages=self.messages + written.messages,
            extended=self.extended + (not written.new and written.messages > 0),
        )


async def preview(chats: ConversationRepository, path: Path) -> Preview:
    """Reads the whole file and writes nothing. Raises ChatImportError where it is no export of an app that is known."""
    found = Preview(path)
    listed: dict[str, FoundChat] = {}
    refused: list[Refused] = []
    left_out: Counter[str] = Counter()
    here = await chats.database.read(known_chats)
    stream = _batches(found.path)
    while (batch := await asyncio.to_thread(next, stream, None)) is not None:
        refused += [one for one in batch if isinstance(one, Refused)]
        left_out[wording.UNKNOWN] += sum(one.number for one in batch if isinstance(one, Unknown))
        read = [one for one in batch if isinstance(one, ShapedConversation)]
        for one in read:
            left_out.update(one.left_out)
        left_out[wording.EMPTY] += sum(not one.messages for one in read)
        said = [one for one in read if one.messages]
        for one, earlier in zip(said, await _before(chats, [here.get(one.mark) for one in said]), strict=True):
            chat = _found(one, new_in(one, earlier), earlier is not None)
            twin = listed.get(one.mark)
            if twin is None or twin.messages < chat.messages:  # a file may hold one chat twice
                listed[one.mark] = chat
    if not listed and not refused:
        raise ChatImportError(_no_chats(found.path, bool(left_out[wording.EMPTY])))
    found.chats = tuple(sorted(listed.values(), key=lambda chat: chat.updated_at, reverse=True))
    found.apps = tuple(dict.fromkeys(chat.app for chat in found.chats))
    found.refused, found.left_out = tuple(refused), +left_out
    return found


async def _before(chats: ConversationRepository, identities: Sequence[str | None]) -> list[Known | None]:
    return await chats.database.read(lambda connection: [known(connection, one) for one in identities])


async def import_chats(
    chats: ConversationRepository,
    path: Path,
    wish: Wish,
    marks: Collection[str] | None = None,
    report: Report = lambda done: None,
) -> Imported:
    """Every conversation of the file, or those with one of the `marks`. Each is there whole or not at all, also when this is
    cancelled. Raises ChatImportError and StorageError; what was written before stays, and is not doubled by another try."""
    imported, done = Imported(), 0
    here = await chats.database.read(known_chats)
    stream = _batches(path)
    while (read := await asyncio.to_thread(next, stream, None)) is not None:
        batch = [
            one for one in read if isinstance(one, ShapedConversation) and one.messages and (marks is None or one.mark in marks)
        ]
        if not batch:
            continue
        writing = asyncio.ensure_future(
            chats.database.write(
                lambda connection, batch=batch: [write(connection, one, wish, here) for one in batch]  # type: ignore[misc]
            )
        )
        done += len(batch)
        try:
            written = await asyncio.shield(writing)
        except asyncio.CancelledError:  # the transaction is not undone by it
            await writing
            report(done)
            raise
        for one in written:
            imported = imported.with_one(one)
        report(done)
    return imported


def _batches(path: Path) -> Iterator[list[Read]]:
    """Of so much that one thread reads it in a moment and one transaction writes it. What comes before a place at which the
    file is damaged is given first."""
    batch: list[Read] = []
    messages = characters = 0
    try:
        for one in _conversations(path):
            batch.append(one)
            messages += 1
            if isinstance(one, ShapedConversation):
                messages += len(one.messages)
                characters += sum(len(message.text) + len(message.reasoning) for message in one.messages)
            if messages >= BATCH_MESSAGES or characters >= BATCH_CHARACTERS:
                yield batch
                batch, messages, characters = [], 0, 0
    except ChatImportError:
        if batch:
            yield batch
        raise
    if batch:
        yield batch


def _conversations(path: Path) -> Iterator[Read]:
    now, number = now_ms(), 0
    with documents(path) as found:
        for document in found:
            unknown, recognised = 0, False
            with document.open() as file:
                for value in elements(file, document.name):
                    form = format_of(value)
                    if form is None or not isinstance(value, dict):
                        unknown += 1
                        continue
                    recognised, number = True, number + 1
                    if number > CONVERSATIONS_MAX:
                        raise ChatImportError(
                            _("{name} holds more than {n} chats. Split it, then import the parts.").format(
                                name=path.name, n=CONVERSATIONS_MAX
                            )
                        )
                    source = form.read(value)
                    try:
                        yield shaped(source, now)
                    except Unreadable as error:
                        yield Refused(" ".join(source.title.split())[:80], str(error))
            if recognised and unknown:  # a file without any chat is another part of the export
                yield Unknown(unknown)


def _found(one: ShapedConversation, new: int, here: bool) -> FoundChat:
    title = one.title or " ".join(one.messages[0].text.split())[:48]
    return FoundChat(one.mark, one.app, title, one.created_at, one.updated_at, len(one.messages), new, here)


def _no_chats(path: Path, empty: bool) -> str:
    if empty:
        return _("{name} holds chats, but nothing was said in them. Nothing was imported.").format(name=path.name)
    return _(
        "{name} holds no chats of ChatGPT, Claude, Open WebUI, LM Studio or PocketPal. Give the export as the app made it; "
        "nothing was imported."
    ).format(name=path.name)
