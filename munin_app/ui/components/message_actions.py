"""The quiet row under a message: which version of it is shown, copy, and a menu with the rest. The keyboard reaches all of it."""

from typing import Protocol

import flet as ft

from munin_app.domain.messages import MessageStatus
from munin_app.i18n import _
from munin_app.ui.components.base import Action, described, text
from munin_app.ui.components.buttons import icon_button, menu
from munin_app.ui.state import MessageState
from munin_app.ui.tokens import Tokens

Item = tuple[str, ft.IconData | str, Action]


class ActionHandlers(Protocol):
    def copy(self, message: MessageState) -> object: ...
    def edit(self, message: MessageState) -> object: ...
    def show_version(self, message: MessageState, step: int) -> object: ...
    def retry(self, message: MessageState) -> object: ...
    def shorter(self, message: MessageState) -> object: ...
    def longer(self, message: MessageState) -> object: ...
    def with_model(self, message: MessageState) -> object: ...
    def toggle_bookmark(self, message: MessageState) -> object: ...
    def delete(self, message: MessageState) -> object: ...
    def open_used(self, message: MessageState) -> object: ...


def versions(t: Tokens, message: MessageState, handlers: ActionHandlers) -> list[ft.Control]:
    """ "‹ 2/3 ›"; nothing where there is one version only."""
    if len(message.siblings) < 2:
        return []
    place = message.siblings.index(message.id)

    def arrow(name: ft.IconData, tip: str, step: int, end: int) -> ft.Control:
        off = place == end
        colour = t.line if off else t.text3
        return icon_button(t, name, tip, lambda: handlers.show_version(message, step), colour=colour, size=20, disabled=off)

    count = len(message.siblings)
    return [
        arrow(ft.Icons.CHEVRON_LEFT, _("Previous version"), -1, 0),
        described(
            text(t, f"{place + 1}/{count}", "micro", t.text2, wrap=False),
            label=_("Version {number} of {count}").format(number=place + 1, count=count),
        ),
        arrow(ft.Icons.CHEVRON_RIGHT, _("Next version"), 1, count - 1),
    ]


def own_actions(t: Tokens, message: MessageState, handlers: ActionHandlers) -> list[ft.Control]:
    edit = icon_button(t, ft.Icons.EDIT_OUTLINED, _("Edit message"), lambda: handlers.edit(message), colour=t.text3, size=16)
    copy = icon_button(
        t, ft.Icons.CONTENT_COPY_OUTLINED, _("Copy message"), lambda: handlers.copy(message), colour=t.text3, size=16
    )
    more = menu(t, _("More about this message"), [*_edit(t, message, handlers), *_kept(message, handlers)], size=18)
    return [*_mark(t, message, handlers), *([edit] if t.wide else []), copy, more]


def _edit(t: Tokens, message: MessageState, handlers: ActionHandlers) -> list[Item]:
    return [] if t.wide else [(_("Edit"), ft.Icons.EDIT_OUTLINED, lambda: handlers.edit(message))]


def reply_actions(t: Tokens, message: MessageState, handlers: ActionHandlers, last: bool) -> list[ft.Control]:
    """An earlier reply keeps answering again in its menu: what follows it would leave the page."""
    copy = icon_button(
        t, ft.Icons.CONTENT_COPY_OUTLINED, _("Copy reply"), lambda: handlers.copy(message), colour=t.text3, size=18
    )
    acts = [*_mark(t, message, handlers), *([copy] if message.text else [])]
    again: list[Item] = [(_("Retry"), ft.Icons.REFRESH, lambda: handlers.retry(message))]
    if last and message.status is not MessageStatus.FAILED:
        acts.append(icon_button(t, ft.Icons.REFRESH, _("Retry"), lambda: handlers.retry(message), colour=t.text3, size=18))
        again = []
    items: list[Item] = [
        *again,
        (_("Retry, shorter"), ft.Icons.SHORT_TEXT, lambda: handlers.shorter(message)),
        (_("Retry, longer"), ft.Icons.NOTES, lambda: handlers.longer(message)),
        (_("Retry with another model"), ft.Icons.MEMORY, lambda: handlers.with_model(message)),
        (_("Details"), ft.Icons.INFO_OUTLINE, lambda: handlers.open_used(message)),
        *_kept(message, handlers),
    ]
    return [*acts, menu(t, _("More about this reply"), items, size=18)]


def _kept(message: MessageState, handlers: ActionHandlers) -> list[Item]:
    label = _("Remove bookmark") if message.bookmarked else _("Bookmark")
    sign = ft.Icons.BOOKMARK_REMOVE_OUTLINED if message.bookmarked else ft.Icons.BOOKMARK_ADD_OUTLINED
    return [
        (label, sign, lambda: handlers.toggle_bookmark(message)),
        (_("Delete"), ft.Icons.DELETE_OUTLINE, lambda: handlers.delete(message)),
    ]


def _mark(t: Tokens, message: MessageState, handlers: ActionHandlers) -> list[ft.Control]:
    if not message.bookmarked:
        return []
    return [
        icon_button(t, ft.Icons.BOOKMARK, _("Remove bookmark"), lambda: handlers.toggle_bookmark(message), colour=t.seed, size=18)
    ]
