"""The list of conversations: search, rename, pin, delete with Undo. Knows no control."""

from munin_app.bootstrap import Munin
from munin_app.domain.messages import Conversation, Message
from munin_app.errors import MuninError
from munin_app.ui.actions.chat import ChatActions
from munin_app.ui.actions.shell import Shell, telling
from munin_app.ui.components.dialogs import ask_text
from munin_app.ui.format import plain_line, title_of
from munin_app.ui.state import ConversationList, ProfileState

TITLE_LIMIT = 120


class ConversationActions:
    def __init__(self, munin: Munin, shell: Shell, chat: ChatActions, state: ConversationList, profile: ProfileState) -> None:
        self._munin = munin
        self._shell = shell
        self._chat = chat
        self._profile = profile
        self._asked = 0
        self.state = state

    async def refresh(self) -> None:
        items = await self._munin.chats.list()
        self.state.items = items
        self._profile.titles = {conversation.id: title_of(conversation) for conversation in items}
        if self.state.query:
            await self.search(self.state.query)
        await self._load_snippets(items)

    async def _load_snippets(self, items: tuple[Conversation, ...]) -> None:
        """Only where they are shown: on a phone."""
        if self._shell.navigation.wide:
            return
        snippets = {}
        for conversation in items[:50]:
            snippets[conversation.id] = await self._snippet(conversation)
        self.state.snippets = snippets

    async def _snippet(self, conversation: Conversation) -> str:
        try:
            last: Message = await self._munin.chats.message(conversation.leaf_id or "")
        except MuninError:
            return ""
        return plain_line(last.text)

    @telling
    async def search(self, words: str) -> None:
        """While a newer question is on its way, the answer to an older one is dropped."""
        self._asked += 1
        asked, self.state.query = self._asked, words
        if not words.strip():
            self.state.found = None
            return
        found = await self._munin.chats.search(words)
        if asked == self._asked:
            self.state.found = found

    def ask_rename(self, conversation: Conversation) -> None:
        async def rename(title: str) -> None:
            self._shell.close_dialog()
            if title:
                await self._shell.attempt(renamed(title))

        async def renamed(title: str) -> None:
            await self._munin.chats.rename(conversation.id, title)
            await self._changed(conversation.id)

        dialog = ask_text(
            "Rename chat", "Title", "Rename", rename, self._shell.close_dialog, value=conversation.title, limit=TITLE_LIMIT
        )
        self._shell.show_dialog(dialog(""))

    @telling
    async def toggle_pinned(self, conversation: Conversation) -> None:
        await self._munin.chats.set_pinned(conversation.id, not conversation.pinned)
        await self._changed(conversation.id)

    async def _changed(self, conversation_id: str) -> None:
        await self.refresh()
        if conversation_id == self._chat.conversation_id:
            self._chat.state.conversation = await self._munin.chats.get(conversation_id)

    @telling
    async def delete(self, conversation: Conversation) -> None:
        """Hidden from everything at once; erased when the offer of Undo ends."""
        await self._shell.end_snack()
        was_open = conversation.id == self._chat.conversation_id
        if was_open:
            await self._chat.new()
        if conversation.temporary:
            return
        await self._munin.forgetting.hide_conversation(conversation.id)
        await self.refresh()

        async def undo() -> None:
            await self._munin.forgetting.unhide_conversation(conversation.id)
            await self.refresh()
            if was_open:
                await self._chat.open(conversation.id)

        async def erase() -> None:
            await self._munin.forgetting.erase_hidden([conversation.id])

        await self._shell.snack(f"“{title_of(conversation)}” deleted.", "Undo", undo, erase)
