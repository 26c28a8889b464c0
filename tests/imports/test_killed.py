"""kill -9 during an import: no half chat, and importing again completes without doubling."""

import random
import shutil
from pathlib import Path

import pytest

from munin_app.chat import rows
from munin_app.chat.conversations import ConversationRepository
from munin_app.chat.schema import MIGRATIONS
from munin_app.imports.importing import import_chats
from munin_app.imports.writing import Wish
from munin_app.storage.database import Database
from tests.e2e.killing import SHARE, killed
from tests.e2e.terminal import environment
from tests.imports.exports import as_json, chatgpt

IMPORTER = Path(__file__).parent / "importer.py"
CHATS, MESSAGES = 600, 5
AT_ONCE = 4
"""Chats that the importer writes in one transaction."""

pytestmark = pytest.mark.slow


async def test_killed_while_importing(home: Path, tmp_path: Path) -> None:
    moments, before = random.Random(5), 0
    file = as_json(tmp_path, [chatgpt(f"c-{number}", title=f"Chat {number}") for number in range(CHATS)])
    for _ in range(SHARE):
        if before > CHATS // 2:  # else it would be done before it is killed
            await _complete(home, file, before)
            shutil.rmtree(home)
            before = 0
        lines, acknowledged = range(before // AT_ONCE + 1, before // AT_ONCE + 11), 0
        for line in killed(IMPORTER, file, moments=moments, lines=lines, seconds=0.02, environment=environment(home)):
            acknowledged = int(line.split()[1])
        sizes = await _sizes(home / "munin.db")
        assert set(sizes) == {MESSAGES} and len(sizes) >= max(acknowledged, before)
        before = len(sizes)
    await _complete(home, file, before)


async def _complete(home: Path, file: Path, before: int) -> None:
    database = Database(home / "munin.db", MIGRATIONS)
    await database.open()
    chats = ConversationRepository(database, database)
    assert (await import_chats(chats, file, Wish(remember=True))).chats == CHATS - before
    assert await chats.counts() == (CHATS, CHATS * MESSAGES)
    waiting = await database.read(lambda connection: rows.scalar(connection, "SELECT count(*) FROM import_queue"))
    assert waiting == CHATS * MESSAGES
    await database.close()


async def _sizes(path: Path) -> list[int]:
    """How many messages each chat has; each has its end."""
    database = Database(path, MIGRATIONS)
    await database.open()
    assert await database.read(lambda connection: connection.pragma("integrity_check")) == "ok"
    sql = "SELECT count(*) FROM message GROUP BY conversation_id"
    sizes = [int(size) for size in await database.read(lambda connection: rows.column(connection, sql))]
    ends = "SELECT count(*) FROM conversation JOIN message ON message.id = leaf_id"
    assert await database.read(lambda connection: rows.scalar(connection, ends)) == len(sizes)
    await database.close()
    return sizes
