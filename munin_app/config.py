"""Settings: a frozen value, kept in settings.json. Unknown keys are refused, so that a typing error is never silent."""

import json
import os
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal, get_args, get_origin, get_type_hints

import cattrs

from munin_app.errors import SettingsError

VERSION = 1
Theme = Literal["system", "dark", "light"]
KvType = Literal["f16", "q8_0"]
Learning = Literal["automatic", "ask", "off"]
"""What becomes of facts in the user's words: noted, put up for review, or not looked for."""


@dataclass(frozen=True, slots=True)
class Settings:
    theme: Theme = "system"
    memory_on: bool = True
    """False: nothing is recalled, sent along, indexed or learned, in any conversation."""
    learn_facts: Learning = "automatic"
    model_path: str = ""
    """A GGUF file; empty: the starter, or the first one found where that is not here."""
    encoder: str = ""
    """The id of the encoder that memory uses; empty: the starter's."""
    chat_templates: dict[str, str] = field(default_factory=dict)
    """Path of a GGUF file to the id of a known chat template, for files whose own is missing or cannot be used."""
    context_tokens: int = 0
    """0: what fits the memory that is free, 8,192 at most."""
    kv_type: KvType = "f16"
    """How exact the KV cache is; q8_0 takes about half the memory."""
    max_reply_tokens: int = 512
    temperature: float = 0.4
    threads: int = 0
    """For the model; 0: as many as the machine has real cores."""
    gpu_layers: int = -1
    """Of the model, where llama.cpp was built for a graphics processor; -1: all, 0: none."""
    load_anyway: bool = False
    """This model, although memory seems too short for it."""
    recall_timeout_ms: int = 300

    def __post_init__(self) -> None:
        _require(self.theme in ("system", "dark", "light"), "theme", self.theme, "system, dark or light")
        context_valid = self.context_tokens == 0 or 512 <= self.context_tokens <= 1_048_576
        _require(context_valid, "context_tokens", self.context_tokens, "0 (what fits) or 512 to 1048576")
        _require(self.kv_type in ("f16", "q8_0"), "kv_type", self.kv_type, "f16 or q8_0")
        _require(self.learn_facts in ("automatic", "ask", "off"), "learn_facts", self.learn_facts, "automatic, ask or off")
        _require(16 <= self.max_reply_tokens <= 32_768, "max_reply_tokens", self.max_reply_tokens, "16 to 32768")
        _require(0 <= self.temperature <= 2, "temperature", self.temperature, "0 to 2")
        _require(0 <= self.threads <= 256, "threads", self.threads, "0 to 256")
        _require(-1 <= self.gpu_layers <= 10_000, "gpu_layers", self.gpu_layers, "-1 (all) to 10000")
        _require(0 <= self.recall_timeout_ms <= 10_000, "recall_timeout_ms", self.recall_timeout_ms, "0 to 10000")


def _require(condition: bool, key: str, found: object, expected: str) -> None:
    if not condition:
        raise SettingsError(f'Settings: "{key}" is {found!r}; expected {expected}.')


def _strict(kind: type) -> Callable[[Any, Any], Any]:
    """No silent conversion: "false" is a string, and would otherwise be read as true."""

    def structure(value: Any, _: Any) -> Any:
        if type(value) is kind or (kind is float and type(value) is int):
            return value
        raise ValueError(f"{value!r} stands where a {kind.__name__} is expected")

    return structure


_converter = cattrs.Converter()
for _kind in (bool, int, float, str):
    _converter.register_structure_hook(_kind, _strict(_kind))


def _settings(document: dict[str, Any]) -> Settings:
    """Raises SettingsError that names the key."""
    kinds = get_type_hints(Settings)
    if unknown := sorted(document.keys() - kinds.keys()):
        raise SettingsError(f'Settings: "{unknown[0]}" is unknown. Correct it, or take it out.')
    return Settings(**{key: _structured(key, value, kinds[key]) for key, value in document.items()})


def _structured(key: str, value: Any, kind: Any) -> Any:
    try:
        return _converter.structure(value, kind)
    except Exception as error:  # cattrs raises what its hooks raise
        expected = " or ".join(map(str, get_args(kind))) if get_origin(kind) is Literal else kind.__name__
        raise SettingsError(f'Settings: "{key}" is {value!r}; expected {expected}.') from error


def load_settings(path: Path) -> Settings:
    """The file's settings, or the defaults where there is none. Raises SettingsError; the file is never changed here."""
    try:
        document: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        if not isinstance(document, dict):
            raise ValueError("it is no JSON object")
        found = document.pop("version", None)
        if found != VERSION:
            raise SettingsError(f"It is of version {found}; this Munin reads version {VERSION}. Update Munin, or move it away.")
        return _settings(document)
    except FileNotFoundError:
        return Settings()
    except SettingsError as error:
        raise SettingsError(f"{path} cannot be used. {error}") from error
    except (OSError, ValueError, RecursionError) as error:
        raise SettingsError(
            f"{path} cannot be used ({error}). Correct it, or move it away to start with the defaults."
        ) from error


def save_settings(path: Path, settings: Settings) -> None:
    """Atomic: a kill at any moment leaves the old file or the new one."""
    temporary = path.with_suffix(".json.tmp")
    try:
        with open(temporary, "w", encoding="utf-8") as file:
            json.dump({"version": VERSION, **asdict(settings)}, file, indent=2)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except OSError as error:
        raise SettingsError(
            f"{path} could not be written ({error.strerror}). Free some space or make the folder writable."
        ) from error
