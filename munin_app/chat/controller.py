"""ChatController: the order of a turn (SPEC §2), one running turn per conversation, and the work behind it.

Whoever drives it subscribes to events and calls `send`; a turn goes on when nobody listens. Memory trouble never reaches
the turn. Knows nothing of windows or terminals.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Coroutine, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from munin_app.chat import summaries, titles
from munin_app.chat.attached import quoting
from munin_app.chat.attached import rows as attached_rows
from munin_app.chat.attached.quoting import NOTHING_ATTACHED, Quotables
from munin_app.chat.attached.service import Attachments
from munin_app.chat.conversations import ConversationRepository
from munin_app.chat.personas import Personas
from munin_app.chat.prefix import PrefixWatch
from munin_app.chat.prompt import PromptBuilder, reply_reserve
from munin_app.chat.turn import RunningTurn
from munin_app.chat.used import remembered
from munin_app.chat.utility_model import UtilityModel
from munin_app.config import Settings
from munin_app.domain.events import ConversationChanged, FactsLearned, MessageSaved, PersonasChanged, Turn, TurnEvent, notify
from munin_app.domain.facts import Fact, LearnedFact
from munin_app.domain.ids import now_ms
from munin_app.domain.inference import ChatModel
from munin_app.domain.memories import RecallOutcome
from munin_app.domain.messages import DEFAULT_PERSONA, Conversation, Exchange, MemoryState, Message, MessageStatus, Role
from munin_app.errors import MessageRefused, MuninError, NotFound
from munin_app.i18n import _
from munin_app.memory import MemoryService
from munin_app.profile import MemoryProfileService

if TYPE_CHECKING:
    import apsw

    from munin_app.chat.model_switch import ModelSwitch

log = logging.getLogger(__name__)

RECALL_CANDIDATES = 6
SURELY_FITS_BYTES = 1024
"""A text that fits any model's context: a token is at least one byte."""


class ChatController:
    def __init__(
        self,
        chats: ConversationRepository,
        memory: MemoryService,
        profile: MemoryProfileService,
        model: ChatModel,
        utility: UtilityModel,
        settings: Callable[[], Settings],
    ) -> None:
        self.chats = chats
        self.memory = memory
        self.profile = profile
        self.utility = utility
        self.settings = settings
        self.personas = Personas(chats, profile, lambda: self.emit(PersonasChanged()))
        self.builder = PromptBuilder(chats, self.personas, profile, model)
        self.builder.instructions = lambda info: settings().set_for(info.path).instructions
        self.attachments = Attachments(chats, memory, self.in_background)
        self.prompts = asyncio.Lock()
        """Held while a prompt is built and while something is forgotten, so that no prompt is built from the half-forgotten."""
        self.prefix = PrefixWatch()
        self.forgettings = 0
        """How often something was forgotten in this process."""
        self.obey: Callable[[Message, Sequence[Fact]], Awaitable[None]] | None = None
        """Forgets facts by an order in a message; `Forgetting` sets it."""
        self.switch: ModelSwitch
        """Loads the model of a conversation; it sets itself."""
        self._listeners: list[Callable[[TurnEvent], None]] = []
        self._turns: dict[str, RunningTurn] = {}
        self._starting: set[str] = set()
        self._summarising: set[str] = set()
        self._at_hand = ""
        """The conversation that the user sees, as far as is known: the next message will most likely be sent there."""
        self._closed = False
        self._started_at = now_ms()
        """What was said since then is learned from by its own turn."""
        self._turn_tasks: set[asyncio.Task[None]] = set()
        self._background: set[asyncio.Task[None]] = set()

    @property
    def model(self) -> ChatModel:
        return self.builder.model

    def use_model(self, model: ChatModel) -> None:
        """For turns that start from now on."""
        self.builder.model = model

    # listening

    def subscribe(self, listener: Callable[[TurnEvent], None]) -> Callable[[], None]:
        """`listener` is called on the loop for every event of every conversation. Returns the call that ends it."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    def emit(self, event: TurnEvent) -> None:
        notify(self._listeners, event)

    # conversations

    async def new_conversation(
        self, *, temporary: bool = False, memory_on: bool = True, persona_id: str = DEFAULT_PERSONA
    ) -> Conversation:
        """An empty conversation, its system block evaluated in the background. It is listed when something was said in it."""
        conversation = await self.chats.create(temporary=temporary, memory_on=memory_on, persona_id=persona_id)
        await self.open_conversation(conversation.id)
        return conversation

    async def open_conversation(self, conversation_id: str) -> None:
        """Evaluates what is known of the next prompt while the user reads and types."""
        self._at_hand = conversation_id
        self.in_background(self._prefill(await self.chats.get(conversation_id)))

    async def choose_persona(self, conversation_id: str, persona_id: str) -> None:
        """Who answers from the next message on. Raises PersonaError when what was said would come to belong to another."""
        await self.personas.choose(await self.chats.get(conversation_id), persona_id)
        self.emit(ConversationChanged(conversation_id))
        await self.open_conversation(conversation_id)

    async def model_ready(self) -> None:
        """A model has loaded: it reads the conversation that is open, as it could not do before."""
        with suppress(NotFound):  # erased meanwhile, or none was opened
            await self.open_conversation(self._at_hand)

    async def close_temporary(self, conversation_id: str) -> None:
        """Nothing of it stays anywhere."""
        await self.stop_and_wait(conversation_id)
        await self.chats.erase([conversation_id])  # first: a prefill that was just being built finds it gone
        await self.attachments.sweep()
        await self.utility.forget_session(conversation_id)

    async def keep_temporary(self, conversation_id: str) -> None:
        """It stays, like any other chat; what was said in it so far is never remembered or learned from. Raises MessageRefused
        while a reply is being written."""
        with self.reserved(conversation_id):
            await self.chats.keep(conversation_id)
        self.in_background(self.attachments.catch_up())
        self.emit(ConversationChanged(conversation_id))

    async def _prefill(self, conversation: Conversation) -> None:
        info, forgotten_before = self.model.info, self.forgettings
        if info is None or self.running(conversation.id) or not (await self.switch.model_of(conversation)).in_use:
            return
        request = await self.builder.prefill(conversation, info, with_memory=self.with_memory(conversation))
        with suppress(NotFound):  # closed meanwhile
            await self.chats.get(conversation.id)
            if self.forgettings == forgotten_before:  # else it may hold what was forgotten meanwhile
                with self.utility.giving_way():
                    async for _event in self.model.stream(request):
                        pass

    def with_memory(self, conversation: Conversation) -> bool:
        return self.settings().memory_on and conversation.memory_on and not conversation.temporary

    # turns

    async def send(self, conversation_id: str, text: str, attached: Collection[str] = ()) -> Message:
        """Returns when the user's message is on disk; the turn goes on by itself. `attached`: ids of what the composer holds
        and goes with it.

        Raises MessageRefused (nothing was saved: the text is still the caller's) or StorageError.
        """
        with self.reserved(conversation_id):
            conversation = await self.chats.get(conversation_id)
            return await self.say(
                conversation,
                text,
                conversation.leaf_id,
                lambda connection, message: attached_rows.send(connection, message, attached),
            )

    async def say(
        self, conversation: Conversation, text: str, parent_id: str | None, attach: "Callable[[apsw.Connection, Message], None]"
    ) -> Message:
        """What the user says after `parent_id`, and the reply to it. Only inside `reserved`. `attach` is called in the
        transaction that saves the message."""
        clean = text.encode("utf-8", "replace").decode().strip()  # a terminal may hand over half a character
        if not clean:
            raise MessageRefused(_("There is nothing to send yet. Type a message first."))
        await self._require_fits(clean, conversation)
        memory = MemoryState.PENDING if self.with_memory(conversation) else MemoryState.OFF
        message = await self.chats.append(
            conversation.id,
            Role.USER,
            clean,
            parent_id=parent_id,
            memory=memory,
            status=MessageStatus.COMPLETED,
            also=attach,
        )
        if conversation.leaf_id is None:
            await self.chats.propose_title(conversation.id, titles.proposed_title(clean), message.id)
        self.emit(MessageSaved(conversation.id, message))
        self.emit(ConversationChanged(conversation.id))
        self.start(RunningTurn(self, message))
        return message

    async def _require_fits(self, text: str, conversation: Conversation) -> None:
        """A long text waits for the model, whose tokenizer decides; a short one fits any."""
        if self.model.info is None or not (await self.switch.model_of(conversation)).in_use:
            if len(text.encode()) <= SURELY_FITS_BYTES:
                return
            await self.switch.hold(conversation)
            try:
                await self.switch.load_for(conversation)
            except MuninError:
                return  # the turn will say why; the text is safe
            finally:
                self.switch.release()
        if self.model.info is not None:
            await self.builder.require_fits(text, conversation, self.model.info, with_memory=self.with_memory(conversation))

    async def retry(self, reply_id: str, instruction: str = "", model_path: str = "") -> None:
        """A new reply to the same message, beside the old one. The model reads `instruction` for this one reply only; it is
        kept nowhere. `model_path`: the GGUF file that makes this one reply; the conversation keeps its own model. Where it
        cannot be loaded the reply has failed, and says why; the model before it is back."""
        reply = await self.chats.message(reply_id)
        if model_path and not await asyncio.to_thread(Path(model_path).is_file):
            gone = Path(model_path).stem
            raise MessageRefused(_("{name} is no longer here. Choose another model.").format(name=gone))
        with self.reserved(reply.conversation_id):
            await self.chats.get(reply.conversation_id)
            user = await self.chats.message(reply.parent_id or "")
            if user.memory is MemoryState.FORGOTTEN:
                raise MessageRefused(_("This message was forgotten and is not sent again. Write it anew to use it."))
            await self.chats.move_leaf(user)
            self.emit(ConversationChanged(user.conversation_id))
            self.start(RunningTurn(self, user, instruction=instruction, model_path=model_path))

    @contextmanager
    def reserved(self, conversation_id: str) -> Iterator[None]:
        """One turn at a time: two pages, or Enter pressed twice, must not both get in between two awaits."""
        if self._closed:
            raise MessageRefused(_("Munin is closing. Open it again to go on."))
        if conversation_id in self._starting or self.running(conversation_id):
            raise MessageRefused(_("Munin is still answering. Wait for the reply, or stop it."))
        self._starting.add(conversation_id)
        try:
            yield
        finally:
            self._starting.discard(conversation_id)

    def start(self, turn: RunningTurn) -> None:
        """Only inside `reserved`."""
        self._turns[turn.user.conversation_id] = turn
        task = asyncio.get_running_loop().create_task(self._run(turn))
        self._turn_tasks.add(task)
        task.add_done_callback(self._turn_tasks.discard)

    async def _run(self, turn: RunningTurn) -> None:
        try:
            with self.utility.giving_way():
                ended = await turn.run()
        finally:
            self._turns.pop(turn.user.conversation_id, None)
        # the next prompt shows the reply without its reasoning, or the message without what was asked for once
        if ended and (ended.usage.left_out or turn.instruction):
            self.in_background(self._prefill(ended.conversation))
        if turn.user.memory is MemoryState.PENDING:
            self.in_background(self.learn(Exchange(turn.user, ended.reply if ended else None)))
        if ended and ended.reply.status is MessageStatus.COMPLETED and not ended.conversation.temporary:
            self.in_background(self._name(ended.user))
        if ended and ended.conversation.id not in self._summarising:
            self.in_background(self._summarise(ended))

    async def _name(self, user: Message) -> None:
        """A better title, where the first exchange has ended and its message is too long to be one."""
        if user.parent_id is None and await titles.retitle(self.chats, user, self.utility):
            self.emit(ConversationChanged(user.conversation_id))

    async def _summarise(self, ended: Turn) -> None:
        settings = self.settings().for_model(self.model.info.path if self.model.info else None)
        reserve = reply_reserve(settings.max_reply_tokens, ended.usage.context_size)
        if not summaries.is_due(ended.usage, reserve):
            return
        self._summarising.add(ended.conversation.id)
        try:
            path = await self.chats.path_to(ended.reply)
            window = remembered(await self.builder.window(ended.conversation, path))
            await summaries.summarise(self.chats, remembered(path), window, self.utility, ended.usage.context_size)
        finally:
            self._summarising.discard(ended.conversation.id)

    def stop(self, conversation_id: str) -> None:
        if turn := self._turns.get(conversation_id):
            turn.stop()

    async def stop_and_wait(self, conversation_id: str) -> None:
        if turn := self._turns.get(conversation_id):
            turn.stop()
            await turn.ended.wait()

    async def quiet(self) -> None:
        """Until nothing is being answered."""
        while self._turns:
            await next(iter(self._turns.values())).ended.wait()
            await asyncio.sleep(0)  # its end is noted just after

    @asynccontextmanager
    async def forgetting(self) -> AsyncIterator[None]:
        """No prompt is built inside, and none that was built before is still being answered. Copies from before an upgrade go
        first: a kill in between must not leave one that holds what was forgotten. Raises StorageError where they cannot."""
        async with self.prompts:
            self.forgettings += 1
            for turn in [turn for turn in self._turns.values() if turn.prompted]:
                turn.stop()
                await turn.ended.wait()
            await self.chats.database.erase_copies()
            yield

    def running(self, conversation_id: str) -> bool:
        return conversation_id in self._turns

    def running_conversations(self) -> tuple[str, ...]:
        return tuple(self._turns)

    def live_text(self, conversation_id: str) -> tuple[str, str]:
        """What the running reply holds so far, and what was thought for it."""
        turn = self._turns.get(conversation_id)
        return (turn.text, turn.reasoning) if turn else ("", "")

    async def drain(self) -> None:
        """Until no turn runs and everything is remembered and learned. All goes on when this is cancelled."""
        while tasks := self._turn_tasks | self._background:
            await asyncio.wait(tasks)

    async def close(self) -> None:
        """Stops what is running; what was not remembered or learned yet is caught up with at the next start."""
        self._closed = True
        for conversation_id in self.running_conversations():
            await self.stop_and_wait(conversation_id)
        for task in self._background:
            task.cancel()
        await asyncio.gather(*self._turn_tasks, *self._background, return_exceptions=True)

    # memory, behind the turn

    async def recall(self, conversation: Conversation, path: Sequence[Message]) -> RecallOutcome:
        """For `path[-1]`, beside what its prompt holds anyway. Within the time limit, or nothing. Never raises."""
        if not self.with_memory(conversation):
            return RecallOutcome()
        try:
            async with asyncio.timeout(self.settings().recall_timeout_ms / 1000):
                shown = await self.builder.shown(conversation, path)
                shown |= await self.chats.originals(shown)
                scope = (await self.personas.get(conversation.persona_id)).scope
                return await self.memory.recall(path[-1].text, RECALL_CANDIDATES, scopes=(scope,), exclude_messages=shown)
        except TimeoutError:
            log.info("recall took longer than %d ms and was left out", self.settings().recall_timeout_ms)
        except Exception as error:
            log.warning("recall failed: %s", type(error).__name__)
        return RecallOutcome()

    async def quotables(self, conversation: Conversation, path: Sequence[Message]) -> Quotables:
        """What of the attached files may be quoted to `path[-1]`. Never raises."""
        try:
            return await quoting.find(self.attachments, path, await self.builder.held(conversation, path))
        except Exception as error:
            log.warning("attached files were not searched: %s", type(error).__name__)
            return NOTHING_ATTACHED

    async def remember(self, message: Message) -> None:
        """Indexes a message while munin.db allows it, and says so there. Never raises."""
        try:
            if not message.text or not await self.chats.usable([message.id]):
                return
            scope = await self._scope_of(message)
            if not await self.memory.remember(message, scope=scope):
                return
            if await self.chats.usable([message.id]):
                if scope != await self._scope_of(message):  # its persona was deleted while it was being embedded
                    await self.remember(message)
                else:
                    await self.chats.set_memory([message.id], MemoryState.INDEXED)
            else:
                await self.memory.forget_messages([message.id])  # forgotten or hidden while it was being embedded
        except Exception as error:
            log.warning("a message could not be remembered: %s", type(error).__name__)

    async def _scope_of(self, message: Message) -> str:
        return (await self.personas.of(message.conversation_id)).scope

    async def learn(self, exchange: Exchange) -> None:
        """Looks for facts, and for orders to forget some, in the user's words. Never raises. What was said while learning is
        off is never learned; an order is obeyed all the same. What it forgets is meant as it was before the message."""
        identity = exchange.user.id

        async def still_allowed() -> bool:
            return bool(await self.chats.usable([identity])) and scope == await self._scope_of(exchange.user)

        try:
            learned: tuple[LearnedFact, ...] | None = ()
            unwanted: tuple[Fact, ...] = ()
            mode, scope = self.settings().learn_facts, await self._scope_of(exchange.user)
            if self.settings().memory_on and await still_allowed():
                unwanted = await self.profile.ordered_to_forget(exchange.user, scope)
                if mode != "off":
                    before = await self._before(exchange.user)
                    learned = await self.profile.learn_from(
                        exchange, still_allowed, review=mode == "ask", before=before, scope=scope
                    )
            if unwanted and self.obey:
                await self.obey(exchange.user, unwanted)
            if learned is not None:
                await self.chats.set_learned(identity)
            if learned:
                self.emit(FactsLearned(exchange.user.conversation_id, identity, learned))
        except Exception as error:
            log.warning("learning facts failed: %s", type(error).__name__)

    async def _before(self, user: Message) -> Exchange | None:
        """The exchange that a message goes on from."""
        if user.parent_id is None:
            return None
        reply = await self.chats.message(user.parent_id)
        return Exchange(await self.chats.message(reply.parent_id), reply) if reply.parent_id else None

    async def catch_up(self) -> None:
        """What an earlier run left undone: the index is brought in line with munin.db (nothing missing, nothing that may
        not be there), and unread messages are learned from."""
        try:
            indexed, usable = await self.memory.indexed_ids(), await self.chats.all_usable()
            if stray := indexed - usable:
                await self.memory.forget_messages(stray)
            await self.chats.set_memory(usable - indexed, MemoryState.PENDING)
            await self.attachments.catch_up()
            if not self.settings().memory_on:
                return
            for message in await self.chats.to_index():
                await self.remember(message)
            for message in await self.chats.to_learn(before=self._started_at):
                await self.learn(Exchange(message))
        except MuninError as error:
            log.warning("catching up with memory failed: %s", error)

    def in_background(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = asyncio.get_running_loop().create_task(work)
        self._background.add(task)
        task.add_done_callback(self._background_done)
        return task

    def _background_done(self, task: asyncio.Task[None]) -> None:
        self._background.discard(task)
        if not task.cancelled() and (error := task.exception()):
            log.error("background work failed: %s", type(error).__name__)
