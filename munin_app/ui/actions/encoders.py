"""Memory's encoder in the window: choosing another one, how far its vectors are, going back, adding a folder."""

from pathlib import Path

import flet as ft

from munin_app.bootstrap import Munin
from munin_app.domain.memories import ArmState
from munin_app.errors import MuninError
from munin_app.i18n import _
from munin_app.library.encoders import InstalledEncoder
from munin_app.ui.actions.shell import Shell, telling
from munin_app.ui.components.dialogs import confirm
from munin_app.ui.format import grouped_number
from munin_app.ui.state import EncodersPart


class EncoderActions:
    def __init__(self, munin: Munin, shell: Shell, state: EncodersPart) -> None:
        self._munin = munin
        self._shell = shell
        self.state = state

    async def refresh(self) -> None:
        state, memory = self.state, self._munin.memory
        state.entries = tuple(await self._munin.library.encoders())
        state.in_use = memory.encoder.id if memory.encoder else ""
        arms = await memory.status()
        state.problem = next((arm.detail for arm in arms if arm.name == "encoder" and arm.state is ArmState.OFF), "")
        await self.read_progress()

    async def read_progress(self) -> None:
        self.state.progress = await self._munin.memory.vector_progress()

    def name(self, encoder_id: str) -> str:
        return next((encoder.name for encoder in self.state.entries if encoder.id == encoder_id), encoder_id)

    @telling
    async def ask(self, encoder: InstalledEncoder) -> None:
        """Says what it means before anything happens."""
        count, parts = await self._munin.memory.count(), self.state.progress.total

        async def confirmed() -> None:
            self._shell.close_dialog()
            await self.use(encoder.id)

        if encoder.id == self.state.progress.former:
            what = _("What it read is still there: only what came since is read.")
        elif parts:
            what = _(
                "{count} remembered messages ({parts} parts) are read again by it, in the background. How long that "
                "takes is not known before it runs; it goes on after a restart. Search works meanwhile, by words and "
                "by what is done, and you can go back while it runs."
            ).format(count=grouped_number(count), parts=grouped_number(parts))
        else:
            what = _("Nothing is remembered yet, so there is nothing to read again.")
        if encoder.entry.threshold is None:
            what += _(" How sure recall has to be was not measured for it: it may recall too much or too little.")
        self._shell.show_dialog(
            confirm(
                _("Use {name} for memory?").format(name=encoder.name),
                what,
                _("Use it"),
                confirmed,
                self._shell.close_dialog,
                kind="tint",
            )
        )

    @telling
    async def ask_id(self, encoder_id: str) -> None:
        """From anywhere."""
        await self.refresh()
        for encoder in self.state.entries:
            if encoder.id == encoder_id:
                await self.ask(encoder)

    async def use(self, encoder_id: str) -> None:
        """Also back to the one before, whose vectors are still there."""
        state = self.state
        if state.switching:
            return
        state.error, state.switching = "", encoder_id
        try:
            encoder = await self._munin.use_encoder(encoder_id)
        except MuninError as error:
            state.error = str(error)
            await self._shell.tell(state.error)
        else:
            await self._shell.tell(_("Memory uses {name}.").format(name=encoder.name))
        finally:
            state.switching = ""
            await self.refresh()

    def set_path(self, path: str) -> None:
        self.state.path = path

    async def pick(self) -> None:
        """Asks for a folder. In a browser there is no path to be had: there the path is typed."""
        path = await ft.FilePicker().get_directory_path(dialog_title=_("Add an encoder's folder"))
        if path:
            self.state.path = path
            await self.add()

    @telling
    async def add(self) -> None:
        """The folder in the field, linked into Munin's own."""
        state = self.state
        state.error = ""
        if not state.path.strip():
            state.error = _("Type the path of an encoder's folder first.")
            return
        try:
            encoder = await self._munin.library.add_encoder(Path(state.path.strip()))
        except MuninError as error:
            state.error = str(error)
            return
        state.path = ""
        await self.refresh()
        assumed = (
            _(" Its folder does not say so, but it is assumed that {names}.").format(names=_(" and ").join(encoder.assumed))
            if encoder.assumed
            else ""
        )
        await self._shell.tell(_("{name} is in the list.{assumed}").format(name=encoder.name, assumed=assumed))
