"""The only composition root: builds every service, owns the data folder, closes every service. Decides nothing else."""

import asyncio
import logging
import os
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, replace
from logging.handlers import RotatingFileHandler
from pathlib import Path
from typing import Any, Literal

from filelock import FileLock, Timeout

from munin_app import paths
from munin_app.chat.controller import ChatController
from munin_app.chat.conversations import ConversationRepository
from munin_app.chat.forgetting import Forgetting
from munin_app.chat.personas import read_personas
from munin_app.chat.schema import MIGRATIONS
from munin_app.chat.shipped_personas import SHIPPED
from munin_app.config import Settings, load_settings, save_settings
from munin_app.domain.events import TurnEvent, VectorsMade, notify
from munin_app.domain.inference import ChatModel, ModelInfo
from munin_app.domain.personas import Persona
from munin_app.errors import ChatTemplateError, DataFolderError, DataFolderInUse, ModelError, ModelTooLarge, MuninError
from munin_app.inference.host import LlamaChatModel
from munin_app.inference.known_templates import KNOWN_TEMPLATES
from munin_app.inference.unavailable import UnavailableChatModel
from munin_app.library.catalog import read_catalogs
from munin_app.library.downloads import Download, Downloads
from munin_app.library.models import ModelLibrary, ModelOrigin
from munin_app.memory import EncoderManifest, MemoryService
from munin_app.profile import MemoryProfileService
from munin_app.storage.database import Database

log = logging.getLogger(__name__)

OWN_TEMPLATE = "own"
ModelPhase = Literal["idle", "loading", "ready", "failed"]
MakeModel = Callable[[Path, Settings], ChatModel]
"""A GGUF file to a model that is not loaded yet."""


@dataclass(frozen=True, slots=True)
class ModelState:
    phase: ModelPhase = "idle"
    info: ModelInfo | None = None
    error: str = ""
    offer: "TemplateOffer | None" = None
    """What would mend the error."""
    tiny: bool = False
    """The starter model: quick, and often wrong."""
    too_large: bool = False
    """It failed because memory seems too short; it may be loaded anyway."""


@dataclass(frozen=True, slots=True)
class TemplateOffer:
    """A known chat template that fits a file whose own is missing or cannot be used."""

    path: Path
    template: str
    """Its id."""

    @property
    def name(self) -> str:
        return KNOWN_TEMPLATES[self.template].name


@dataclass(frozen=True, slots=True)
class ModelStateChanged:
    state: ModelState


@dataclass(frozen=True, slots=True)
class ProfileChanged:
    pass


@dataclass(frozen=True, slots=True)
class SettingsChanged:
    settings: Settings


AppEvent = TurnEvent | ModelStateChanged | ProfileChanged | SettingsChanged | VectorsMade | Download


class Munin:
    """Every service of one process, over one data folder. `start` and `close` belong together."""

    def __init__(
        self,
        settings: Settings,
        library: ModelLibrary,
        chats: ConversationRepository,
        memory: MemoryService,
        profile: MemoryProfileService,
        model: ChatModel,
        make_model: MakeModel,
        resources: AsyncExitStack,
    ) -> None:
        self.settings = settings
        self.library = library
        self.downloads = Downloads(library, self._emit)
        self.chats = chats
        self.memory = memory
        self.profile = profile
        self.controller = ChatController(chats, memory, profile, model, lambda: self.settings)
        self.forgetting = Forgetting(self.controller)
        self.model_state = ModelState()
        self.notices: list[str] = []
        self._make_model = make_model
        self._changing = asyncio.Lock()
        self._resources = resources
        self._listeners: list[Callable[[AppEvent], None]] = []
        self.controller.subscribe(self._emit)
        profile.subscribe(lambda: self._emit(ProfileChanged()))
        memory.subscribe(self._emit)

    @classmethod
    async def start(cls, *, make_model: MakeModel | None = None, memory: MemoryService | None = None) -> "Munin":
        """Opens the data folder for writing. Raises DataFolderError, DataFolderInUse, SettingsError, StorageError, ProfileError.

        Loads no model and no encoder: the first frame comes first. `make_model` and `memory` are for tests.
        """
        folder = paths.ensure_data_folder()
        async with AsyncExitStack() as stack:
            stack.callback(_lock(folder).release)
            stack.callback(_log_to(paths.logs_folder()))
            settings = load_settings(paths.settings_file())
            library = model_library()
            chats = ConversationRepository(await _opened(stack, paths.chats_database()), await _opened(stack, None))
            memory = memory or MemoryService(paths.memory_database(), await encoder_manifest(library))
            stack.push_async_callback(memory.close)
            model: ChatModel = UnavailableChatModel("The model is not chosen yet.")
            profile = MemoryProfileService(paths.profile_file(), model)
            await profile.open()
            stack.push_async_callback(profile.close)
            munin = cls(settings, library, chats, memory, profile, model, make_model or _llama, stack)
            await munin._use_model((await munin._found_model(settings))[0])
            await munin._settle()
            munin._resources = stack.pop_all()
        return munin

    async def __aenter__(self) -> "Munin":
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def _settle(self) -> None:
        """What an earlier process left: unfinished replies, offers of Undo, damaged files."""
        if self.library.problem:
            self.notices.append(self.library.problem)
        await self.chats.interrupted()
        try:
            await self.forgetting.erase_hidden()
            await self.forgetting.drop_sessions(await self.chats.stale_sessions())
        except MuninError as error:
            self.notices.append(f"Deleted chats could not be erased yet: {error}")
        if self.profile.set_aside:
            self.notices.append(
                f"profile.json was damaged and is kept as {self.profile.set_aside.name}. Facts start empty; chats are untouched."
            )

    @property
    def model(self) -> ChatModel:
        return self.controller.model

    def subscribe(self, listener: Callable[[AppEvent], None]) -> Callable[[], None]:
        """`listener` is called on the loop. Returns the call that ends it."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    def _emit(self, event: AppEvent) -> None:
        notify(self._listeners, event)

    async def warm_up(self) -> None:
        """After the first frame: the model and memory side by side, then what an earlier run left undone."""
        await asyncio.gather(self.load_model(), self.memory.warm_up())
        if self.memory.set_aside:
            self.notices.append(
                f"munin_memory.db was damaged and is kept as {self.memory.set_aside.name}. "
                "Memory is being rebuilt from your chats."
            )
            self._emit(ModelStateChanged(self.model_state))
        self.controller.in_background(self.controller.catch_up())

    # the model

    async def load_model(self) -> None:
        """Never raises: `model_state` says how it went. Files are looked for anew, so that "Try again" finds a new one."""
        if self.model.info is None:
            if self.model_state.phase == "failed":
                await self._use_model((await self._found_model(self.settings))[0])
            self._set_model_state(ModelState("loading"))
        try:
            info = await self.model.load()
        except MuninError as error:
            too_large, offer = isinstance(error, ModelTooLarge), await self.offer(error)
            self._set_model_state(ModelState("failed", error=str(error), offer=offer, too_large=too_large))
        else:
            self._set_model_state(ModelState("ready", info, tiny=await self._is_tiny(info.path)))
            await self.controller.model_ready()

    async def _found_model(self, settings: Settings) -> tuple[ChatModel, bool]:
        """The model that the settings mean, not loaded yet, and whether it is the tiny starter."""
        try:
            found = await self.library.chat_model(settings.model_path)
        except ModelError as error:
            return UnavailableChatModel(str(error), paths.sessions_folder()), False
        return self._make_model(found.path, settings), found.tiny

    async def _is_tiny(self, path: Path) -> bool:
        return any(model.tiny for model in await self.library.chat_models() if model.path == path)

    async def _use_model(self, model: ChatModel) -> None:
        old = self.model
        for conversation_id in self.controller.running_conversations():
            await self.controller.stop_and_wait(conversation_id)
        self.controller.use_model(model)
        self.profile.use_model(model)
        await old.close()

    def _set_model_state(self, state: ModelState) -> None:
        self.model_state = state
        self._emit(ModelStateChanged(state))

    async def offer(self, error: MuninError, path: str = "") -> TemplateOffer | None:
        """What would mend this error about the file at `path`; empty: about the one that the settings mean."""
        if not isinstance(error, ChatTemplateError):
            return None
        found = await self.library.chat_model(_absolute(path) if path else self.settings.model_path)
        return TemplateOffer(found.path, error.suggested)

    async def use_model_file(self, path: str, *, template: str = "", load_anyway: bool = False) -> ModelInfo:
        """Loads another GGUF file and remembers it. Raises ModelError; then the model in use stays. `template`: the id of a
        known chat template to use with it from now on, or OWN_TEMPLATE for the file's own. `load_anyway`: although memory
        seems too short for it, now and at later starts."""
        chosen = _absolute(path)
        templates = {**self.settings.chat_templates, chosen: template} if template else self.settings.chat_templates
        kept = {file: one for file, one in templates.items() if one != OWN_TEMPLATE}
        await self.change_settings(model_path=chosen, chat_templates=kept, load_anyway=load_anyway)
        if self.model.info is None:  # the same path as before, and loading it had failed
            await self.load_model()
        if self.model.info is None:
            raise ModelError(self.model_state.error)
        return self.model.info

    async def remove_model(self, model_id: str) -> int:
        """Takes a model from the user's folder, and returns the bytes that it frees. One in use is unloaded first; another that
        is here takes its place. Raises NotFound or ModelError; then everything stays as it was."""
        async with self._changing:
            here = await self.library.chat_models(self.settings.model_path)
            model = next((model for model in here if model.id == model_id), None)
            if not model or model.origin is not ModelOrigin.USER or not await self._is_in_use(model.path):
                return await self.library.remove(model_id)
            gone = f"{model.name} is being removed. Send the message again when another model is ready."
            await self._use_model(UnavailableChatModel(gone, paths.sessions_folder()))
            back: Path | None = model.path
            try:
                freed = await self.library.remove(model_id)
                back = None
                self.settings = replace(self.settings, model_path="", load_anyway=False)
                await asyncio.to_thread(save_settings, paths.settings_file(), self.settings)
                self._emit(SettingsChanged(self.settings))
            finally:
                if self.model_state.phase != "idle":  # a command loads none
                    await self._bring_back(back)
            return freed

    async def _is_in_use(self, path: Path) -> bool:
        """Loaded, or to be loaded by what the settings say."""
        if self.model.info:
            return self.model.info.path == path
        try:
            return (await self.library.chat_model(self.settings.model_path)).path == path
        except ModelError:
            return False

    async def change_settings(self, **changes: Any) -> Settings:
        """Validates, applies and saves, one change after the other. Raises SettingsError or ModelError; then everything
        stays as it was."""
        async with self._changing:
            return await self._change_settings(replace(self.settings, **changes))

    async def _change_settings(self, settings: Settings) -> Settings:
        async with AsyncExitStack() as undo:
            switched = _model_part(settings) != _model_part(self.settings)
            if switched:
                model, state = await self._loaded(settings, undo)
            await asyncio.to_thread(save_settings, paths.settings_file(), settings)
            undo.pop_all()
        if switched:
            await self._use_model(model)
            self._set_model_state(state)
        self.settings = settings
        self._emit(SettingsChanged(settings))
        if switched:
            await self.controller.model_ready()
        return settings

    async def _loaded(self, settings: Settings, undo: AsyncExitStack) -> tuple[ChatModel, ModelState]:
        """The other model: beside the one in use where there is memory for both, else after that one is unloaded. `undo`
        takes it back."""
        async with AsyncExitStack() as beside:
            with suppress(ModelTooLarge):
                if not settings.load_anyway:
                    model, state = await self._loaded_beside(settings, beside)
                    if state.info and not state.info.squeezed:
                        undo.push_async_exit(beside.pop_all())
                        return model, state
        await self._unload(undo)
        return await self._loaded_beside(settings, undo)

    async def _unload(self, undo: AsyncExitStack) -> None:
        undo.push_async_callback(self._bring_back, self.model.info.path if self.model.info else None)
        gone = "Another model is just being loaded. Send the message again when it is ready."
        await self._use_model(UnavailableChatModel(gone, paths.sessions_folder()))

    async def _bring_back(self, path: Path | None) -> None:
        """The model at `path`; None: the one that the settings mean. Where they name none that may be another one by now, as
        a model that was just downloaded comes before the starter."""
        found = self._make_model(path, self.settings) if path else (await self._found_model(self.settings))[0]
        await self._use_model(found)
        await self.load_model()

    async def _loaded_beside(self, settings: Settings, undo: AsyncExitStack) -> tuple[ChatModel, ModelState]:
        """The other model, loaded while the one in use stays; `undo` takes it back."""
        undo.callback(self._set_model_state, self.model_state)
        model, tiny = await self._found_model(settings)
        undo.push_async_callback(model.close)
        self._set_model_state(ModelState("loading", tiny=tiny))
        return model, ModelState("ready", await model.load(), tiny=tiny)

    async def close(self) -> None:
        """Stops turns, closes every service, gives the data folder free. What was not learned yet is learned next time."""
        async with self._resources:
            await self.downloads.close()
            await self.controller.close()
            await self.model.close()


def _model_part(settings: Settings) -> tuple[object, ...]:
    """What a model has to be loaded anew for."""
    return (
        settings.model_path,
        settings.chat_templates,
        settings.context_tokens,
        settings.threads,
        settings.kv_type,
        settings.gpu_layers,
        settings.load_anyway,
    )


def _absolute(path: str) -> str:
    return os.path.abspath(os.path.expanduser(path))


def _lock(folder: Path) -> FileLock:
    lock = FileLock(paths.lock_file())
    try:
        lock.acquire(timeout=0)
    except Timeout:
        raise DataFolderInUse(
            f"Munin is already open on {folder}. Use that window or close it; "
            "commands that only read (memory search, memory list, memory facts, doctor) work beside it."
        ) from None
    except OSError as error:
        raise DataFolderError(f"{paths.lock_file()} cannot be locked ({error.strerror}). Move it away and try again.") from error
    return lock


def _log_to(folder: Path) -> Callable[[], None]:
    """Logs to logs/munin.log, three files of 1 MB at most. Returns the call that ends it."""
    try:
        folder.mkdir(exist_ok=True)
        handler = RotatingFileHandler(folder / "munin.log", maxBytes=1_000_000, backupCount=2, encoding="utf-8")
    except OSError as error:
        raise DataFolderError(f"{folder} cannot be written ({error.strerror}). Move what stands there away.") from error
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    logger = logging.getLogger("munin_app")
    logger.setLevel(logging.INFO)
    logger.addHandler(handler)

    def end() -> None:
        logger.removeHandler(handler)
        handler.close()

    return end


async def _opened(stack: AsyncExitStack, path: Path | None) -> Database:
    database = Database(path, MIGRATIONS)
    stack.push_async_callback(database.close)
    await database.open()
    return database


def _llama(path: Path, settings: Settings) -> ChatModel:
    return LlamaChatModel(
        path,
        context_size=settings.context_tokens,
        threads=settings.threads or None,
        sessions_folder=paths.sessions_folder(),
        kv_type=settings.kv_type,
        gpu_layers=settings.gpu_layers,
        load_anyway=settings.load_anyway,
        template=settings.chat_templates.get(str(path), ""),
    )


def model_library() -> ModelLibrary:
    catalog, problem = read_catalogs(paths.catalog_file(), paths.user_catalog_file())
    return ModelLibrary(catalog, paths.user_models_folder(), paths.starter_models_folder(), problem)


async def encoder_manifest(library: ModelLibrary) -> EncoderManifest | None:
    """The encoder that was found, as memory wants to know it; None: memory goes by words alone."""
    found = await library.find_encoder()
    if found is None:
        return None
    return EncoderManifest(
        id=found.entry.id,
        folder=found.path,
        dimension=found.entry.dimension,
        max_tokens=found.entry.max_tokens,
        pooling=found.entry.pooling,
        query_prefix=found.entry.query_prefix,
        document_prefix=found.entry.document_prefix,
        threshold=found.entry.threshold,
    )


@asynccontextmanager
async def memory_reader() -> AsyncIterator[MemoryService]:
    """Memory for commands that only read: works beside an open app, locks nothing, changes nothing."""
    memory = MemoryService(paths.memory_database(), await encoder_manifest(model_library()), read_only=True)
    try:
        await memory.warm_up()
        yield memory
    finally:
        await memory.close()


@asynccontextmanager
async def profile_reader() -> AsyncIterator[MemoryProfileService]:
    """Facts for commands that only read. Raises ProfileError when profile.json is damaged or of a newer version."""
    profile = MemoryProfileService(paths.profile_file(), None, read_only=True)
    await profile.open()
    try:
        yield profile
    finally:
        await profile.close()


async def known_personas() -> tuple[Persona, ...]:
    """For commands that only read. Raises StorageError when munin.db cannot be opened or was not upgraded yet."""
    if not paths.chats_database().exists():
        return SHIPPED
    database = Database(paths.chats_database(), MIGRATIONS, read_only=True)
    try:
        await database.open()
        return await read_personas(database)
    finally:
        await database.close()
