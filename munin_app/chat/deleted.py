"""A message that was deleted, while Undo is offered: its node is blank already, and what it held lies beside it.

Every function runs on the store's own thread, inside one transaction.
"""

from collections.abc import Collection

import apsw

from munin_app.chat import rows, tree
from munin_app.domain.messages import Message
from munin_app.errors import NotFound
from munin_app.i18n import _

_BLANK = "text = '', reasoning = '', error = '', status = 'deleted', memory = 'forgotten'"


def hide(connection: apsw.Connection, message: Message) -> None:
    """Where it is the last one and another branch stands beside it, that one is shown. Summaries of its conversation go: they are
    made anew where one is needed, also when it is brought back."""
    leaf_id = rows.text(connection, "SELECT leaf_id FROM conversation WHERE id = ?", (message.conversation_id,))
    shown = _beside(connection, message) if leaf_id == message.id else None
    connection.execute(
        "INSERT INTO deleted_message SELECT id, text, status, memory, error, reasoning, ? FROM message WHERE id = ?",
        (shown, message.id),
    )
    connection.execute(f"UPDATE message SET {_BLANK} WHERE id = ?", (message.id,))
    rows.drop_summaries(connection, [message.conversation_id])
    if shown:
        connection.execute("UPDATE conversation SET leaf_id = ? WHERE id = ?", (shown, message.conversation_id))


def _beside(connection: apsw.Connection, message: Message) -> str | None:
    branches = tree.load(connection, message.conversation_id)
    siblings = branches.siblings(message.id)
    place = siblings.index(message.id)
    others = (*reversed(siblings[:place]), *siblings[place + 1 :])
    return branches.newest_below(others[0]) if others else None


def unhide(connection: apsw.Connection, message: Message) -> None:
    """Raises NotFound when it was erased meanwhile."""
    kept = connection.execute(
        "DELETE FROM deleted_message WHERE id = ? RETURNING text, status, memory, error, reasoning, leaf_id", (message.id,)
    ).fetchall()
    if not kept:
        raise NotFound(_("This message is erased and cannot be brought back."))
    *content, shown = kept[0]
    connection.execute(
        "UPDATE message SET text = ?, status = ?, memory = iif(?3 = 'indexed', 'pending', ?3), error = ?, reasoning = ? "
        "WHERE id = ?",
        (*content, message.id),
    )
    connection.execute(
        "UPDATE conversation SET leaf_id = ? WHERE id = ? AND leaf_id = ?", (message.id, message.conversation_id, shown)
    )


def hidden(connection: apsw.Connection) -> tuple[Message, ...]:
    return rows.messages(connection, "WHERE id IN (SELECT id FROM deleted_message)")


def end_offers(connection: apsw.Connection) -> set[str]:
    """Of all of them: what Undo would bring back may hold what is just being forgotten. Returns what `erase` does."""
    return erase(connection, hidden(connection))


def erase(connection: apsw.Connection, messages: Collection[Message]) -> set[str]:
    """Blanks the nodes, so that their children stay reachable; what Undo would bring back goes, and what was made from them.

    Returns the conversations whose prompts change; their sessions are noted as stale.
    """
    touched = {message.conversation_id for message in messages}
    for message in messages:
        connection.execute("DELETE FROM deleted_message WHERE id = ?", (message.id,))
        connection.execute(f"UPDATE message SET {_BLANK} WHERE id = ?", (message.id,))
        connection.execute("DELETE FROM attachment WHERE message_id = ?", (message.id,))
    ids = [message.id for message in messages]
    touched |= rows.delete_parts_of(connection, ids)
    rows.drop_titles_of(connection, ids)
    rows.drop_summaries(connection, touched)
    rows.mark_stale(connection, touched)
    return touched
