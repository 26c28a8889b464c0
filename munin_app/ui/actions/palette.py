"""The palette: one field that finds chats, messages, settings and what can be done, and goes there. Knows no control."""

import inspect
from collections.abc import Callable, Sequence

import flet as ft

from munin_app.bootstrap import Munin
from munin_app.chat.search import excerpt, holds, words_of
from munin_app.domain.messages import Conversation
from munin_app.i18n import _
from munin_app.ui.actions.chat import ChatActions
from munin_app.ui.actions.commands import Command
from munin_app.ui.actions.latest import Latest
from munin_app.ui.actions.shell import Shell, telling
from munin_app.ui.format import title_of
from munin_app.ui.state import DialogBuilder, PaletteEntry, PaletteState

RECENT = 6
CHATS, MESSAGES = 8, 20
"""As many are shown."""


class PaletteActions:
    def __init__(self, munin: Munin, shell: Shell, chat: ChatActions, commands: Callable[[], Sequence[Command]]) -> None:
        """`commands`: those that make sense at this moment."""
        self._munin = munin
        self._shell = shell
        self._chat = chat
        self._commands = commands
        self.view: DialogBuilder = lambda t: ft.AlertDialog()
        """Draws `state`; the app sets it."""
        self._latest = Latest(self._search)
        self.state = PaletteState()

    @property
    def is_open(self) -> bool:
        return self._shell.overlay.dialog is self.view

    @telling
    async def toggle(self) -> None:
        if self.is_open:
            self._shell.close_dialog()
        elif not self._shell.overlay.dialog:
            await self._search("")
            self._shell.show_dialog(self.view)

    @telling
    async def search(self, query: str) -> None:
        """As one types: what was overtaken by the next letter is not looked for."""
        await self._latest.ask(query)

    async def _search(self, query: str) -> None:
        words = words_of(query)
        doing = [
            PaletteEntry(command.name, group, command.icon, excerpt(command.name, words), (), command.keys, command.action)
            for command in self._commands()
            for group in [command.group or _("Actions")]
            if command.listed and holds(f"{command.name} {group} {command.others}", words)
        ]
        chats = [self._chat_entry(one, words) for one in await self._found(query)]
        messages = await self._messages(query, words) if words else []
        self.state.entries = tuple([*doing, *chats, *messages] if words else [*chats, *doing])
        self.state.query, self.state.chosen = query, 0

    async def _found(self, query: str) -> Sequence[Conversation]:
        if query.strip():
            return await self._munin.shelf.search(query, CHATS)
        return (await self._munin.shelf.page(RECENT)).conversations

    def _chat_entry(self, conversation: Conversation, words: Sequence[str]) -> PaletteEntry:
        detail = _("Archived") if conversation.archived else " · ".join(conversation.tags)
        return PaletteEntry(
            conversation.id,
            _("Chats"),
            ft.Icons.CHAT_BUBBLE_OUTLINE,
            excerpt(title_of(conversation), words),
            ((detail, False),) if detail else (),
            "",
            lambda: self._chat.open(conversation.id),
        )

    async def _messages(self, query: str, words: Sequence[str]) -> list[PaletteEntry]:
        found = await self._munin.shelf.search_messages(query, MESSAGES)
        return [
            PaletteEntry(
                one.message.id,
                _("Messages"),
                ft.Icons.NOTES,
                one.excerpt,
                ((one.title, False),),
                "",
                lambda one=one: self._chat.open(one.message.conversation_id, one.message.id),  # type: ignore[misc]
            )
            for one in found
        ]

    def move(self, by: int) -> None:
        if self.state.entries:
            self.state.chosen = (self.state.chosen + by) % len(self.state.entries)

    async def take_chosen(self) -> None:
        if self.state.entries:
            await self.take(self.state.entries[self.state.chosen])

    async def take(self, entry: PaletteEntry) -> None:
        self._shell.close_dialog()
        result = entry.action()
        if inspect.isawaitable(result):
            await self._shell.attempt(result)
