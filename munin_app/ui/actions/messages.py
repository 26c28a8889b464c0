"""What is done with one message: another version of it, going on with it, deleting, bookmarks, what it used. Knows no control."""

from pathlib import Path

from munin_app.bootstrap import Munin
from munin_app.domain.facts import Fact, LearnedFact
from munin_app.domain.messages import Message, Role
from munin_app.errors import NotFound
from munin_app.i18n import _
from munin_app.ui.actions.chat import ChatActions
from munin_app.ui.actions.memory import MemoryActions
from munin_app.ui.actions.shell import Shell, telling
from munin_app.ui.components.bookmarks import bookmark_list
from munin_app.ui.components.dialogs import Choice, confirm, listed
from munin_app.ui.components.model_list import model_list
from munin_app.ui.markdown import is_safe_link
from munin_app.ui.state import MessageState, ProfileState


class MessageActions:
    def __init__(self, munin: Munin, shell: Shell, chat: ChatActions, memory: MemoryActions, profile: ProfileState) -> None:
        self._munin = munin
        self._shell = shell
        self._chat = chat
        self._memory = memory
        self._profile = profile

    # Other versions

    def edit(self, message: MessageState) -> None:
        """In the composer. What was being written there waits."""
        self._chat.edit(message)

    def edit_last(self) -> None:
        self._chat.show_end()
        own = [message for message in self._chat.state.messages if message.role is Role.USER]
        if own and not self._chat.state.busy:
            self._chat.edit(own[-1])

    @telling
    async def show_version(self, message: MessageState, step: int) -> None:
        """The next or the previous sibling of a message, with what followed it last."""
        place = message.siblings.index(message.id) + step
        if 0 <= place < len(message.siblings):
            await self._munin.branches.show(message.siblings[place])

    async def answer_again(self, reply: MessageState, instruction: str = "") -> None:
        await self._chat.retry(reply.id, instruction)

    @telling
    async def ask_model(self, reply: MessageState) -> None:
        """Lists the other models; one that is pressed answers, this once."""
        own = (await self._munin.switch.model_of(self._chat.state.conversation)).path
        here = await self._munin.library.chat_models(self._munin.settings.model_path)
        names = {entry.path: entry.name for entry in here}

        async def chosen(path: Path) -> None:
            self._shell.close_dialog()
            await self._chat.retry(reply.id, model_path=str(path))

        others = [(name, path) for path, name in names.items() if path != own]
        sentence = _("For this reply only. The chat keeps {name}, which is loaded again when you go on.")
        if not others:
            sentence = _("Only {name} is on this device. Settings → Model has more.")
        sentence = sentence.format(name=names.get(own, own.stem) if own else _("No model"))
        rows = model_list(others, chosen)
        close: Choice = (_("Cancel") if others else _("Close"), "plain", self._shell.close_dialog)
        self._shell.show_dialog(listed(_("Retry with another model"), sentence, rows, [close]))

    async def go_on(self, reply: MessageState) -> None:
        await self._chat.go_on(reply.id)

    # Deleting and keeping

    @telling
    async def delete(self, message: MessageState) -> None:
        """Gone at once, for the model too; erased when the offer of Undo ends."""
        await self._shell.end_snack()
        deleted = await self._munin.forgetting.hide_message(message.id)

        async def erase() -> None:
            self._munin.forgetting.erase_when_quiet(deleted)

        await self._shell.snack(_("Message deleted."), _("Undo"), lambda: self._munin.forgetting.unhide_message(deleted), erase)

    @telling
    async def toggle_bookmark(self, message: MessageState) -> None:
        bookmarked = not message.bookmarked
        await self._munin.chats.set_bookmarked(await self._munin.chats.message(message.id), bookmarked)
        message.bookmarked = bookmarked
        if bookmarked and not self._chat.is_temporary:
            await self._shell.tell(_("Bookmarked. Bookmarks are in the menu above the chats."))

    @telling
    async def show_bookmarks(self) -> None:
        """A list of them; one that is pressed opens its chat there."""
        messages = await self._munin.chats.bookmarks()

        async def opened(message: Message) -> None:
            self._shell.close_dialog()
            await self._chat.open(message.conversation_id, message.id)

        sentence = (
            _("The messages you marked, newest first.") if messages else _("Mark a message from its menu to find it here again.")
        )
        rows = bookmark_list(messages, self._profile.titles, opened)
        self._shell.show_dialog(listed(_("Bookmarks"), sentence, rows, [(_("Close"), "plain", self._shell.close_dialog)]))

    # What it used and taught

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
        self._shell.show_sheet(reply=reply.id)

    @telling
    async def undo_learned(self, reply: MessageState, learned: LearnedFact) -> None:
        said = await self._memory.undo_learned(learned)
        reply.noted = tuple(other for other in reply.noted if other.fact.id != learned.fact.id)
        await self._shell.tell(said)

    @telling
    async def bring_back(self, reply: MessageState, forgotten: Fact) -> None:
        said = await self._memory.bring_back(forgotten)
        reply.forgotten = tuple(other for other in reply.forgotten if other.id != forgotten.id)
        await self._shell.tell(said)

    # Links

    async def ask_link(self, address: str) -> None:
        """The whole address is shown before anything is opened."""
        if not is_safe_link(address):
            await self._shell.tell(_("Only web and mail addresses can be opened from a chat."))
            return

        async def opened() -> None:
            self._shell.close_dialog()
            await self._shell.open_link(address)

        self._shell.show_dialog(
            confirm(
                _("Open this address?"),
                _("It leaves Munin and goes on the internet."),
                _("Open"),
                opened,
                self._shell.close_dialog,
                kind="plain",
                quote=address,
            )
        )
