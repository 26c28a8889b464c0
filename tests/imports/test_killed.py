"""kill -9 during an import, ten times at random moments: no half chat, and importing again completes without doubling."""

import random
import subprocess
import sys
from pathlib import Path

from munin_app.chat import rows
from munin_app.chat.conversations import ConversationRepository
from munin_app.chat.schema import MIGRATIONS
from munin_app.imports.importing import import_chats
from munin_app.imports.writing import Wish
from munin_app.storage.database import Database
from tests.e2e.terminal import environment
from tests.imports.exports import as_json, chatgpt

IMPORTER = Path(__file__).parent / "importer.py"
CHATS, MESSAGES = 600, 5


async def test_killed_ten_times_while_importing(home: Path, tmp_path: Path) -> None:
    moments = random.Random(5)
    file = as_json(tmp_path, [chatgpt(f"c-{number}", title=f"Chat {number}") for number in range(CHATS)])
    before = 0
    for _ in range(10):
        acknowledged = _import_and_kill(home, file, before + moments.randint(1, 40), moments.random() / 50)
        sizes = await _sizes(home / "munin.db")
        assert set(sizes) == {MESSAGES} and len(sizes) >= max(acknowledged, before)
        before = len(sizes)
    assert 10 < before < CHATS
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


def _import_and_kill(home: Path, file: Path, chats: int, seconds: float) -> int:
    """Kills it that long after that many chats; what it had acknowledged."""
    acknowledged = 0
    with subprocess.Popen([sys.executable, IMPORTER, file], env=environment(home), stdout=subprocess.PIPE, text=True) as importer:
        assert importer.stdout
        for line in importer.stdout:
            acknowledged = int(line.split()[1])
            if acknowledged >= chats:
                break
        try:
            importer.wait(seconds)
        except subprocess.TimeoutExpired:
            importer.kill()
    return acknowledged
