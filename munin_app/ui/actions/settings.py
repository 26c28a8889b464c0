"""Settings and the choice of a model. What is refused is said in place, and the old value stays. Knows no control."""

from pathlib import Path
from typing import Any

import flet as ft

from munin_app import paths
from munin_app.bootstrap import Munin
from munin_app.chat.model_state import TemplateOffer
from munin_app.config import Settings
from munin_app.errors import ModelTooLarge, MuninError
from munin_app.i18n import _
from munin_app.ui.actions.shell import Shell
from munin_app.ui.components.dialogs import confirm
from munin_app.ui.state import ModelsPage, SettingsState


class SettingsActions:
    def __init__(self, munin: Munin, shell: Shell, models: ModelsPage) -> None:
        self._munin = munin
        self._shell = shell
        self.models = models
        self.state = SettingsState()

    # The page

    def search(self, query: str) -> None:
        self.state.query = query

    def show(self, target: str) -> None:
        """A row, which is marked, or a group; nothing is looked for any more."""
        if self.state.query:
            self.state.query = ""
            self.state.version += 1
        self.state.target = target
        self.state.asked += 1

    async def reset(self, name: str) -> None:
        """To what it is where nothing is set."""
        await self.change(**{name: getattr(Settings(), name)})

    # What is set

    async def change(self, **changes: Any) -> None:
        try:
            await self._munin.change_settings(**changes)
        except ModelTooLarge as error:
            self._ask_anyway(str(error), changes)
        except MuninError as error:
            await self._shell.tell(str(error))

    def _ask_anyway(self, error: str, changes: dict[str, Any]) -> None:
        async def confirmed() -> None:
            self._shell.close_dialog()
            await self.change(**changes, load_anyway=True)

        close = self._shell.close_dialog
        self._shell.show_dialog(confirm(_("Memory is short"), error, _("Load anyway"), confirmed, close, kind="tint"))

    async def read_models(self) -> None:
        self.models.entries = tuple(await self._munin.library.chat_models(self._munin.settings.model_path))

    def name_of(self, path: Path | None) -> str:
        """What the catalogue calls it, else the file's name."""
        names = [entry.name for entry in self.models.entries if entry.path == path]
        return names[0] if names else path.stem if path else _("No model")

    def set_path(self, path: str) -> None:
        self.models.path = path

    async def use_typed(self) -> None:
        await self.use(self.models.path)

    async def use_offer(self, offer: TemplateOffer) -> None:
        await self.use(str(offer.path), template=offer.template)
        if self.models.error:  # it was pressed in a chat, where that is not shown
            await self._shell.tell(self.models.error)

    async def use(self, path: str, *, template: str = "", load_anyway: bool = False) -> None:
        """Loads another model; when that fails the old one stays and the reason is shown with what would mend it."""
        path, models = path.strip(), self.models
        if models.busy:
            return
        models.error, models.error_path, models.too_large, models.offer = "", path, False, None
        if not path:
            models.error = _("Type the path of a GGUF file first.")
            return
        models.loading = path
        try:
            info = await self._munin.use_model_file(path, template=template, load_anyway=load_anyway)
        except MuninError as error:
            models.error, models.too_large = str(error), isinstance(error, ModelTooLarge)
            models.offer = await self._munin.offer(error, path)
        else:
            models.path = ""
            await self.read_models()
            names = [entry.name for entry in models.entries if entry.path == info.path]
            await self._shell.tell(_("{name} is in use.").format(name=names[0] if names else info.name))
        finally:
            models.loading = ""

    async def use_anyway(self) -> None:
        """The file that memory seemed too short for."""
        await self.use(self.models.error_path, load_anyway=True)

    async def load_again(self) -> None:
        await self._munin.load_model()

    async def load_anyway(self) -> None:
        """The model in the settings, although memory seems too short."""
        await self.change(load_anyway=True)

    @property
    def data_folder(self) -> str:
        return str(paths.data_folder())

    async def open_data_folder(self) -> None:
        await ft.UrlLauncher().launch_url(paths.data_folder().as_uri())

    async def copy_data_folder(self) -> None:
        await self._shell.copy(self.data_folder, _("Path"))
