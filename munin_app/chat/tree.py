"""The branches of a conversation. An edited message and another reply are siblings of what they stand for; nothing is lost.

Blanked nodes are passed over, so that whatever was said below one stays within reach.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable
from dataclasses import dataclass

import apsw


@dataclass(frozen=True, slots=True)
class Node:
    id: str
    parent_id: str | None
    deleted: bool = False


class Tree:
    def __init__(self, nodes: Iterable[Node]) -> None:
        """Oldest first, as their ids sort: a parent is there before its children."""
        self._above: dict[str, str | None] = {}
        """The nearest one above that is not blanked."""
        self._below: defaultdict[str | None, list[str]] = defaultdict(list)
        """The same, downwards. Of None: the first messages."""
        blanked: set[str] = set()
        for node in nodes:
            above = node.parent_id
            if above is not None and above in blanked:
                above = self._above[above]
            self._above[node.id] = above
            if node.deleted:
                blanked.add(node.id)
            else:
                self._below[above].append(node.id)

    def __contains__(self, message_id: str) -> bool:
        return message_id in self._above

    def siblings(self, message_id: str) -> tuple[str, ...]:
        """What may stand in its place, itself included, oldest first."""
        return tuple(self._below[self._above[message_id]])

    def newest_below(self, message_id: str) -> str:
        """The leaf of the branch that was gone on with last; itself where nothing follows."""
        newest, waiting = message_id, [message_id]
        while waiting:
            current = waiting.pop()
            newest = max(newest, current)  # ids are sorted by time, and no child is older than its parent
            waiting += self._below[current]
        return newest

    def below(self, message_id: str) -> set[str]:
        """What follows it at once, on every branch."""
        return set(self._below[message_id])

    def others(self, shown: Collection[str]) -> set[str]:
        """What other branches have in place of the messages that are shown, and the replies to it."""
        beside = {other for one in shown if one in self._above for other in self.siblings(one)} - set(shown)
        return beside | {below for one in beside for below in self._below[one]}


def load(connection: apsw.Connection, conversation_id: str) -> Tree:
    found = connection.execute(
        "SELECT id, parent_id, status = 'deleted' FROM message WHERE conversation_id = ? ORDER BY id", (conversation_id,)
    )
    return Tree(Node(identity, parent_id, bool(deleted)) for identity, parent_id, deleted in found)
