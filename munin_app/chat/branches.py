"""Branches: a message said otherwise, a reply gone on with, another branch shown. Nothing is destroyed by any of them."""

from munin_app.chat.attached import rows as attached_rows
from munin_app.chat.controller import ChatController
from munin_app.chat.titles import proposed_title
from munin_app.chat.turn import RunningTurn
from munin_app.domain.events import ConversationChanged
from munin_app.domain.messages import MemoryState, Message, MessageStatus, Role
from munin_app.errors import MessageRefused, NotFound
from munin_app.i18n import _

SHORTER = "Answer this again, much shorter: one to three sentences."
LONGER = "Answer this again, longer: in more detail, with examples."


class Branches:
    def __init__(self, controller: ChatController) -> None:
        self._controller = controller
        self._chats = controller.chats

    async def edit(self, message_id: str, text: str) -> Message:
        """The message as it should have been said, beside the old one, and a reply to it. Returns and raises like `send`."""
        old = await self._chats.message(message_id)
        if old.role is not Role.USER or old.status is MessageStatus.DELETED:
            raise MessageRefused(_("Only a message of your own can be changed."))
        with self._controller.reserved(old.conversation_id):
            edited = await self._controller.say(
                await self._chats.get(old.conversation_id),
                text,
                old.parent_id,
                lambda connection, message: attached_rows.copy(connection, old.id, message),
            )
            await self._chats.replace_title(edited.conversation_id, proposed_title(edited.text), edited.id, old.id)
            return edited

    async def go_on(self, reply_id: str) -> None:
        """An unfinished reply goes on where it ended, as the same message."""
        reply = await self._chats.message(reply_id)
        with self._controller.reserved(reply.conversation_id):
            await self._chats.get(reply.conversation_id)
            if (await self._chats.tree(reply.conversation_id)).below(reply.id):
                raise MessageRefused(_("The chat has gone on after this reply, so it cannot be continued. Ask for it anew."))
            if not can_go_on(reply):
                raise MessageRefused(_("There is nothing of this reply to go on from. Retry it instead."))
            user = await self._chats.message(reply.parent_id or "")
            if user.role is not Role.USER or MemoryState.FORGOTTEN in (user.memory, reply.memory):
                raise MessageRefused(_("This was forgotten or deleted and is not sent again. Write it anew to use it."))
            await self._chats.move_leaf(reply)
            self._controller.start(RunningTurn(self._controller, user, goes_on=reply))

    async def show(self, message_id: str) -> Message:
        """The branch that this message is on, down to where it was gone on with last. Returns the leaf."""
        message = await self._chats.message(message_id)
        if message.status is MessageStatus.DELETED:
            raise NotFound(_("That message was deleted."))
        with self._controller.reserved(message.conversation_id):
            tree = await self._chats.tree(message.conversation_id)
            leaf = await self._chats.message(tree.newest_below(message_id))
            await self._chats.move_leaf(leaf)
        self._controller.emit(ConversationChanged(message.conversation_id))
        await self._controller.open_conversation(message.conversation_id)
        return leaf


def can_go_on(reply: Message) -> bool:
    return (
        reply.role is Role.ASSISTANT
        and bool(reply.text.strip())
        and (reply.truncated or reply.status in (MessageStatus.STOPPED, MessageStatus.FAILED))
    )
