"""ConversationRepository: munin.db, the truth about conversations, messages and what may be remembered of them.

Knows nothing of models or of memory. Temporary conversations live in a second database of the same schema that is never
on disk; ids decide which of the two is meant.
"""

import json
from collections.abc import Callable, Collection

import apsw

from munin_app.chat import copies, deleted, rows
from munin_app.chat import parts as part_rows
from munin_app.chat.tree import Tree
from munin_app.chat.tree import load as load_tree
from munin_app.chat.used import used_by
from munin_app.domain.events import Used
from munin_app.domain.ids import new_id, now_ms
from munin_app.domain.messages import DEFAULT_PERSONA, Conversation, MemoryState, Message, MessageStatus, Role
from munin_app.errors import NotFound
from munin_app.i18n import N_, _, translated
from munin_app.storage.database import Database

UNTITLED = N_("New chat")
INTERRUPTED = N_("Munin was closed while this reply was being written. What had arrived is kept; Retry writes it anew.")
_USABLE = (
    "JOIN conversation ON conversation.id = message.conversation_id "
    "WHERE message.memory IN ('pending', 'indexed') AND conversation.deleted_at IS NULL"
)


class ConversationRepository:
    def __init__(self, database: Database, temporary: Database) -> None:
        self.database = database
        self.temporary = temporary
        self._temporary_ids: set[str] = set()

    def store(self, conversation_id: str) -> Database:
        """The database that holds this conversation."""
        return self.temporary if conversation_id in self._temporary_ids else self.database

    # conversations

    async def create(self, *, memory_on: bool = True, temporary: bool = False, persona_id: str = DEFAULT_PERSONA) -> Conversation:
        now, on = now_ms(), memory_on and not temporary
        conversation = Conversation(
            new_id(), translated(UNTITLED), now, now, memory_on=on, temporary=temporary, persona_id=persona_id
        )
        if temporary:
            self._temporary_ids.add(conversation.id)
        await self.store(conversation.id).write(lambda connection: rows.insert_conversation(connection, conversation))
        return conversation

    async def get(self, conversation_id: str) -> Conversation:
        found = await self.store(conversation_id).read(lambda connection: _visible(connection, conversation_id))
        return self._marked(found)

    async def opened(self, conversation_id: str) -> tuple[Conversation, tuple[Message, ...], Tree]:
        """A conversation, its path and its branches, of one moment: between reads of their own, a change could fall."""
        found, path, tree = await self.store(conversation_id).read(
            lambda connection: (
                _visible(connection, conversation_id),
                rows.path(connection, conversation_id),
                load_tree(connection, conversation_id),
            )
        )
        return self._marked(found), path, tree

    def _marked(self, conversation: Conversation) -> Conversation:
        return rows.temporary(conversation) if conversation.id in self._temporary_ids else conversation

    async def list(self) -> tuple[Conversation, ...]:
        """Newest first; hidden and empty ones left out, archived ones not. `Shelf.page` gives some of them."""
        return await self.database.read(
            lambda connection: rows.conversations(
                connection, "WHERE deleted_at IS NULL AND leaf_id IS NOT NULL ORDER BY updated_at DESC, id DESC"
            )
        )

    async def empties(self) -> tuple[str, ...]:
        """Conversations in which nothing was said yet."""
        return await self.database.read(
            lambda connection: rows.column(connection, "SELECT id FROM conversation WHERE leaf_id IS NULL")
        )

    async def rename(self, conversation_id: str, title: str) -> None:
        """The user's own title: one line, at most 120 characters; an empty one is ignored."""
        if clean := " ".join(title.split())[:120]:
            await self._update(conversation_id, "title = ?, title_source = NULL", clean)

    async def propose_title(self, conversation_id: str, title: str, source_id: str) -> None:
        await self._update(conversation_id, "title = ?, title_source = ?", title, source_id)

    async def replace_title(self, conversation_id: str, title: str, source_id: str, old_source_id: str = "") -> bool:
        """Where the title is still the one that was proposed from that message, or from an older version of it: not the user's
        own, nor forgotten meanwhile."""

        def replace_(connection: apsw.Connection) -> bool:
            sql = "UPDATE conversation SET title = ?, title_source = ? WHERE id = ? AND title_source = ?"
            connection.execute(sql, (title, source_id, conversation_id, old_source_id or source_id))
            return connection.changes() > 0

        return await self.store(conversation_id).write(replace_)

    async def set_pinned(self, conversation_id: str, pinned: bool) -> None:
        await self._update(conversation_id, "pinned = ?", pinned)

    async def set_memory_on(self, conversation_id: str, memory_on: bool) -> None:
        await self._update(conversation_id, "memory_on = ?", memory_on)

    async def set_model(self, conversation_id: str, model_path: str) -> None:
        await self._update(conversation_id, "model_path = ?", model_path)

    async def hide(self, conversation_id: str) -> None:
        """Deleted, as far as anyone can see; `unhide` takes it back until it is erased."""
        await self._update(conversation_id, "deleted_at = ?", now_ms())

    async def unhide(self, conversation_id: str) -> None:
        await self._update(conversation_id, "deleted_at = ?", None)

    async def _update(self, conversation_id: str, assignments: str, *values: str | int | None) -> None:
        await self.store(conversation_id).write(
            lambda connection: connection.execute(
                f"UPDATE conversation SET {assignments} WHERE id = ?", (*values, conversation_id)
            )
        )

    async def hidden(self) -> tuple[str, ...]:
        return await self.database.read(
            lambda connection: rows.column(connection, "SELECT id FROM conversation WHERE deleted_at IS NOT NULL")
        )

    async def all_ids(self) -> tuple[str, ...]:
        return await self.database.read(lambda connection: rows.column(connection, "SELECT id FROM conversation"))

    async def erase(self, conversation_ids: Collection[str]) -> None:
        """Messages and prompt parts go with them. Copies stay in the log until `Database.erase_traces`."""
        bindings = [(one,) for one in conversation_ids]

        def delete(connection: apsw.Connection) -> None:
            connection.executemany("DELETE FROM conversation WHERE id = ?", bindings)

        def delete_kept(connection: apsw.Connection) -> None:
            rows.mark_stale(connection, conversation_ids)
            delete(connection)

        if temporary := self._temporary_ids & set(conversation_ids):
            self._temporary_ids -= temporary
            await self.temporary.write(delete)
        if len(temporary) < len(conversation_ids):
            await self.database.write(delete_kept)

    async def stale_sessions(self) -> tuple[str, ...]:
        """Conversations of which the model still holds, or saved, what was forgotten: an earlier process was killed."""
        return await self.database.read(lambda connection: rows.column(connection, "SELECT conversation_id FROM stale_session"))

    async def session_dropped(self, conversation_id: str) -> None:
        await self.database.write(
            lambda connection: connection.execute("DELETE FROM stale_session WHERE conversation_id = ?", (conversation_id,))
        )

    async def keep(self, conversation_id: str) -> None:
        """A temporary conversation becomes one like any other, with memory for what comes; what was said before stays out of
        memory (OFF). Not while a turn of it runs."""
        tables = await self.temporary.read(lambda connection: copies.read(connection, conversation_id))
        tables["conversation"] = [row | {"memory_on": 1} for row in tables["conversation"]]
        await self.database.write(lambda connection: copies.write(connection, tables))
        self._temporary_ids.discard(conversation_id)
        await self.temporary.write(
            lambda connection: connection.execute("DELETE FROM conversation WHERE id = ?", (conversation_id,))
        )

    async def window_start(self, conversation_id: str) -> str | None:
        """The message at which the prompt begins since the last compaction."""
        return await self.store(conversation_id).read(
            lambda connection: rows.text(connection, "SELECT window_start_id FROM conversation WHERE id = ?", (conversation_id,))
        )

    async def used_by(self, reply_id: str) -> Used:
        """What a reply was given beside the chat itself. Raises NotFound."""
        reply = await self.message(reply_id)
        return (await self.used_in(reply.conversation_id, [reply_id]))[reply_id]

    async def used_in(self, conversation_id: str, reply_ids: Collection[str]) -> dict[str, Used]:
        """The same for several replies of a conversation; those that are gone are left out."""
        return await self.store(conversation_id).read(lambda connection: _used_in(connection, conversation_id, reply_ids))

    async def counts(self) -> tuple[int, int]:
        """Conversations and messages, hidden and empty ones left out."""

        def count(connection: apsw.Connection) -> tuple[int, int]:
            shown = "SELECT id FROM conversation WHERE deleted_at IS NULL AND leaf_id IS NOT NULL"
            return (
                rows.scalar(connection, f"SELECT count(*) FROM ({shown})"),
                rows.scalar(
                    connection, f"SELECT count(*) FROM message WHERE status <> 'deleted' AND conversation_id IN ({shown})"
                ),
            )

        return await self.database.read(count)

    # messages

    async def append(
        self,
        conversation_id: str,
        role: Role,
        text: str,
        *,
        parent_id: str | None,
        memory: MemoryState,
        status: MessageStatus,
        also: Callable[[apsw.Connection, Message], None] = lambda connection, message: None,
    ) -> Message:
        """Adds a message under `parent_id` and makes it the leaf. When this returns, it is on disk, with what `also` does in the
        same transaction."""
        now = now_ms()
        message = Message(new_id(), conversation_id, parent_id, role, text, now, status, memory)

        def insert(connection: apsw.Connection) -> None:
            rows.insert_message(connection, message)
            also(connection, message)
            connection.execute(
                "UPDATE conversation SET leaf_id = ?, updated_at = ? WHERE id = ?", (message.id, now, conversation_id)
            )

        await self.store(conversation_id).write(insert)
        return message

    async def finish(
        self,
        reply: Message,
        text: str,
        status: MessageStatus,
        error: str = "",
        reasoning: str = "",
        reasoning_ms: int = 0,
        *,
        truncated: bool = False,
    ) -> Message:
        """What is known of a reply so far; its final state when `status` is not STREAMING."""
        await self.store(reply.conversation_id).write(
            lambda connection: connection.execute(
                "UPDATE message SET text = ?, status = ?, error = ?, reasoning = ?, reasoning_ms = ?, truncated = ? WHERE id = ?",
                (text, status, error, reasoning, reasoning_ms, truncated, reply.id),
            )
        )
        return await self.message(reply.id)

    async def message(self, message_id: str) -> Message:
        for database in (self.database, self.temporary):
            found = await database.read(lambda connection: rows.messages(connection, "WHERE id = ?", (message_id,)))
            if found:
                return found[0]
        raise NotFound(_("There is no message {message_id}. It may have been deleted.").format(message_id=message_id))

    async def known_messages(self, message_ids: Collection[str]) -> tuple[Message, ...]:
        """Those of the ids that still exist, oldest first."""
        return await self.database.read(lambda connection: rows.messages_by_id(connection, message_ids))

    async def messages(self, conversation_id: str) -> tuple[Message, ...]:
        """Every message of every branch, oldest first, blanked ones left out."""
        return await self.store(conversation_id).read(
            lambda connection: rows.messages(
                connection, "WHERE conversation_id = ? AND status <> 'deleted' ORDER BY id", (conversation_id,)
            )
        )

    async def path(self, conversation_id: str) -> tuple[Message, ...]:
        """From the first message to the leaf."""
        return await self.store(conversation_id).read(lambda connection: rows.path(connection, conversation_id))

    async def path_to(self, message: Message) -> tuple[Message, ...]:
        """From the first message to this one."""
        return await self.store(message.conversation_id).read(lambda connection: rows.ancestors(connection, message.id))

    async def tree(self, conversation_id: str) -> Tree:
        """Its branches."""
        return await self.store(conversation_id).read(lambda connection: load_tree(connection, conversation_id))

    async def set_bookmarked(self, message: Message, bookmarked: bool) -> None:
        at = now_ms() if bookmarked else None
        await self.store(message.conversation_id).write(
            lambda connection: connection.execute("UPDATE message SET bookmarked_at = ? WHERE id = ?", (at, message.id))
        )

    async def bookmarks(self) -> tuple[Message, ...]:
        """Newest bookmark first; those in hidden conversations left out."""
        return await self.database.read(
            lambda connection: rows.messages(
                connection,
                "WHERE bookmarked_at IS NOT NULL AND status <> 'deleted' AND conversation_id IN "
                "(SELECT id FROM conversation WHERE deleted_at IS NULL) ORDER BY bookmarked_at DESC, id DESC",
            )
        )

    async def originals(self, message_ids: Collection[str]) -> set[str]:
        """Ids of the messages that these are copies of, in duplicated conversations."""
        return await self.database.read(lambda connection: rows.originals(connection, message_ids))

    async def move_leaf(self, message: Message) -> None:
        await self._update(message.conversation_id, "leaf_id = ?", message.id)

    async def delete_messages(self, messages: Collection[Message]) -> set[str]:
        """See `deleted.erase`."""
        return await self.database.write(lambda connection: deleted.erase(connection, messages))

    async def interrupted(self) -> None:
        """At start-up: replies that a kill left unfinished or had not begun are marked failed; empty conversations go."""

        def settle(connection: apsw.Connection) -> None:
            connection.execute(
                "UPDATE message SET status = 'failed', error = ? WHERE status = 'streaming'", (translated(INTERRUPTED),)
            )
            connection.execute("DELETE FROM conversation WHERE leaf_id IS NULL")
            for unanswered in rows.messages(connection, "WHERE role = 'user' AND id IN (SELECT leaf_id FROM conversation)"):
                reply = _missing_reply(unanswered)
                rows.insert_message(connection, reply)
                connection.execute("UPDATE conversation SET leaf_id = ? WHERE id = ?", (reply.id, reply.conversation_id))

        await self.database.write(settle)

    # what memory may do with a message

    async def set_memory(self, message_ids: Collection[str], state: MemoryState) -> None:
        """PENDING or INDEXED. What is off, wiped or forgotten stays so."""

        def update(connection: apsw.Connection) -> None:
            connection.executemany(
                "UPDATE message SET memory = ? WHERE id = ? AND memory IN ('pending', 'indexed')",
                [(state, one) for one in message_ids],
            )

        await self.database.write(update)

    async def usable(self, message_ids: Collection[str]) -> set[str]:
        """Those that memory may hold, recall and learn from: they exist, are not off, wiped, forgotten or hidden."""

        def read(connection: apsw.Connection) -> set[str]:
            found = connection.execute(
                f"SELECT message.id FROM json_each(?) AS asked JOIN message ON message.id = asked.value {_USABLE}",
                (json.dumps(list(message_ids)),),
            )
            return {row[0] for row in found}

        return await self.database.read(read)

    async def all_usable(self) -> set[str]:
        return await self.database.read(
            lambda connection: {row[0] for row in connection.execute(f"SELECT message.id FROM message {_USABLE}")}
        )

    async def set_learned(self, message_id: str) -> None:
        await self.database.write(
            lambda connection: connection.execute("UPDATE message SET learned = 1 WHERE id = ?", (message_id,))
        )

    async def to_index(self) -> tuple[Message, ...]:
        """Finished messages that memory has not taken yet, oldest first."""
        return await self.database.read(
            lambda connection: rows.messages(
                connection, "WHERE memory = 'pending' AND text <> '' AND status NOT IN ('streaming', 'deleted') ORDER BY id"
            )
        )

    async def to_learn(self, before: int) -> tuple[Message, ...]:
        """The user's messages, older than `before` (Unix ms), in which facts were not sought yet; oldest first."""
        return await self.database.read(
            lambda connection: rows.messages(
                connection,
                "WHERE role = 'user' AND learned = 0 AND memory IN ('pending', 'indexed') AND status = 'completed' "
                "AND created_at < ? ORDER BY id",
                (before,),
            )
        )


def _visible(connection: apsw.Connection, conversation_id: str) -> Conversation:
    found = rows.conversations(connection, "WHERE id = ? AND deleted_at IS NULL", (conversation_id,))
    if not found:
        raise NotFound(
            _("There is no conversation {conversation_id}. It may have been deleted; `munin chat --new` starts another.").format(
                conversation_id=conversation_id
            )
        )
    return found[0]


def _used_in(connection: apsw.Connection, conversation_id: str, reply_ids: Collection[str]) -> dict[str, Used]:
    replies = rows.messages_by_id(connection, reply_ids)
    if not replies:
        return {}
    parts = part_rows.load(connection, conversation_id)
    sources = {part.source_id for reply in replies if reply.parent_id in parts for part in parts[reply.parent_id].turn}
    homes = {message.id: message.conversation_id for message in rows.messages_by_id(connection, sources)}
    line = rows.ancestors(connection, replies[-1].parent_id)  # most often the others' too, and a chat may be long
    places = {message.id: place for place, message in enumerate(line)}
    used = {}
    for reply in replies:
        place = places.get(reply.parent_id or "")
        above = rows.ancestors(connection, reply.parent_id) if place is None else line[: place + 1]
        used[reply.id] = used_by(reply, above, parts, homes) if above else Used()
    return used


def _missing_reply(user: Message) -> Message:
    """To a message that was saved and never answered: something to press Retry on."""
    memory = MemoryState.PENDING if user.memory is not MemoryState.OFF else MemoryState.OFF
    now = now_ms()
    return Message(
        new_id(), user.conversation_id, user.id, Role.ASSISTANT, "", now, MessageStatus.FAILED, memory, translated(INTERRUPTED)
    )
