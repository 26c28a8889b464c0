"""Which model answers: loading it, changing to another, removing it. Settings and the model that they mean change together or
not at all: whatever fails, the model in use stays, or comes back.
"""

import asyncio
import os
from collections.abc import Callable
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from munin_app import paths
from munin_app.chat.controller import ChatController
from munin_app.config import Settings, save_settings
from munin_app.domain.inference import ChatModel, ModelInfo
from munin_app.errors import ChatTemplateError, ModelError, ModelTooLarge, MuninError
from munin_app.inference.known_templates import KNOWN_TEMPLATES
from munin_app.inference.unavailable import UnavailableChatModel
from munin_app.library.models import ModelLibrary, ModelOrigin
from munin_app.profile import MemoryProfileService

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
class SettingsChanged:
    settings: Settings


class ModelSwitch:
    def __init__(
        self,
        settings: Settings,
        library: ModelLibrary,
        controller: ChatController,
        profile: MemoryProfileService,
        make_model: MakeModel,
        emit: Callable[[ModelStateChanged | SettingsChanged], None],
    ) -> None:
        self.settings = settings
        self.state = ModelState()
        self._library = library
        self._controller = controller
        self._profile = profile
        self._make_model = make_model
        self._emit = emit
        self._changing = asyncio.Lock()

    @property
    def model(self) -> ChatModel:
        return self._controller.model

    async def choose(self) -> None:
        """The model that the settings mean, not loaded yet, is the one in use."""
        await self._use_model((await self._found_model(self.settings))[0])

    async def load_model(self) -> None:
        """Never raises: `state` says how it went. Files are looked for anew, so that "Try again" finds a new one."""
        if self.model.info is None:
            if self.state.phase == "failed":
                await self.choose()
            self._set_model_state(ModelState("loading"))
        try:
            info = await self.model.load()
        except MuninError as error:
            too_large, offer = isinstance(error, ModelTooLarge), await self.offer(error)
            self._set_model_state(ModelState("failed", error=str(error), offer=offer, too_large=too_large))
        else:
            self._set_model_state(ModelState("ready", info, tiny=await self._is_tiny(info.path)))
            await self._controller.model_ready()

    async def _found_model(self, settings: Settings) -> tuple[ChatModel, bool]:
        """The model that the settings mean, not loaded yet, and whether it is the tiny starter."""
        try:
            found = await self._library.chat_model(settings.model_path)
        except ModelError as error:
            return UnavailableChatModel(str(error), paths.sessions_folder()), False
        return self._make_model(found.path, settings), found.tiny

    async def _is_tiny(self, path: Path) -> bool:
        return any(model.tiny for model in await self._library.chat_models() if model.path == path)

    async def _use_model(self, model: ChatModel) -> None:
        old = self.model
        for conversation_id in self._controller.running_conversations():
            await self._controller.stop_and_wait(conversation_id)
        self._controller.use_model(model)
        self._profile.use_model(model)
        await old.close()

    def _set_model_state(self, state: ModelState) -> None:
        self.state = state
        self._emit(ModelStateChanged(state))

    async def offer(self, error: MuninError, path: str = "") -> TemplateOffer | None:
        """What would mend this error about the file at `path`; empty: about the one that the settings mean."""
        if not isinstance(error, ChatTemplateError):
            return None
        found = await self._library.chat_model(_absolute(path) if path else self.settings.model_path)
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
            raise ModelError(self.state.error)
        return self.model.info

    async def remove_model(self, model_id: str) -> int:
        """Takes a model from the user's folder, and returns the bytes that it frees. One in use is unloaded first; another that
        is here takes its place. Raises NotFound or ModelError; then everything stays as it was."""
        async with self._changing:
            here = await self._library.chat_models(self.settings.model_path)
            model = next((model for model in here if model.id == model_id), None)
            if not model or model.origin is not ModelOrigin.USER or not await self._is_in_use(model.path):
                return await self._library.remove(model_id)
            gone = f"{model.name} is being removed. Send the message again when another model is ready."
            await self._use_model(UnavailableChatModel(gone, paths.sessions_folder()))
            back: Path | None = model.path
            try:
                freed = await self._library.remove(model_id)
                back = None
                self.settings = replace(self.settings, model_path="", load_anyway=False)
                await asyncio.to_thread(save_settings, paths.settings_file(), self.settings)
                self._emit(SettingsChanged(self.settings))
            finally:
                if self.state.phase != "idle":  # a command loads none
                    await self._bring_back(back)
            return freed

    async def _is_in_use(self, path: Path) -> bool:
        """Loaded, or to be loaded by what the settings say."""
        if self.model.info:
            return self.model.info.path == path
        try:
            return (await self._library.chat_model(self.settings.model_path)).path == path
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
            await self._controller.model_ready()
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
        """The model at `path`; None: the one that the settings mean."""
        found = self._make_model(path, self.settings) if path else (await self._found_model(self.settings))[0]
        await self._use_model(found)
        await self.load_model()

    async def _loaded_beside(self, settings: Settings, undo: AsyncExitStack) -> tuple[ChatModel, ModelState]:
        """The other model, loaded while the one in use stays; `undo` takes it back."""
        undo.callback(self._set_model_state, self.state)
        model, tiny = await self._found_model(settings)
        undo.push_async_callback(model.close)
        self._set_model_state(ModelState("loading", tiny=tiny))
        return model, ModelState("ready", await model.load(), tiny=tiny)


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
