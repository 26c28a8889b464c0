"""Builds every service over the data folder, and closes them. Decides nothing else."""

import asyncio
from collections.abc import Callable, Collection
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from munin_app import paths
from munin_app.backup.copies import copy_if_due
from munin_app.backup.listing import installed_models
from munin_app.backup.pending import erase_if_asked
from munin_app.bootstrap.folder import finish_restore, hold, log_to, open_locked
from munin_app.bootstrap.services import llama_model, manifest_of, memory_service, model_library
from munin_app.chat.branches import Branches
from munin_app.chat.controller import ChatController
from munin_app.chat.conversations import ConversationRepository
from munin_app.chat.forgetting import Forgetting
from munin_app.chat.model_state import ModelState, ModelStateChanged, SettingsChanged, TemplateOffer
from munin_app.chat.model_switch import ModelSwitch
from munin_app.chat.schema import MIGRATIONS
from munin_app.chat.shelf import Shelf
from munin_app.chat.utility_model import MakeModel, UtilityModel
from munin_app.config import Settings, load_settings
from munin_app.domain.events import ConversationChanged, TurnEvent, VectorsMade, notify
from munin_app.domain.inference import ChatModel, ModelInfo
from munin_app.errors import MuninError, NotFound, StorageError
from munin_app.i18n import _, use_language
from munin_app.imports.importing import Imported, Report, import_chats
from munin_app.imports.remembering import ImportsRemembered, Remembering
from munin_app.imports.writing import Wish
from munin_app.inference.unavailable import UnavailableChatModel
from munin_app.library.downloads import Download, Downloads
from munin_app.library.encoders import InstalledEncoder
from munin_app.library.models import ModelLibrary
from munin_app.memory import MemoryService
from munin_app.profile import MemoryProfileService
from munin_app.storage.database import Database

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
            stack.callback(hold(folder).release)
            await asyncio.to_thread(open_locked, folder)
            notices = await finish_restore(folder)
            stack.callback(erase_if_asked, folder)
            stack.callback(log_to(paths.logs_folder()))
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
        if self.profile.set_aside:
            self.notices.append(
                _("profile.json was damaged and is kept as {name}. Facts start empty; chats are untouched.").format(
                    name=self.profile.set_aside.name
                )
            )

    async def _erase_hidden(self) -> None:
        """No page offers Undo any more. What the model saved of anything forgotten goes too, where that was cut short."""
        try:
            await self.forgetting.erase_hidden()
            await self.forgetting.erase_hidden_messages()
            await self.forgetting.drop_sessions(await self.chats.stale_sessions())
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
                await self._remember_imported(hidden, wish)

    async def _remember_imported(self, hidden: set[str], wish: Wish) -> None:
        """Where munin.db fails here too, what is to be remembered is next time: the import's own error is the one to be shown."""
        with suppress(StorageError):
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
            while self._keeping:
                await asyncio.wait(self._keeping)  # another may begin meanwhile
            await self.controller.utility.close()
            await self.model.close()
            if not again:  # last: a model that is being loaded would be waited for; of a closed one only files are left
                await self._erase_hidden()


async def _opened(stack: AsyncExitStack, path: Path | None) -> Database:
    database = Database(path, MIGRATIONS, keep_copy=True)
    stack.push_async_callback(database.close)
    await database.open()
    return database
