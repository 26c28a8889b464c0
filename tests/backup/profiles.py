"""Data folders of any size, made at once; and what is in one, as one hash."""

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path

import apsw

from munin_app.bootstrap import Munin
from munin_app.chat import rows
from munin_app.domain.facts import Fact, FactOrigin, FactStatus
from munin_app.domain.ids import new_id
from munin_app.domain.messages import Conversation, Message, Role
from munin_app.profile.document import Profile, Tombstone, encode

WORDS = ("harbour", "lantern", "granite", "violin", "orchard", "ledger", "saffron", "glacier", "compass", "meadow", "timber")
MINUTE, START = 60_000, 1_700_000_000_000


async def fill(munin: Munin, *, conversations: int, turns: int, label: str = "", remembered: int | None = None) -> list[str]:
    """Conversations of `turns` turns, each with a second branch of one turn. Returns the conversations' ids.

    `remembered`: in how many of them memory is on; None: in all."""
    ids: list[str] = []

    def insert(connection: apsw.Connection) -> None:
        for number in range(conversations):
            at = START + number * 10_000 * MINUTE
            persona = "coach" if number % 5 == 4 else "default"
            conversation = Conversation(new_id(), f"Chat {label}{number}", at, at, persona_id=persona)
            rows.insert_conversation(connection, conversation)
            ids.append(conversation.id)
            parent: str | None = None
            said: list[Message] = []
            for turn in range(turns + 1):
                last = turn == turns
                if last:
                    parent = said[-3].id if len(said) > 3 else None  # another branch
                for role in (Role.USER, Role.ASSISTANT):
                    text = sentence(number, turn, role, label)
                    message = Message(new_id(), conversation.id, parent, role, text, at + turn * MINUTE)
                    rows.insert_message(connection, message)
                    said.append(message)
                    parent = message.id
            connection.execute(
                "UPDATE conversation SET leaf_id = ?, updated_at = ? WHERE id = ?",
                (said[-3].id, said[-1].created_at, conversation.id),
            )
            connection.execute(
                "INSERT INTO prompt_part VALUES (?, ?, 'turn', 0, 'snippet', ?, ?, 1, 0.5, 1.0, 'words', '', NULL, 0, 0)",
                (conversation.id, said[2].id, said[0].id, said[0].text),
            )
            connection.execute(
                "INSERT INTO attachment VALUES (?, ?, ?, ?, 0, 'notes.md', 'markdown', 9, 0, 0, ?, ?)",
                (new_id(), new_id(), conversation.id, said[0].id, at, f"Attached: {said[1].text}"),
            )
        connection.execute("UPDATE message SET learned = 1")
        silent = [] if remembered is None else ids[remembered:]
        connection.executemany("UPDATE message SET memory = 'off' WHERE conversation_id = ?", [(one,) for one in silent])

    await munin.chats.database.write(insert)
    return ids


def sentence(conversation: int, turn: int, role: Role, label: str = "") -> str:
    seed = hashlib.sha256(f"{label}{conversation}/{turn}/{role}".encode()).digest()
    return f"{label}{conversation}.{turn} " + " ".join(WORDS[byte % len(WORDS)] for byte in seed[:8])


def fact(text: str, attribute: str = "note", *, value: str = "") -> Fact:
    return Fact(new_id(), text, attribute, value or text, FactStatus.ACTIVE, FactOrigin.EXTRACTED, 1, 1)


def write_profile(home: Path, facts: Sequence[Fact], stones: Sequence[Tombstone] = (), key: bytes = b"") -> None:
    home.mkdir(exist_ok=True)
    (home / "profile.json").write_bytes(encode(Profile(1, tuple(facts), tuple(stones))))
    if key:
        (home / "profile.key").write_bytes(key)


def content(home: Path) -> dict[str, object]:
    """Every row of munin.db, and the files."""
    connection = apsw.Connection(str(home / "munin.db"))
    try:
        tables = [
            str(row[0])
            for row in connection.execute(
                "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' ORDER BY name"
            )
            if not str(row[0]).startswith("sqlite_")
        ]
        found: dict[str, object] = {
            table: sorted(map(repr, connection.execute(f"SELECT * FROM {table}"))) for table in sorted(tables)
        }
    finally:
        connection.close()
    for name in ("profile.json", "settings.json"):
        found[name] = json.loads((home / name).read_text()) if (home / name).exists() else None
    found["profile.key"] = (home / "profile.key").read_bytes() if (home / "profile.key").exists() else b""
    return found


def content_hash(home: Path) -> str:
    return hashlib.sha256(repr(content(home)).encode()).hexdigest()
