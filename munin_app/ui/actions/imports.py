"""Chats of other apps: looked into, chosen from, imported, remembered. Knows no control."""

import asyncio
from pathlib import Path

import flet as ft

from munin_app.bootstrap import Munin
from munin_app.errors import ChatImportError, MuninError
from munin_app.i18n import _, ngettext
from munin_app.imports.importing import Imported, preview
from munin_app.imports.writing import Wish
from munin_app.ui.actions.shell import Shell, telling
from munin_app.ui.state import ImportPart

DRAWN = 10
"""Chats listed at once, and so many more each time."""


class ImportActions:
    def __init__(self, munin: Munin, shell: Shell, state: ImportPart) -> None:
        self._munin = munin
        self._shell = shell
        self.state = state
        self._work: asyncio.Task[Imported] | None = None

    @telling
    async def refresh(self) -> None:
        self.state.remembered = await self._munin.remembering.progress()

    # looking

    @telling
    async def choose_file(self) -> None:
        picker = ft.FilePicker()
        files = await picker.pick_files(dialog_title=_("Open an export"), allowed_extensions=["zip", "json"])
        if files and files[0].path:
            await self._look(files[0].path)

    @telling
    async def choose_folder(self) -> None:
        if folder := await ft.FilePicker().get_directory_path(dialog_title=_("LM Studio's folder of chats")):
            await self._look(folder)

    @telling
    async def look(self) -> None:
        await self._look(self.state._path.strip())

    async def _look(self, typed: str) -> None:
        state = self.state
        if state.looking or state.importing:
            return
        state.error, state.found, state.looking = "", None, True
        try:
            if not typed:
                raise ChatImportError(_("Type the path of an export first."))
            found = await preview(self._munin.chats, Path(typed))
        except MuninError as error:
            state.error = str(error)
        else:
            state.chosen, state.drawn = frozenset(chat.mark for chat in found.chats if chat.new), DRAWN
            state.found = found
        finally:
            state.looking = False

    def close(self) -> None:
        """What was found is put away; nothing was imported."""
        self.state.found, self.state.error = None, ""

    # choosing

    def choose(self, mark: str) -> None:
        self.state.chosen ^= {mark}

    def choose_all(self, all_: bool) -> None:
        chats = self.state.found.chats if self.state.found else ()
        self.state.chosen = frozenset(chat.mark for chat in chats) if all_ else frozenset()

    def draw_more(self) -> None:
        self.state.drawn += DRAWN

    def set_remember(self, on: bool) -> None:
        self.state.remember, self.state.facts = on, self.state.facts and on

    def set_facts(self, on: bool) -> None:
        self.state.facts = on

    # importing

    @telling
    async def bring(self) -> None:
        """What is chosen. Cancelled, what was imported by then stays."""
        state = self.state
        if state.found is None or state.importing or not state.chosen:
            return

        def report(done: int) -> None:
            state.done = done

        state.importing, state.done, state.error = True, 0, ""
        wish = Wish(state.remember, state.facts)
        self._work = asyncio.create_task(self._munin.import_chats(state.found.path, wish, state.chosen, report))
        try:
            imported = await asyncio.shield(self._work)
        except asyncio.CancelledError:
            if not self._work.cancelled():  # the page is gone; the import goes on
                raise
            await self._shell.tell(
                ngettext("Cancelled. {n} chat was imported.", "Cancelled. {n} chats were imported.", state.done).format(
                    n=state.done
                )
            )
        except MuninError as error:
            state.error = str(error)
        else:
            await self._shell.tell(_summary(imported))
            state.found, state._path = None, ""
        finally:
            state.importing = False
        await self.refresh()

    def cancel(self) -> None:
        if self._work:
            self._work.cancel()

    # remembering

    @telling
    async def pause(self) -> None:
        await self._munin.remembering.pause()

    @telling
    async def resume(self) -> None:
        await self._munin.remembering.resume()

    @telling
    async def give_up(self) -> None:
        await self._munin.remembering.give_up()
        await self._shell.tell(_("What was not remembered yet stays out of memory."))


def _summary(imported: Imported) -> str:
    if not imported.messages:
        return _("Nothing was new.")
    chats = ngettext("{n} chat", "{n} chats", imported.chats + imported.extended).format(n=imported.chats + imported.extended)
    messages = ngettext("{n} message", "{n} messages", imported.messages).format(n=imported.messages)
    return _("Imported: {chats}, {messages}.").format(chats=chats, messages=messages)
