"""An empty munin.db for imports."""

from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest

from munin_app.chat.conversations import ConversationRepository
from munin_app.chat.schema import MIGRATIONS
from munin_app.domain.messages import Conversation, Message
from munin_app.imports.importing import Imported, import_chats
from munin_app.imports.writing import Wish
from munin_app.storage.database import Database

Import = Callable[..., Awaitable[Imported]]


@pytest.fixture
async def chats(tmp_path: Path) -> AsyncIterator[ConversationRepository]:
    database = Database(tmp_path / "munin.db", MIGRATIONS)
    await database.open()
    yield ConversationRepository(database, database)
    await database.close()


@pytest.fixture
def bring(chats: ConversationRepository) -> Import:
    async def bring(file: Path, wish: Wish | None = None, **more: object) -> Imported:
        return await import_chats(chats, file, wish or Wish(), **more)  # type: ignore[arg-type]

    return bring


async def only(chats: ConversationRepository) -> Conversation:
    (conversation,) = await chats.list()
    return conversation


def texts(messages: tuple[Message, ...]) -> list[str]:
    return [message.text for message in messages]
