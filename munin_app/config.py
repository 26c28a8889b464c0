"""Settings: a frozen value, kept in settings.json. Unknown keys are refused, so that a typing error is never silent."""

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from types import UnionType
from typing import Any, Literal, TypeVar, get_args, get_origin, get_type_hints

import cattrs

from munin_app.errors import SettingsError
from munin_app.i18n import LANGUAGES, SYSTEM, _
from munin_app.storage.files import read_file, write_file

VERSION = 1
Theme = Literal["system", "dark", "light"]
KvType = Literal["f16", "q8_0"]
Learning = Literal["automatic", "ask", "off"]
"""What becomes of facts in the user's words: noted, put up for review, or not looked for."""
Density = Literal["comfortable", "compact"]
Contrast = Literal["system", "normal", "high"]
Motion = Literal["system", "full", "reduced"]
TEXT_SIZES = (100, 115, 130, 160)
"""Per cent."""


INSTRUCTIONS_MAX = 2000
"""Characters."""


@dataclass(frozen=True, slots=True)
class ModelSettings:
    """What the user set for one model. None: what the model itself recommends, else what holds for every model."""

    temperature: float | None = None
    top_p: float | None = None
    top_k: int | None = None
    min_p: float | None = None
    repeat_penalty: float | None = None
    context_tokens: int | None = None
    max_reply_tokens: int | None = None
    max_thought_tokens: int | None = None
    instructions: str = ""
    """Stand below Munin's own, in chats that begin from now on."""
    load_anyway: bool = False
    """Although memory seems too short for it."""

    def __post_init__(self) -> None:
        _require(self.temperature is None or 0 <= self.temperature <= 2, "temperature", self.temperature, "0 to 2")
        _require(self.top_p is None or 0 <= self.top_p <= 1, "top_p", self.top_p, "0 to 1")
        _require(self.top_k is None or 0 <= self.top_k <= 1000, "top_k", self.top_k, _("0 (off) to 1000"))
        _require(self.min_p is None or 0 <= self.min_p <= 1, "min_p", self.min_p, _("0 (off) to 1"))
        penalty = self.repeat_penalty
        _require(penalty is None or 1 <= penalty <= 2, "repeat_penalty", penalty, _("1 (off) to 2"))
        _require_context(self.context_tokens or 0)
        _require_reply(16 if self.max_reply_tokens is None else self.max_reply_tokens)
        _require_thought(self.max_thought_tokens or 0)
        characters = _("{number} characters long").format(number=len(self.instructions))
        _require(
            len(self.instructions) <= INSTRUCTIONS_MAX,
            "instructions",
            characters,
            _("at most {instructions_max}").format(instructions_max=INSTRUCTIONS_MAX),
        )

    def document(self) -> dict[str, Any]:
        """What was set, and nothing else."""
        return {key: value for key, value in asdict(self).items() if value != getattr(UNSET, key)}


@dataclass(frozen=True, slots=True)
class Settings:
    theme: Theme = "system"
    text_size: int = 100
    """Per cent, beside what the system makes of it."""
    density: Density = "comfortable"
    contrast: Contrast = "system"
    motion: Motion = "system"
    """Reduced: nothing moves by itself."""
    language: str = SYSTEM
    """"system", or one that Munin speaks."""
    memory_on: bool = True
    """False: nothing is recalled, sent along, indexed or learned, in any conversation."""
    learn_facts: Learning = "automatic"
    model_path: str = ""
    """A GGUF file; empty: the starter, or the first one found where that is not here."""
    background_model: str = ""
    """A GGUF file for the background work (facts, summaries, titles); empty: the chat model does it."""
    encoder: str = ""
    """The id of the encoder that memory uses; empty: the starter's."""
    chat_templates: dict[str, str] = field(default_factory=dict)
    """Path of a GGUF file to the id of a known chat template, for files whose own is missing or cannot be used."""
    context_tokens: int = 0
    """0: what fits the memory that is free, 8,192 at most."""
    kv_type: KvType = "f16"
    """How exact the KV cache is; q8_0 takes about half the memory."""
    max_reply_tokens: int = 512
    max_thought_tokens: int = 1024
    """Of what a model thinks before it answers, so much does not count as reply."""
    temperature: float = 0.4
    threads: int = 0
    """For the model; 0: as many as the machine has real cores."""
    gpu_layers: int = -1
    """Of the model, where llama.cpp was built for a graphics processor; -1: all, 0: none."""
    load_anyway: bool = False
    """This model, although memory seems too short for it."""
    recall_timeout_ms: int = 300
    copies_folder: str = ""
    """Where a copy of everything is put each day; empty: none is made."""
    copies_kept: int = 7
    """So many copies stay there."""
    auto_lock_minutes: int = 0
    """Of locked data: after so long without use the window asks for the passphrase again; 0: never."""
    model_settings: dict[str, ModelSettings] = field(default_factory=dict)
    """Path of a GGUF file to what was set for it."""

    def __post_init__(self) -> None:
        _require(self.theme in ("system", "dark", "light"), "theme", self.theme, _("system, dark or light"))
        least, most = TEXT_SIZES[0], TEXT_SIZES[-1]
        _require(
            least <= self.text_size <= most,
            "text_size",
            self.text_size,
            _("{least} to {most} (per cent)").format(least=least, most=most),
        )
        _require(self.density in ("comfortable", "compact"), "density", self.density, _("comfortable or compact"))
        _require(self.contrast in ("system", "normal", "high"), "contrast", self.contrast, _("system, normal or high"))
        _require(self.motion in ("system", "full", "reduced"), "motion", self.motion, _("system, full or reduced"))
        known = (SYSTEM, *LANGUAGES)
        _require(self.language in known, "language", self.language, f"{', '.join(known[:-1])} or {known[-1]}")
        _require_context(self.context_tokens)
        _require(self.kv_type in ("f16", "q8_0"), "kv_type", self.kv_type, _("f16 or q8_0"))
        _require(self.learn_facts in ("automatic", "ask", "off"), "learn_facts", self.learn_facts, _("automatic, ask or off"))
        _require_reply(self.max_reply_tokens)
        _require_thought(self.max_thought_tokens)
        _require(0 <= self.temperature <= 2, "temperature", self.temperature, "0 to 2")
        _require(0 <= self.threads <= 256, "threads", self.threads, "0 to 256")
        _require(-1 <= self.gpu_layers <= 10_000, "gpu_layers", self.gpu_layers, _("-1 (all) to 10000"))
        _require(0 <= self.recall_timeout_ms <= 10_000, "recall_timeout_ms", self.recall_timeout_ms, "0 to 10000")
        _require(1 <= self.copies_kept <= 1000, "copies_kept", self.copies_kept, "1 to 1000")
        _require(0 <= self.auto_lock_minutes <= 1440, "auto_lock_minutes", self.auto_lock_minutes, "0 (never) to 1440")

    def set_for(self, path: Path | None) -> ModelSettings:
        return self.model_settings.get(str(path), UNSET)

    def for_model(self, path: Path | None) -> "Settings":
        """As they are for the model at `path`."""
        own = self.set_for(path)
        return replace(
            self,
            context_tokens=self.context_tokens if own.context_tokens is None else own.context_tokens,
            max_reply_tokens=self.max_reply_tokens if own.max_reply_tokens is None else own.max_reply_tokens,
            max_thought_tokens=self.max_thought_tokens if own.max_thought_tokens is None else own.max_thought_tokens,
            load_anyway=self.load_anyway or own.load_anyway,
        )


def _require(condition: bool, key: str, found: object, expected: str) -> None:
    if not condition:
        raise SettingsError(
            _('Settings: "{key}" is {found!r}; expected {expected}.').format(key=key, found=found, expected=expected)
        )


def _require_context(tokens: int) -> None:
    valid = tokens == 0 or 512 <= tokens <= 1_048_576
    _require(valid, "context_tokens", tokens, _("0 (what fits) or 512 to 1048576"))


def _require_reply(tokens: int) -> None:
    _require(16 <= tokens <= 32_768, "max_reply_tokens", tokens, "16 to 32768")


def _require_thought(tokens: int) -> None:
    _require(0 <= tokens <= 32_768, "max_thought_tokens", tokens, "0 to 32768")


UNSET = ModelSettings()
T = TypeVar("T", Settings, ModelSettings)


def _strict(kind: type) -> Callable[[Any, Any], Any]:
    """No silent conversion: "false" is a string, and would otherwise be read as true."""

    def structure(value: Any, target: Any) -> Any:
        if type(value) is kind or (kind is float and type(value) is int):
            return value
        raise ValueError(_("{value!r} stands where a {kind} is expected").format(value=value, kind=kind.__name__))

    return structure


_converter = cattrs.Converter()
for _kind in (bool, int, float, str):
    _converter.register_structure_hook(_kind, _strict(_kind))


def _read(cls: type[T], document: dict[str, Any]) -> T:
    """Raises SettingsError that names the key."""
    kinds = get_type_hints(cls)
    if unknown := sorted(document.keys() - kinds.keys()):
        raise SettingsError(_('Settings: "{unknown}" is unknown. Correct it, or take it out.').format(unknown=unknown[0]))
    return cls(**{key: _structured(key, value, kinds[key]) for key, value in document.items()})


def _model_settings(value: Any, target: Any) -> ModelSettings:
    if not isinstance(value, dict):
        raise SettingsError(
            _('Settings: "model_settings" holds {value!r}; expected an object for each file.').format(value=value)
        )
    return _read(ModelSettings, value)


_converter.register_structure_hook(ModelSettings, _model_settings)


def _structured(key: str, value: Any, kind: Any) -> Any:
    try:
        return _converter.structure(value, kind)
    except Exception as error:  # cattrs raises what its hooks raise, those of a dict together
        for one in getattr(error, "exceptions", ()):
            if isinstance(one, SettingsError):
                raise one from error
        kinds = get_args(kind) if get_origin(kind) in (Literal, UnionType) else (kind.__name__,)
        expected = " or ".join(getattr(one, "__name__", str(one)) for one in kinds)
        raise SettingsError(
            _('Settings: "{key}" is {value!r}; expected {expected}.').format(key=key, value=value, expected=expected)
        ) from error


def load_settings(path: Path) -> Settings:
    """The file's settings, or the defaults where there is none. Raises SettingsError; the file is never changed here."""
    try:
        document: dict[str, Any] = json.loads(read_file(path).decode())
        if not isinstance(document, dict):
            raise ValueError(_("it is no JSON object"))
        found = document.pop("version", None)
        if found != VERSION:
            raise SettingsError(
                _("It is of version {found}; this Munin reads version {version}. Update Munin, or move it away.").format(
                    found=found, version=VERSION
                )
            )
        return _read(Settings, document)
    except FileNotFoundError:
        return Settings()
    except SettingsError as error:
        raise SettingsError(_("{path} cannot be used. {error}").format(path=path, error=error)) from error
    except (OSError, ValueError, RecursionError) as error:
        raise SettingsError(
            _("{path} cannot be used ({error}). Correct it, or move it away to start with the defaults.").format(
                path=path, error=error
            )
        ) from error


def save_settings(path: Path, settings: Settings) -> None:
    """Atomic: a kill at any moment leaves the old file or the new one."""
    models = {path: own.document() for path, own in settings.model_settings.items()}
    document = {"version": VERSION, **asdict(settings), "model_settings": models}
    try:
        write_file(path, json.dumps(document, indent=2).encode())
    except OSError as error:
        raise SettingsError(
            _("{path} could not be written ({strerror}). Free some space or make the folder writable.").format(
                path=path, strerror=error.strerror
            )
        ) from error
