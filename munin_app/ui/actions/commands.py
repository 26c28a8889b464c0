"""What can be done from anywhere: one table for the palette, the keyboard and the list of shortcuts."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import flet as ft

from munin_app.i18n import _
from munin_app.ui.actions.setting_rows import groups, rows

if TYPE_CHECKING:
    from munin_app.ui.session import PageSession


@dataclass(frozen=True, slots=True)
class Command:
    name: str
    icon: ft.IconData | str
    action: Callable[[], Any] = field(compare=False)
    chords: tuple[str, ...] = ()
    """Keys that do it, such as "Ctrl+N"; ⌘ counts as Ctrl. The first one is shown, the others are for browsers and keyboards
    that keep it for themselves."""
    group: str = ""
    others: str = ""
    """Words that find it too."""
    listed: bool = True
    """In the palette."""

    @property
    def keys(self) -> str:
        return self.chords[0].replace("+", " ") if self.chords else ""


def chord_of(event: ft.KeyboardEvent) -> str:
    """ "Ctrl+Shift+O"."""
    parts = ["Ctrl"] * (event.ctrl or event.meta) + ["Alt"] * event.alt + ["Shift"] * event.shift
    return "+".join([*parts, event.key.upper() if len(event.key) == 1 else event.key])


def commands(session: "PageSession") -> Sequence[Command]:
    """Those that make sense at this moment."""
    chat, actions, navigation = session.chat, session.conversations, session.navigation
    found = [
        Command(_("New chat"), "new-chat", lambda: chat.new(), ("Ctrl+N", "Ctrl+Shift+O")),
        Command(
            _("New temporary chat"), ft.Icons.TIMER_OUTLINED, lambda: chat.new(temporary=True), others=_("private incognito")
        ),
        Command(_("Search everything"), ft.Icons.SEARCH, session.palette.toggle, ("Ctrl+K",), listed=False),
        Command(
            # Translators: of what was done last, while the short message with Undo is shown
            _("Undo what was just done"),
            ft.Icons.UNDO,
            session.shell.take_snack,
            ("Ctrl+Alt+Z",),
            listed=False,
        ),
        Command(
            _("Write a message"), ft.Icons.EDIT_OUTLINED, session.focus_composer, ("Shift+Escape",), others=_("focus composer")
        ),
    ]
    if navigation.view == "chat" and not chat.state.editing:
        found.append(Command(_("Attach files"), ft.Icons.ATTACH_FILE, session.attachments.pick, others=_("pdf text document")))
    if chat.state.busy:
        found.append(Command(_("Stop the reply"), ft.Icons.STOP, chat.stop))
    if navigation.wide:
        found.append(
            Command(
                _("Show or hide the chats"), ft.Icons.VIEW_SIDEBAR_OUTLINED, session.toggle_panel, ("Ctrl+B",), others=_("panel")
            )
        )
    found += [
        Command(_("Memory"), "feather", lambda: session.go("memory"), others=_("facts review memories recall")),
        Command(_("Personas"), ft.Icons.FACE_OUTLINED, lambda: session.go("personas"), others=_("who answers prompt")),
        Command(_("Models"), ft.Icons.MEMORY, lambda: session.go("models"), others=_("download library")),
        Command(_("Settings"), ft.Icons.SETTINGS_OUTLINED, lambda: session.go("settings"), ("Ctrl+,",), others=_("preferences")),
        Command(_("Data"), ft.Icons.FOLDER_OPEN_OUTLINED, lambda: session.go("data"), others=_("backup restore space erase")),
        Command(_("Archived chats"), ft.Icons.ARCHIVE_OUTLINED, session.show_archive),
        Command(
            _("Keyboard shortcuts"), ft.Icons.KEYBOARD_OUTLINED, session.show_shortcuts, ("Ctrl+/", "F1"), others=_("keys help")
        ),
    ]
    if session.lock.can_lock_now:
        found.append(Command(_("Lock now"), ft.Icons.LOCK_OUTLINED, session.lock.now, others=_("passphrase")))
    conversation = chat.state.conversation
    if conversation and conversation.temporary and chat.state.messages:
        found.append(Command(_("Keep this temporary chat"), ft.Icons.SAVE_OUTLINED, chat.keep, group=_("This chat")))
    elif conversation and chat.state.messages:
        found += [Command(label, name, action, group=_("This chat")) for label, name, action in actions.menu_of(conversation)]
    found += [
        Command(
            row.name,
            ft.Icons.SETTINGS_OUTLINED,
            lambda row=row: session.open_setting(row.id),  # type: ignore[misc]
            group=_("Settings"),
            others=f"{row.others} {groups()[row.group]}",
        )
        for row in rows()
    ]
    return found
