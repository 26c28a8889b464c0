"""The model library in the window: what fits, downloads, adding and removing. Knows no control.

The downloads themselves belong to the app: a page mirrors them, and others show the same.
"""

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import flet as ft

from munin_app.bootstrap import Munin
from munin_app.fits import found_judgements, judgements
from munin_app.i18n import _
from munin_app.inference.about import about_file
from munin_app.inference.machine import free_memory
from munin_app.library.catalog import ChatModelEntry, Entry
from munin_app.library.downloads import Download
from munin_app.library.encoders import InstalledEncoder
from munin_app.library.found import FoundModel
from munin_app.library.models import InstalledModel
from munin_app.library.names import shown_name
from munin_app.library.progress import Progress
from munin_app.ui.actions.encoders import EncoderActions
from munin_app.ui.actions.settings import SettingsActions
from munin_app.ui.actions.shell import Shell, telling
from munin_app.ui.components.base import readable, text
from munin_app.ui.components.dialogs import confirm, facts, listed
from munin_app.ui.format import fit_reason, grouped_number, parameter_count, size, template_sentence
from munin_app.ui.state import DownloadView, ModelView
from munin_app.ui.tokens import Tokens


class LibraryActions:
    def __init__(self, munin: Munin, shell: Shell, settings: SettingsActions, encoders: EncoderActions, model: ModelView) -> None:
        self._munin = munin
        self._shell = shell
        self._settings = settings
        self._encoders = encoders
        self._model = model
        self._state = settings.models
        self._looks = 0

    # what is shown

    async def refresh(self) -> None:
        """What is here, what can be downloaded, and how each would run."""
        state, library = self._state, self._munin.library
        await self._settings.read_models()
        await self._encoders.refresh()
        state.offers = tuple(await library.offered())
        with suppress(OSError):
            state.free_disk = await library.free_bytes()
        state.free_memory = await asyncio.to_thread(self._memory)
        state.judgements = await asyncio.to_thread(
            judgements,
            state.entries,
            self._encoders.state.entries,
            state.offers,
            self._munin.settings,
            state.free_memory,
            free_memory(),
        )

    @telling
    async def look(self, folder: Path | None = None) -> None:
        """For models in the folders of other apps, or in `folder`."""
        state = self._state
        self._looks = look = self._looks + 1
        found = await self._munin.library.found(folder)
        if look != self._looks:
            return  # another was asked for meanwhile
        state.found, state.found_in = found, str(folder or "")
        state.found_judgements = await asyncio.to_thread(
            found_judgements, found, self._munin.settings, await asyncio.to_thread(self._memory)
        )

    def _memory(self) -> int | None:
        """Free bytes, and what the model in use takes: it is unloaded first where memory is short."""
        free, info = free_memory(), self._munin.model_state.info
        return free if free is None or info is None else free + info.memory_bytes

    def mirror(self) -> None:
        """The downloads that ran before this page was opened."""
        self._state.downloads = tuple(DownloadView(download) for download in self._munin.downloads.current)
        self._model.downloading = any(download.active for download in self._munin.downloads.current)

    def apply(self, download: Download) -> None:
        """News of a download."""
        entry, state = download.entry, self._state
        view = next((view for view in state.downloads if view.download.entry.id == entry.id), None)
        if download.phase in ("done", "cancelled"):
            state.downloads = tuple(other for other in state.downloads if other is not view)
            self._shell.run(self.refresh())
        elif view:
            view.download = download
        else:
            state.downloads = (*state.downloads, DownloadView(download))
        self._model.downloading = any(view.download.active for view in state.downloads)
        if download.phase == "done":
            use = self.use_id if isinstance(entry, ChatModelEntry) else self._encoders.ask_id
            self._shell.run(
                self._shell.snack_in_turn(_("{name} is here.").format(name=entry.name), _("Use it"), lambda: use(entry.id))
            )
        elif download.phase == "failed" and self._shell.navigation.view != "models":
            self._shell.run(self._shell.snack_in_turn(download.error, _("Models"), lambda: self._shell.go("models")))

    def unfinished(self, download_ids: Sequence[str]) -> list[Download]:
        """What an earlier run left, as paused downloads; `download_ids`: those that are shown already."""
        return [
            Download(offer.entry, "paused", Progress("receiving", offer.arrived_bytes, offer.entry.size_bytes))
            for offer in self._state.offers
            if offer.arrived_bytes and offer.entry.id not in download_ids
        ]

    # downloads

    @telling
    async def get(self, entry: Entry) -> None:
        """Begins a download; terms that have to be accepted are shown before."""
        if entry.licence_terms:
            self._ask_licence(entry)
        else:
            await self._begin(entry)

    async def _begin(self, entry: Entry) -> None:
        self._munin.downloads.start(entry.id)
        await self._shell.tell(
            _("Downloading {name}: see the top of this page. It goes on while you chat.").format(name=entry.name)
        )

    def _ask_licence(self, entry: Entry) -> None:
        async def accepted() -> None:
            self._shell.close_dialog()
            await self._shell.attempt(self._begin(entry))

        async def opened() -> None:
            await self._shell.open_link(entry.licence_terms)

        def address(t: Tokens) -> list[ft.Control]:
            return [readable(text(t, entry.licence_terms, "small", selectable=True))]

        self._shell.show_dialog(
            listed(
                _("Accept the licence first"),
                _(
                    "{name} comes under the {licence}. Read the terms at this address; downloading it means that you accept them."
                ).format(name=entry.name, licence=entry.licence),
                address,
                [
                    (_("Cancel"), "plain", self._shell.close_dialog),
                    (_("Open the terms"), "plain", opened),
                    (_("Accept and download"), "tint", accepted),
                ],
            )
        )

    @telling
    async def resume(self, model_id: str) -> None:
        """Also tries again."""
        self._munin.downloads.start(model_id)

    @telling
    async def pause(self, model_id: str) -> None:
        await self._munin.downloads.pause(model_id)

    @telling
    async def cancel(self, download: Download) -> None:
        """Asks first where something would be lost. What is on the screen may be older than what has arrived."""
        known = (one for one in self._munin.downloads.current if one.entry.id == download.entry.id)
        download = next(known, download)
        if not download.progress.received_bytes:
            await self._cancel(download)
            return

        async def confirmed() -> None:
            self._shell.close_dialog()
            await self._shell.attempt(self._cancel(download))

        self._shell.show_dialog(
            confirm(
                _("Cancel this download?"),
                _("{size} of {name} are here, and are deleted.").format(
                    size=size(download.progress.received_bytes), name=download.entry.name
                ),
                _("Cancel the download"),
                confirmed,
                self._shell.close_dialog,
                cancel=_("Keep it"),
            )
        )

    async def _cancel(self, download: Download) -> None:
        freed = await self._munin.downloads.cancel(download.entry.id)
        if freed:
            await self._shell.tell(_("{size} are free again.").format(size=size(freed)))

    # models that are here

    @telling
    async def about(self, model: InstalledModel | FoundModel) -> None:
        """What the file says of itself, before it is loaded."""
        about = await asyncio.to_thread(about_file, model.path)
        entry = model.entry if isinstance(model, InstalledModel) else None
        parts = _(", in {number} files").format(number=len(model.files)) if len(model.files) > 1 else ""
        counted = parameter_count(about) if about.size_label or not parts else ""
        licence = about.licence or (_("{licence}, as the catalogue says").format(licence=entry.licence) if entry else "")
        judgements = {**self._state.found_judgements, **self._state.judgements}
        rows = [  # None: not to be mentioned where it is not known
            (_("Name"), about.name),
            (_("Architecture"), about.architecture),
            (_("Parameters"), counted),
            (_("Quantisation"), about.quantisation),
            (_("Size"), size(model.size_bytes) + parts),
            (
                _("Trained for"),
                _("{number} tokens of context").format(number=grouped_number(about.context_trained))
                if about.context_trained
                else "",
            ),
            (_("Chat template"), template_sentence(about)),
            (_("Licence"), licence),
            (_("Here"), fit_reason(judgements[model.id]) if model.id in judgements else None),
            (_("File"), await asyncio.to_thread(where_it_lies, model.path)),
        ]
        said = [(label, value or _("The file does not say")) for label, value in rows if value is not None]
        self._shell.show_dialog(facts(_("About this file"), said, self._shell.close_dialog))

    async def use_id(self, model_id: str) -> None:
        """From anywhere: what goes wrong is told, as the page that shows it may not be open."""
        model = await self._munin.library.find(model_id)
        await self._settings.use(str(model.path))
        if self._state.error and self._shell.navigation.view != "models":
            await self._shell.tell(self._state.error)

    @telling
    async def remove(self, model: InstalledModel, in_use: bool) -> None:
        """Asks first, and says what it frees."""

        async def confirmed() -> None:
            self._shell.close_dialog()
            await self._shell.attempt(self._remove(model))

        frees, where = _("This frees {size}.").format(size=size(model.size_bytes)), ""
        if model.linked:
            frees, where = _("Only the link to it goes. The file itself stays where it lies."), where_it_lies(model.path)
        also = _(" It is in use: another model that is here takes its place, and a reply that is being written stops.")
        self._shell.show_dialog(
            confirm(
                _("Remove {name}?").format(name=model.name),
                frees + (also if in_use else ""),
                _("Remove"),
                confirmed,
                self._shell.close_dialog,
                quote=where,
            )
        )

    async def _remove(self, model: InstalledModel) -> None:
        freed = await self._munin.remove_model(model.id)
        await self.refresh()
        self._shell.run(self.look())  # what was linked can be added again
        said = (
            _("{name} is removed; {size} are free again.").format(name=model.name, size=size(freed))
            if freed
            else _("{name} is removed.").format(name=model.name)
        )
        await self._shell.tell(
            _("The link to {name} is removed. The file itself stays.").format(name=model.name) if model.linked else said
        )

    @telling
    async def remove_encoder(self, encoder: InstalledEncoder) -> None:
        """As `remove`."""

        async def confirmed() -> None:
            self._shell.close_dialog()
            await self._shell.attempt(self._remove_encoder(encoder))

        frees = (
            _("The files themselves stay where they lie.")
            if encoder.linked
            else _("This frees {size}.").format(size=size(encoder.size_bytes))
        )
        in_use = encoder.id == self._encoders.state.in_use
        also = _(" Memory uses it: the starter's takes its place, and reads what is remembered again.") if in_use else ""
        self._shell.show_dialog(
            confirm(_("Remove {name}?").format(name=encoder.name), frees + also, _("Remove"), confirmed, self._shell.close_dialog)
        )

    async def _remove_encoder(self, encoder: InstalledEncoder) -> None:
        freed = await self._munin.remove_encoder(encoder.id)
        await self.refresh()
        await self._shell.tell(
            _("{name} is removed").format(name=encoder.name)
            + (_("; {size} are free again.").format(size=size(freed)) if freed else ".")
        )


def where_it_lies(path: Path) -> str:
    """The file itself, for the user to read."""
    with suppress(OSError, RuntimeError):
        path = path.resolve()
    return shown_name(str(path))
