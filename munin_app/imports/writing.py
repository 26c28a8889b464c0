"""One conversation into munin.db, or what is new of it. On the store's own thread, in one transaction: whole or not at all."""

from collections.abc import Iterator
from dataclasses import dataclass

import apsw

from munin_app.chat import rows
from munin_app.chat.titles import proposed_title
from munin_app.domain.messages import Conversation, MemoryState, Message, MessageStatus, Role
from munin_app.i18n import _
from munin_app.imports.shaping import ShapedConversation, ShapedMessage, made_id, mark, mark_of, time_of

UNANSWERED = "unanswered"


@dataclass(frozen=True, slots=True)
class Known:
    """What of a conversation is here already."""

    id: str
    messages: dict[str, str]
    """Mark to id, blanked ones too: what was deleted here stays deleted."""


@dataclass(frozen=True, slots=True)
class Wish:
    """What is to become of imported messages besides."""

    remember: bool = False
    facts: bool = False
    """To be sought in what the user said, as candidates. Only of what is remembered."""


@dataclass(frozen=True, slots=True)
class Written:
    new: bool
    messages: int
    """Added now."""


def known_chats(connection: apsw.Connection) -> dict[str, str]:
    """Mark to id of every conversation. Read once for an import: by its mark none can be looked up quickly."""
    return {mark_of(one): one for one in rows.column(connection, "SELECT id FROM conversation")}


def known(connection: apsw.Connection, identity: str | None) -> Known | None:
    """Of the conversation with that id. None: it is not here, or not any more."""
    if identity is None or rows.text(connection, "SELECT id FROM conversation WHERE id = ?", (identity,)) is None:
        return None
    found = rows.column(connection, "SELECT id FROM message WHERE conversation_id = ?", (identity,))
    return Known(identity, {mark_of(one): one for one in found})


def new_in(conversation: ShapedConversation, here: Known | None) -> int:
    """How many of its messages are not here."""
    return sum(here is None or message.mark not in here.messages for message in conversation.messages)


def write(connection: apsw.Connection, conversation: ShapedConversation, wish: Wish, chats: dict[str, str]) -> Written:
    """The conversation must have messages. `chats`: as by `known_chats`; it is added there. Another import may have
    brought the conversation since."""
    here = known(connection, chats.get(conversation.mark)) or known(connection, _made_id(conversation))
    identity = here.id if here else _insert_conversation(connection, conversation)
    chats[conversation.mark] = identity
    ids = dict(here.messages) if here else {}
    added = 0
    for message in conversation.messages:
        if message.mark not in ids:
            ids[message.mark] = _insert_message(connection, identity, message, ids)
            added += 1
    if here is None:  # whoever forgets the beginning of a chat drops its title, whoever made it
        connection.execute(
            "UPDATE conversation SET title_source = ? WHERE id = ?", (ids[conversation.messages[0].mark], identity)
        )
    if added:
        _move_leaf(connection, identity, ids[conversation.leaf])
    connection.execute(
        "UPDATE conversation SET updated_at = max(updated_at, ?1), deleted_at = NULL "
        "WHERE id = ?2 AND (updated_at < ?1 OR deleted_at IS NOT NULL)",
        (conversation.updated_at, identity),
    )
    if wish.remember:
        connection.execute("UPDATE conversation SET memory_on = 1 WHERE id = ?", (identity,))
        _ask_to_remember(connection, [ids[message.mark] for message in conversation.messages], wish)
    return Written(here is None, added)


def _made_id(conversation: ShapedConversation) -> str:
    return made_id(conversation.created_at, conversation.mark)


def _insert_conversation(connection: apsw.Connection, conversation: ShapedConversation) -> str:
    identity = _made_id(conversation)
    first = conversation.messages[0].text
    title = conversation.title or proposed_title(first) or _("New chat")
    rows.insert_conversation(
        connection, Conversation(identity, title, conversation.created_at, conversation.updated_at, memory_on=False)
    )
    connection.execute("UPDATE conversation SET archived = ? WHERE id = ?", (conversation.archived, identity))
    return identity


def _insert_message(connection: apsw.Connection, conversation_id: str, message: ShapedMessage, ids: dict[str, str]) -> str:
    """Outside of memory, and marked as read for facts: what imports ask for is kept in a queue of its own."""
    parent_id = ids[message.parent] if message.parent else None
    time = max(message.created_at, time_of(parent_id) + 1 if parent_id else 0)
    status = MessageStatus.COMPLETED if message.text else MessageStatus.STOPPED
    row = Message(
        made_id(time, message.mark),
        conversation_id,
        parent_id,
        message.role,
        message.text,
        message.created_at,
        status,
        MemoryState.OFF,
        reasoning=message.reasoning,
    )
    rows.insert_message(connection, row)
    connection.execute("UPDATE message SET learned = 1 WHERE id = ?", (row.id,))
    return row.id


def _move_leaf(connection: apsw.Connection, conversation_id: str, leaf_id: str) -> None:
    """Where the chat was not gone on with here: else its end is what was said here last."""
    present = rows.text(connection, "SELECT leaf_id FROM conversation WHERE id = ?", (conversation_id,))
    found = connection.execute("SELECT id, parent_id FROM message WHERE conversation_id = ?", (conversation_id,))
    parents: dict[str, str | None] = {str(identity): parent for identity, parent in found}
    if present:
        above = parents.get(present)
        end = above if above and mark_of(present) == _stand_in(above) else present
        if end not in _up(parents, leaf_id):
            return
    (leaf,) = rows.messages(connection, "WHERE id = ?", (leaf_id,))
    if leaf.role is Role.USER:
        leaf_id = _insert_stand_in(connection, leaf)
    connection.execute("UPDATE conversation SET leaf_id = ? WHERE id = ?", (leaf_id, conversation_id))


def _up(parents: dict[str, str | None], leaf_id: str) -> Iterator[str]:
    one: str | None = leaf_id
    while one:
        yield one
        one = parents.get(one)


def _stand_in(question_id: str) -> str:
    return mark(UNANSWERED, mark_of(question_id))


def _insert_stand_in(connection: apsw.Connection, question: Message) -> str:
    """A reply that there is none, to press Retry on: every shown path ends in a reply."""
    identity = made_id(time_of(question.id) + 1, _stand_in(question.id))
    error = _("There was no reply to this yet when the chat was exported. Retry writes one.")
    if not rows.messages(connection, "WHERE id = ?", (identity,)):
        rows.insert_message(
            connection,
            Message(
                identity,
                question.conversation_id,
                question.id,
                Role.ASSISTANT,
                "",
                question.created_at + 1,
                MessageStatus.FAILED,
                MemoryState.OFF,
                error,
            ),
        )
    return identity


def _ask_to_remember(connection: apsw.Connection, message_ids: list[str], wish: Wish) -> None:
    """What memory has already is asked for again only to find facts in it; what was forgotten stays so."""
    states = "('off', 'pending', 'indexed')" if wish.facts else "('off')"
    connection.executemany(
        "INSERT INTO import_queue (message_id, facts) SELECT id, ?1 AND role = 'user' FROM message "
        f"WHERE id = ?2 AND text <> '' AND memory IN {states} "
        "ON CONFLICT DO UPDATE SET facts = max(facts, excluded.facts), done = 0",
        [(wish.facts, one) for one in message_ids],
    )
