"""The list of keyboard shortcuts, and of the commands that are typed."""

import flet as ft

from munin_app.chat.commands import COMMANDS
from munin_app.i18n import _, translated
from munin_app.ui.actions.commands import commands
from munin_app.ui.components.base import padding, sides, text
from munin_app.ui.components.dialogs import listed
from munin_app.ui.session import PageSession
from munin_app.ui.state import DialogBuilder
from munin_app.ui.tokens import RADIUS_INNER, S1, S2, S3, Tokens


def always() -> tuple[tuple[str, str], ...]:
    return (
        (_("Enter"), _("Send")),
        (_("Shift Enter"), _("New line")),
        ("Esc", _("Close what lies on top, or stop the reply")),
        ("↑ ↓ " + _("Enter"), _("In a search, or among commands: choose")),
    )


def shown_keys(keys: str, mac: bool) -> str:
    """As the keyboard has them: "Strg K" in German."""
    # Translators: what is written on the key
    names = {"Ctrl": "⌘" if mac else _("Ctrl"), "Alt": "⌥" if mac else "Alt", "Shift": _("Shift"), "Escape": "Esc"}
    return " ".join(names.get(key, key) for key in keys.split())


def _row(t: Tokens, keys: str, words: str) -> ft.Control:
    cap = ft.Container(
        text(t, keys, "smallb", t.text2, wrap=False), bgcolor=t.well, border_radius=RADIUS_INNER, padding=sides(S2, S1)
    )
    return ft.Container(ft.Row([text(t, words, "body", expand=True), cap], spacing=S3), padding=padding(bottom=S1))


def shortcuts_dialog(session: PageSession) -> DialogBuilder:
    mac = session.page.platform in (ft.PagePlatform.MACOS, ft.PagePlatform.IOS)

    def rows(t: Tokens) -> list[ft.Control]:
        chords = [(command.keys, command.name) for command in commands(session) if command.keys]
        typed = [(command.usage, translated(command.help)) for command in COMMANDS]
        shown = [(shown_keys(keys, mac), words) for keys, words in chords]
        return [_row(t, keys, words) for keys, words in (*shown, *always(), *typed)]

    sentence = _("In a browser some belong to the browser: Ctrl Shift O also begins a new chat, F1 also shows this list.")
    return listed(_("Keyboard shortcuts"), sentence, rows, [(_("Close"), "plain", session.shell.close_dialog)])
