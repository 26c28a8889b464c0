"""Where a forgotten thing has left traces in munin.db: parts of prompts, titles, replies that repeat it.

Every function runs on the store's own thread, inside one transaction.
"""

import json
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

import apsw

from munin_app.chat import rows
from munin_app.chat.attached.rows import contents_of
from munin_app.chat.deleted import end_offers
from munin_app.domain.facts import Fact
from munin_app.domain.messages import MemoryState, Message


@dataclass(slots=True)
class Trace:
    """What holds a forgotten thing: messages to leave alone from now on, conversations whose prompts change."""

    sources: tuple[Message, ...]
    replies: list[Message] = field(default_factory=list)
    """That repeat it; and copies of what holds it, in duplicated conversations."""
    conversations: set[str] = field(default_factory=set)

    @property
    def message_ids(self) -> set[str]:
        return {message.id for message in (*self.sources, *self.replies)}


def forget_facts(connection: apsw.Connection, facts: Sequence[Fact], sources: tuple[Message, ...]) -> Trace:
    """Parts and replies that hold one of the facts, and everything made from its source messages."""
    told = {reply.id: reply for reply in _told_replies(connection, facts, sources)}
    trace = forget_messages(connection, (*sources, *told.values()))
    trace.conversations |= rows.delete_parts_of(connection, [fact.id for fact in facts])
    rows.drop_summaries(connection, trace.conversations)
    trace.sources, trace.replies = sources, [*told.values(), *trace.replies]
    return trace


def _told_replies(connection: apsw.Connection, facts: Sequence[Fact], sources: Sequence[Message]) -> list[Message]:
    """Replies that say the value of a fact, in conversations where the model had it: from the prompt, or from the source."""
    given = json.dumps([*(fact.id for fact in facts), *(message.id for message in sources)])
    found = rows.messages(
        connection,
        "WHERE role = 'assistant' AND (conversation_id IN (SELECT conversation_id FROM prompt_part, json_each(?) AS given "
        "WHERE source_id = given.value) OR conversation_id IN (SELECT conversation_id FROM message, json_each(?) AS given "
        "WHERE message.id = given.value))",
        (given, given),
    )
    values = [fact.value or fact.text for fact in facts]
    return [reply for reply in found if any(says(reply.text, value) for value in values)]


def says(text: str, value: str) -> bool:
    """Whether every word of the value stands in the text; case is folded. Scripts without spaces: as a substring."""
    words, folded = re.findall(r"\w+", value.casefold()), text.casefold()
    return bool(words) and all(
        re.search(rf"(?<!\w){re.escape(word)}(?!\w)", folded) or (not word.isascii() and word in folded) for word in words
    )


def forget_messages(connection: apsw.Connection, messages: Sequence[Message]) -> Trace:
    """Marks the messages, their copies, and replies that were given one as a snippet and repeat it; drops parts and titles."""
    trace = Trace(tuple(messages), conversations=end_offers(connection))
    pending = list(messages)
    seen = {message.id for message in messages}
    while pending:
        message = pending.pop()
        for reply in (*_repeating_replies(connection, message), *rows.copies_of(connection, [message.id])):
            if reply.id not in seen:
                seen.add(reply.id)
                trace.replies.append(reply)
                pending.append(reply)
        made_from = {message.id, *contents_of(connection, [message.id])}
        trace.conversations |= {message.conversation_id} | rows.delete_parts_of(connection, made_from)
    connection.executemany("UPDATE message SET memory = 'forgotten' WHERE id = ?", [(one,) for one in seen])
    rows.drop_summaries(connection, trace.conversations)
    rows.mark_stale(connection, trace.conversations)
    rows.drop_titles_of(connection, seen)
    return trace


def _repeating_replies(connection: apsw.Connection, message: Message) -> tuple[Message, ...]:
    """Replies to turns that were given this message, themselves or as a snippet, and share most of its rarer words."""
    found = rows.messages(
        connection,
        "WHERE role = 'assistant' AND (parent_id = ? OR parent_id IN (SELECT turn_id FROM prompt_part WHERE source_id = ?))",
        (message.id, message.id),
    )
    words = {word for word in re.findall(r"\w+", message.text.casefold()) if len(word) > 3}
    return tuple(reply for reply in found if _overlap(words, reply.text) >= 0.5)


def _overlap(words: Collection[str], text: str) -> float:
    said = set(re.findall(r"\w+", text.casefold()))
    return sum(word in said for word in words) / len(words) if words else 0.0


def forget_index(connection: apsw.Connection) -> set[str]:
    """All that was indexed is forgotten for good: a rebuild of the index must not bring it back."""
    touched = end_offers(connection)
    connection.execute("DELETE FROM import_queue")
    connection.execute("UPDATE message SET memory = ? WHERE memory IN ('pending', 'indexed')", (MemoryState.WIPED,))
    touched |= {*rows.column(connection, "DELETE FROM prompt_part WHERE kind = 'snippet' RETURNING conversation_id")}
    rows.mark_stale(connection, touched)
    return touched
