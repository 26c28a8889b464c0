"""Forgetting: deleting and forgetting across every store, in an order that a kill at any moment cannot undo.

munin.db, the truth, changes first; then the index; then the model's tokens; the fact itself last, so that what is still
shown to the user as remembered is the thing that is still there. Chat messages stay unless the user deletes them too.
"""

import logging
import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field

import apsw

from munin_app.chat import rows
from munin_app.chat.controller import ChatController
from munin_app.domain.events import ConversationChanged, Forgotten
from munin_app.domain.facts import Fact, LearnedFact
from munin_app.domain.memories import ForgetReport
from munin_app.domain.messages import MemoryState, Message, Role
from munin_app.errors import MuninError
from munin_app.profile.extraction import UTILITY_SESSION

log = logging.getLogger(__name__)


@dataclass(slots=True)
class _Trace:
    """What holds a forgotten thing: messages to leave alone from now on, conversations whose prompts change."""

    sources: tuple[Message, ...]
    replies: list[Message] = field(default_factory=list)
    conversations: set[str] = field(default_factory=set)

    @property
    def message_ids(self) -> set[str]:
        return {message.id for message in (*self.sources, *self.replies)}


class Forgetting:
    def __init__(self, controller: ChatController) -> None:
        self._controller = controller
        self._chats = controller.chats
        self._profile = controller.profile

    # conversations and messages

    async def hide_conversation(self, conversation_id: str) -> None:
        """Gone from everything at once, recall included; `unhide_conversation` takes it back until `erase_hidden`."""
        await self._controller.stop_and_wait(conversation_id)
        await self._chats.hide(conversation_id)
        self._controller.emit(ConversationChanged(conversation_id))

    async def unhide_conversation(self, conversation_id: str) -> None:
        await self._chats.unhide(conversation_id)
        self._controller.emit(ConversationChanged(conversation_id))

    async def erase_hidden(self) -> Forgotten:
        """When the offer of Undo has ended, and at every start."""
        return await self._erase(await self._chats.hidden())

    async def clear_chats(self) -> Forgotten:
        """Every conversation; facts stay."""
        return await self._erase(await self._chats.all_ids())

    async def _erase(self, conversation_ids: Collection[str]) -> Forgotten:
        if not conversation_ids:
            return Forgotten()
        for conversation_id in conversation_ids:
            await self._controller.stop_and_wait(conversation_id)
        async with self._controller.prompts:
            gone = [message for one in conversation_ids for message in await self._chats.messages(one)]
            touched = await self._chats.database.write(
                lambda connection: rows.delete_parts_of(connection, [message.id for message in gone])
            )
            await self._chats.erase(conversation_ids)
            report = await self._controller.memory.forget_messages([message.id for message in gone])
            await self._drop_sessions({*conversation_ids, *touched, UTILITY_SESSION})
        return Forgotten(failures=report.failures)

    async def delete_messages(self, message_ids: Collection[str]) -> Forgotten:
        """The chat messages themselves ("Delete these too"), and everything made from them but facts."""
        messages = await self._chats.known_messages(message_ids)
        await self._stop_turns({message.conversation_id for message in messages})
        async with self._controller.prompts:
            report = await self._controller.memory.forget_messages([message.id for message in messages])
            await self._chats.delete_messages(messages)
            await self._drop_sessions({*(message.conversation_id for message in messages), UTILITY_SESSION})
        return Forgotten(failures=report.failures)

    # facts

    async def forget_fact(self, fact_id: str) -> Forgotten:
        """Raises NotFound or ProfileError (then nothing of the fact itself is gone)."""
        forgotten = await self._forget_facts(self._profile.versions_of(fact_id))
        await self._profile.remove(fact_id)
        return forgotten

    async def undo_learned(self, learned: LearnedFact) -> Forgotten:
        """The fact was not wanted: it leaves the profile and the prompts, and what it had replaced comes back.

        Its message stays part of the chat and its memory; only learning from it is over.
        """
        async with self._controller.prompts:
            touched = await self._chats.database.write(lambda connection: rows.delete_parts_of(connection, [learned.fact.id]))
            await self._profile.undo_learned(learned)
            await self._drop_sessions(touched)
        return Forgotten()

    async def forget_all_facts(self) -> Forgotten:
        """Every fact, candidate and earlier version; conversations stay."""
        everything = (*self._profile.facts, *self._profile.candidates, *self._profile.history)
        forgotten = await self._forget_facts(everything)
        await self._profile.forget_all()
        return forgotten

    async def _forget_facts(self, facts: Sequence[Fact]) -> Forgotten:
        await self._stop_turns(self._controller.running_conversations())  # every running turn was sent all facts
        async with self._controller.prompts:
            sources = await self._chats.known_messages({source.message_id for fact in facts for source in fact.sources})
            trace = await self._chats.database.write(lambda connection: _forget_facts(connection, facts, sources))
            return await self._forget_derived(trace)

    # memories

    async def forget_memory(self, message_id: str) -> Forgotten:
        """A remembered message: out of the index and of every prompt, never indexed or learned from again."""
        await self._stop_turns(self._controller.running_conversations())
        async with self._controller.prompts:
            sources = await self._chats.known_messages([message_id])
            trace = await self._chats.database.write(lambda connection: _forget_messages(connection, sources))
            trace.sources = sources
            return await self._forget_derived(trace, also=[message_id])

    async def forget_all_memories(self) -> Forgotten:
        """The whole index and every recalled snippet in a prompt. Chats and facts stay."""
        await self._stop_turns(self._controller.running_conversations())
        async with self._controller.prompts:
            touched = await self._chats.database.write(_forget_index)
            await self._chats.database.erase_traces()
            report = await self._controller.memory.forget_all()
            await self._drop_sessions(touched)
        return Forgotten(failures=report.failures)

    async def _forget_derived(self, trace: _Trace, also: Iterable[str] = ()) -> Forgotten:
        await self._chats.database.erase_traces()
        ids = trace.message_ids | set(also)
        report = await self._controller.memory.forget_messages(ids) if ids else ForgetReport()
        await self._drop_sessions(trace.conversations)
        for conversation_id in trace.conversations:
            self._controller.emit(ConversationChanged(conversation_id))
        return Forgotten(trace.sources, tuple(trace.replies), report.failures)

    async def _stop_turns(self, conversation_ids: Iterable[str]) -> None:
        for conversation_id in tuple(conversation_ids):
            await self._controller.stop_and_wait(conversation_id)

    async def _drop_sessions(self, conversation_ids: Iterable[str]) -> None:
        """Tokens and KV state hold the text as well; the next prompt is evaluated afresh."""
        for conversation_id in conversation_ids:
            try:
                await self._controller.model.forget_session(conversation_id)
            except MuninError:
                log.exception("a session could not be dropped")


def _forget_facts(connection: apsw.Connection, facts: Sequence[Fact], sources: tuple[Message, ...]) -> _Trace:
    """Parts and replies that hold one of the facts, and everything made from its source messages."""
    told = {fact.id: _told_replies(connection, fact) for fact in facts}
    trace = _forget_messages(connection, (*sources, *(reply for replies in told.values() for reply in replies)))
    trace.conversations |= rows.delete_parts_of(connection, [fact.id for fact in facts])
    source_ids = {message.id for message in sources}
    held = rows.messages_by_id(connection, {reply.id for replies in told.values() for reply in replies} - source_ids)
    known = {reply.id for reply in trace.replies}
    trace.replies = [*trace.replies, *(reply for reply in held if reply.id not in known)]
    trace.sources = sources
    return trace


def _told_replies(connection: apsw.Connection, fact: Fact) -> tuple[Message, ...]:
    """Replies of conversations in which the fact was in the prompt, that say its value."""
    found = rows.messages(
        connection,
        "WHERE role = 'assistant' AND conversation_id IN (SELECT conversation_id FROM prompt_part WHERE source_id = ?)",
        (fact.id,),
    )
    return tuple(reply for reply in found if says(reply.text, fact.value or fact.text))


def says(text: str, value: str) -> bool:
    """Whether every word of the value stands in the text; case is folded. Scripts without spaces: as a substring."""
    words, folded = re.findall(r"\w+", value.casefold()), text.casefold()
    return bool(words) and all(
        re.search(rf"(?<!\w){re.escape(word)}(?!\w)", folded) or (not word.isascii() and word in folded) for word in words
    )


def _forget_messages(connection: apsw.Connection, messages: Sequence[Message]) -> _Trace:
    """Marks the messages, and the replies that were given one as a snippet and repeat it; drops parts and titles."""
    trace = _Trace(tuple(messages))
    pending = list(messages)
    seen = {message.id for message in messages}
    while pending:
        message = pending.pop()
        for reply in _repeating_replies(connection, message):
            if reply.id not in seen:
                seen.add(reply.id)
                trace.replies.append(reply)
                pending.append(reply)
        trace.conversations |= {message.conversation_id} | rows.delete_parts_of(connection, [message.id])
    connection.executemany("UPDATE message SET memory = 'forgotten' WHERE id = ?", [(one,) for one in seen])
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
    return tuple(reply for reply in found if _overlap(words, reply.text) >= 0.5) if message.role is Role.USER else ()


def _overlap(words: Collection[str], text: str) -> float:
    said = set(re.findall(r"\w+", text.casefold()))
    return sum(word in said for word in words) / len(words) if words else 0.0


def _forget_index(connection: apsw.Connection) -> set[str]:
    """All that was indexed is forgotten for good: a rebuild of the index must not bring it back."""
    connection.execute("UPDATE message SET memory = ? WHERE memory IN ('pending', 'indexed')", (MemoryState.WIPED,))
    found = connection.execute("DELETE FROM prompt_part WHERE kind = 'snippet' RETURNING conversation_id")
    return {str(row[0]) for row in found}
