"""Reads catalogues of models into frozen values. Knows nothing of folders, downloads or what is installed.

Two are read: models/catalog.toml, which came with the program, and the user's own, which may come from anywhere: nothing in
it is believed before it is checked, names least of all.
"""

import math
import re
import tomllib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import cattrs

from munin_app.errors import ModelError
from munin_app.i18n import _, decimal
from munin_app.library.addresses import why_not
from munin_app.library.splits import model_id, parts_of

VERSION = 1
_FILE_MAX_BYTES = 1_000_000
_MODEL_MAX_BYTES = 1_000_000_000_000
_MOST_ENTRIES = 500
_LONGEST_NAME = 120
_LONGEST_TEXT = 400
_NAME = re.compile(r"[A-Za-z0-9]([A-Za-z0-9 ._+-]*[A-Za-z0-9_+-])?")
_LONG_KEY = re.compile(r"""(\.[ \t]*([\w-]+|"[^"\n]*"|'[^'\n]*')[ \t]*){16}""")
"""A key of so many parts: the parser's time grows with their square, and 20,000 of them took it two minutes."""
_RESERVED = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?", re.IGNORECASE)
"""Names that Windows keeps for devices, whatever their ending."""


def _require(condition: bool, key: str, found: object, expected: str) -> None:
    if not condition:
        raise ValueError(_("{key} is {found}; expected {expected}").format(key=key, found=repr(found)[:80], expected=expected))


def _require_name(key: str, name: str, ending: str = "") -> None:
    harmless = _NAME.fullmatch(name) and not _RESERVED.fullmatch(name) and len(name) <= _LONGEST_NAME and name.endswith(ending)
    expected = _("a plain name of letters, digits and . - _ +")
    if ending:
        expected = _("a plain name of letters, digits and . - _ + that ends in {ending}").format(ending=ending)
    _require(bool(harmless), key, name, expected)


def _require_texts(key: str, *texts: str) -> None:
    for text in texts:
        _require(
            len(text) <= _LONGEST_TEXT and text.isprintable(),
            key,
            text,
            _("one line of at most {longest_text} characters").format(longest_text=_LONGEST_TEXT),
        )


@dataclass(frozen=True, slots=True)
class CatalogFile:
    """One file of a model, and where it comes from: an address, or a package of the starter set that carries it. Neither: the
    user brought it."""

    file: str
    """Name in the model's folder; no separators."""
    sha256: str = ""
    """Empty: nobody has verified it, and it is not checked."""
    size_bytes: int = 0
    """0: not known."""
    address: str = ""
    package: str = ""
    member: str = ""
    """Path of the file inside the package."""

    def __post_init__(self) -> None:
        _require_name("file", self.file)
        _require(
            re.fullmatch("([0-9a-f]{64})?", self.sha256) is not None, "sha256", self.sha256, _("64 digits of 0-9a-f, or nothing")
        )
        _require(0 <= self.size_bytes <= _MODEL_MAX_BYTES, "size_bytes", self.size_bytes, f"0 to {_MODEL_MAX_BYTES}")
        _require(not (self.address and self.package), "address", self.address, _("an address, or a package and a member"))
        _require(bool(self.member) == bool(self.package), "member", self.member, _("a path in the package, if there is one"))
        if self.address and (reason := why_not(self.address)):
            raise ValueError(f"address {repr(self.address)[:80]} {reason}")

    @property
    def verified(self) -> bool:
        return bool(self.sha256 and self.size_bytes)


@dataclass(frozen=True, slots=True)
class ChatModelEntry:
    id: str
    """The name of its first file without the ending, and without the number of the part."""
    name: str
    licence: str
    context_tokens: int
    """What it was trained for."""
    languages: tuple[str, ...]
    good_for: str
    """One sentence or two for the user."""
    files: tuple[CatalogFile, ...]
    """One GGUF file, or every part of a split one, in order."""
    licence_terms: str = ""
    """Address of terms that the user has to accept; empty: the licence asks for nothing of the kind."""
    reasoning: bool = False
    """Whether it thinks aloud before it answers."""
    tiny: bool = False
    """So small that the app says so plainly."""

    def __post_init__(self) -> None:
        _require(bool(self.files), "files", self.files, _("one file or more"))
        for file in self.files:
            _require_name("file", file.file, ".gguf")
        parts = parts_of(self.file)
        _require(
            tuple(file.file for file in self.files) == parts, "files", self.file, _("a GGUF file, or every part of a split one")
        )
        _require(self.id == model_id(self.file), "id", self.id, repr(model_id(self.file)))
        _require(1 <= self.context_tokens <= 100_000_000, "context_tokens", self.context_tokens, "1 to 100000000")
        _require_description(self)

    @property
    def file(self) -> str:
        """The one that is loaded; it finds the other parts by itself."""
        return self.files[0].file

    @property
    def size_bytes(self) -> int:
        return _total(self.files)

    @property
    def verified(self) -> bool:
        return all(file.verified for file in self.files)


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
    files: tuple[CatalogFile, ...]
    """model.onnx, tokenizer.json, and what else the model wants beside it."""
    threshold: float | None = None
    """Evidence (cosine similarity, raised by shared words) below which nothing is recalled from a store of a few messages. None:
    nobody has measured it, and the starter's is used."""
    good_for: str = ""
    licence_terms: str = ""

    def __post_init__(self) -> None:
        _require_name("id", self.id)
        _require_name("folder", self.folder)
        names = [file.file for file in self.files]
        _require({"model.onnx", "tokenizer.json"} <= set(names), "files", names, _("model.onnx and tokenizer.json among them"))
        _require(len({name.lower() for name in names}) == len(names), "files", names, _("every name once"))
        _require(1 <= self.dimension <= 65_536, "dimension", self.dimension, "1 to 65536")
        _require(8 <= self.max_tokens <= 1_000_000, "max_tokens", self.max_tokens, "8 to 1000000")
        bar = self.threshold
        _require(bar is None or (math.isfinite(bar) and -1 <= bar <= 1), "threshold", bar, "-1 to 1")
        _require_texts("prefix", self.query_prefix, self.document_prefix)
        _require_description(self)

    @property
    def size_bytes(self) -> int:
        return _total(self.files)

    @property
    def verified(self) -> bool:
        return all(file.verified for file in self.files)


Entry = ChatModelEntry | EncoderEntry


def _require_description(entry: Entry) -> None:
    _require_texts("name", entry.name, entry.licence, entry.good_for, *entry.languages)
    if entry.licence_terms and (reason := why_not(entry.licence_terms)):
        raise ValueError(f"licence_terms {repr(entry.licence_terms)[:80]} {reason}")


def _total(files: Iterable[CatalogFile]) -> int:
    """In bytes; 0 where one of them is not known."""
    sizes = [file.size_bytes for file in files]
    return sum(sizes) if all(sizes) else 0


@dataclass(frozen=True, slots=True)
class Catalog:
    chat: tuple[ChatModelEntry, ...] = ()
    encoder: tuple[EncoderEntry, ...] = ()

    def __post_init__(self) -> None:
        names = [name.lower() for entry in self.entries for name in _claims(entry)]
        double = sorted({name for name in names if names.count(name) > 1})
        _require(not double, _("id, file or folder"), double, _("every name once"))
        for file in (file for entry in self.entries for file in entry.files):
            _require(bool(file.address or file.package), "address", file.address, _("an address, or a package and a member"))

    @property
    def entries(self) -> tuple[Entry, ...]:
        return (*self.chat, *self.encoder)

    def chat_model(self, file_name: str) -> ChatModelEntry | None:
        """The entry of a file, by its name."""
        return next((entry for entry in self.chat if entry.file == file_name), None)

    def joined(self, other: "Catalog") -> "Catalog":
        """With what the other one adds; where both claim a name, this one has it."""
        taken = {name.lower() for entry in self.entries for name in _claims(entry)}

        def is_new(entry: Entry) -> bool:
            return not any(name.lower() in taken for name in _claims(entry))

        return Catalog((*self.chat, *filter(is_new, other.chat)), (*self.encoder, *filter(is_new, other.encoder)))


def _claims(entry: Entry) -> tuple[str, ...]:
    """The names that an entry takes for itself, in the folder and on the command line."""
    if isinstance(entry, EncoderEntry):
        return tuple({entry.id, entry.folder})
    return (entry.id, *(file.file for file in entry.files))


def _strict(kind: type) -> Callable[[Any, Any], Any]:
    """No silent conversion: a table is no text, and "12" no number."""

    def structure(value: Any, target: Any) -> Any:
        if type(value) is kind or (kind is float and type(value) is int):
            return value
        raise ValueError(_("{value} stands where a {kind} is expected").format(value=repr(value)[:80], kind=kind.__name__))

    return structure


_converter = cattrs.Converter(forbid_extra_keys=True, detailed_validation=False)
for _kind in (bool, int, float, str):
    _converter.register_structure_hook(_kind, _strict(_kind))


def encoder_entry(document: object) -> EncoderEntry:
    """The manifest of an encoder that the user brought. Raises ModelError."""
    try:
        return _converter.structure(document, EncoderEntry)
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError, cattrs.errors.CattrsError) as error:
        raise ModelError(str(error)[:300]) from error


def read_catalog(path: Path, remedy: str = "") -> Catalog:
    """Raises ModelError where the file is missing, damaged, of another version, or asks for what no catalogue may ask."""
    remedy = remedy or _("Install Munin again.")
    try:
        with open(path, "rb") as file:
            content = file.read(_FILE_MAX_BYTES + 1)
        if len(content) > _FILE_MAX_BYTES:
            raise ModelError(
                _("The model catalogue {path} is larger than {file_max_bytes} bytes. {remedy}").format(
                    path=path, file_max_bytes=decimal(_FILE_MAX_BYTES), remedy=remedy
                )
            )
        text = content.decode("utf-8")
        _require(_LONG_KEY.search(text) is None, _("a key"), "a.b.c. …", _("one part or two"))
        document: dict[str, Any] = tomllib.loads(text)
        found = document.pop("version", None)
        if found != VERSION:
            raise ModelError(
                _("The model catalogue {path} is of version {found}; this Munin reads version {version}. {remedy}").format(
                    path=path, found=repr(found)[:80], version=VERSION, remedy=remedy
                )
            )
        for key in ("chat", "encoder"):
            entries = document.get(key, [])
            _require(
                isinstance(entries, list) and len(entries) <= _MOST_ENTRIES,
                key,
                entries,
                _("{most_entries} tables at most").format(most_entries=_MOST_ENTRIES),
            )
        return _converter.structure(document, Catalog)
    except OSError as error:
        raise ModelError(
            _("The model catalogue {path} cannot be read ({strerror}). {remedy}").format(
                path=path, strerror=error.strerror, remedy=remedy
            )
        ) from error
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError, cattrs.errors.CattrsError) as error:
        raise ModelError(
            _("The model catalogue {path} is damaged ({error}). {remedy}").format(
                path=path, error=str(error)[:300], remedy=remedy
            )
        ) from error


def read_catalogs(program: Path, user: Path) -> tuple[Catalog, str]:
    """Both, the program's first, and what is wrong with the user's (empty: nothing). Raises ModelError for the program's."""
    own = read_catalog(program)
    if not user.exists():
        return own, ""
    try:
        return own.joined(read_catalog(user, _("Correct it, or move it away."))), ""
    except ModelError as error:
        return own, str(error)
