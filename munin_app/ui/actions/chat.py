"""The open conversation: sending, stopping, retrying, and mirroring the events of its turns. Knows no control."""

import time
from collections.abc import Callable
from dataclasses import replace

from munin_app.bootstrap import Munin
from munin_app.domain.events import ConversationChanged, FactsForgotten, FactsLearned, MessageSaved, ReplyStarted, TurnFinished
from munin_app.domain.facts import Fact, LearnedFact
from munin_app.domain.messages import DEFAULT_PERSONA, Conversation, Message, MessageStatus, Role
from munin_app.errors import ModelTooLarge, MuninError, NotFound
from munin_app.ui.actions.drafts import Drafts
from munin_app.ui.actions.shell import Shell, telling
from munin_app.ui.components.dialogs import confirm
from munin_app.ui.pump import Burst
from munin_app.ui.state import ChatState, Draft, DraftFlag, MessageState, message_state

DRAWN = 30
"""Messages drawn at once."""
BEFORE = 2
"""Messages drawn before the one that was asked for."""
NEW = ""
"""The key under which the draft of a chat that has not been made yet is kept."""


class ChatActions:
    def __init__(
        self, munin: Munin, shell: Shell, chat: ChatState, draft: Draft, flag: DraftFlag, flush: Callable[[], None]
    ) -> None:
        """`flush` applies every event that has arrived, so that what is read next is not applied twice."""
        self._munin = munin
        self._shell = shell
        self.state = chat
        self.draft = draft
        self.flag = flag
        self._flush = flush
        self.drafts = Drafts(munin.shelf, shell.attempt)
        self._sending = False
        self.scroll_to_end: Callable[[], None] = lambda: None

    @property
    def conversation_id(self) -> str:
        return self.state.conversation.id if self.state.conversation else NEW

    @property
    def memory_on(self) -> bool:
        """For this chat; a temporary one never uses memory."""
        conversation = self.state.conversation
        if not self._munin.settings.memory_on or (conversation and conversation.temporary):
            return False
        return conversation.memory_on if conversation else True

    # The composer

    def focus_composer(self) -> None:
        """For when a button took the keyboard. `focus()` does not reach our field in Flet 1.0.5, a new one has it."""
        self.draft._autofocus = True
        self.state.field += 1

    @property
    def is_temporary(self) -> bool:
        return bool(self.state.conversation and self.state.conversation.temporary)

    @property
    def _draft_key(self) -> str:
        """Chats in which nothing was said yet share one draft: New chat makes another of them each time."""
        conversation = self.state.conversation
        if conversation is None or (not self.state.messages and not conversation.temporary):
            return NEW
        return conversation.id

    async def restore_draft(self) -> None:
        """What was typed before the app was closed."""
        await self.drafts.load()
        self._switch_draft()

    def type(self, text: str) -> None:
        self.draft._text = text
        self.drafts.put(self._draft_key, text, temporary=self.is_temporary)
        self.flag.filled = bool(text.strip())
        self.state.refused = ""

    def fill(self, text: str) -> None:
        """Puts a text into the composer, as the starters do."""
        self.type(text)
        self.draft.version += 1

    # Opening

    @telling
    async def new(self, *, temporary: bool = False, persona_id: str = DEFAULT_PERSONA) -> None:
        await self.leave()
        conversation = await self._munin.controller.new_conversation(temporary=temporary, persona_id=persona_id)
        self._show(conversation, ())
        self._shell.go("chat")
        self.focus_composer()

    @telling
    async def open(self, conversation_id: str, message_id: str = "") -> None:
        """Shows a conversation, in the middle of a reply too; from `message_id` on, where one is given. On a phone the
        keyboard does not come up: one opens to read."""
        if conversation_id != self.conversation_id:
            await self.leave()
        try:
            await self._load(conversation_id)
        except NotFound:
            await self._shell.tell("That chat is no longer there.")
            return
        self._shell.go("chat")
        if message_id:
            await self._show_from(message_id)
        if self._shell.navigation.wide:
            self.focus_composer()
        else:
            self.draft._autofocus = False
        await self._munin.controller.open_conversation(conversation_id)

    async def leave(self) -> None:
        """A temporary chat is gone the moment it is left."""
        await self._shell.attempt(self.drafts.save())
        left = self.state.conversation
        if left and left.temporary:
            self.drafts.drop(left.id)
            self._show(None, ())
            await self._munin.controller.close_temporary(left.id)

    async def _load(self, conversation_id: str) -> None:
        conversation = await self._munin.chats.get(conversation_id)
        path = await self._munin.chats.path(conversation_id)
        self._flush()
        self._show(conversation, path)
        if self.state.waiting and any(self._munin.controller.live_text(conversation_id)):
            self._show(conversation, await self._munin.chats.path(conversation_id))  # the reply began between the two reads
        self._shell.run(self._load_used(conversation_id))

    async def reload(self) -> None:
        """Something changed the conversation: a new title, or parts of it were forgotten. A running turn is left alone."""
        conversation_id = self.conversation_id
        if not conversation_id:
            return
        try:
            conversation = await self._munin.chats.get(conversation_id)
            path = await self._munin.chats.path(conversation_id)
        except NotFound:
            if conversation_id == self.conversation_id:
                self._show(None, ())
            return
        if conversation_id != self.conversation_id:
            return  # another chat was opened meanwhile
        self.state.conversation = conversation
        self._flush()
        if not self._munin.controller.running(conversation_id):
            self._show(conversation, path)
            await self._load_used(conversation_id)

    def _show(self, conversation: Conversation | None, path: tuple[Message, ...]) -> None:
        controller = self._munin.controller
        switched = (conversation.id if conversation else NEW) != self.conversation_id
        kept = {message.id: message for message in self.state.messages}
        self.state.conversation = conversation
        self.state.messages = [self._mirrored(message, kept) for message in path if message.status is not MessageStatus.DELETED]
        if switched:
            self.state.window_start = self.state.marked = ""
        if switched or self.state.first >= len(self.state.messages):  # or so many were deleted that none of these is drawn
            self.state.first, self.state.end = max(0, len(self.state.messages) - DRAWN), None
        self.state.busy = bool(conversation) and controller.running(self.conversation_id)
        self.state.waiting = self.state.busy and not any(message.writing for message in self.state.messages)
        if switched:
            self._switch_draft()
            self.state.following = True
            self.scroll_to_end()
        self._shell.run(self.read_model())

    async def read_model(self) -> None:
        """Which model the chat has, and whether it is loaded."""
        self.state.model_of = await self._munin.switch.model_of(self.state.conversation)

    @telling
    async def choose_model(self, path: str, *, load_anyway: bool = False) -> None:
        """For this chat, loaded now. Empty: the default."""
        conversation = self.state.conversation or await self._munin.controller.new_conversation()
        self.state.conversation = conversation
        try:
            await self._munin.switch.choose_for(conversation.id, path, load_anyway=load_anyway)
        except ModelTooLarge as error:
            self._ask_anyway(str(error), path)

    def _ask_anyway(self, error: str, path: str) -> None:
        async def confirmed() -> None:
            self._shell.close_dialog()
            await self.choose_model(path, load_anyway=True)

        close = self._shell.close_dialog
        self._shell.show_dialog(confirm("Memory is short", error, "Load anyway", confirmed, close, kind="tint"))

    @telling
    async def load_model(self) -> None:
        """The one that this chat has, before anything is sent."""
        await self.choose_model(self.state.conversation.model_path if self.state.conversation else "")

    @telling
    async def accept_default(self) -> None:
        """In the place of a model that is gone."""
        await self._munin.chats.set_model(self.conversation_id, "")
        await self.reload()

    def show_earlier(self) -> None:
        self.state.first = max(0, self.state.first - DRAWN)

    def show_later(self) -> None:
        later = (self.state.end or 0) + DRAWN
        self.state.end = later if later < len(self.state.messages) else None

    def show_end(self) -> None:
        """The newest words, and whatever comes."""
        self.state.first = max(0, len(self.state.messages) - DRAWN)
        self.state.end, self.state.marked = None, ""
        self.state.following = True
        self.scroll_to_end()

    async def _show_from(self, message_id: str) -> None:
        """The view begins a little before that message, which is marked."""
        places = [place for place, message in enumerate(self.state.messages) if message.id == message_id]
        if not places:
            await self._shell.tell("That message is no longer part of this chat.")
            return
        self.state.first = max(0, places[0] - BEFORE)
        end = self.state.first + DRAWN
        self.state.end = end if end < len(self.state.messages) else None
        self.state.marked, self.state.following = message_id, False
        self.scroll_to_end()

    def _switch_draft(self) -> None:
        self.state.context_used = 0
        self.state.refused = ""
        self.draft._text = self.drafts.get(self._draft_key)
        self.flag.filled = bool(self.draft._text.strip())
        self.draft.version += 1

    def _mirrored(self, message: Message, kept: dict[str, MessageState]) -> MessageState:
        """The mirror that is there already, if any: a handler that is just waiting holds on to it."""
        if message.status is MessageStatus.STREAMING:
            text, reasoning = self._munin.controller.live_text(message.conversation_id)
            message = replace(message, text=text or message.text, reasoning=reasoning or message.reasoning)
        mirror = kept.get(message.id) or message_state(message)
        mirror.settle(message)
        return mirror

    async def _load_used(self, conversation_id: str) -> None:
        for message in reversed(list(self.state.messages)):
            if message.role is Role.ASSISTANT and message.used is None and not message.writing:
                used = await self._munin.chats.used_by(message.id)
                if self.conversation_id != conversation_id:
                    return
                message.used = used
        window_start = await self._munin.chats.window_start(conversation_id) or ""
        if self.conversation_id == conversation_id:
            self.state.window_start = window_start

    # Turns

    async def send_by_button(self) -> None:
        self.focus_composer()
        await self.send()

    @telling
    async def send(self) -> None:
        """What the composer holds. It is emptied at once, so that one can write on; a refused text comes back."""
        text = self.draft._text
        if self._sending or self.state.busy or not text.strip():
            return
        self._sending, key, temporary = True, self._draft_key, self.is_temporary
        self.fill("")
        try:
            conversation = self.state.conversation or await self._munin.controller.new_conversation()
            self.state.conversation = conversation
            self.show_end()
            await self._munin.controller.send(conversation.id, text)
        except Exception as error:
            self._give_back(key, text, temporary=temporary)
            if not isinstance(error, MuninError):
                raise
            self.state.refused = str(error)
        else:
            await self.drafts.save()  # at once: what was sent is not to come back
        finally:
            self._sending = False

    def _give_back(self, key: str, text: str, *, temporary: bool) -> None:
        """A text that was not sent, before what was typed since."""
        if key == self._draft_key:
            self.fill(text + self.draft._text)
        else:
            self.drafts.put(key, text + self.drafts.get(key), temporary=temporary)

    def stop(self) -> None:
        if self.conversation_id:
            self._munin.controller.stop(self.conversation_id)

    @telling
    async def retry(self, reply_id: str) -> None:
        if self.state.busy:
            return
        self.state.busy = self.state.waiting = True
        self.show_end()
        try:
            await self._munin.controller.retry(reply_id)
        except Exception:
            self.state.busy = self.state.waiting = False
            raise

    @telling
    async def set_memory(self, on: bool) -> None:
        """For this chat. Where memory is off for everything, turning it on here turns it on there too."""
        if on and not self._munin.settings.memory_on:
            await self._munin.change_settings(memory_on=True)
        conversation = self.state.conversation or await self._munin.controller.new_conversation()
        if conversation.temporary:
            await self._shell.tell("A temporary chat uses no memory.")
            return
        await self._munin.chats.set_memory_on(conversation.id, on)
        self.state.conversation = await self._munin.chats.get(conversation.id)
        self.scroll_to_end()  # the bar that says so takes some of the view

    @telling
    async def keep(self) -> None:
        """The temporary chat stays, like any other."""
        conversation_id = self.conversation_id
        await self._munin.controller.keep_temporary(conversation_id)
        self.state.conversation = await self._munin.chats.get(conversation_id)
        self.drafts.drop(conversation_id)  # so that it is put, and goes to disk, as that of a chat that stays
        self.type(self.draft._text)
        await self._shell.tell("This chat is kept. What was said so far stays outside of memory.")

    @telling
    async def undo_learned(self, reply: MessageState, learned: LearnedFact) -> None:
        outcome = await self._munin.forgetting.undo_learned(learned)
        reply.noted = tuple(other for other in reply.noted if other.fact.id != learned.fact.id)
        await self._shell.tell(outcome.failures[0] if outcome.failures else "Not noted.")

    @telling
    async def bring_back(self, reply: MessageState, forgotten: Fact) -> None:
        await self._munin.profile.bring_back(forgotten)
        reply.forgotten = tuple(other for other in reply.forgotten if other.id != forgotten.id)
        await self._shell.tell("Known again. The messages it came from stay forgotten.")

    @telling
    async def show_used(self, reply: MessageState) -> None:
        """Opens "What this reply used", with the messages that its snippets are from."""
        sources = {}
        for snippet in reply.used.snippets if reply.used else ():
            try:
                sources[snippet.message_id] = await self._munin.chats.message(snippet.message_id)
            except NotFound:
                continue  # deleted since: the sheet says so
        reply.sources = sources
        self._shell.navigation.sheet = reply.id

    def ask_link(self, address: str) -> None:
        async def opened() -> None:
            self._shell.close_dialog()
            await self._shell.open_link(address)

        self._shell.show_dialog(
            confirm(
                "Open this address?",
                "It leaves Munin and goes on the internet.",
                "Open",
                opened,
                self._shell.close_dialog,
                kind="plain",
                quote=address,
            )
        )

    # Events

    def apply(self, event: object) -> None:
        if getattr(event, "conversation_id", None) != self.conversation_id:
            return
        match event:
            case MessageSaved(message=message):
                self._saved(message)
            case ReplyStarted(message=message):
                self._started(event)
            case Burst(message_id=message_id):
                if reply := self.find(message_id):
                    reply.extend(event.reasoning, event.text, event.pieces, time.monotonic())
            case TurnFinished():
                self._finished(event)
            case FactsLearned():
                self._learned(event)
            case FactsForgotten():
                self._forgotten(event)
            case ConversationChanged():
                self._shell.run(self.reload())

    def find(self, message_id: str) -> MessageState | None:
        return next((message for message in reversed(self.state.messages) if message.id == message_id), None)

    def _saved(self, message: Message) -> None:
        if self.find(message.id) is None:
            before = self._draft_key
            self.state.messages.append(message_state(message))
            if before != self._draft_key:
                self.drafts.put(self._draft_key, self.drafts.get(before))
                self.drafts.put(before, "")
        self.state.busy = self.state.waiting = True

    def _started(self, event: ReplyStarted) -> None:
        self._place(event.message)
        reply = self.find(event.message.id)
        if reply:
            reply.used = event.used
        self.state.busy, self.state.waiting = True, False

    def _place(self, reply: Message) -> None:
        """After the message that it answers; what stood there before (a retry) leaves."""
        if self.find(reply.id):
            return
        parents = [number for number, message in enumerate(self.state.messages) if message.id == reply.parent_id]
        end = parents[-1] + 1 if parents else len(self.state.messages)
        self.state.messages = [*self.state.messages[:end], message_state(reply)]

    def _finished(self, event: TurnFinished) -> None:
        self._place(event.turn.reply)
        reply = self.find(event.turn.reply.id)
        if reply:
            reply.settle(event.turn.reply)
            reply.used = event.turn.used
            reply.cut_off = event.turn.truncated
            reply.tokens_per_second = round(event.turn.usage.tokens_per_second, 1)
        usage = event.turn.usage
        if usage.context_size:
            self.state.context_used, self.state.context_size = usage.context_used, usage.context_size
        self.state.busy = self.state.waiting = False
        self.state.refused = ""  # that Munin was still answering

    def _reply_to(self, message_id: str) -> MessageState | None:
        return next((message for message in reversed(self.state.messages) if message.parent_id == message_id), None)

    def _learned(self, event: FactsLearned) -> None:
        if reply := self._reply_to(event.message_id):
            known = {learned.fact.id for learned in reply.noted}
            fresh = tuple(learned for learned in event.learned if learned.fact.id not in known)
            reply.noted = (*reply.noted, *fresh)

    def _forgotten(self, event: FactsForgotten) -> None:
        """What was noted of them under earlier replies goes too."""
        gone = {fact.id for fact in event.facts}
        for message in self.state.messages:
            if any(learned.fact.id in gone for learned in message.noted):
                message.noted = tuple(learned for learned in message.noted if learned.fact.id not in gone)
        if reply := self._reply_to(event.message_id):
            reply.forgotten = (*reply.forgotten, *event.facts)
        for failure in event.failures[:1]:
            self._shell.run(self._shell.tell(failure))
