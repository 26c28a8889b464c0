"""The palette: one field that finds chats, messages, settings and what can be done, and goes there. Knows no control."""

import asyncio
import inspect
from collections.abc import Callable, Sequence

import flet as ft

from munin_app.bootstrap import Munin
from munin_app.chat.search import Excerpt, excerpt, holds, words_of
from munin_app.domain.messages import Conversation
from munin_app.i18n import _
from munin_app.ui.actions.chat import ChatActions
from munin_app.ui.actions.commands import Command
from munin_app.ui.actions.latest import Latest
from munin_app.ui.actions.shell import Shell, telling
from munin_app.ui.format import title_of
from munin_app.ui.state import DialogBuilder, PaletteEntry, PaletteField, PaletteState

RECENT = 6
CHATS, MESSAGES = 8, 20
"""As many are shown."""
PAUSE_SECONDS = 0.3
"""Without a key, after which what was typed is seen to be in the field."""


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
        self.field = PaletteField()
        self.pause_seconds = PAUSE_SECONDS
        self._hearing = self._focused = False
        self._pressed = ""
        """Letters, since the palette was opened."""
        self._before = ("", "")
        """The chat, and what the composer held then."""

    @property
    def is_open(self) -> bool:
        return self._shell.overlay.dialog is self.view

    @telling
    async def toggle(self) -> None:
        if self.is_open:
            self._shell.close_dialog()
        elif not self._shell.overlay.dialog:
            self.field._text, self._pressed, self._hearing, self._focused = "", "", True, False
            self._before = (self._chat.conversation_id, self._chat.draft._text)
            self.state.query, self.state.entries = "", ()
            self._shell.show_dialog(self.view)  # first: what is typed from now on is for it
            await self._latest.ask("")

    @telling
    async def search(self, query: str) -> None:
        """As one types: what was overtaken by the next letter is not looked for."""
        self.field._text = query
        await self._latest.ask(self._pressed if self._lacks_letters else query)

    # What is typed before the field has the keyboard

    @property
    def _lacks_letters(self) -> bool:
        """The field holds some of what was typed, and not all."""
        held = self.field._text
        return self._hearing and len(held) < len(self._pressed) and self._were_pressed(held)

    def _were_pressed(self, letters: str) -> bool:
        pressed = iter(self._pressed)
        return all(letter in pressed for letter in letters.lower())

    def hear(self, event: ft.KeyboardEvent) -> None:
        """A key, wherever it went. Letters count until one pauses, or presses something else."""
        if not self._hearing or event.key in ("Shift Left", "Shift Right"):
            return
        if len(event.key) > 1 or event.ctrl or event.alt or event.meta:
            self._stop_hearing()
            return
        if not self._pressed:
            self._shell.run(self._complete())
        self._pressed += event.key.lower()

    def focused(self) -> None:
        """The field has the keyboard."""
        self._focused = True

    async def _complete(self) -> None:
        """The field gets the letters that it lacks."""
        before = ""
        while self.is_open and self._hearing and (before != self._pressed or self._lacks_letters):
            if before == self._pressed and self._focused:
                self.field._text = self._pressed
                self.field.version += 1
                await self._latest.ask(self._pressed)
            before = self._pressed
            await asyncio.sleep(self.pause_seconds)
        if self.is_open:
            self._stop_hearing()

    def _stop_hearing(self) -> None:
        """What went to the composer leaves it; what else has come there stays."""
        self._hearing = False
        chat, before = self._before
        text = self._chat.draft._text
        at_end = text.startswith(before) and self._were_pressed(text.removeprefix(before))
        if chat == self._chat.conversation_id and text != before and at_end:
            self._chat.fill(before)

    async def _search(self, query: str) -> None:
        words = words_of(query)
        doing = [
            PaletteEntry(command.name, group, command.icon, self._shown(command.name, words), (), command.keys, command.action)
            for command in self._commands()
            for group in [command.group or _("Actions")]
            if command.listed and holds(f"{command.name} {group} {command.others}", words)
        ]
        chats = [self._chat_entry(one, words) for one in await self._found(query)]
        messages = await self._messages(query, words) if words else []
        self.state.entries = tuple([*doing, *chats, *messages] if words else [*chats, *doing])
        self.state.query, self.state.chosen = query, 0

    def _shown(self, line: str, words: Sequence[str]) -> Excerpt:
        """Cut only where the row, of about so many characters, cannot show all of it."""
        page = self._shell.navigation
        return excerpt(line, words, room=round((70 if page.wide else 36) * 100 / page.settings.text_size))

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
            self._shown(title_of(conversation), words),
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
        if self._hearing:
            self._stop_hearing()
        self._shell.close_dialog()
        result = entry.action()
        if inspect.isawaitable(result):
            await self._shell.attempt(result)
