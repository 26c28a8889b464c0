"""Reads models/catalog.toml into frozen values. Knows nothing of folders, downloads or what is installed."""

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import cattrs

from munin_app.errors import ModelError

VERSION = 1


@dataclass(frozen=True, slots=True)
class CatalogFile:
    """One file of a model, and the package that carries it."""

    file: str
    """Name in the model's folder; no separators."""
    package: str
    member: str
    """Path of the file inside the package."""
    sha256: str
    size_bytes: int


@dataclass(frozen=True, slots=True)
class ChatModelEntry:
    id: str
    """The file's name without its ending."""
    name: str
    file: str
    package: str
    member: str
    sha256: str
    size_bytes: int
    licence: str
    context_tokens: int
    """What it was trained for."""
    languages: tuple[str, ...]
    good_for: str
    """One sentence or two for the user."""
    tiny: bool = False
    """So small that the app says so plainly."""

    @property
    def files(self) -> tuple[CatalogFile, ...]:
        return (CatalogFile(self.file, self.package, self.member, self.sha256, self.size_bytes),)


@dataclass(frozen=True, slots=True)
class EncoderEntry:
    id: str
    name: str
    folder: str
    licence: str
    languages: tuple[str, ...]
    dimension: int
    max_tokens: int
    """Special tokens included; a longer text is split before."""
    pooling: Literal["mean", "cls"]
    query_prefix: str
    document_prefix: str
    threshold: float
    """Cosine similarity below which a message counts as unrelated."""
    files: tuple[CatalogFile, ...]


@dataclass(frozen=True, slots=True)
class Catalog:
    chat: tuple[ChatModelEntry, ...]
    encoder: tuple[EncoderEntry, ...]

    def chat_model(self, file_name: str) -> ChatModelEntry | None:
        """The entry of a file, by its name."""
        return next((entry for entry in self.chat if entry.file == file_name), None)


_converter = cattrs.Converter(forbid_extra_keys=True, detailed_validation=False)


def read_catalog(path: Path) -> Catalog:
    """Raises ModelError where the file is missing, damaged or of another version."""
    try:
        with open(path, "rb") as file:
            document: dict[str, Any] = tomllib.load(file)
        found = document.pop("version", None)
        if found != VERSION:
            raise ModelError(f"{path} is of version {found}; this Munin reads version {VERSION}. Install Munin again.")
        return _converter.structure(document, Catalog)
    except OSError as error:
        raise ModelError(f"The model catalogue {path} cannot be read ({error.strerror}). Install Munin again.") from error
    except (ValueError, TypeError, KeyError, cattrs.errors.CattrsError) as error:
        raise ModelError(f"The model catalogue {path} is damaged ({error}). Install Munin again.") from error
