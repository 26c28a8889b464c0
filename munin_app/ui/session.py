"""One open page: its state, its actions, and the events that reach it. Services are shared, this is not."""

from collections.abc import Callable
from contextlib import suppress
from typing import Any

import flet as ft

from munin_app.bootstrap import AppEvent, Munin, ProfileChanged
from munin_app.chat.model_state import ModelStateChanged, SettingsChanged
from munin_app.domain.events import ConversationChanged, FactsLearned, PersonasChanged, TurnFinished, VectorsMade
from munin_app.i18n import language, right_to_left
from munin_app.imports.remembering import ImportsRemembered
from munin_app.library.downloads import Download
from munin_app.ui.actions.about import AboutActions
from munin_app.ui.actions.adding import AddingActions
from munin_app.ui.actions.attachments import AttachmentActions
from munin_app.ui.actions.chat import ChatActions
from munin_app.ui.actions.commands import chord_of, commands
from munin_app.ui.actions.conversations import ConversationActions
from munin_app.ui.actions.data import DataActions
from munin_app.ui.actions.encoders import EncoderActions
from munin_app.ui.actions.imports import ImportActions
from munin_app.ui.actions.library import LibraryActions
from munin_app.ui.actions.lifecycle import LifecycleActions
from munin_app.ui.actions.lock import Gate, LockActions
from munin_app.ui.actions.memory import MemoryActions
from munin_app.ui.actions.messages import MessageActions
from munin_app.ui.actions.model_sheet import ModelSheetActions
from munin_app.ui.actions.palette import PaletteActions
from munin_app.ui.actions.personas import PersonaActions
from munin_app.ui.actions.settings import SettingsActions
from munin_app.ui.actions.shell import Shell
from munin_app.ui.actions.slash import SlashActions
from munin_app.ui.actions.speed import SpeedActions
from munin_app.ui.components.base import doing
from munin_app.ui.pump import Burst, EventPump
from munin_app.ui.state import (
    Attaching,
    ChatState,
    Completion,
    ConversationList,
    DataPage,
    DialogBuilder,
    Draft,
    DraftFlag,
    EncodersPart,
    ImportPart,
    LockPart,
    MemoryPage,
    ModelSheet,
    ModelsPage,
    ModelView,
    Navigation,
    Overlay,
    PersonasPage,
    ProfileState,
    SpeedPage,
    ViewName,
)
from munin_app.ui.tokens import BREAKPOINT, Tokens, tokens


class PageSession:
    def __init__(self, page: ft.Page, munin: Munin, gate: Gate | None = None) -> None:
        """`gate`: what locks this page with all others; None: nothing does."""
        self.page = page
        self.munin = munin
        self.navigation = Navigation(munin.settings, notices=tuple(munin.notices))
        self.overlay = Overlay()
        self.model = ModelView()
        profile = ProfileState()
        self.shell = Shell(page, self.navigation, self.overlay)
        self.pump = EventPump(munin.subscribe, self._apply, self._applied)
        self.chat = ChatActions(munin, self.shell, ChatState(), Draft(), DraftFlag(), self.pump.flush)
        self.memory = MemoryActions(munin, self.shell, self.chat, MemoryPage(), profile)
        self.messages = MessageActions(munin, self.shell, self.chat, self.memory, profile)
        self.conversations = ConversationActions(munin, self.shell, self.chat, ConversationList(), profile)
        self.personas = PersonaActions(munin, self.shell, self.chat, self.memory, PersonasPage(), profile)
        self.settings = SettingsActions(munin, self.shell, ModelsPage())
        self.attachments = AttachmentActions(munin, self.shell, self.chat, Attaching())
        self.slash = SlashActions(
            munin,
            self.shell,
            self.chat,
            self.memory,
            self.personas,
            self.settings,
            self.go,
            self.attachments.attach,
            Completion(),
        )
        self.encoders = EncoderActions(munin, self.shell, EncodersPart())
        self.library = LibraryActions(munin, self.shell, self.settings, self.encoders, self.model)
        self.adding = AddingActions(munin, self.shell, self.library, self.settings.models)
        self.speed = SpeedActions(munin, self.shell, self.settings.models, SpeedPage())
        self.model_sheet = ModelSheetActions(munin, self.shell, self.settings.name_of, ModelSheet())
        self.lifecycle = LifecycleActions(munin, self.shell, self.chat.drafts)
        self.about = AboutActions(munin, self.shell)
        self.data = DataActions(munin, self.shell, DataPage())
        self.imports = ImportActions(munin, self.shell, ImportPart())
        self.lock = LockActions(gate, self.shell, LockPart())
        self.profile = profile
        self.palette = PaletteActions(munin, self.shell, self.chat, lambda: commands(self))
        self.shortcuts_view: DialogBuilder = lambda t: ft.AlertDialog()
        """Draws the list of shortcuts; the app sets it."""
        self.redress: Callable[[object, str | None], None] = lambda sender, field: None
        """Held here because observables hold their listeners weakly."""
        self._stale: set[str] = set()
        self._mirror_model()

    @property
    def tokens(self) -> Tokens:
        return tokens_of(self.navigation)

    @property
    def _scale(self) -> float:
        return self.navigation.settings.text_size / 100

    @property
    def local_desktop(self) -> bool:
        """A window of its own, so that file dialogs give paths and folders can be opened."""
        return not self.page.web

    async def start(self) -> None:
        """In the page's context, before its first frame."""
        _forgive_late_answers(self.page)
        self.measure()
        self.pump.start()
        self.library.mirror()
        await self._name_model()
        await self.personas.refresh()
        await self.chat.read_model()
        await self.memory.read_profile()
        await self.conversations.refresh()
        await self.chat.restore_draft()

    async def stop(self) -> None:
        """The page is gone for good; turns go on, but for a temporary chat."""
        self.lifecycle.stop()
        self.attachments.close()
        await self.chat.leave()
        await self.shell.end_snack()  # nobody can take it any more
        self.shell.close()
        await self.pump.stop()

    def measure(self) -> None:
        """Larger text asks for the one pane earlier."""
        self.navigation.wide = (self.page.width or BREAKPOINT) >= BREAKPOINT * self._scale
        self.navigation.system_dark = self.page.platform_brightness == ft.Brightness.DARK

    async def ask_system(self) -> None:
        """Whether the system asks for high contrast or for less motion. Flet does not tell when that changes: it is asked again
        when the window is shown again, or turns dark or light."""
        with suppress(RuntimeError, TimeoutError, TypeError):  # the page is gone, or its client cannot tell
            if wishes := await ft.SemanticsService().get_accessibility_features():
                self.navigation.system_contrast = wishes.high_contrast
                self.navigation.system_still = wishes.reduce_motion or wishes.disable_animations

    def go(self, view: ViewName) -> None:
        """Opens a screen and reads what it shows."""
        self.shell.go(view)
        if view == "memory":
            self.shell.run(self.memory.refresh())
        elif view == "models":
            self.shell.run(self.library.refresh())
            self.shell.run(self.library.look())
        elif view == "speed":
            self.shell.run(self.settings.read_models())
        elif view == "settings":
            self.settings.state.target = ""  # where one was led to before
            self.shell.run(self.settings.read_models())
            self.shell.run(self.memory.refresh())
        elif view == "data":
            self.shell.run(self.data.refresh())
            self.shell.run(self.imports.refresh())
            self.shell.run(self.lock.refresh())
        elif view == "personas":
            self.personas.close_form()
            self.shell.run(self.personas.refresh())
            self.shell.run(self.settings.read_models())
        elif view == "conversations":
            self.shell.run(self.conversations.refresh())

    # Keyboard

    async def on_key(self, event: ft.KeyboardEvent) -> None:
        chord = chord_of(event)
        if self.overlay.dialog and not self.palette.is_open:
            return  # the keyboard is the dialog's
        if self.palette.is_open:
            self.palette.hear(event)
        if self.slash.has_keys and not self.overlay.dialog and chord in ("Arrow Down", "Arrow Up", "Tab"):
            if chord == "Tab":
                await self.slash.choose(self.slash.marked)
            else:
                self.slash.move(1 if chord == "Arrow Down" else -1)
        elif self.palette.is_open and chord in ("Arrow Down", "Arrow Up"):
            self.palette.move(1 if chord == "Arrow Down" else -1)
        elif chord == "Escape":
            self.escape()
        elif chord == "Arrow Up" and self.chat.composer_is_empty and not self.palette.is_open:
            self.messages.edit_last()
        elif not self.palette.is_open or chord == "Ctrl+K":
            for command in commands(self):
                if chord in command.chords:
                    await doing(command.action)()

    def escape(self) -> None:
        """Closes what lies on top; with nothing there it stops the reply."""
        if self.overlay.dialog:
            return  # the dialog closes itself
        if self.slash.state.entries and self.navigation.view == "chat":
            self.slash.close()
        elif self.navigation.model_sheet or self.navigation.sheet:
            self.shell.close_sheet()
        elif self.conversations.state.selecting:
            self.conversations.select(False)
        elif self.chat.state.editing:
            self.chat.stop_editing()
        elif self.chat.state.busy:
            self.chat.stop()

    def open_setting(self, identity: str) -> None:
        """Its row, on the page of settings."""
        self.go("settings")
        self.settings.show(identity)

    def focus_composer(self) -> None:
        self.shell.go("chat")
        self.chat.focus_composer()

    def toggle_panel(self) -> None:
        self.navigation.panel = not self.navigation.panel

    def show_shortcuts(self) -> None:
        self.shell.show_dialog(self.shortcuts_view)

    async def show_archive(self) -> None:
        """On the screen that has the list."""
        self.navigation.panel = True
        if not self.navigation.wide:
            self.shell.go("conversations")
        await self.conversations.show(archive=True)

    # Events

    def _apply(self, event: AppEvent | Burst) -> None:
        self.chat.apply(event)
        match event:
            case ModelStateChanged():
                self._mirror_model()
                self.shell.run(self._name_model())
                self.shell.run(self.chat.read_model())
                if self.navigation.view == "models":
                    self.shell.run(self.library.refresh())
            case Download():
                self.library.apply(event)
            case SettingsChanged(settings=settings):
                before, self.navigation.settings = self.navigation.settings, settings
                self.measure()
                self._mirror_model()
                self.shell.run(self.chat.read_model())
                if self.navigation.view == "models" and settings.encoder != before.encoder:
                    self.shell.run(self.encoders.refresh())
                if settings.language != before.language:  # what holds words is read again
                    self.shell.run(self.personas.refresh())
                    self.go(self.navigation.view)
            case ProfileChanged() | FactsLearned():
                self._stale.add("profile")
            case ImportsRemembered():
                self.imports.state.remembered = event
            case PersonasChanged():
                self._stale.add("personas")
            case VectorsMade():
                self._stale.add("status")
            case ConversationChanged() | TurnFinished():
                self._stale.add("conversations")

    def _applied(self) -> None:
        if self.chat.state.following and self.navigation.view == "chat":
            self.chat.scroll_to_end()
        self.lifecycle.keep_awake(bool(self.munin.controller.running_conversations()))
        stale, self._stale = self._stale, set()
        if "profile" in stale:
            self.shell.run(self.memory.read_profile())
        if "personas" in stale:
            self.shell.run(self.personas.refresh())
            self.shell.run(self.chat.read_model())
        if "status" in stale and self.navigation.view == "memory":
            self.shell.run(self.memory.read_status())
        if "status" in stale and self.navigation.view == "models":
            self.shell.run(self.encoders.read_progress())
        if "conversations" in stale:
            self.shell.run(self.conversations.refresh())

    def _mirror_model(self) -> None:
        state = self.munin.model_state
        self.model.phase, self.model.info, self.model.too_large = state.phase, state.info, state.too_large
        self.model.error, self.model.offer, self.model.tiny = state.error, state.offer, state.tiny
        self.model.default = self.munin.switch.default
        self.navigation.notices = tuple(self.munin.notices)

    async def _name_model(self) -> None:
        """The catalogue's name is for people; a file's header often is not."""
        await self.settings.read_models()
        path = self.model.info.path if self.model.info else None
        names = [entry.name for entry in self.settings.models.entries if entry.path == path]
        self.model.name = names[0] if names else ""

    def dismiss_notice(self, notice: str) -> None:
        if notice in self.munin.notices:
            self.munin.notices.remove(notice)
        self.navigation.notices = tuple(self.munin.notices)


def tokens_of(shown: Navigation) -> Tokens:
    return tokens(
        shown.dark,
        shown.wide,
        language(),
        right_to_left(),
        scale=shown.settings.text_size / 100,
        compact=shown.settings.density == "compact",
        high_contrast=shown.high_contrast,
        still=shown.still,
    )


def _forgive_late_answers(page: ft.Page) -> None:
    """Flet 1.0.5 ends a page's receive loop when the client answers a call (a jump to the end, say) for a control that has
    left the screen meanwhile."""
    answer = page.session.handle_invoke_method_results

    def forgiving(control_id: int, call_id: str, result: Any, error: str | None) -> None:
        with suppress(RuntimeError):
            answer(control_id, call_id, result, error)

    page.session.handle_invoke_method_results = forgiving  # type: ignore[method-assign]
