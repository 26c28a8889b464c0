"""Imported chats into memory, and facts out of them for review: in the background, one message at a time, oldest first.

What is to be done stands in munin.db, so that it goes on after a restart. Until its turn comes a message is outside of memory
(OFF), like everything that was imported and is not to be remembered.
"""

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass

import apsw

from munin_app.chat import rows
from munin_app.chat.controller import ChatController
from munin_app.domain.messages import Exchange, Message, Role

TELL_EVERY = 20
"""Messages; counting a long queue takes its time."""

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class ImportsRemembered:
    """How far it is; 0 of 0 when nothing is asked for, or all is done."""

    done: int = 0
    total: int = 0
    paused: bool = False


class Remembering:
    def __init__(self, controller: ChatController, tell: Callable[[ImportsRemembered], None]) -> None:
        self._controller = controller
        self._database = controller.chats.database
        self._tell = tell
        self._task: asyncio.Task[None] | None = None

    async def progress(self) -> ImportsRemembered:
        def read(connection: apsw.Connection) -> ImportsRemembered:
            total, done = (rows.scalar(connection, f"SELECT count(*) FROM import_queue {where}") for where in ("", "WHERE done"))
            return ImportsRemembered(done, total, bool(rows.scalar(connection, "SELECT count(*) FROM import_queue WHERE paused")))

        return await self._database.read(read)

    def start(self) -> None:
        """Goes on with what is asked for. Called again while it runs it changes nothing."""
        if self._task is None or self._task.done():
            self._task = self._controller.in_background(self._run())

    async def pause(self) -> None:
        """Also over a restart."""
        await self._set_paused(True)

    async def resume(self) -> None:
        await self._set_paused(False)
        self.start()

    async def give_up(self) -> None:
        """What is not remembered yet stays outside of memory."""
        await self._database.write(lambda connection: connection.execute("DELETE FROM import_queue"))
        self._tell(await self.progress())

    async def _set_paused(self, paused: bool) -> None:
        await self._database.write(lambda connection: connection.execute("UPDATE import_queue SET paused = ?", (paused,)))
        self._tell(await self.progress())

    async def _run(self) -> None:
        number = 0
        while self._controller.settings().memory_on and (found := await self._database.write(_next)):
            message, facts = found
            await self._controller.remember(message)
            if facts and message.role is Role.USER:
                await self._seek_facts(message)
            await self._database.write(lambda connection, identity=message.id: _end(connection, identity))  # type: ignore[misc]
            number += 1
            if number % TELL_EVERY == 0:
                self._tell(await self.progress())
        self._tell(await self.progress())

    async def _seek_facts(self, message: Message) -> None:
        """For review, whatever the settings say: nothing that somebody said long ago becomes a fact by itself."""
        chats = self._controller.chats
        scope = (await self._controller.personas.of(message.conversation_id)).scope

        async def still_allowed() -> bool:
            return bool(await chats.usable([message.id]))

        if await self._controller.profile.learn_from(Exchange(message), still_allowed, review=True, scope=scope) is None:
            log.warning("facts could not be sought in an imported message")


def _next(connection: apsw.Connection) -> tuple[Message, bool] | None:
    """The next message, from now on one that memory may hold."""
    sql = "SELECT message_id, facts FROM import_queue WHERE done = 0 AND paused = 0 ORDER BY message_id LIMIT 1"
    row = connection.execute(sql).fetchone()
    if row is None:
        return None
    connection.execute("UPDATE message SET memory = 'pending' WHERE id = ? AND memory = 'off'", (row[0],))
    (message,) = rows.messages(connection, "WHERE id = ?", (row[0],))
    return message, bool(row[1])


def _end(connection: apsw.Connection, message_id: str) -> None:
    connection.execute("UPDATE import_queue SET done = 1 WHERE message_id = ?", (message_id,))
    if not rows.scalar(connection, "SELECT EXISTS (SELECT 1 FROM import_queue WHERE done = 0)"):
        connection.execute("DELETE FROM import_queue")
