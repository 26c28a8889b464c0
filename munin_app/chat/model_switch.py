"""Which model answers: loading it, changing to another, removing it. Settings and the model that they mean change together or
not at all: whatever fails, the model in use stays, or comes back.

One chat model is in memory. A conversation may have one of its own; it is loaded when a message is sent there, not when the
conversation is opened.
"""

import asyncio
import os
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol

from munin_app import paths
from munin_app.chat.controller import ChatController
from munin_app.chat.model_state import ModelOf, ModelState, ModelStateChanged, SettingsChanged, TemplateOffer
from munin_app.chat.utility_model import MakeModel
from munin_app.config import UNSET, ModelSettings, Settings, save_settings
from munin_app.domain.events import ConversationChanged
from munin_app.domain.inference import ChatModel, ModelInfo
from munin_app.domain.messages import DEFAULT_PERSONA, Conversation
from munin_app.errors import ChatTemplateError, MessageRefused, ModelError, ModelTooLarge, MuninError
from munin_app.i18n import _, use_language
from munin_app.inference.unavailable import UnavailableChatModel
from munin_app.library.models import ModelLibrary, ModelOrigin

OWN_TEMPLATE = "own"


class MakeAnother(Protocol):
    def __call__(self, path: Path, template: str = "") -> ChatModel:
        """A model that is not in use and not loaded yet; `template`: id of a known one, empty: as the settings have it."""


@dataclass(frozen=True, slots=True)
class _Found:
    model: ChatModel
    """Not loaded yet."""
    path: Path | None
    tiny: bool = False


class ModelSwitch:
    def __init__(
        self,
        settings: Settings,
        library: ModelLibrary,
        controller: ChatController,
        make_model: MakeModel,
        emit: Callable[[ModelStateChanged | SettingsChanged | ConversationChanged], None],
    ) -> None:
        self.settings = settings
        self.state = ModelState()
        self._library = library
        self._controller = controller
        self._make_model = make_model
        self._emit = emit
        self._path: Path | None = None
        """Of the model in use, loaded or not."""
        self._default: Path | None = None
        """What the settings mean. Where they name nothing: the first model, as it was found when it was looked for last."""
        self._changing = asyncio.Lock()
        self._held: Path | None = None
        self._holders = 0
        """How many turns need the model at `_held`."""
        self._freed = asyncio.Event()
        controller.switch = self

    @property
    def model(self) -> ChatModel:
        return self._controller.model

    @property
    def path(self) -> Path | None:
        """The file of the model in use, loaded or not. It stays while that model is held."""
        return self._path

    @property
    def default(self) -> Path | None:
        """The model of conversations that have none of their own."""
        return self._default

    # the model of a conversation

    async def model_of(self, conversation: Conversation | None) -> ModelOf:
        """None: a conversation that has not begun."""
        chosen = Path(conversation.model_path) if conversation and conversation.model_path else None
        if chosen and await _is_file(chosen):
            return ModelOf(chosen, chosen == self._path)
        usual = await self._usual(conversation)
        return ModelOf(usual, usual == self._path, chosen.stem if chosen else "")

    async def _usual(self, conversation: Conversation | None) -> Path | None:
        """The model of a conversation for which none was chosen: its persona's, or the default."""
        persona = await self._controller.personas.get(conversation.persona_id if conversation else DEFAULT_PERSONA)
        model = Path(persona.model_path) if persona.model_path else None
        return model if model and await _is_file(model) else self._default

    async def choose_for(self, conversation_id: str, path: str, *, load_anyway: bool = False) -> ModelInfo:
        """Gives a conversation a model of its own, loaded now; empty: the default again. `load_anyway`: although memory seems
        too short for it, now and later. Raises MessageRefused while another model is answering, or ModelError; then the
        conversation keeps its model, and the one in use is back."""
        before = await self._controller.chats.get(conversation_id)
        chosen = _absolute(path) if path else ""
        usual = await self._usual(before)
        after = replace(before, model_path="" if chosen and Path(chosen) == usual else chosen)
        if self._holders and self._held != (await self.model_of(after)).path:
            raise MessageRefused(_("Munin is still answering. Wait for the reply, or stop it; then choose the other model."))
        await self.hold(after)
        own = self.settings.set_for(self._held)
        try:
            if load_anyway and self._held:
                await self.set_for_model(self._held, replace(own, load_anyway=True))
            await self._set_model(after)
            info = await self.load_for(after)
        except ModelError:
            await self._set_model(before)
            if load_anyway and self._held:
                await self.set_for_model(self._held, own)
            raise
        finally:
            self.release()
        await self._controller.model_ready()
        return info

    async def _set_model(self, conversation: Conversation) -> None:
        await self._controller.chats.set_model(conversation.id, conversation.model_path)
        self._emit(ConversationChanged(conversation.id))

    async def hold(self, conversation: Conversation) -> None:
        """Waits while a turn needs another model than this conversation's. Until `release`, none is loaded for another turn."""
        wanted = (await self.model_of(conversation)).path
        while self._holders and self._held != wanted:
            await self._freed.wait()
        self._held = wanted
        self._holders += 1
        self._freed.clear()

    def release(self) -> None:
        self._holders -= 1
        if not self._holders:
            self._freed.set()

    async def load_for(self, conversation: Conversation) -> ModelInfo:
        """The model of this conversation, which is held, loaded. The one before it is unloaded first where memory is short.
        Raises ModelError; then that one is back."""
        async with self._changing:
            wanted = (await self.model_of(conversation)).path
            if wanted != self._path and self._holders:  # else the turn was stopped while it waited
                async with AsyncExitStack() as undo:
                    found, state = await self._loaded(self._settings_for(wanted), undo, self._put)
                    undo.pop_all()
                await self._put(found)
                if wanted is None:
                    self._default = found.path
                self._set_state(state)
        return await self.model.load()

    def _settings_for(self, path: Path | None, settings: Settings | None = None) -> Settings:
        """As they are for the model at `path`; None: for whichever the settings mean."""
        settings = settings or self.settings
        if path is None:
            return settings
        mine = replace(settings, model_path=str(path), load_anyway=settings.load_anyway and path == self._default)
        return mine.for_model(path)

    # the model in use

    async def choose(self, conversation: Conversation | None = None) -> None:
        """What the settings mean, looked for anew, or the model of this conversation is the one in use; it is not loaded yet."""
        default = await self._found(self.settings)
        self._default = default.path
        of = await self.model_of(conversation)
        await self._use(default if of.path == default.path else await self._found(self._settings_for(of.path)))

    async def load_model(self) -> None:
        """Never raises: `state` says how it went. Files are looked for anew, so that "Try again" finds a new one."""
        if self.model.info is None:
            if self.state.phase == "failed":
                await self.choose()
            self._set_state(ModelState("loading"))
        try:
            info = await self.model.load()
        except MuninError as error:
            too_large, offer = isinstance(error, ModelTooLarge), await self.offer(error)
            self._set_state(ModelState("failed", error=str(error), offer=offer, too_large=too_large))
        else:
            self._set_state(ModelState("ready", info, tiny=await self._is_tiny(info.path)))
            await self._controller.model_ready()

    async def _found(self, settings: Settings) -> _Found:
        """The model that the settings mean."""
        try:
            found = await self._library.chat_model(settings.model_path)
        except ModelError as error:
            return _unavailable(str(error))
        return _Found(self._make_model(found.path, settings.for_model(found.path)), found.path, found.tiny)

    async def _is_tiny(self, path: Path) -> bool:
        return any(model.tiny for model in await self._library.chat_models() if model.path == path)

    async def _use(self, found: _Found) -> None:
        """Turns that run are stopped."""
        for conversation_id in self._controller.running_conversations():
            await self._controller.stop_and_wait(conversation_id)
        await self._put(found)

    async def _put(self, found: _Found) -> None:
        """In the place of the model in use. Turns that only wait for it go on."""
        old = self.model
        self._path = found.path
        self._controller.use_model(found.model)
        await self._controller.utility.release()  # memory is for chat first, and one file is not held twice
        await old.close()

    def _set_state(self, state: ModelState) -> None:
        self.state = state
        self._emit(ModelStateChanged(state))

    async def offer(self, error: MuninError, path: str = "") -> TemplateOffer | None:
        """What would mend this error about the file at `path`; empty: about the one that the settings mean."""
        if not isinstance(error, ChatTemplateError):
            return None
        found = await self._library.chat_model(_absolute(path) if path else self.settings.model_path)
        return TemplateOffer(found.path, error.suggested)

    async def use_model_file(self, path: str, *, template: str = "", load_anyway: bool = False) -> ModelInfo:
        """Loads another GGUF file and remembers it as the default. Raises ModelError; then the model in use stays. `template`:
        the id of a known chat template to use with it from now on, or OWN_TEMPLATE for the file's own. `load_anyway`: although
        memory seems too short for it, now and at later starts."""
        chosen = _absolute(path)
        templates = {**self.settings.chat_templates, chosen: template} if template else self.settings.chat_templates
        kept = {file: one for file, one in templates.items() if one != OWN_TEMPLATE}
        await self.change_settings(model_path=chosen, chat_templates=kept, load_anyway=load_anyway)
        if self.model.info is None:  # the same path as before, and loading it had failed
            await self.load_model()
        if self.model.info is None:
            raise ModelError(self.state.error)
        return self.model.info

    async def set_for_model(self, path: Path, own: ModelSettings) -> None:
        """What is set for one model; the model in use is loaded anew where that needs it. Raises SettingsError or ModelError;
        then everything stays as it was."""
        async with self._changing:
            others = {file: one for file, one in self.settings.model_settings.items() if file != str(path)}
            mine = {str(path): own} if own != UNSET else {}
            await self._change_settings(replace(self.settings, model_settings={**others, **mine}), new_default=False)

    async def remove_model(self, model_id: str) -> int:
        """Takes a model from the user's folder, and returns the bytes that it frees. One in use is unloaded first; the default,
        or another that is here, takes its place. Raises NotFound or ModelError; then everything stays as it was."""
        async with self._changing:
            before = self.settings.background_model
            here = await self._library.chat_models(before)
            does_it = before and any(str(model.path) == before for model in here if model.id == model_id)
            if does_it:
                await self._work_in_background("")
            try:
                return await self._remove(model_id)
            except MuninError:
                if does_it:
                    await self._work_in_background(before)
                raise

    async def _work_in_background(self, path: str) -> None:
        await self._change_settings(replace(self.settings, background_model=path), new_default=False)

    async def _remove(self, model_id: str) -> int:
        here = await self._library.chat_models(self.settings.model_path)
        model = next((model for model in here if model.id == model_id), None)
        if not model or model.origin is not ModelOrigin.USER or model.path not in (self._path, self._default):
            return await self._library.remove(model_id)
        in_use = model.path == self._path
        if in_use:
            gone = _("{name} is being removed. Send the message again when another model is ready.").format(name=model.name)
            await self._use(_unavailable(gone))
        back: Path | None = model.path
        try:
            freed = await self._library.remove(model_id)
            back = None
            if model.path == self._default:
                await self._forget_default()
        finally:
            if in_use and self.state.phase != "idle":  # a command loads none
                await self._bring_back(back, self._use)
        return freed

    async def _forget_default(self) -> None:
        self.settings = replace(self.settings, model_path="", load_anyway=False)
        self._default = None
        with suppress(ModelError):  # there is none any more
            self._default = (await self._library.chat_model()).path
        await asyncio.to_thread(save_settings, paths.settings_file(), self.settings)
        self._emit(SettingsChanged(self.settings))

    @asynccontextmanager
    async def set_aside(self, reason: str) -> AsyncIterator[MakeAnother]:
        """The memory is free for other models meanwhile. A message that is sent waits; who asks for the model hears `reason`.
        What was in use comes back, whatever happens. Gives what makes the others: never one that memory seems too short for."""
        await self._changing.acquire()
        path = self._path if self.model.info else None
        try:
            self._set_state(ModelState("loading"))
            await self._use(_unavailable(reason))
            yield self._make_another
        finally:  # not cut short by a second cancellation
            await asyncio.shield(self._controller.in_background(self._put_back(path)))

    async def _put_back(self, path: Path | None) -> None:
        try:
            await self._bring_back(path, self._use)
        finally:
            self._changing.release()

    def _make_another(self, path: Path, template: str = "") -> ChatModel:
        templates = {**self.settings.chat_templates, str(path): template} if template else self.settings.chat_templates
        return self._make_model(path, replace(self.settings, chat_templates=templates, load_anyway=False))

    async def change_settings(self, **changes: Any) -> Settings:
        """Validates, applies and saves, one change after the other. Raises SettingsError or ModelError; then everything
        stays as it was."""
        async with self._changing:
            return await self._change_settings(replace(self.settings, **changes), new_default="model_path" in changes)

    async def _change_settings(self, settings: Settings, new_default: bool) -> Settings:
        """A new default is the model in use from now on."""
        named = settings.for_model(Path(settings.model_path))
        wanted = named if new_default else self._settings_for(self._path, settings)
        async with AsyncExitStack() as undo:
            other_file = new_default and settings.model_path != str(self._path)
            parts = [_model_part(one.for_model(self._path)) for one in (settings, self.settings)]
            switched = other_file or parts[0] != parts[1]
            if switched:
                found, state = await self._loaded(wanted, undo, self._use)
            await asyncio.to_thread(save_settings, paths.settings_file(), settings)
            undo.pop_all()
        if switched:
            await self._use(found)
            self._set_state(state)
        if new_default:
            self._default = self._path
        other_background = settings.background_model != self.settings.background_model
        self.settings = settings
        use_language(settings.language)
        if other_background:
            await self._controller.utility.chosen()
        self._emit(SettingsChanged(settings))
        if switched:
            await self._controller.model_ready()
        return settings

    async def _loaded(self, settings: Settings, undo: AsyncExitStack, put: "_Put") -> tuple[_Found, ModelState]:
        """The other model: beside the one in use where there is memory for both, else after that one is unloaded. `undo`
        takes it back."""
        async with AsyncExitStack() as beside:
            with suppress(ModelTooLarge):
                if not settings.load_anyway:
                    found, state = await self._loaded_beside(settings, beside)
                    if state.info and not state.info.squeezed:
                        undo.push_async_exit(beside.pop_all())
                        return found, state
        undo.push_async_callback(self._bring_back, self._path if self.model.info else None, put)
        await put(_unavailable(_("Another model is just being loaded. Send the message again when it is ready.")))
        return await self._loaded_beside(settings, undo)

    async def _bring_back(self, path: Path | None, put: "_Put") -> None:
        """The model at `path`; None: the one that the settings mean."""
        if path is None:
            found = await self._found(self.settings)
            self._default = found.path
        else:
            found = _Found(self._make_model(path, self._settings_for(path)), path)
        await put(found)
        await self.load_model()

    async def _loaded_beside(self, settings: Settings, undo: AsyncExitStack) -> tuple[_Found, ModelState]:
        """The other model, loaded while the one in use stays; `undo` takes it back."""
        undo.callback(self._set_state, self.state)
        found = await self._found(settings)
        undo.push_async_callback(found.model.close)
        self._set_state(ModelState("loading", tiny=found.tiny))
        return found, ModelState("ready", await found.model.load(), tiny=found.tiny)


_Put = Callable[[_Found], Awaitable[None]]


async def _is_file(path: Path) -> bool:
    return await asyncio.to_thread(path.is_file)


def _unavailable(reason: str) -> _Found:
    return _Found(UnavailableChatModel(reason, paths.sessions_folder()), None)


def _model_part(settings: Settings) -> tuple[object, ...]:
    """What a model has to be loaded anew for, beside its path."""
    return (
        settings.chat_templates,
        settings.context_tokens,
        settings.threads,
        settings.kv_type,
        settings.gpu_layers,
        settings.load_anyway,
    )


def _absolute(path: str) -> str:
    return os.path.abspath(os.path.expanduser(path))
