"""The only composition root: builds every service, owns the data folder, closes every service. Decides nothing else."""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Collection, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass
from logging.handlers import RotatingFileHandler
from pathlib import Path
from typing import Any, TypeVar

from filelock import FileLock, Timeout

from munin_app import paths
from munin_app.backup.copies import copy_if_due
from munin_app.backup.listing import installed_models
from munin_app.backup.pending import erase_if_asked, settle, staged
from munin_app.chat.branches import Branches
from munin_app.chat.controller import ChatController
from munin_app.chat.conversations import ConversationRepository
from munin_app.chat.forgetting import Forgetting
from munin_app.chat.model_state import ModelState, ModelStateChanged, SettingsChanged, TemplateOffer
from munin_app.chat.model_switch import ModelSwitch
from munin_app.chat.personas import read_personas
from munin_app.chat.schema import MIGRATIONS
from munin_app.chat.shelf import Shelf
from munin_app.chat.shipped_personas import shipped
from munin_app.chat.utility_model import MakeModel, UtilityModel
from munin_app.config import Settings, load_settings
from munin_app.domain.events import ConversationChanged, TurnEvent, VectorsMade, notify
from munin_app.domain.inference import ChatModel, ModelInfo
from munin_app.domain.personas import Persona
from munin_app.errors import BackupError, DataFolderError, DataFolderInUse, DataLocked, MuninError, NotFound
from munin_app.i18n import _, use_language
from munin_app.imports.importing import Imported, Report, import_chats
from munin_app.imports.remembering import ImportsRemembered, Remembering
from munin_app.imports.writing import Wish
from munin_app.inference.headers import can_chat
from munin_app.inference.host import LlamaChatModel
from munin_app.inference.unavailable import UnavailableChatModel
from munin_app.library.catalog import read_catalogs
from munin_app.library.downloads import Download, Downloads
from munin_app.library.encoders import InstalledEncoder
from munin_app.library.models import ModelLibrary
from munin_app.locking import switching
from munin_app.locking.opening import open_by_keyring
from munin_app.memory import EncoderManifest, MemoryService
from munin_app.profile import MemoryProfileService
from munin_app.storage.database import Database
from munin_app.storage.locks import key_of

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class ProfileChanged:
    pass


class _Closing(Exception):
    """Ends a daily copy."""


AppEvent = TurnEvent | ModelStateChanged | ProfileChanged | SettingsChanged | VectorsMade | Download | ImportsRemembered


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
        self.library = library
        self.downloads = Downloads(library, self._emit)
        self.chats = chats
        self.shelf = Shelf(chats)
        self.memory = memory
        self.profile = profile
        utility = UtilityModel(lambda: self.model, lambda: self.settings, make_model, self._tell)
        profile.use_model(utility)
        self.controller = ChatController(chats, memory, profile, model, utility, lambda: self.settings)
        self.forgetting = Forgetting(self.controller)
        self.branches = Branches(self.controller)
        self.remembering = Remembering(self.controller, self._emit)
        self.switch = ModelSwitch(settings, library, self.controller, make_model, self._emit)
        self.notices: list[str] = []
        self._changing_encoder = asyncio.Lock()
        self._closing = False
        self._importing: set[asyncio.Task[Imported]] = set()
        self._keeping: set[asyncio.Future[Any]] = set()
        self._resources = resources
        self._listeners: list[Callable[[AppEvent], None]] = []
        self.controller.subscribe(self._emit)
        profile.subscribe(lambda: self._emit(ProfileChanged()))
        memory.subscribe(self._emit)

    @classmethod
    async def start(cls, *, make_model: MakeModel | None = None, memory: MemoryService | None = None) -> "Munin":
        """Opens the data folder for writing. Raises DataFolderError, DataFolderInUse, SettingsError, StorageError, ProfileError,
        LockError, and DataLocked when only a passphrase opens the folder.

        Loads no model and no encoder: the first frame comes first. `make_model` and `memory` are for tests.
        """
        folder = paths.ensure_data_folder()
        async with AsyncExitStack() as stack:
            stack.callback(_lock(folder).release)
            await asyncio.to_thread(_open_locked, folder)
            notices = await _settled(folder)
            stack.callback(erase_if_asked, folder)
            stack.callback(_log_to(paths.logs_folder()))
            settings = load_settings(paths.settings_file())
            use_language(settings.language)
            library = model_library()
            profile = MemoryProfileService(paths.profile_file(), None)
            await profile.refuse_newer()  # before anything else is upgraded
            chats = ConversationRepository(await _opened(stack, paths.chats_database()), await _opened(stack, None))
            memory = memory or await memory_service(library, settings.encoder)
            stack.push_async_callback(memory.close)
            model: ChatModel = UnavailableChatModel(_("The model is not chosen yet."))
            await profile.open()
            stack.push_async_callback(profile.close)
            munin = cls(settings, library, chats, memory, profile, model, make_model or llama_model, stack)
            munin.notices += notices
            await munin.switch.choose()
            await munin._settle()
            munin._resources = stack.pop_all()
        return munin

    async def __aenter__(self) -> "Munin":
        return self

    async def __aexit__(self, *error: object) -> None:
        await self.close()

    async def _settle(self) -> None:
        """What an earlier process left: unfinished replies, offers of Undo, damaged files."""
        if self.library.problem:
            self.notices.append(self.library.problem)
        await self.chats.interrupted()
        await self._erase_hidden()
        await self.forgetting.drop_sessions(await self.chats.stale_sessions())
        if self.profile.set_aside:
            self.notices.append(
                _("profile.json was damaged and is kept as {name}. Facts start empty; chats are untouched.").format(
                    name=self.profile.set_aside.name
                )
            )

    async def _erase_hidden(self) -> None:
        """No page offers Undo any more."""
        try:
            await self.forgetting.erase_hidden()
            await self.forgetting.erase_hidden_messages()
        except MuninError as error:
            self.notices.append(_("Deleted chats could not be erased yet: {error}").format(error=error))

    @property
    def settings(self) -> Settings:
        return self.switch.settings

    @property
    def model(self) -> ChatModel:
        return self.controller.model

    @property
    def model_state(self) -> ModelState:
        return self.switch.state

    # the model and the settings: see ModelSwitch

    async def change_settings(self, **changes: Any) -> Settings:
        return await self.switch.change_settings(**changes)

    async def load_model(self) -> None:
        await self.switch.load_model()

    async def use_model_file(self, path: str, *, template: str = "", load_anyway: bool = False) -> ModelInfo:
        return await self.switch.use_model_file(path, template=template, load_anyway=load_anyway)

    async def remove_model(self, model_id: str) -> int:
        return await self.switch.remove_model(model_id)

    async def offer(self, error: MuninError, path: str = "") -> TemplateOffer | None:
        return await self.switch.offer(error, path)

    # memory's encoder

    async def use_encoder(self, encoder_id: str) -> InstalledEncoder:
        """From now on, empty: the starter's. Raises NotFound, EncoderError or SettingsError; then the one in use stays."""
        async with self._changing_encoder:
            found, before = await self.library.find_encoder(encoder_id), self.memory.encoder
            if found is None:
                raise NotFound(_("No encoder is here. Get one in Settings → Models, or with: munin models get ID"))
            await self.memory.use_encoder(manifest_of(found))
            try:
                await self.change_settings(encoder="" if found.starter else found.id)
            except MuninError:
                if before:
                    await self.memory.use_encoder(before)
                raise
        return found

    async def remove_encoder(self, encoder_id: str) -> int:
        """Takes it from the user's folder, and returns the bytes that it frees. From one in use memory goes back to the starter's
        first. Raises NotFound, EncoderError or ModelError."""
        if encoder_id == self.settings.encoder:
            await self.use_encoder("")
        return await self.library.remove(encoder_id)

    # chats of other apps

    async def import_chats(
        self, path: Path, wish: Wish, marks: Collection[str] | None = None, report: Report | None = None
    ) -> Imported:
        """See `imports.importing`. What is to be remembered is begun in the background, also when this fails or is cancelled:
        what was written by then is whole. Closing Munin cancels it; the rest of what is to be remembered is next time."""
        hidden = {*await self.chats.hidden()}
        task = asyncio.create_task(import_chats(self.chats, path, wish, marks, report or (lambda done: None)))
        self._importing.add(task)
        try:
            return await task
        finally:
            self._importing.discard(task)
            self._emit(ConversationChanged(""))
            if not self._closing:
                if hidden - {*await self.chats.hidden()}:  # deleted just now, and imported again
                    self.controller.in_background(self.controller.catch_up())
                if wish.remember:
                    await self.remembering.resume()

    # backups

    async def keep(self, work: Callable[[], T]) -> T:
        """Backing up or restoring, on a thread. Until it has ended Munin does not close, and data is not locked or unlocked."""
        keeping = asyncio.ensure_future(asyncio.to_thread(work))
        self._keeping.add(keeping)
        keeping.add_done_callback(self._kept)
        return await asyncio.shield(keeping)

    def _kept(self, keeping: asyncio.Future[Any]) -> None:
        self._keeping.discard(keeping)
        if not keeping.cancelled():
            keeping.exception()  # whoever waited for it may be gone

    @property
    def is_keeping(self) -> bool:
        return bool(self._keeping)

    # events

    def subscribe(self, listener: Callable[[AppEvent], None]) -> Callable[[], None]:
        """`listener` is called on the loop. Returns the call that ends it."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    def _emit(self, event: AppEvent) -> None:
        notify(self._listeners, event)

    def _tell(self, notice: str) -> None:
        self.notices.append(notice)
        self._emit(ModelStateChanged(self.model_state))

    async def warm_up(self) -> None:
        """After the first frame: the model and memory side by side, then what an earlier run left undone."""
        await asyncio.gather(self.load_model(), self.memory.warm_up())
        if self.memory.set_aside:
            self._tell(
                _("munin_memory.db was damaged and is kept as {name}. Memory is being rebuilt from your chats.").format(
                    name=self.memory.set_aside.name
                )
            )
        self.controller.in_background(self.controller.catch_up())
        self.remembering.start()
        self.copy_in_background()

    def copy_in_background(self) -> None:
        self.controller.in_background(self._copy())

    async def _copy(self) -> None:
        """One a day, where the user wants that. Closing Munin ends it; it is due then at the next start."""
        settings = self.settings
        if not settings.copies_folder:
            return

        def go_on(done: int, total: int) -> None:
            if self._closing:
                raise _Closing

        try:
            models = installed_models(await self.library.chat_models(settings.model_path))
            with suppress(_Closing):
                await self.keep(lambda: copy_if_due(Path(settings.copies_folder), settings.copies_kept, models, go_on))
        except MuninError as error:
            self._tell(str(error))

    async def close(self) -> None:
        """Stops turns, ends offers of Undo, closes every service, gives the data folder free. What was not learned yet is learned
        next time. Waits for a backup or a restore that was asked for."""
        again, self._closing = self._closing, True
        async with self._resources:
            for task in self._importing:
                task.cancel()
            await asyncio.gather(*self._importing, return_exceptions=True)
            await self.downloads.close()
            await self.controller.close()
            await asyncio.gather(*self._keeping, return_exceptions=True)
            if not again:
                await self._erase_hidden()
            await self.controller.utility.close()
            await self.model.close()


async def _settled(folder: Path) -> list[str]:
    """A restore that was asked for is done; what it has to tell. Raises BackupError when the folder is half restored."""
    try:
        await asyncio.to_thread(settle, folder)
    except BackupError as error:
        if staged(folder):
            raise
        return [str(error)]
    return []


def _open_locked(folder: Path) -> None:
    """What comes before anything else: a lock that was being put on or taken off, what was to be erased, and the key."""
    switching.settle(folder)
    erase_if_asked(folder)
    if not open_by_keyring(folder):
        raise DataLocked(_("Munin's data in {folder} is locked. Open it with the passphrase.").format(folder=folder))


@contextmanager
def closed_data_folder(*, locked: bool = False) -> Iterator[Path]:
    """The data folder with nothing open in it, kept from any other Munin. Raises DataFolderError, BackupError, LockError.

    `locked`: as it is, whether it can be opened or not."""
    folder = paths.ensure_data_folder()
    lock = _lock(folder)
    try:
        if not locked:
            _open_locked(folder)
            settle(folder)
        yield folder
    finally:
        lock.release()


def _lock(folder: Path) -> FileLock:
    lock = FileLock(paths.lock_file())
    try:
        lock.acquire(timeout=0)
    except Timeout:
        raise DataFolderInUse(
            _(
                "Munin is already open on {folder}. Use that window or close it; commands that only read (memory "
                "search, memory list, memory facts, doctor) work beside it."
            ).format(folder=folder)
        ) from None
    except OSError as error:
        raise DataFolderError(
            _("{lock_file} cannot be locked ({strerror}). Move it away and try again.").format(
                lock_file=paths.lock_file(), strerror=error.strerror
            )
        ) from error
    return lock


def _log_to(folder: Path) -> Callable[[], None]:
    """Logs to logs/munin.log, three files of 1 MB at most. Returns the call that ends it."""
    try:
        folder.mkdir(exist_ok=True)
        handler = RotatingFileHandler(folder / "munin.log", maxBytes=1_000_000, backupCount=2, encoding="utf-8")
    except OSError as error:
        raise DataFolderError(
            _("{folder} cannot be written ({strerror}). Move what stands there away.").format(
                folder=folder, strerror=error.strerror
            )
        ) from error
    handler.handleError = lambda record: None  # type: ignore[method-assign]  # a full disk is told by who has something to save
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    logger = logging.getLogger("munin_app")
    logger.setLevel(logging.INFO)
    logger.addHandler(handler)

    def end() -> None:
        logger.removeHandler(handler)
        with suppress(OSError):
            handler.close()

    return end


async def _opened(stack: AsyncExitStack, path: Path | None) -> Database:
    database = Database(path, MIGRATIONS, keep_copy=True)
    stack.push_async_callback(database.close)
    await database.open()
    return database


def llama_model(path: Path, settings: Settings) -> ChatModel:
    return LlamaChatModel(
        path,
        context_size=settings.context_tokens,
        threads=settings.threads or None,
        sessions_folder=paths.sessions_folder(),
        sessions_key=key_of(paths.sessions_folder()),
        kv_type=settings.kv_type,
        gpu_layers=settings.gpu_layers,
        load_anyway=settings.load_anyway,
        template=settings.chat_templates.get(str(path), ""),
    )


def model_library() -> ModelLibrary:
    catalog, problem = read_catalogs(paths.catalog_file(), paths.user_catalog_file())
    return ModelLibrary(catalog, paths.user_models_folder(), paths.starter_models_folder(), problem, can_chat)


async def memory_service(library: ModelLibrary, encoder_id: str, *, read_only: bool = False) -> MemoryService:
    """With the encoder of that id (empty: the starter's). Where it is not here memory goes by words, and says why."""
    try:
        manifest, problem = await encoder_manifest(library, encoder_id), ""
    except NotFound as error:
        manifest, problem = None, str(error)
    return MemoryService(paths.memory_database(), manifest, problem=problem, read_only=read_only)


async def encoder_manifest(library: ModelLibrary, encoder_id: str = "") -> EncoderManifest | None:
    """None: there is none. Raises NotFound."""
    found = await library.find_encoder(encoder_id)
    return manifest_of(found) if found else None


def manifest_of(encoder: InstalledEncoder) -> EncoderManifest:
    """An encoder as memory wants to know it."""
    entry = encoder.entry
    measured = {} if entry.threshold is None else {"threshold": entry.threshold}
    return EncoderManifest(
        id=entry.id,
        folder=encoder.path,
        dimension=entry.dimension,
        max_tokens=entry.max_tokens,
        pooling=entry.pooling,
        query_prefix=entry.query_prefix,
        document_prefix=entry.document_prefix,
        **measured,
    )


@asynccontextmanager
async def memory_reader() -> AsyncIterator[MemoryService]:
    """Memory for commands that only read: works beside an open app, locks nothing, changes nothing."""
    settings = load_settings(paths.settings_file())
    memory = await memory_service(model_library(), settings.encoder, read_only=True)
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


@asynccontextmanager
async def chats_reader() -> AsyncIterator[ConversationRepository]:
    """Chats for commands that only read. Raises StorageError when munin.db cannot be opened or was not upgraded yet."""
    database = Database(paths.chats_database(), MIGRATIONS, read_only=True)
    try:
        await database.open()
        yield ConversationRepository(database, database)
    finally:
        await database.close()


async def known_personas() -> tuple[Persona, ...]:
    """For commands that only read. Raises StorageError when munin.db cannot be opened or was not upgraded yet."""
    if not paths.chats_database().exists():
        return shipped()
    async with chats_reader() as chats:
        return await read_personas(chats.database)
