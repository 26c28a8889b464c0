"""Shelf: how conversations are kept in order: pages of the list, search, archive, tags, duplicates, drafts.

Over the same munin.db as the repository. Knows nothing of models or of memory.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

import apsw

from munin_app.chat import copies, rows
from munin_app.chat import search as finding
from munin_app.chat.conversations import ConversationRepository
from munin_app.domain.messages import Conversation

TAG_CHARACTERS = 40
SNIPPET_CHARACTERS = 400
COPY = " (copy)"
_LISTED = "deleted_at IS NULL AND leaf_id IS NOT NULL"


@dataclass(frozen=True, slots=True)
class Page:
    conversations: tuple[Conversation, ...]
    """Pinned ones first, each group newest first."""
    snippets: dict[str, str]
    """Conversation id to the beginning of its last message."""
    more: bool
    """The list goes on after these."""
    tags: tuple[str, ...]
    """All that are in use, the most used first."""
    archived: int
    """How many conversations are archived."""


class Shelf:
    def __init__(self, chats: ConversationRepository) -> None:
        self._chats = chats

    async def page(self, limit: int, *, archived: bool = False, tag: str = "") -> Page:
        """The first `limit` conversations of the list or of the archive; with a tag: of those that have it."""

        where, bindings = _where(archived, tag)

        def read(connection: apsw.Connection) -> Page:
            order = "ORDER BY pinned DESC, updated_at DESC, id DESC LIMIT ?"
            found = rows.conversations(connection, f"{where} {order}", (*bindings, limit + 1))
            beginning = f"SELECT substr(text, 1, {SNIPPET_CHARACTERS}) FROM message WHERE id = ?"
            last = {one.id: rows.text(connection, beginning, (one.leaf_id,)) for one in found}
            return Page(
                found[:limit],
                {identity: text or "" for identity, text in last.items()},
                len(found) > limit,
                rows.column(connection, "SELECT name FROM tag GROUP BY name ORDER BY count(*) DESC, name"),
                rows.scalar(connection, f"SELECT count(*) FROM conversation WHERE archived = 1 AND {_LISTED}"),
            )

        return await self._chats.database.read(read)

    async def titles(self) -> dict[str, str]:
        """Conversation id to title, of every conversation that is not hidden or empty, newest first."""
        sql = f"SELECT id, title FROM conversation WHERE {_LISTED} ORDER BY updated_at DESC, id DESC"
        return await self._chats.database.read(lambda connection: _pairs(connection, sql))

    async def ids(self, *, archived: bool = False, tag: str = "") -> tuple[str, ...]:
        """All of the list or the archive, for "Select all"."""
        where, bindings = _where(archived, tag)
        return await self._chats.database.read(
            lambda connection: rows.column(connection, f"SELECT id FROM conversation {where}", bindings)
        )

    async def search(self, query: str, limit: int = finding.LIMIT) -> tuple[Conversation, ...]:
        """Conversations whose title, tags or messages hold every word, newest first, archived ones too."""
        return await self._chats.database.read(lambda connection: finding.conversations(connection, query, limit))

    async def search_messages(self, query: str, limit: int = finding.LIMIT) -> tuple[finding.Found, ...]:
        """Messages that hold every word, newest first."""
        return await self._chats.database.read(lambda connection: finding.messages(connection, query, limit))

    async def set_archived(self, conversation_ids: Collection[str], archived: bool) -> None:
        bindings = [(archived, one) for one in conversation_ids]
        await self._chats.database.write(
            lambda connection: connection.executemany("UPDATE conversation SET archived = ? WHERE id = ?", bindings)
        )

    async def tag(self, conversation_ids: Collection[str], names: Iterable[str], *, instead: bool = False) -> None:
        """Adds tags, or puts them in place of those that are there: one line of at most 40 characters each, spelled as elsewhere
        where only the case differs."""

        def write(connection: apsw.Connection) -> None:
            spelled = {name.casefold(): name for (name,) in connection.execute("SELECT DISTINCT name FROM tag")}
            clean = [" ".join(name.split())[:TAG_CHARACTERS] for name in names]
            if instead:
                connection.executemany("DELETE FROM tag WHERE conversation_id = ?", [(one,) for one in conversation_ids])
            connection.executemany(
                "INSERT OR IGNORE INTO tag SELECT id, ? FROM conversation WHERE id = ?",
                [(spelled.setdefault(name.casefold(), name), one) for name in clean if name for one in conversation_ids],
            )

        await self._chats.database.write(write)

    async def duplicate(self, conversation_id: str) -> Conversation:
        """A copy of its own, to go on from. Raises NotFound."""
        original = await self._chats.get(conversation_id)
        title = original.title.removesuffix(COPY) + COPY
        copy = await self._chats.database.write(lambda connection: copies.duplicate(connection, conversation_id, title))
        return await self._chats.get(copy)

    async def drafts(self) -> dict[str, str]:
        """Conversation id to what was typed there and not sent; under "" that of the chat that is not begun yet."""
        sql = "SELECT conversation_id, text FROM draft"
        return await self._chats.database.read(lambda connection: _pairs(connection, sql))

    async def save_drafts(self, drafts: Sequence[tuple[str, str]]) -> None:
        """Pairs of conversation id and text. An empty text erases it; a conversation that is gone has none."""
        known = "SELECT ?1, ?2 WHERE ?2 <> '' AND (?1 = '' OR EXISTS (SELECT 1 FROM conversation WHERE id = ?1))"

        def write(connection: apsw.Connection) -> None:
            for conversation_id, text in drafts:
                connection.execute("DELETE FROM draft WHERE conversation_id = ?", (conversation_id,))
                connection.execute(f"INSERT INTO draft {known}", (conversation_id, text))

        await self._chats.database.write(write)


def _pairs(connection: apsw.Connection, sql: str) -> dict[str, str]:
    return {str(key): str(value) for key, value in connection.execute(sql)}


def _where(archived: bool, tag: str) -> tuple[str, tuple[str | bool, ...]]:
    """Of the conversations that are shown: a condition, and what is bound in it."""
    if tag:
        return f"WHERE archived = ? AND {_LISTED} AND id IN (SELECT conversation_id FROM tag WHERE name = ?)", (archived, tag)
    return f"WHERE archived = ? AND {_LISTED}", (archived,)
