"""Scripted models, one for each file name: each answers with its own name."""

from dataclasses import replace
from pathlib import Path

from munin_app.config import Settings
from munin_app.domain.inference import ModelInfo, Purpose
from munin_app.errors import ModelError, ModelTooLarge
from munin_app.inference.scripted import ScriptedChatModel

BROKEN = "The file is damaged. Download it again."
SHORT = "Memory is short by 3.0 GB. Close other programs."


class NamedModel(ScriptedChatModel):
    def __init__(self, path: Path, settings: Settings, error: ModelError | None) -> None:
        super().__init__([f"I am {path.stem}."], name=path.stem)
        self.settings = settings
        self._path = path
        self._error = error

    async def load(self) -> ModelInfo:
        if self._error and not (isinstance(self._error, ModelTooLarge) and self.settings.load_anyway):
            raise self._error
        self._info = replace(await super().load(), name=self._path.stem, path=self._path)
        return self._info


class NamedModels:
    """Makes them; notes what was made, and holds the newest of each name."""

    def __init__(self) -> None:
        self.made: list[str] = []
        self.newest: dict[str, NamedModel] = {}
        self.broken: set[str] = set()
        self.large: set[str] = set()
        self.large_context = 1_000_000

    def make(self, path: Path, settings: Settings) -> ScriptedChatModel:
        name = path.stem
        large = name in self.large or settings.context_tokens >= self.large_context
        error = ModelError(BROKEN) if name in self.broken else ModelTooLarge(SHORT) if large else None
        self.made.append(name)
        self.newest[name] = NamedModel(path, settings, error)
        return self.newest[name]

    def loaded(self) -> list[str]:
        return [name for name, model in self.newest.items() if model.info and not model.closed]

    def asked(self, name: str) -> list[Purpose]:
        return [request.purpose for request in self.newest[name].requests if request.purpose is not Purpose.UTILITY]


def model_files(folder: Path, *names: str) -> Path:
    """Files that are found as models. The first by name is the default."""
    folder.mkdir(parents=True)
    for name in names:
        (folder / f"{name}.gguf").write_bytes(b"GGUF")
    return folder
