"""The open conversation: sending, stopping, retrying, and mirroring the events of its turns. Knows no control."""

from collections.abc import Callable, Coroutine, Sequence
from contextlib import suppress
from typing import Any

from munin_app.bootstrap import Munin
from munin_app.chat.tree import Tree
from munin_app.domain.events import ConversationChanged, FactsForgotten, MessageSaved
from munin_app.domain.messages import DEFAULT_PERSONA, Conversation, Message, Role
from munin_app.errors import MessageRefused, ModelTooLarge, MuninError, NotFound
from munin_app.i18n import _, ngettext
from munin_app.ui.actions.drafts import Drafts
from munin_app.ui.actions.shell import Shell, telling
from munin_app.ui.actions.turns import TurnMirror
from munin_app.ui.actions.window import MessageWindow
from munin_app.ui.components.dialogs import confirm
from munin_app.ui.state import ChatState, Draft, DraftFlag, MessageState

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
        self.window = MessageWindow(chat, munin.controller.live_text)
        self.mirror = TurnMirror(self.window)
        self._sending = False
        self._focused = False
        self.scroll_to_end: Callable[[], None] = lambda: None
        self.typed: Callable[[], None] = lambda: None
        """Told that the composer holds another text."""
        self.is_command: Callable[[str], Coroutine[Any, Any, bool]] = _is_none
        """Does what a text orders; then it is not sent."""
        self.composer_changed: Callable[[], None] = lambda: None
        """Told that another draft is shown, or that its files were sent."""
        self.attached: Callable[[], Sequence[str]] = lambda: ()
        """Ids of the files in the composer. Raises MessageRefused."""
        self.files_ready: Callable[[], int] = lambda: 0
        """How many of them go with the next message."""

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

    def edit(self, message: MessageState, text: str = "") -> None:
        """The composer holds this message until it is sent or given up; the draft waits. `text`: as it was changed already."""
        self.state.editing = message.id
        self.fill(text or message.text)
        self.composer_changed()
        self.focus_composer()

    def stop_editing(self) -> None:
        if self.state.editing:
            self.drafts.drop(self._draft_key)
            self.state.editing = ""
            self._show_draft()
            self.focus_composer()

    @property
    def is_temporary(self) -> bool:
        return bool(self.state.conversation and self.state.conversation.temporary)

    @property
    def _draft_key(self) -> str:
        """Chats in which nothing was said yet share one draft: New chat makes another of them each time."""
        if self.state.editing:
            return f"edit {self.state.editing}"
        return self.attaching_to

    @property
    def attaching_to(self) -> str:
        """Whose composer it is: that of a chat, or of the one that is not begun yet."""
        conversation = self.state.conversation
        if conversation is None or (not self.state.messages and not conversation.temporary):
            return NEW
        return conversation.id

    async def restore_draft(self) -> None:
        """What was typed before the app was closed."""
        await self.drafts.load()
        self._switch_draft()

    def focus(self, focused: bool) -> None:
        """The composer has the keyboard, or lost it."""
        self._focused = focused

    @property
    def composer_has_keyboard(self) -> bool:
        return self._focused

    @property
    def composer_is_empty(self) -> bool:
        """And has the keyboard."""
        return self._focused and not self.draft._text

    def type(self, text: str) -> None:
        self.draft._text = text
        self.drafts.put(self._draft_key, text, temporary=self.is_temporary or bool(self.state.editing))
        self.look_whether_filled()
        self.state.refused = ""
        self.typed()

    def look_whether_filled(self) -> None:
        """Files alone can be sent too."""
        self.flag.filled = bool(self.draft._text.strip() or self.files_ready())

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
            await self._shell.tell(_("That chat is no longer there."))
            return
        if message_id and message_id not in self.window.ids:
            await self._show_branch_of(message_id)
        self._shell.go("chat")
        if message_id:
            await self._show_from(message_id)
        if self._shell.navigation.wide:
            self.focus_composer()
        else:
            self.draft._autofocus = False
        await self._munin.controller.open_conversation(conversation_id)

    async def _show_branch_of(self, message_id: str) -> None:
        """It is on another branch, or gone: `_show_from` says so then."""
        with suppress(NotFound):
            await self._munin.branches.show(message_id)
            await self._load(self.conversation_id)

    async def leave(self) -> None:
        """A temporary chat is gone the moment it is left."""
        await self._shell.attempt(self.drafts.save())
        left = self.state.conversation
        if left and left.temporary:
            self.drafts.drop(left.id)
            self._show(None, ())
            await self._munin.controller.close_temporary(left.id)

    async def _load(self, conversation_id: str) -> None:
        conversation, path, tree = await self._munin.chats.opened(conversation_id)
        self._flush()
        self._show(conversation, path, tree)
        if self.state.waiting and any(self._munin.controller.live_text(conversation_id)):
            await self._load(conversation_id)  # the reply began between the two reads
            return
        self._shell.run(self._load_used(conversation_id))

    async def reload(self) -> None:
        """Something changed the conversation: a new title, or parts of it were forgotten. A running turn is left alone."""
        conversation_id = self.conversation_id
        if not conversation_id:
            return
        try:
            conversation, path, tree = await self._munin.chats.opened(conversation_id)
        except NotFound:
            if conversation_id == self.conversation_id:
                self._show(None, ())
            return
        if conversation_id != self.conversation_id:
            return  # another chat was opened meanwhile
        self.state.conversation = conversation
        self._flush()
        if not self._munin.controller.running(conversation_id):
            self._show(conversation, path, tree)
            await self._load_used(conversation_id)

    def _show(self, conversation: Conversation | None, path: tuple[Message, ...], tree: Tree | None = None) -> None:
        controller = self._munin.controller
        switched = (conversation.id if conversation else NEW) != self.conversation_id
        self.state.conversation = conversation
        self.window.show(path, tree, anew=switched)
        if self.state.editing and self.state.editing not in self.window.ids:  # it was deleted, or another branch is shown
            self.stop_editing()
        if switched:
            self.state.window_start = self.state.marked = ""
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
        self._shell.show_dialog(confirm(_("Memory is short"), error, _("Load anyway"), confirmed, close, kind="tint"))

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
        self.window.earlier()
        self._shell.run(self._load_used(self.conversation_id))

    def show_later(self) -> None:
        self._flush()  # of a reply that is being written there
        self.window.later()
        self._shell.run(self._load_used(self.conversation_id))

    def show_end(self) -> None:
        """The newest words, and whatever comes."""
        self._flush()
        if self.window.to_end():
            self._shell.run(self._load_used(self.conversation_id))
        self.state.marked = ""
        self.state.following = True
        self.scroll_to_end()

    async def _show_from(self, message_id: str) -> None:
        """The view begins a little before that message, which is marked."""
        self._flush()
        if not self.window.around(message_id):
            await self._shell.tell(_("That message is no longer part of this chat."))
            return
        self.state.marked, self.state.following = message_id, False
        self.scroll_to_end()
        self._shell.run(self._load_used(self.conversation_id))

    def _switch_draft(self) -> None:
        self.state.context_used = 0
        self.state.editing = ""
        self._show_draft()

    def _show_draft(self) -> None:
        self.state.refused = ""
        self.draft._text = self.drafts.get(self._draft_key)
        self.look_whether_filled()
        self.draft.version += 1
        self.composer_changed()
        self.typed()

    async def _load_files(self, conversation_id: str) -> None:
        """For the messages that are drawn."""
        files = await self._munin.controller.attachments.of(conversation_id)
        for message in self.state.messages:
            if message.files != (found := files.get(message.id, ())):
                message.files = found

    async def _load_used(self, conversation_id: str) -> None:
        """For the replies that are drawn; and what their questions came with."""
        await self._load_files(conversation_id)
        replies = [
            message
            for message in self.state.messages
            if message.role is Role.ASSISTANT and message.used is None and not message.writing
        ]
        used = await self._munin.chats.used_in(conversation_id, [message.id for message in replies]) if replies else {}
        for message in replies:
            message.used = message.used or used.get(message.id)
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
        typed = self.draft._text
        text = typed if typed.strip() else self._asked_of_files()
        if self._sending or await self.is_command(typed) or self.state.busy or not text:
            return
        edited = self.state.editing
        if edited and (old := self.find(edited)) and old.text == text.strip():
            self.stop_editing()
            return
        try:
            files = self.attached()
        except MessageRefused as error:
            self.state.refused = str(error)
            return
        self._sending, key, temporary = True, self._draft_key, self.is_temporary
        self.fill("")
        self.stop_editing()
        try:
            conversation = self.state.conversation or await self._munin.controller.new_conversation()
            self.state.conversation = conversation
            self.show_end()
            if edited:
                await self._munin.branches.edit(edited, text)
            else:
                await self._munin.controller.send(conversation.id, text, files)
        except Exception as error:
            if edited and (old := self.find(edited)):
                self.edit(old, text)
            else:
                self._give_back(key, typed, temporary=temporary)
            if not isinstance(error, MuninError):
                raise
            self.state.refused = str(error)
        else:
            self.composer_changed()
            await self.drafts.save()  # at once: what was sent is not to come back
        finally:
            self._sending = False

    def _asked_of_files(self) -> str:
        """What is said with files where nothing is typed."""
        files = self.files_ready()
        return ngettext("What is in this file?", "What is in these files?", files) if files else ""

    async def obey(self, work: Callable[[], Coroutine[Any, Any, None]]) -> None:
        """Empties the composer, on disk too, and does what its text orders. A text that is refused comes back."""
        key, text, temporary = self._draft_key, self.draft._text, self.is_temporary
        self.fill("")
        try:
            await self.drafts.save()
            await work()
        except Exception as error:
            self._give_back(key, text, temporary=temporary)
            if not isinstance(error, MuninError):
                raise
            self.state.refused = str(error)

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
    async def retry(self, reply_id: str, instruction: str = "", model_path: str = "") -> None:
        await self._ask(lambda: self._munin.controller.retry(reply_id, instruction, model_path))

    @telling
    async def go_on(self, reply_id: str) -> None:
        await self._ask(lambda: self._munin.branches.go_on(reply_id))

    async def _ask(self, turn: Callable[[], Coroutine[Any, Any, None]]) -> None:
        if self.state.busy:
            return
        self.state.busy = self.state.waiting = True
        self.show_end()
        try:
            await turn()
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
            await self._shell.tell(_("A temporary chat uses no memory."))
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
        await self._shell.tell(_("This chat is kept. What was said so far stays outside of memory."))

    # Events

    def find(self, message_id: str) -> MessageState | None:
        return self.mirror.find(message_id)

    def apply(self, event: object) -> None:
        if getattr(event, "conversation_id", None) != self.conversation_id:
            return
        before = self._draft_key
        self.mirror.apply(event)
        if before != self._draft_key:  # the first message makes it a chat of its own
            self.drafts.put(self._draft_key, self.drafts.get(before))
            self.drafts.put(before, "")
        if isinstance(event, MessageSaved):
            self._shell.run(self._load_files(event.conversation_id))
        if isinstance(event, FactsForgotten):
            for failure in event.failures[:1]:
                self._shell.run(self._shell.tell(failure))
        elif isinstance(event, ConversationChanged):
            self._shell.run(self.reload())


async def _is_none(text: str) -> bool:
    return False
