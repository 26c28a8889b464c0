"""Commands typed in the composer: completing them, and doing what they say. Knows no control but those in dialogs."""

from collections.abc import Callable, Coroutine, Sequence
from typing import Any

import flet as ft

from munin_app.bootstrap import Munin
from munin_app.chat import commands
from munin_app.chat.commands import Command, CommandLine
from munin_app.domain.facts import Fact, LearnedFact
from munin_app.domain.messages import Conversation
from munin_app.domain.personas import Persona
from munin_app.errors import MessageRefused
from munin_app.i18n import _
from munin_app.library.models import InstalledModel
from munin_app.ui.actions.chat import ChatActions
from munin_app.ui.actions.memory import MemoryActions
from munin_app.ui.actions.personas import PersonaActions
from munin_app.ui.actions.settings import SettingsActions
from munin_app.ui.actions.shell import Shell
from munin_app.ui.components.buttons import button
from munin_app.ui.components.dialogs import listed
from munin_app.ui.state import Completion, ViewName


class SlashActions:
    def __init__(
        self,
        munin: Munin,
        shell: Shell,
        chat: ChatActions,
        memory: MemoryActions,
        personas: PersonaActions,
        settings: SettingsActions,
        go: Callable[[ViewName], None],
        attach: Callable[[str], Coroutine[Any, Any, None]],
        state: Completion,
    ) -> None:
        """`go` opens a screen and reads what it shows; `attach` reads the file of a path into the composer."""
        self._munin = munin
        self._shell = shell
        self._chat = chat
        self._memory = memory
        self._personas = personas
        self._settings = settings
        self._go = go
        self._attach = attach
        self._closed = False
        """By hand; until another slash is typed."""
        self.state = state
        chat.typed, chat.is_command = self._typed, self._take

    # Completing

    @property
    def has_keys(self) -> bool:
        """The list is shown, and what is typed goes to the composer."""
        return bool(self.state.entries) and self._chat.composer_has_keyboard and self._shell.navigation.view == "chat"

    def move(self, by: int) -> None:
        self.state.chosen = (self.state.chosen + by) % len(self.state.entries)

    def close(self) -> None:
        self._closed = True
        self._show(())

    async def choose(self, command: Command) -> None:
        """By a tap, or by Tab, which both take the keyboard away. One that takes nothing more is done."""
        self._complete(command)
        self._chat.focus_composer()
        if not command.argument:
            await self._chat.send()

    @property
    def marked(self) -> Command:
        return self.state.entries[self.state.chosen]

    def _complete(self, command: Command) -> None:
        """Its name stands in the composer."""
        self._chat.fill(f"/{command.name}{' ' if command.argument else ''}")

    def _typed(self) -> None:
        draft = self._chat.draft._text
        self._closed = self._closed and draft.startswith("/")
        self._show(() if self._closed or self._chat.state.editing else commands.completions(draft))

    def _show(self, entries: tuple[Command, ...]) -> None:
        if entries == self.state.entries:
            return
        self.state.entries, self.state.chosen = entries, 0
        if self._chat.state.following:
            self._chat.scroll_to_end()

    # Doing

    async def _take(self, text: str) -> bool:
        """Whether the text was for Munin. Enter completes a name that is not typed to its end, or that needs more."""
        if self.state.entries and (self.marked.needs_text or text[1:].casefold() != self.marked.name):
            command = self.marked
            self._complete(command)
            if command.argument:
                return True
            text = self._chat.draft._text
        try:
            line = commands.parse(text)
            if line and self._chat.state.editing:
                raise MessageRefused(_("A command cannot take the place of a message. Press Esc, then type it."))
        except MessageRefused as error:
            self._chat.state.refused = str(error)
            return True
        if line:
            await self._chat.obey(lambda: self._do(line))
        return line is not None

    async def _do(self, line: CommandLine) -> None:
        match line.name:
            case "remember":
                await self._remember(line.text)
            case "forget":
                await self._forget(line.text)
            case "memories":
                self._memory.state.tab, self._memory.state.found = "memories", None
                self._memory.state.memory_query = line.text
                self._go("memory")
            case "new":
                await self._chat.new()
            case "model":
                await self._model(line.text)
            case "persona":
                await self._persona(line.text)
            case "attach":
                await self._attach(line.text)

    async def _conversation(self) -> Conversation:
        """One is made where nothing was said yet, as for sending."""
        self._chat.state.conversation = self._chat.state.conversation or await self._munin.controller.new_conversation()
        return self._chat.state.conversation

    async def _remember(self, text: str) -> None:
        sentence, learned = await commands.remember(self._munin.controller, await self._conversation(), text)
        if learned:
            await self._shell.snack(sentence, _("Undo"), lambda: self._undo(learned))
        else:
            await self._shell.tell(sentence)

    async def _undo(self, learned: LearnedFact) -> None:
        await self._shell.tell(await self._memory.undo_learned(learned))

    async def _forget(self, text: str) -> None:
        fact = await commands.meant(self._munin.controller, await self._conversation(), text)
        if fact is None:
            self._memory.state.tab, self._memory.state.fact_query, self._memory.state.fact_scope = "facts", text, ""
            self._go("memory")
            await self._shell.tell(f"{commands.unclear(text)} {_('Choose it here.')}")
            return
        outcome = await self._munin.forgetting.forget_fact(fact.id)
        await self._shell.snack(" ".join((commands.forgot(fact), *outcome.failures)), _("Undo"), lambda: self._bring_back(fact))

    async def _bring_back(self, fact: Fact) -> None:
        await self._shell.tell(await self._memory.bring_back(fact))

    async def _model(self, typed: str) -> None:
        await self._settings.read_models()
        models = self._settings.models.entries

        async def choose(model: InstalledModel) -> None:
            await self._chat.choose_model(str(model.path))

        if typed:
            await choose(commands.named("model", typed, models, lambda model: (model.name, model.id)))
            return
        path = self._chat.state.model_of.path
        rows = [(model.name, model.path == path, lambda model=model: choose(model)) for model in models]
        self._ask(_("Model of this chat"), rows)

    async def _persona(self, typed: str) -> None:
        await self._personas.refresh()
        personas, present = self._personas.state.items, self._personas.of(self._chat.state.conversation)

        async def choose(persona: Persona) -> None:
            await self._personas.choose(persona)

        if typed:
            await choose(commands.named("persona", typed, personas, lambda persona: (persona.name,)))
            return
        rows = [(one.name, one.id == present.id, lambda one=one: choose(one)) for one in personas]
        self._ask(_("Who answers in this chat"), rows)

    def _ask(self, title: str, rows: Sequence[tuple[str, bool, Callable[[], Coroutine[Any, Any, None]]]]) -> None:
        """`rows`: name, whether it holds now, and what choosing it does."""

        def chosen(action: Callable[[], Coroutine[Any, Any, None]]) -> Callable[[], Coroutine[Any, Any, None]]:
            async def closed_and_done() -> None:
                self._shell.close_dialog()
                await self._shell.attempt(action())

            return closed_and_done

        self._shell.show_dialog(
            listed(
                title,
                _("The one with a tick holds now."),
                lambda t: [button(t, name, chosen(action), name=ft.Icons.CHECK if on else None) for name, on, action in rows],
                [(_("Cancel"), "plain", self._shell.close_dialog)],
            )
        )
