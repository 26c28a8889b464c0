"""Attachments: the texts of files in munin.db, and their passages in memory's index, kept in step with each other.

munin.db is the truth: what is attached to a message that is deleted or forgotten leaves the index, and an index that was lost is
made again. A temporary chat has both in memory only.
"""

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from typing import Any

import apsw

from munin_app.chat import rows as chat_rows
from munin_app.chat.attached import rows
from munin_app.chat.attached.files import FILES_MAX
from munin_app.chat.attached.passages import Passage, passages
from munin_app.chat.conversations import ConversationRepository
from munin_app.domain.attachments import Attachment, FileKind, ReadFile
from munin_app.domain.ids import new_id, now_ms
from munin_app.errors import AttachmentRefused, NotFound
from munin_app.i18n import _
from munin_app.memory import MemoryService
from munin_app.memory.passages import PassageMemory
from munin_app.storage.database import Database

InBackground = Callable[[Coroutine[Any, Any, None]], asyncio.Task[None]]


class Attachments:
    def __init__(self, chats: ConversationRepository, memory: MemoryService, in_background: InBackground) -> None:
        self._chats = chats
        self._memory = memory
        self._in_background = in_background
        self._indexing: dict[str, asyncio.Task[None]] = {}
        """By content id; what has failed is tried again when it is asked for."""
        self._indexed: set[tuple[PassageMemory, str]] = set()

    # in munin.db

    async def add(self, conversation_id: str, file: ReadFile) -> Attachment:
        """Into the composer of that chat (empty: of the one that is not begun yet). It is indexed in the background.
        Raises AttachmentRefused when there are too many, NotFound or StorageError."""
        attachment = Attachment(
            new_id(), new_id(), conversation_id, "", file.name, file.kind, file.size, file.pages, file.cut, now_ms()
        )

        def insert(connection: apsw.Connection) -> bool:
            if conversation_id and not chat_rows.conversations(connection, "WHERE id = ?", (conversation_id,)):
                raise NotFound(_("This chat was deleted meanwhile, so nothing was attached."))
            if len(rows.in_composer(connection, conversation_id)) >= FILES_MAX:
                return False
            rows.insert(connection, attachment, file)
            return True

        if not await self._chats.store(conversation_id).write(insert):
            raise AttachmentRefused(
                _("{count} files are attached already, as many as one message takes. Send these first.").format(count=FILES_MAX)
            )
        self.index(attachment)
        return attachment

    async def remove(self, attachment: Attachment) -> None:
        """From the composer; what was sent with a message stays until that is deleted. Raises StorageError."""
        store = self._chats.store(attachment.conversation_id)
        await store.erase_copies()  # first, as whatever forgets
        await store.write(
            lambda connection: connection.execute("DELETE FROM attachment WHERE id = ? AND message_id IS NULL", (attachment.id,))
        )
        await store.erase_traces()
        await self.sweep()

    async def in_composer(self, conversation_id: str) -> tuple[Attachment, ...]:
        return await self._chats.store(conversation_id).read(lambda connection: rows.in_composer(connection, conversation_id))

    async def of(self, conversation_id: str) -> dict[str, tuple[Attachment, ...]]:
        """By the message that they were sent with."""
        return await self._chats.store(conversation_id).read(lambda connection: rows.by_message(connection, conversation_id))

    async def text(self, attachment: Attachment) -> str:
        """What was read of the file. Raises NotFound."""
        found = await self._chats.store(attachment.conversation_id).read(lambda connection: rows.text(connection, attachment.id))
        if found is None:
            raise NotFound(_("{name} is no longer attached.").format(name=attachment.name))
        return found

    # in the index

    def passages_of(self, attachment: Attachment) -> PassageMemory:
        return self._memory.passages if self._on_disk(attachment) else self._memory.private_passages

    def index(self, attachment: Attachment) -> asyncio.Task[None]:
        """Under way already, or begun now."""
        content_id = attachment.content_id
        task = self._indexing.get(content_id)
        if task is None:
            task = self._indexing[content_id] = self._in_background(self._index(attachment))
            task.add_done_callback(lambda done: self._indexing.pop(content_id, None))
        return task

    async def ready(self, attachments: Sequence[Attachment], seconds: float) -> None:
        """Until these can be found by their words; by their meaning too, where that takes no longer than so long."""
        missing = [self.index(one) for one in attachments if (self.passages_of(one), one.content_id) not in self._indexed]
        if missing:
            await asyncio.wait(missing)
        for one in attachments[:1]:
            await self.passages_of(one).ready(seconds)

    async def _index(self, attachment: Attachment) -> None:
        store, index = self._chats.store(attachment.conversation_id), self.passages_of(attachment)
        content_id = attachment.content_id

        async def wanted() -> bool:
            return content_id in await store.read(_usable)

        try:
            texts = [one.text for one in await self.cut(attachment)]
        except NotFound:  # removed meanwhile
            return
        if await index.remember(content_id, attachment.created_at, texts, wanted):
            self._indexed.add((index, content_id))

    async def cut(self, attachment: Attachment) -> tuple[Passage, ...]:
        """Its passages. Raises NotFound."""
        text = await self.text(attachment)
        return await asyncio.to_thread(passages, text, paged=attachment.kind is FileKind.PDF)

    async def sweep(self) -> list[str]:
        """Nothing stays in an index of what may not be searched. What could not be done, in sentences."""
        failures: list[str] = []
        for store, index in self._both():
            known = await index.known()  # first: what is attached meanwhile is no stray
            usable = await store.read(_usable)
            if stray := [one for one in known if one not in usable]:
                self._indexed -= {(index, one) for one in stray}
                failures += (await index.forget(stray)).failures
        return failures

    async def catch_up(self) -> None:
        """What an earlier run left undone, or an index that was thrown away."""
        await self.sweep()
        index = self._memory.passages
        self._indexed |= {(index, content_id) for content_id, whole in (await index.known()).items() if whole}
        contents: dict[str, Attachment] = {}
        for one in await self._chats.database.read(lambda connection: rows.attachments(connection, "true")):
            contents.setdefault(one.content_id, one)
        usable = await self._chats.database.read(_usable)
        for content_id, attachment in contents.items():
            if content_id in usable and (index, content_id) not in self._indexed:
                await asyncio.wait([self.index(attachment)])

    def index_wiped(self) -> None:
        """Everything was forgotten in memory: what is still attached is taken in again where it is asked for."""
        self._indexed.clear()

    def _on_disk(self, attachment: Attachment) -> bool:
        return self._chats.store(attachment.conversation_id) is self._chats.database

    def _both(self) -> tuple[tuple[Database, PassageMemory], ...]:
        return (
            (self._chats.database, self._memory.passages),
            (self._chats.temporary, self._memory.private_passages),
        )


def _usable(connection: apsw.Connection) -> set[str]:
    return set(chat_rows.column(connection, rows.USABLE))
