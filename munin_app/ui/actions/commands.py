"""What can be done from anywhere: one table for the palette, the keyboard and the list of shortcuts."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import flet as ft

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
    group: str = "Actions"
    others: str = ""
    """Words that find it too."""
    listed: bool = True
    """In the palette."""

    @property
    def keys(self) -> str:
        return self.chords[0].replace("+", " ") if self.chords else ""


SETTINGS = (
    ("Theme", "dark light system look appearance"),
    ("Length of replies", "tokens long short"),
    ("Context", "tokens memory"),
    ("Model in use", "how it runs"),
    ("Compact context", "memory kv"),
    ("Threads", "cores processor speed"),
    ("Graphics processor", "gpu layers"),
    ("Use memory in replies", "remember"),
    ("Note new facts", "learn review"),
    ("Data folder", "files backup"),
    ("Clear all chats", "delete erase"),
    ("About Munin", "version licence"),
)


def chord_of(event: ft.KeyboardEvent) -> str:
    """ "Ctrl+Shift+O"."""
    parts = ["Ctrl"] * (event.ctrl or event.meta) + ["Alt"] * event.alt + ["Shift"] * event.shift
    return "+".join([*parts, event.key.upper() if len(event.key) == 1 else event.key])


def commands(session: "PageSession") -> Sequence[Command]:
    """Those that make sense at this moment."""
    chat, actions, navigation = session.chat, session.conversations, session.navigation
    found = [
        Command("New chat", "new-chat", lambda: chat.new(), ("Ctrl+N", "Ctrl+Shift+O")),
        Command("New temporary chat", ft.Icons.TIMER_OUTLINED, lambda: chat.new(temporary=True), others="private incognito"),
        Command("Search everything", ft.Icons.SEARCH, session.palette.toggle, ("Ctrl+K",), listed=False),
        Command("Write a message", ft.Icons.EDIT_OUTLINED, session.focus_composer, ("Shift+Escape",), others="focus composer"),
    ]
    if chat.state.busy:
        found.append(Command("Stop the reply", ft.Icons.STOP, chat.stop))
    if navigation.wide:
        found.append(
            Command("Show or hide the chats", ft.Icons.VIEW_SIDEBAR_OUTLINED, session.toggle_panel, ("Ctrl+B",), others="panel")
        )
    found += [
        Command("Memory", "feather", lambda: session.go("memory"), others="facts review memories recall"),
        Command("Personas", ft.Icons.FACE_OUTLINED, lambda: session.go("personas"), others="who answers prompt"),
        Command("Models", ft.Icons.MEMORY, lambda: session.go("models"), others="download library"),
        Command("Settings", ft.Icons.SETTINGS_OUTLINED, lambda: session.go("settings"), ("Ctrl+,",), others="preferences"),
        Command("Data", ft.Icons.FOLDER_OPEN_OUTLINED, lambda: session.go("data"), others="backup restore space erase"),
        Command("Archived chats", ft.Icons.ARCHIVE_OUTLINED, session.show_archive),
        Command("Keyboard shortcuts", ft.Icons.KEYBOARD_OUTLINED, session.show_shortcuts, ("Ctrl+/", "F1"), others="keys help"),
    ]
    conversation = chat.state.conversation
    if conversation and conversation.temporary and chat.state.messages:
        found.append(Command("Keep this temporary chat", ft.Icons.SAVE_OUTLINED, chat.keep, group="This chat"))
    elif conversation and chat.state.messages:
        found += [Command(label, name, action, group="This chat") for label, name, action in actions.menu_of(conversation)]
    found += [
        Command(name, ft.Icons.SETTINGS_OUTLINED, lambda: session.go("settings"), group="Settings", others=others)
        for name, others in SETTINGS
    ]
    return found
