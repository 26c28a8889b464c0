"""Which messages of the open conversation are drawn: some at its end, or around one that was asked for. Knows no control.

A chat of thousands has a mirror for each message that was drawn, and for no other.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace

from munin_app.chat.tree import Tree
from munin_app.domain.messages import Message, MessageStatus
from munin_app.ui.state import ChatState, MessageState, message_state

DRAWN = 20
"""Messages drawn at once, and as many more each time."""
BEFORE = 2
"""Messages drawn before the one that was asked for."""

LiveText = Callable[[str], tuple[str, str]]
"""Of a conversation: text and thoughts of the reply that is being written."""


class MessageWindow:
    def __init__(self, state: ChatState, live_text: LiveText) -> None:
        self.state = state
        self._live_text = live_text
        self._path: dict[str, Message] = {}
        """As it was read, in its order."""
        self._tree: Tree | None = None
        self.mirrors: dict[str, MessageState] = {}
        """Of every message of this conversation that was drawn: what a page alone knows of it, such as what was noted, stays."""

    @property
    def ids(self) -> list[str]:
        """Of the whole path."""
        return [*self.state.before, *(message.id for message in self.state.messages), *self.state.after]

    def show(self, path: Sequence[Message], tree: Tree | None, *, anew: bool) -> None:
        """`anew`: another conversation is shown, from its end. Else what was drawn stays drawn."""
        if anew:
            self.mirrors = {}
        start, end = self._bounds([message.id for message in path], anew=anew)
        self._path, self._tree = {message.id: message for message in path}, tree
        for identity in self.mirrors.keys() & self._path.keys():
            self._settle(self.mirrors[identity])
        self._draw(list(self._path), start, end)

    def _bounds(self, ids: Sequence[str], *, anew: bool) -> tuple[int, int]:
        places = {identity: place for place, identity in enumerate(ids)}
        kept = [] if anew else [places[message.id] for message in self.state.messages if message.id in places]
        if not kept:
            return max(0, len(ids) - DRAWN), len(ids)
        start = min(kept) if self.state.before else 0
        drawn_at_most = start + len(self.state.messages) + DRAWN  # another branch may be far longer
        return start, max(kept) + 1 if self.state.after else min(len(ids), drawn_at_most)

    def _draw(self, ids: Sequence[str], start: int, end: int) -> None:
        self.state.before, self.state.after = tuple(ids[:start]), tuple(ids[end:])
        self.state.messages = [self._mirror(identity) for identity in ids[start:end]]

    def earlier(self) -> None:
        start = max(0, len(self.state.before) - DRAWN)
        self._draw(self.ids, start, len(self.state.before) + len(self.state.messages))

    def later(self) -> None:
        start = len(self.state.before)
        self._draw(self.ids, start, start + len(self.state.messages) + DRAWN)

    def to_end(self) -> bool:
        """The last ones, and no more: what was scrolled up to is drawn no longer. True: some may be drawn that were not."""
        ids, moves = self.ids, bool(self.state.after)
        if moves or len(self.state.messages) > DRAWN:
            self._draw(ids, max(0, len(ids) - DRAWN), len(ids))
        return moves

    def around(self, message_id: str) -> bool:
        """From a little before it on. False: it is not on the path."""
        ids = self.ids
        if message_id not in ids:
            return False
        start = max(0, ids.index(message_id) - BEFORE)
        self._draw(ids, start, start + DRAWN)
        return True

    def know(self, message: Message) -> None:
        """As it is now: it may not be drawn yet."""
        self._path[message.id] = message

    def put(self, message: Message, place: int) -> None:
        """A new message at that place among those drawn. What stood there before, another version of it, leaves with what
        follows. Where the end of the path is not drawn, it waits there."""
        self.know(message)
        if self.state.after:
            self.state.after = (*self.state.after, message.id)
            return
        mirror = self.mirrors[message.id] = message_state(message)
        if place < len(self.state.messages):
            old = self.state.messages[place]
            mirror.siblings = (*(old.siblings or (old.id,)), message.id)
        self.state.messages = [*self.state.messages[:place], mirror]

    def _mirror(self, identity: str) -> MessageState:
        if identity not in self.mirrors:
            self.mirrors[identity] = message_state(self._path[identity])
            self._settle(self.mirrors[identity])
        return self.mirrors[identity]

    def _settle(self, mirror: MessageState) -> None:
        message = self._path[mirror.id]
        if message.status is MessageStatus.STREAMING:
            text, reasoning = self._live_text(message.conversation_id)
            message = replace(message, text=text or message.text, reasoning=reasoning or message.reasoning)
        mirror.settle(message)
        mirror.siblings = self._tree.siblings(mirror.id) if self._tree and mirror.id in self._tree else ()
