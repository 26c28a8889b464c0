"""Models that are on this device already: those of other apps, and files and folders that the user names. Knows no control."""

import asyncio
from contextlib import suppress
from pathlib import Path

import flet as ft

from munin_app.bootstrap import Munin
from munin_app.errors import ModelError, MuninError
from munin_app.i18n import _
from munin_app.library.adding import parts_at
from munin_app.library.found import FoundModel
from munin_app.library.models import InstalledModel
from munin_app.library.progress import Progress
from munin_app.ui.actions.library import LibraryActions
from munin_app.ui.actions.shell import Shell, telling
from munin_app.ui.components.dialogs import Choice, listed
from munin_app.ui.format import size
from munin_app.ui.state import CopyView, ModelsPage


class AddingActions:
    def __init__(self, munin: Munin, shell: Shell, library: LibraryActions, models: ModelsPage) -> None:
        self._munin = munin
        self._shell = shell
        self._library = library
        self._state = models
        self._copy: asyncio.Task[object] | None = None

    @telling
    async def add_found(self, model: FoundModel) -> None:
        """What another app has is linked, never moved. A folder that the user named may be on a stick: there they choose."""
        if self._state.found_in:
            await self._ask(model.path, model.id, model.size_bytes)
        else:
            await self._link(model.path, model.id)

    @telling
    async def add_typed(self) -> None:
        """What the path in the field leads to: a file to be linked or copied, or a folder to be looked through."""
        state = self._state
        typed = state.path.strip()
        state.error, state.error_path, state.too_large, state.offer = "", typed, False, None
        try:
            if not typed:
                raise ModelError(_("Type the path of a GGUF file or of a folder first."))
            path = user_path(typed)
            if await asyncio.to_thread(path.is_dir):
                await self._look_in(path)
            else:
                files = await asyncio.to_thread(parts_at, path)
                await self._ask(path, "", sum(file.stat().st_size for file in files))
        except MuninError as error:
            state.error = str(error)

    async def _look_in(self, folder: Path) -> None:
        await self._library.look(folder)
        if not self._state.found.models:
            raise ModelError(
                _("{folder} holds no chat model in GGUF format that is not in the list already. Choose another folder.").format(
                    folder=folder
                )
            )
        self._state.path = ""

    @telling
    async def pick_file(self) -> None:
        files = await ft.FilePicker().pick_files(dialog_title=_("Choose a GGUF file"), allowed_extensions=["gguf"])
        if files and files[0].path:
            self._state.path = files[0].path
            await self.add_typed()

    @telling
    async def pick_folder(self) -> None:
        if folder := await ft.FilePicker().get_directory_path(dialog_title=_("Choose a folder with models")):
            self._state.path = folder
            await self.add_typed()

    async def _ask(self, path: Path, name: str, size_bytes: int) -> None:
        """Linked or copied: what each takes, and what there is."""
        free = None
        with suppress(OSError):
            free = await self._munin.library.free_bytes()

        async def link() -> None:
            self._shell.close_dialog()
            await self._shell.attempt(self._link(path, name))

        async def copy() -> None:
            self._shell.close_dialog()
            self._shell.run(self._copy_in(path, name, size_bytes))

        room = _(" {size} are free.").format(size=size(free)) if free is not None else ""
        sentence = _(
            "A link takes no space, and works for as long as the file stays where it lies. A copy takes {size}, "
            "and is Munin's own.{room}"
        ).format(size=size(size_bytes), room=room)
        cancel: Choice = (_("Cancel"), "plain", self._shell.close_dialog)
        acts: list[Choice] = [cancel, (_("Copy"), "plain", copy), (_("Link"), "tint", link)]
        if self._shell.page.platform in (ft.PagePlatform.ANDROID, ft.PagePlatform.IOS):  # there a picked file is a passing copy
            sentence = _("It is copied into Munin's folder, and takes {size}.{room}").format(size=size(size_bytes), room=room)
            acts = [cancel, (_("Copy"), "tint", copy)]
        self._shell.show_dialog(listed(_("Add {name}?").format(name=name or path.stem), sentence, [], acts))

    async def _link(self, path: Path, name: str) -> None:
        await self._added(await self._munin.library.add(path, name=name))

    async def _copy_in(self, path: Path, name: str, size_bytes: int) -> None:
        state = self._state
        if state.copying:
            raise ModelError(_("{name} is being copied. Wait for it, or cancel it.").format(name=state.copying.name))
        view = state.copying = CopyView(name or path.stem, Progress("receiving", 0, size_bytes))

        def progressed(progress: Progress) -> None:
            view.progress = progress

        self._copy = asyncio.create_task(self._munin.library.add(path, copy=True, name=name, report=progressed))
        try:
            model = await self._copy
        except asyncio.CancelledError:
            self._copy.cancel()
            if (task := asyncio.current_task()) and task.cancelling():  # the page is gone, and its copy with it
                raise
            await self._shell.tell(_("{name} is not copied. Nothing of it is left.").format(name=view.name))
        else:
            await self._added(model)
        finally:
            state.copying = self._copy = None

    def cancel_copy(self) -> None:
        if self._copy:
            self._copy.cancel()

    async def _added(self, model: InstalledModel) -> None:
        state = self._state
        state.path = ""
        await self._library.refresh()
        await self._library.look(Path(state.found_in) if state.found_in else None)
        await self._shell.snack(
            _("{name} is in the list.").format(name=model.name), _("Use it"), lambda: self._library.use_id(model.id)
        )


def user_path(typed: str) -> Path:
    return Path(typed).expanduser()
