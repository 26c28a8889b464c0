"""The list of conversations: paging, rename, pin, archive, tags, duplicates, delete with Undo, one or many. Knows no control."""

import re
from collections.abc import Callable, Collection, Sequence
from typing import Any

import flet as ft

from munin_app.bootstrap import Munin
from munin_app.chat import export
from munin_app.chat.attached.rows import texts
from munin_app.chat.html_export import as_html
from munin_app.domain.messages import Conversation
from munin_app.i18n import _
from munin_app.ui.actions.chat import ChatActions
from munin_app.ui.actions.latest import Latest
from munin_app.ui.actions.shell import Shell, telling
from munin_app.ui.components.dialogs import Choice, ask_text, listed
from munin_app.ui.format import chats_counted, plain_line, title_of
from munin_app.ui.state import ConversationList, ProfileState

TITLE_LIMIT = 120
TAGS_LIMIT = 200
DRAWN = 30
"""Conversations drawn at once, and as many more each time when one scrolls to the end of them."""
MenuItem = tuple[str, ft.IconData | str, Callable[[], Any]]


class ConversationActions:
    def __init__(self, munin: Munin, shell: Shell, chat: ChatActions, state: ConversationList, profile: ProfileState) -> None:
        self._munin = munin
        self._shell = shell
        self._chat = chat
        self._profile = profile
        self._drawn = DRAWN
        self._latest: Latest[None] = Latest(self._read)
        self.state = state

    async def refresh(self) -> None:
        await self._latest.ask(None)

    async def _read(self, nothing: None) -> None:
        page = await self._munin.shelf.page(self._drawn, archived=self.state.in_archive, tag=self.state.tag)
        self.state.items, self.state.more = page.conversations, page.more
        self.state.snippets = {identity: plain_line(text) for identity, text in page.snippets.items()}
        self.state.tags, self.state.archived = page.tags, page.archived
        titles = await self._munin.shelf.titles()
        if titles != self._profile.titles:
            self._profile.titles = titles

    @telling
    async def more(self) -> None:
        """The end of what is drawn came into sight."""
        if self.state.more and self._drawn == len(self.state.items):
            self._drawn += DRAWN
            await self.refresh()

    @telling
    async def show(self, *, archive: bool = False, tag: str = "") -> None:
        """The list, or the archive; with a tag: of it only what has that tag."""
        self.state.in_archive, self.state.tag, self._drawn = archive, tag, DRAWN
        self.select(False)
        await self.refresh()

    # one

    def menu_of(self, conversation: Conversation) -> list[MenuItem]:
        """Label, icon, action."""
        one = [conversation.id]
        archive = (_("Archive"), ft.Icons.ARCHIVE_OUTLINED, lambda: self.archive(one, True))
        bring_back = (_("Bring back to the list"), ft.Icons.UNARCHIVE_OUTLINED, lambda: self.archive(one, False))
        return [
            (_("Rename"), ft.Icons.DRIVE_FILE_RENAME_OUTLINE, lambda: self.ask_rename(conversation)),
            (
                _("Unpin") if conversation.pinned else _("Pin"),
                ft.Icons.PUSH_PIN_OUTLINED,
                lambda: self.toggle_pinned(conversation),
            ),
            (_("Tags"), ft.Icons.LABEL_OUTLINE, lambda: self.ask_tags(one, conversation.tags)),
            (_("Export"), ft.Icons.DOWNLOAD_OUTLINED, lambda: self.ask_export(conversation)),
            (_("Duplicate"), ft.Icons.CONTENT_COPY_OUTLINED, lambda: self.duplicate(conversation)),
            bring_back if conversation.archived else archive,
            (_("Select"), ft.Icons.CHECK_CIRCLE_OUTLINED, lambda: self.begin_selecting(conversation.id)),
            (_("Delete"), ft.Icons.DELETE_OUTLINE, lambda: self.delete([conversation])),
        ]

    def ask_rename(self, conversation: Conversation) -> None:
        async def rename(title: str) -> None:
            self._shell.close_dialog()
            if title:
                await self._shell.attempt(renamed(title))

        async def renamed(title: str) -> None:
            await self._munin.chats.rename(conversation.id, title)
            await self._changed([conversation.id])

        dialog = ask_text(
            _("Rename chat"),
            _("Title"),
            _("Rename"),
            rename,
            self._shell.close_dialog,
            value=conversation.title,
            limit=TITLE_LIMIT,
        )
        self._shell.show_dialog(dialog(""))

    @telling
    async def toggle_pinned(self, conversation: Conversation) -> None:
        await self._munin.chats.set_pinned(conversation.id, not conversation.pinned)
        await self._changed([conversation.id])

    @telling
    async def duplicate(self, conversation: Conversation) -> None:
        copy = await self._munin.shelf.duplicate(conversation.id)
        await self.refresh()
        await self._chat.open(copy.id)
        await self._shell.tell(_("This is the copy. Memory goes by the original's messages."))

    def ask_export(self, conversation: Conversation) -> None:
        sentence = _(
            "HTML is a page to look at and to print; for a PDF, open it in a browser, print it and choose “Save as PDF”. "
            "Markdown holds what is shown as text. JSON holds every branch, for other programs."
        )
        actions: list[Choice] = [
            (_("Cancel"), "plain", self._shell.close_dialog),
            ("JSON", "plain", lambda: self.export(conversation, "json")),
            ("Markdown", "plain", lambda: self.export(conversation, "md")),
            ("HTML", "tint", lambda: self.export(conversation, "html")),
        ]
        self._shell.show_dialog(listed(_("Export this chat"), sentence, [], actions))

    @telling
    async def export(self, conversation: Conversation, kind: str) -> None:
        """`md`, `html` or `json`. Saved where the user says; a browser puts it among its downloads."""
        self._shell.close_dialog()
        persona = (await self._munin.controller.personas.get(conversation.persona_id)).name
        chats = self._munin.chats
        path, files = await chats.path(conversation.id), await texts(chats, conversation.id)
        if kind == "json":
            text = export.as_json(conversation, await chats.messages(conversation.id), persona, files)
        elif kind == "html":
            text = as_html(conversation, path, await chats.tree(conversation.id), persona, files)
        else:
            text = export.as_markdown(conversation, path, persona, files)
        name = re.sub(r"[^\w -]", "", title_of(conversation)).strip()[:60] or "chat"
        await ft.FilePicker().save_file(dialog_title=_("Export this chat"), file_name=f"{name}.{kind}", src_bytes=text.encode())

    # one or many

    def select(self, on: bool) -> None:
        self.state.selecting, self.state.selected = on, frozenset()

    def begin_selecting(self, conversation_id: str) -> None:
        """Where the list is seen."""
        self._shell.navigation.panel = True
        if not self._shell.navigation.wide:
            self._shell.go("conversations")
        self.choose(conversation_id)

    def choose(self, conversation_id: str) -> None:
        """Into the selection, or out of it."""
        self.state.selecting = True
        self.state.selected ^= {conversation_id}

    @telling
    async def select_all(self) -> None:
        """Also those that are not drawn."""
        self.state.selected = frozenset(await self._munin.shelf.ids(archived=self.state.in_archive, tag=self.state.tag))

    @telling
    async def archive(self, conversation_ids: Collection[str], archived: bool) -> None:
        await self._munin.shelf.set_archived(conversation_ids, archived)
        self.select(False)
        await self._changed(conversation_ids)

        async def undo() -> None:
            await self._munin.shelf.set_archived(conversation_ids, not archived)
            await self._changed(conversation_ids)

        done = _("{chats} archived.") if archived else _("{chats} back in the list.")
        await self._shell.snack(done.format(chats=chats_counted(len(conversation_ids))), _("Undo"), undo)

    def ask_tags(self, conversation_ids: Collection[str], there: Sequence[str] = ()) -> None:
        """Of one conversation: all its tags, to be changed. Of several: tags to be added to them."""
        one = len(conversation_ids) == 1

        async def tag(typed: str) -> None:
            self._shell.close_dialog()
            await self._shell.attempt(tagged(typed.split(",")))

        async def tagged(names: list[str]) -> None:
            await self._munin.shelf.tag(conversation_ids, names, instead=one)
            self.select(False)
            await self._changed(conversation_ids)

        used = _(" In use: {names}.").format(names=", ".join(self.state.tags)) if self.state.tags else ""
        title = _("Tags of this chat")
        if not one:
            title = _("Add tags to {chats}").format(chats=chats_counted(len(conversation_ids)))
        dialog = ask_text(
            title,
            _("Work, holidays"),
            _("Save") if one else _("Add"),
            tag,
            self._shell.close_dialog,
            value=", ".join(there),
            help_=_("Separate them by commas.{used}").format(used=used),
            limit=TAGS_LIMIT,
        )
        self._shell.show_dialog(dialog(""))

    async def _changed(self, conversation_ids: Collection[str]) -> None:
        await self.refresh()
        if self.state.tag and self.state.tag not in self.state.tags:  # the last conversation that had it
            await self.show(archive=self.state.in_archive)
        if self._chat.conversation_id in conversation_ids:
            self._chat.state.conversation = await self._munin.chats.get(self._chat.conversation_id)

    @telling
    async def delete_selected(self) -> None:
        known = {one.id: one for one in self.state.items}
        chosen = [known[one] if one in known else await self._munin.chats.get(one) for one in self.state.selected]
        await self.delete(chosen)

    @telling
    async def delete(self, conversations: Sequence[Conversation]) -> None:
        """Hidden from everything at once; erased when the offer of Undo ends."""
        await self._shell.end_snack()
        open_ = self._chat.conversation_id
        was_open = any(one.id == open_ for one in conversations)
        if was_open:
            await self._chat.new()
        kept = [one for one in conversations if not one.temporary]
        self.select(False)
        if not kept:
            return
        for one in kept:
            await self._munin.forgetting.hide_conversation(one.id)
        await self.refresh()

        async def undo() -> None:
            for one in kept:
                await self._munin.forgetting.unhide_conversation(one.id)
            await self.refresh()
            if was_open:
                await self._chat.open(open_)

        async def erase() -> None:
            await self._munin.forgetting.erase_hidden([one.id for one in kept])

        done = _("“{title}” deleted.").format(title=title_of(kept[0]))
        if len(kept) > 1:
            done = _("{chats} deleted.").format(chats=chats_counted(len(kept)))
        await self._shell.snack(done, _("Undo"), undo, erase)
