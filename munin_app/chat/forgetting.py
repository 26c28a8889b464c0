"""Forgetting: deleting and forgetting across every store, in an order that a kill at any moment cannot undo.

munin.db, the truth, changes first; then the index; then the model's tokens; the fact itself last, so that what is still
shown to the user as remembered is the thing that is still there. Chat messages stay unless the user deletes them too.
"""

from collections.abc import Awaitable, Callable, Collection, Sequence

import apsw

from munin_app.chat import deleted, rows, summaries, titles
from munin_app.chat.controller import ChatController
from munin_app.chat.traces import forget_facts, forget_index, forget_messages
from munin_app.domain.events import ConversationChanged, FactsForgotten, Forgotten
from munin_app.domain.facts import Fact, LearnedFact
from munin_app.domain.memories import SHARED
from munin_app.domain.messages import MemoryState, Message, MessageStatus
from munin_app.domain.personas import Persona
from munin_app.errors import MuninError, NotFound
from munin_app.i18n import _
from munin_app.profile.extraction import UTILITY_SESSION


class Forgetting:
    def __init__(self, controller: ChatController) -> None:
        self._controller = controller
        self._chats = controller.chats
        self._profile = controller.profile
        controller.obey = self.obey

    # conversations and messages

    async def hide_conversation(self, conversation_id: str) -> None:
        """Gone from everything at once, recall included; `unhide_conversation` takes it back until it is erased."""
        await self._controller.stop_and_wait(conversation_id)
        await self._chats.hide(conversation_id)
        self._controller.emit(ConversationChanged(conversation_id))
        said = {message.id for message in await self._chats.messages(conversation_id)}
        await self._prompts_changed(said)
        await self._controller.memory.forget_messages(said)

    async def unhide_conversation(self, conversation_id: str) -> None:
        """Raises NotFound when it was erased meanwhile. Its messages are indexed again in the background."""
        await self._chats.unhide(conversation_id)
        await self._chats.get(conversation_id)
        said = [message.id for message in await self._chats.messages(conversation_id)]
        await self._prompts_changed(said)
        await self._chats.set_memory(said, MemoryState.PENDING)
        self._controller.emit(ConversationChanged(conversation_id))
        self._controller.in_background(self._controller.catch_up())

    async def erase_hidden(self, conversation_ids: Collection[str] | None = None) -> Forgotten:
        """When the offer of Undo for these has ended; None, at every start: all that is hidden."""
        hidden = await self._chats.hidden()
        return await self._erase([one for one in hidden if conversation_ids is None or one in conversation_ids])

    async def clear_chats(self) -> Forgotten:
        """Every conversation, and what was typed for one that is not begun yet; facts stay."""
        await self._chats.database.erase_copies()  # first, as in `forgetting`
        await self._chats.database.write(_empty_composers)
        await self._chats.database.erase_traces()
        await self._controller.attachments.sweep()
        return await self._erase(await self._chats.all_ids())

    async def _erase(self, conversation_ids: Collection[str]) -> Forgotten:
        if not conversation_ids:
            return Forgotten()
        for conversation_id in conversation_ids:
            await self._controller.stop_and_wait(conversation_id)
        async with self._controller.forgetting():
            gone = {message.id for one in conversation_ids for message in await self._chats.messages(one)}
            touched = await self._chats.database.write(lambda connection: rows.delete_parts_of(connection, gone))
            await self._chats.erase(conversation_ids)
            return Forgotten(failures=await self._forget_derived(gone, {*conversation_ids, *touched}))

    async def delete_messages(self, message_ids: Collection[str]) -> Forgotten:
        """The chat messages themselves ("Delete these too"), and everything made from them but facts."""
        async with self._controller.forgetting():
            messages = await self._chats.known_messages(message_ids)
            touched = await self._chats.delete_messages(messages)
            return Forgotten(failures=await self._forget_derived(set(message_ids), touched))

    async def hide_message(self, message_id: str) -> Message:
        """Deleted, as far as anyone can see, the model and memory included; `unhide_message` takes it back until it is erased.
        Returns it as it was. Raises NotFound, or MessageRefused while its conversation is being answered."""
        message = await self._chats.message(message_id)
        if message.status is MessageStatus.DELETED:
            raise NotFound(_("That message was deleted already."))
        with self._controller.reserved(message.conversation_id):
            async with self._controller.prompts:
                await self._chats.store(message.conversation_id).write(lambda connection: deleted.hide(connection, message))
            await self._prompts_changed([message.id], message.conversation_id)
        self._controller.emit(ConversationChanged(message.conversation_id))
        await self._controller.memory.forget_messages([message.id])
        return message

    async def unhide_message(self, message: Message) -> None:
        """Raises NotFound when it was erased meanwhile. It is indexed again in the background."""
        with self._controller.reserved(message.conversation_id):
            await self._chats.store(message.conversation_id).write(lambda connection: deleted.unhide(connection, message))
            await self._prompts_changed([message.id], message.conversation_id)
        self._controller.emit(ConversationChanged(message.conversation_id))
        self._controller.in_background(self._controller.remember(await self._chats.message(message.id)))

    def erase_when_quiet(self, message: Message) -> None:
        """When the offer of Undo has ended: in the background, as soon as nothing is being answered. Erasing would stop it."""

        async def erase() -> None:
            await self._controller.quiet()
            store = self._chats.store(message.conversation_id)
            if store is self._chats.database:
                await self.delete_messages([message.id])
            else:
                await store.write(lambda connection: deleted.erase(connection, [message]))
                await self._controller.attachments.sweep()
                await self.drop_sessions([message.conversation_id])
            await self._controller.model_ready()  # what is open is read again before the user sends

        self._controller.in_background(erase())

    async def erase_hidden_messages(self) -> None:
        """At every start."""
        if hidden := await self._chats.database.read(deleted.hidden):
            await self.delete_messages([message.id for message in hidden])

    async def _prompts_changed(self, message_ids: Collection[str], *conversation_ids: str) -> None:
        """Those of the conversations, and those that hold something of the messages, while they are hidden or just back."""
        others = await self._chats.database.read(lambda connection: rows.prompts_with(connection, message_ids))
        self._controller.prefix.forgotten({*conversation_ids, *others})

    # facts

    async def forget_fact(self, fact_id: str) -> Forgotten:
        """Raises NotFound or ProfileError (then the fact itself is still there, and shown)."""
        return await self._forget_facts(self._profile.versions_of(fact_id), lambda: self._profile.remove(fact_id))

    async def forget_all_facts(self) -> Forgotten:
        """Every fact, candidate and earlier version; conversations stay."""
        everything = (*self._profile.facts, *self._profile.candidates, *self._profile.history)
        return await self._forget_facts(everything, self._profile.forget_all)

    async def obey(self, order: Message, facts: Sequence[Fact]) -> None:
        """The facts leave as by `forget_fact`, and the order, which says them too, is remembered no more than their sources."""
        versions = [version for fact in facts for version in self._profile.versions_of(fact.id)]

        async def remove() -> None:
            for fact in facts:
                await self._profile.remove(fact.id)

        failures = (await self._forget_facts(versions, remove, {order.id})).failures
        self._controller.emit(FactsForgotten(order.conversation_id, order.id, tuple(facts), failures))

    async def _forget_facts(
        self, facts: Sequence[Fact], remove: Callable[[], Awaitable[object]], also: Collection[str] = ()
    ) -> Forgotten:
        """`also`: ids of messages to be treated as sources."""
        async with self._controller.forgetting():
            said_in = {source.message_id for fact in facts for source in fact.sources}
            sources = await self._chats.known_messages({*said_in, *also})
            trace = await self._chats.database.write(lambda connection: forget_facts(connection, facts, sources))
            failures = await self._forget_derived(trace.message_ids, trace.conversations | await self._prefilled())
            await remove()
        return Forgotten(trace.sources, tuple(trace.replies), failures)

    async def undo_learned(self, learned: LearnedFact) -> Forgotten:
        """The fact was not wanted: it leaves the profile and the prompts, and what it had replaced comes back.

        Its message stays part of the chat and its memory; only learning from it is over.
        """
        async with self._controller.prompts:
            touched = await self._chats.database.write(lambda connection: rows.delete_parts_of(connection, [learned.fact.id]))
            failures = await self._forget_derived(set(), touched | await self._prefilled())
            await self._profile.undo_learned(learned)
        return Forgotten(failures=failures)

    # personas

    async def move_fact(self, fact_id: str, scope: str) -> Fact:
        """To everyone or to a persona with a memory of its own: it leaves the prompts that it was in. What was said stays.
        Raises NotFound or ProfileError."""
        versions = [fact.id for fact in self._profile.versions_of(fact_id)]
        async with self._controller.forgetting():
            touched = await self._chats.database.write(lambda connection: rows.delete_parts_of(connection, versions))
            await self._forget_derived(set(), touched | await self._prefilled())  # what is not gone yet is noted in munin.db
            return await self._profile.move(fact_id, scope)

    async def delete_persona(self, persona: Persona, *, keep: bool) -> Forgotten:
        """Its chats go on with Munin. What a memory of its own held belongs to everyone from now on (`keep`), or is forgotten.
        Raises PersonaError for Munin itself. A kill in between leaves the persona, to be deleted again."""
        personas = self._controller.personas
        personas.require_deletable(persona)
        conversation_ids = await personas.conversations_of(persona)
        for conversation_id in conversation_ids:
            await self._controller.stop_and_wait(conversation_id)
        forgotten = Forgotten()
        if persona.own_memory and not keep:
            said = [message.id for one in conversation_ids for message in await self._chats.messages(one)]
            forgotten = await self.forget_memories(said)
        await self._empty(persona, keep=keep)
        await personas.hand_over(persona)
        await self._empty(persona, keep=keep)  # what was learned meanwhile
        await self._chats.database.erase_traces()
        for conversation_id in conversation_ids:
            self._controller.emit(ConversationChanged(conversation_id))
        self._controller.in_background(self._controller.catch_up())
        return forgotten

    async def _empty(self, persona: Persona, *, keep: bool) -> None:
        if not persona.own_memory:
            return
        if keep:
            await self._profile.move_all(persona.scope, SHARED)
        elif facts := self._profile.everything_of(persona.scope):
            await self._forget_facts(facts, lambda: self._profile.forget_all(persona.scope))

    # memories

    async def forget_memories(self, message_ids: Collection[str]) -> Forgotten:
        """Remembered messages: out of the index and of every prompt, never indexed or learned from again."""
        async with self._controller.forgetting():
            sources = await self._chats.known_messages(message_ids)
            trace = await self._chats.database.write(lambda connection: forget_messages(connection, sources))
            failures = await self._forget_derived(trace.message_ids | set(message_ids), trace.conversations)
        return Forgotten(sources, tuple(trace.replies), failures)

    async def forget_all_memories(self) -> Forgotten:
        """The whole index and every recalled snippet in a prompt. Chats and facts stay."""
        async with self._controller.forgetting():
            touched = await self._chats.database.write(forget_index)
            report = await self._controller.memory.forget_all()
            self._controller.attachments.index_wiped()
            failures = await self._forget_derived(set(), touched)
        return Forgotten(failures=(*report.failures, *failures))

    async def _forget_derived(self, message_ids: set[str], conversation_ids: set[str]) -> tuple[str, ...]:
        """After munin.db has forgotten: its old pages, the index, the model's tokens. What could not be done, in sentences."""
        failures: list[str] = []
        if not await self._chats.database.erase_traces():
            failures.append(
                _("Another program reads munin.db: old copies of what was deleted stay in its log until both are closed.")
            )
        if message_ids:
            failures += (await self._controller.memory.forget_messages(message_ids)).failures
        failures += await self._controller.attachments.sweep()
        self._controller.prefix.forgotten(conversation_ids)
        failures += await self.drop_sessions((*conversation_ids, UTILITY_SESSION, summaries.SESSION, titles.SESSION))
        for conversation_id in conversation_ids:
            self._controller.emit(ConversationChanged(conversation_id))
        return tuple(failures)

    async def drop_sessions(self, session_ids: Collection[str]) -> list[str]:
        """Tokens and KV state hold the text as well, in memory and in files. What could not be done, in sentences."""
        failures: list[str] = []
        for session_id in session_ids:
            try:
                await self._controller.utility.forget_session(session_id)
                await self._chats.session_dropped(session_id)
            except MuninError as error:
                failures.append(str(error))
        return failures

    async def _prefilled(self) -> set[str]:
        """Conversations whose system block may have been evaluated although nothing of it is stored yet."""
        return set(await self._chats.empties())


def _empty_composers(connection: apsw.Connection) -> None:
    connection.execute("DELETE FROM draft")
    connection.execute("DELETE FROM attachment WHERE message_id IS NULL")
