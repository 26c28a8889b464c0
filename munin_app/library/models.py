"""Which models are on this device: lists, finds, adds, removes. Knows files and folders, and loads no model."""

import asyncio
import shutil
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from munin_app.errors import ModelError, NotFound
from munin_app.i18n import _
from munin_app.library.adding import parts_at, put
from munin_app.library.app_folders import AppFolder, app_folders
from munin_app.library.catalog import Catalog, ChatModelEntry, Entry
from munin_app.library.copying import copied
from munin_app.library.encoders import InstalledEncoder, add_encoder, brought_encoders, installed, remove_encoder
from munin_app.library.fetching import arrived_bytes, fetch, is_begun, throw_away
from munin_app.library.found import CanChat, Found, find_models
from munin_app.library.names import safe_file_name, shown_name
from munin_app.library.progress import Report, silent
from munin_app.library.splits import is_file, model_id, parts_of, whole
from munin_app.library.verify import Check, check_file


class ModelOrigin(StrEnum):
    USER = "user"  # in the data folder; can be removed
    STARTER = "starter"  # came with the program
    SETTINGS = "settings"  # anywhere on the disk, named in the settings


@dataclass(frozen=True, slots=True)
class InstalledModel:
    """A chat model file that is on this device."""

    id: str
    """The file's name without its ending, and without the number of the part."""
    path: Path
    """The file to load: the first one of a split model."""
    size_bytes: int
    """Of all its parts."""
    origin: ModelOrigin
    entry: ChatModelEntry | None = None
    """What the catalogue says about it, if it knows the file."""
    linked: bool = False
    """The file lies elsewhere; what is here is a link to it."""

    @property
    def files(self) -> tuple[Path, ...]:
        return tuple(self.path.with_name(name) for name in parts_of(self.path.name))

    @property
    def tiny(self) -> bool:
        return self.entry is not None and self.entry.tiny

    @property
    def name(self) -> str:
        return self.entry.name if self.entry else self.id


@dataclass(frozen=True, slots=True)
class Offer:
    """A model of the catalogue that can be downloaded."""

    entry: Entry
    arrived_bytes: int
    """More than 0: a download was begun, and goes on from here."""


class ModelLibrary:
    """Folders are looked at anew on every call: files may come and go beside the app."""

    def __init__(
        self,
        catalog: Catalog,
        user_folder: Path,
        starter_folder: Path,
        problem: str = "",
        can_chat: CanChat = lambda path: True,
    ) -> None:
        """`can_chat` reads the header of a file that another app has."""
        self._can_chat = can_chat
        self._copying = asyncio.Lock()
        self.problem = problem
        """What is wrong with the user's own catalogue; empty: nothing, or there is none."""
        self._catalog = catalog
        self._user_folder = user_folder
        self._starter_folder = starter_folder

    async def chat_models(self, settings_path: str = "") -> list[InstalledModel]:
        """Every chat model here: the one that the settings name (if it is elsewhere), the user's, the starter set."""
        return await asyncio.to_thread(self._chat_models, settings_path)

    async def chat_model(self, settings_path: str = "") -> InstalledModel:
        """The one to load: what the settings name, else the starter, else the first one found. Raises ModelError where there is
        none."""
        return await asyncio.to_thread(self._chat_model, settings_path)

    async def find(self, model_id: str, settings_path: str = "") -> InstalledModel:
        """By id. Raises NotFound."""
        for model in await self.chat_models(settings_path):
            if model.id == model_id:
                return model
        raise NotFound(
            _('There is no model "{model_id}". See those that are here with: munin models list').format(model_id=model_id)
        )

    async def encoders(self) -> list[InstalledEncoder]:
        """Those that are here whole: of the catalogues, and those that the user brought."""
        return await asyncio.to_thread(self._encoders)

    async def find_encoder(self, encoder_id: str = "") -> InstalledEncoder | None:
        """By id. Without one the starter's, or the first where that is not here; None: there is none. Raises NotFound."""
        here = await self.encoders()
        if not encoder_id:
            return next((encoder for encoder in here if encoder.starter), next(iter(here), None))
        if found := next((encoder for encoder in here if encoder.id == encoder_id), None):
            return found
        raise NotFound(
            _('The encoder "{encoder_id}" is not here. Choose one in Settings → Models, or with: munin models use ID').format(
                encoder_id=encoder_id
            )
        )

    async def add_encoder(self, folder: Path, copy: bool = False) -> InstalledEncoder:
        """Puts an encoder's folder into the user's folder, as links to its files, or as a copy.

        Raises ModelError where it is none, the name is taken, or the folder cannot be written.
        """
        names = {name.lower() for entry in self._catalog.encoder for name in (entry.id, entry.folder)}
        return await asyncio.to_thread(add_encoder, folder, self._user_folder, names, copy)

    async def offered(self) -> list[Offer]:
        """What can be downloaded and is not here, or not whole."""
        return await asyncio.to_thread(self._offered)

    def entry(self, model_id: str) -> Entry:
        """What the catalogues say of a model, here or not. Raises NotFound."""
        for entry in self._catalog.entries:
            if entry.id == model_id:
                return entry
        raise NotFound(
            _('The catalogue knows no model "{model_id}". See what can be had with: munin models list').format(model_id=model_id)
        )

    async def get(self, model_id: str, report: Report = silent) -> None:
        """Downloads a model of the catalogue, or what is missing of it. Safe beside another Munin on the same folder.

        Raises NotFound or ModelError; what arrived is kept, also when this is cancelled, and the next `get` goes on from there.
        """
        await fetch(self.entry(model_id), self._user_folder, report)

    async def verify(self, model_id: str = "") -> list[Check]:
        """Reads every file of one model, or of all that are here, and compares it with the catalogue. Raises NotFound."""
        return await asyncio.to_thread(self._verify, model_id)

    async def found(self, folder: Path | None = None) -> Found:
        """Chat models in the folders of other apps, or in `folder`, that are not in the library yet. Takes seconds at most."""
        return await asyncio.to_thread(self._find_found, folder)

    async def add(self, path: Path, copy: bool = False, name: str = "", report: Report = silent) -> InstalledModel:
        """Puts a GGUF file into the user's folder, as a link to where it lies, or as a copy; `name`: what it is called here.

        Raises ModelError where it is no GGUF file, the name is taken, the disk is full, or it cannot be linked from there. A
        copy tells `report` on the loop; where it is cancelled nothing is left of it.
        """
        files = await asyncio.to_thread(self._files_to_add, path, name)
        if not copy:
            target = await asyncio.to_thread(put, files, name, self._user_folder, None)
        else:
            async with self._copying:
                target = await copied(files, name, self._user_folder, report)
        return await asyncio.to_thread(self._installed, target, ModelOrigin.USER)

    async def remove(self, model_id: str) -> int:
        """From the user's folder only, an unfinished download too; what a link points to stays. Returns the bytes that it frees.

        Raises NotFound, or ModelError for models that are elsewhere or are being downloaded.
        """
        return await asyncio.to_thread(self._remove, model_id)

    async def free_bytes(self) -> int:
        """What is free on the disk of the user's models. Raises OSError."""
        folder = next(folder for folder in (self._user_folder, *self._user_folder.parents) if folder.exists())
        return (await asyncio.to_thread(shutil.disk_usage, folder)).free

    def _chat_models(self, settings_path: str) -> list[InstalledModel]:
        found = [
            *self._in_folder(self._user_folder, ModelOrigin.USER),
            *self._in_folder(self._starter_folder, ModelOrigin.STARTER),
        ]
        if settings_path:
            path = Path(settings_path).expanduser()
            if is_file(path) and all(model.path != path for model in found):
                found.insert(0, self._installed(path, ModelOrigin.SETTINGS))
        return found

    def _chat_model(self, settings_path: str) -> InstalledModel:
        models = self._chat_models(settings_path)
        if settings_path:
            wanted = Path(settings_path).expanduser()
            named = next((model for model in models if model.path == wanted), None)
            if named is None:
                raise ModelError(
                    _(
                        "The model file {wanted} is not there. Choose another one in Settings, or with: munin models use ID"
                    ).format(wanted=wanted)
                )
            return named
        if not models:
            raise ModelError(
                _(
                    "No chat model was found in {user_folder} or {starter_folder}. Add a GGUF file or choose one to "
                    "download in Settings, or with: munin models add FILE.{starter_hint}"
                ).format(user_folder=self._user_folder, starter_folder=self._starter_folder, starter_hint=self._starter_hint())
            )
        return next((model for model in models if model.origin is ModelOrigin.STARTER), models[0])

    def _starter_hint(self) -> str:
        starter = next((entry.id for entry in self._catalog.chat if entry.files[0].package), "")
        return _(" The small starter model comes with: munin models get {starter}").format(starter=starter) if starter else ""

    def _in_folder(self, folder: Path, origin: ModelOrigin) -> list[InstalledModel]:
        return [self._installed(path, origin) for path in _gguf_files(folder)]

    def _installed(self, path: Path, origin: ModelOrigin) -> InstalledModel:
        size = sum(path.with_name(name).stat().st_size for name in parts_of(path.name))
        linked = path.is_symlink() or (origin is ModelOrigin.USER and path.stat().st_nlink > 1)
        return InstalledModel(model_id(path.name), path, size, origin, self._catalog.chat_model(path.name), linked)

    def _encoders(self) -> list[InstalledEncoder]:
        here: dict[str, InstalledEncoder] = {}
        for parent, starter in ((self._starter_folder, True), (self._user_folder, False)):
            for entry in self._catalog.encoder:
                if encoder := installed(entry, parent / entry.folder, starter=starter):
                    here.setdefault(entry.id, encoder)
        for encoder in brought_encoders(self._user_folder):
            here.setdefault(encoder.id, encoder)
        return list(here.values())

    def _offered(self) -> list[Offer]:
        here = {model.id for model in self._chat_models("")} | {encoder.id for encoder in self._encoders()}
        entries = [entry for entry in self._catalog.entries if entry.files[0].address and entry.id not in here]
        return [Offer(entry, arrived_bytes(entry, self._user_folder)) for entry in entries]

    def _verify(self, wanted: str) -> list[Check]:
        checks = []
        for model in self._chat_models(""):
            if wanted in ("", model.id):
                expected = model.entry.files if model.entry else (None,) * len(model.files)
                checks += [check_file(path, file) for path, file in zip(model.files, expected, strict=True)]
        for encoder in self._encoders():
            if wanted in ("", encoder.id):
                checks += [check_file(encoder.path / file.file, file) for file in encoder.entry.files]
        if wanted and not checks:
            raise NotFound(
                _('There is no model "{wanted}" here. See those that are with: munin models list').format(wanted=wanted)
            )
        return checks

    def _files_to_add(self, path: Path, name: str) -> tuple[Path, ...]:
        files, wanted = parts_at(path), name or model_id(safe_file_name(path.name))
        if any(model.id.casefold() == wanted.casefold() for model in self._chat_models("")):
            raise ModelError(
                _("A model named {wanted} is in the list already. Remove it first, or rename the file.").format(wanted=wanted)
            )
        return files

    def _find_found(self, folder: Path | None) -> Found:
        folders = [AppFolder(shown_name(folder.name or str(folder)), folder)] if folder else app_folders()
        here = self._chat_models("")
        unfinished = (entry.id for entry in self._catalog.entries if is_begun(entry, self._user_folder))
        return find_models(folders, self._can_chat, [model.path for model in here], [*unfinished, *(model.id for model in here)])

    def _remove(self, model_id: str) -> int:
        try:
            for entry in self._catalog.entries:
                if entry.id == model_id and is_begun(entry, self._user_folder):
                    return throw_away(entry, self._user_folder)
            brought = next((encoder for encoder in brought_encoders(self._user_folder) if encoder.id == model_id), None)
            if brought:
                return remove_encoder(brought)
            if any(encoder.id == model_id for encoder in self._encoders()):
                raise ModelError(
                    _("{model_id} came with Munin and stays. Models that you added can be removed.").format(model_id=model_id)
                )
            model = next((model for model in self._chat_models("") if model.id == model_id), None)
            if model is None:
                raise NotFound(
                    _('There is no model "{model_id}". See those that are here with: munin models list').format(model_id=model_id)
                )
            if model.origin is not ModelOrigin.USER:
                raise ModelError(
                    _("{name} came with Munin and stays. Models that you added can be removed.").format(name=model.name)
                )
            for path in model.files:
                path.unlink()
            return 0 if model.linked else model.size_bytes
        except OSError as error:
            raise ModelError(
                _("{model_id} could not be removed ({error}). Remove the file yourself.").format(model_id=model_id, error=error)
            ) from error


def _gguf_files(folder: Path) -> Iterable[Path]:
    """The first file of each model that is whole, by name; a link whose file is gone counts as not there."""
    try:
        return sorted(path for path in folder.iterdir() if path.suffix.lower() == ".gguf" and whole(path))
    except OSError:
        return []
