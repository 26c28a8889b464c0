"""The Data page: what takes how much space, backing up, restoring, erasing. Knows no control."""

import asyncio
import signal
from collections.abc import Callable
from contextlib import suppress
from datetime import date
from pathlib import Path
from typing import TypeVar

import flet as ft
import platformdirs

from munin_app import paths
from munin_app.backup.listing import installed_models, space
from munin_app.backup.manifest import Manifest
from munin_app.backup.pending import ask_to_erase, discard, stage
from munin_app.backup.reading import read_manifest, slot_of
from munin_app.backup.seal import Progress
from munin_app.backup.writing import write_backup
from munin_app.bootstrap import Munin
from munin_app.errors import BackupError, MuninError
from munin_app.i18n import _, ngettext
from munin_app.locking.opening import own_sealing
from munin_app.storage.passphrase import Slot, sealing_with, unwrap
from munin_app.ui.actions.shell import Shell, telling
from munin_app.ui.components.dialogs import Choice, ask_text, listed
from munin_app.ui.farewell import show_farewell
from munin_app.ui.format import chats_counted, counted, day, exact_size, facts_counted, messages_counted
from munin_app.ui.state import DataPage

T = TypeVar("T")


def closes() -> str:
    return _("Munin closes for that. Open it again, and it is done.")


class DataActions:
    def __init__(self, munin: Munin, shell: Shell, state: DataPage) -> None:
        self._munin = munin
        self._shell = shell
        self.state = state

    @telling
    async def refresh(self) -> None:
        self.state.spaces = tuple(await asyncio.to_thread(space, paths.data_folder()))
        if not self.state._target:
            documents = platformdirs.user_documents_path()
            self.state._target = str(documents if documents.is_dir() else Path.home())

    # Back up

    async def choose_folder(self) -> None:
        if folder := await ft.FilePicker().get_directory_path(dialog_title=_("Folder for the backup")):
            await self._back_up(folder)

    async def back_up(self) -> None:
        await self._back_up(self.state._target.strip())

    async def _back_up(self, target: str) -> None:
        models = installed_models(await self._munin.library.chat_models(self._munin.settings.model_path))

        passphrase = self.state._passphrase

        def write(progress: Progress) -> tuple[Path, Manifest]:
            sealing = sealing_with(passphrase) if passphrase else own_sealing(paths.data_folder())
            return write_backup(Path(target), models, progress, sealing)

        if target and (written := await self._work(_("Backing up"), write, "backup_error")):
            file, manifest = written
            self.state._passphrase = ""
            await self._shell.tell(_("Backed up to {file}: {contents}.").format(file=file, contents=contents(manifest)))

    @telling
    async def copy_daily(self, on: bool) -> None:
        """To the folder that is typed, from now on; the first one now."""
        folder = await asyncio.to_thread(_folder, self.state._target.strip())
        if on and not folder:
            raise BackupError(_("A copy each day needs a folder that is there. Type one above, then switch it on."))
        await self._munin.change_settings(copies_folder=folder if on else "")
        self._munin.copy_in_background()

    async def keep_copies(self, number: str) -> None:
        await self._munin.change_settings(copies_kept=int(number))

    # Restore

    async def choose_file(self) -> None:
        files = await ft.FilePicker().pick_files(dialog_title=_("Open a backup"), allowed_extensions=["zip", "munin"])
        if files and files[0].path:
            await self._preview(Path(files[0].path))

    async def preview(self) -> None:
        await self._preview(Path(self.state._source.strip()))

    async def _preview(self, file: Path) -> None:
        """Asks for the passphrase of a sealed one first."""
        found = await self._work(_("Looking into it"), lambda _progress: (slot_of(file),), "restore_error")
        if not found:
            return
        (slot,) = found
        if slot:
            self._ask_passphrase(file, slot, "")
        else:
            await self._preview_opened(file, None)

    def _ask_passphrase(self, file: Path, slot: Slot, error: str) -> None:
        async def typed(passphrase: str) -> None:
            self._shell.close_dialog()
            try:
                key = await asyncio.to_thread(unwrap, slot, passphrase)
            except MuninError as refused:
                self._ask_passphrase(file, slot, str(refused))
            else:
                await self._preview_opened(file, key)

        dialog = ask_text(
            _("This backup is sealed"),
            _("Passphrase of the backup"),
            _("Open"),
            typed,
            self._shell.close_dialog,
            help_=_("It opens with the passphrase that it was made with."),
            secret=True,
        )
        self._shell.show_dialog(dialog(error))

    async def _preview_opened(self, file: Path, key: bytes | None) -> None:
        """What is in it, and what restoring it would do."""
        manifest = await self._work(_("Looking into it"), lambda progress: read_manifest(file, progress, key), "restore_error")
        if manifest is None:
            return
        sentence = _(
            "Made {day}, by Munin {program}: {contents}. Replace puts it in the place of all chats, facts, "
            "personas and settings that are here. Merge keeps those and adds what the backup has beside them; "
            "chats that were deleted here since come back."
        ).format(day=day(manifest.created_at, date.today()), program=manifest.program, contents=contents(manifest))
        actions: list[Choice] = [
            (_("Cancel"), "plain", self._shell.close_dialog),
            (_("Replace"), "danger", lambda: self._stage(file, key, merge=False)),
            (_("Merge"), "tint", lambda: self._stage(file, key, merge=True)),
        ]
        self._shell.show_dialog(listed(_("Restore this backup?"), sentence, [], actions))

    async def _stage(self, file: Path, key: bytes | None, *, merge: bool) -> None:
        self._shell.close_dialog()
        folder = paths.data_folder()

        def work(progress: Progress) -> Manifest:
            return stage(file, folder, merge=merge, progress=progress, key=key)

        if await self._work(_("Checking the backup"), work, "restore_error") is None:
            return
        what = _("It is added to what is here.") if merge else _("It takes the place of what is here.")
        self._shell.show_dialog(
            listed(
                _("The backup is checked"),
                f"{what} {closes()}",
                [],
                [(_("Cancel"), "plain", self._discard), (_("Close Munin"), "tint" if merge else "danger", self.quit)],
                modal=True,
            )
        )

    @telling
    async def _discard(self) -> None:
        self._shell.close_dialog()
        await asyncio.to_thread(discard, paths.data_folder())
        await self._shell.tell(_("Nothing was restored."))

    # Erase

    def ask_to_erase(self) -> None:
        def erase(models: bool) -> Callable[[], object]:
            return lambda: self._erase(models=models)

        self._shell.show_dialog(
            listed(
                _("Erase everything?"),
                _(
                    "All chats, memory, facts, personas, settings and logs leave this device. This cannot be undone, and "
                    "backups that you made are not touched. Munin closes for that."
                ),
                [],
                [
                    (_("Cancel"), "plain", self._shell.close_dialog),
                    (_("Keep models"), "danger", erase(False)),
                    (_("Models too"), "danger", erase(True)),
                ],
            )
        )

    @telling
    async def _erase(self, *, models: bool) -> None:
        self._shell.close_dialog()
        await asyncio.to_thread(lambda: ask_to_erase(paths.data_folder(), models=models))
        await self.quit()

    async def quit(self) -> None:
        """The window closes, or the server that a browser talks to; what was asked for is done by then or at the next start."""
        self._shell.close_dialog()
        await self._shell.tell(_("Munin closes. Open it again."))
        if self._shell.page.web:
            await self._shell.attempt(show_farewell())
            signal.raise_signal(signal.SIGINT)
            return
        with suppress(Exception):  # a phone has no window to close: there the sentence says it
            await self._shell.page.window.destroy()

    async def _work(self, name: str, work: Callable[[Progress], T], error_field: str) -> T | None:
        """On a thread, one at a time, with progress on the page. None: it failed, and the page says why."""
        state, loop = self.state, asyncio.get_running_loop()
        if state.busy:
            return None
        state.backup_error = state.restore_error = ""
        state.busy, state.share = name, 0.0

        def show(done: int, total: int) -> None:
            loop.call_soon_threadsafe(setattr, state, "share", done / total if total else 0.0)

        try:
            return await self._munin.keep(lambda: work(show))
        except MuninError as error:
            setattr(state, error_field, str(error))
            return None
        finally:
            state.busy = ""
            await self.refresh()


def _folder(typed: str) -> str:
    """Its whole path; empty where there is none."""
    path = Path(typed).expanduser()
    return str(path.resolve()) if typed and path.is_dir() else ""


def contents(manifest: Manifest) -> str:
    counts = manifest.counts
    words = [
        chats_counted(counts.conversations),
        messages_counted(counts.messages),
        facts_counted(counts.facts),
        counted(counts.personas, ngettext("{n} persona", "{n} personas", counts.personas)),
    ]
    return _("{things}; {size} unpacked").format(things=", ".join(words), size=exact_size(manifest.size))
