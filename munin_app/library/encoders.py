"""Encoder folders that the user brings: what such a folder says of itself, and putting it beside the other models.

A folder that Munin has put there holds `encoder.json`, an entry as in the catalogue. Others are read as sentence-transformers
writes them. Loads no encoder: whether it runs shows when it is used.
"""

import json
import os
import shutil
from collections.abc import Collection, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Literal, TypeGuard

from munin_app.errors import ModelError
from munin_app.i18n import N_, _
from munin_app.library.catalog import CatalogFile, EncoderEntry, encoder_entry
from munin_app.library.placing import place

MANIFEST = "encoder.json"
_VERSION = 1
_JSON_MAX_BYTES = 1_000_000
_GRAPHS = ("model.onnx", "onnx/model.onnx", "onnx/model_quantized.onnx", "onnx/model_int8.onnx", "model_quantized.onnx")
_LONGEST_TEXT = 1_000_000
"""Tokens; some tokenizers name a number without meaning where there is no limit."""


@dataclass(frozen=True, slots=True)
class EncoderFolder:
    entry: EncoderEntry
    sources: tuple[Path, ...]
    """The place of each file of the entry."""
    assumed: tuple[str, ...] = ()
    """What the folder does not say, as phrases for the user."""


@dataclass(frozen=True, slots=True)
class InstalledEncoder:
    """An encoder that is on this device."""

    entry: EncoderEntry
    path: Path
    """Its folder: the model file and tokenizer.json."""
    starter: bool
    """It came with the program, and stays."""
    size_bytes: int
    linked: bool
    """The files lie elsewhere; what is here are links to them."""
    assumed: tuple[str, ...] = ()
    """What its folder did not say when it was added, as phrases for the user."""

    @property
    def id(self) -> str:
        return self.entry.id

    @property
    def name(self) -> str:
        return self.entry.name


def installed(entry: EncoderEntry, folder: Path, *, starter: bool = False) -> InstalledEncoder | None:
    """None where it is not whole."""
    files = [folder / file.file for file in entry.files]
    try:
        if not all(file.is_file() for file in files):
            return None
        return InstalledEncoder(entry, folder, starter, sum(file.stat().st_size for file in files), files[0].is_symlink())
    except (OSError, ValueError):  # a name that is too long for the file system, or it went meanwhile
        return None


def brought_encoders(user_folder: Path) -> Iterator[InstalledEncoder]:
    """Those that the user added, and that are whole. A folder whose manifest cannot be used is left out, as one without."""
    for manifest in sorted(user_folder.glob(f"*/{MANIFEST}")):
        folder = manifest.parent
        try:
            entry = read_manifest(folder)
        except ModelError:
            continue
        if entry.folder == folder.name and (encoder := installed(entry, folder)):
            yield encoder


def add_encoder(folder: Path, user_folder: Path, taken: Collection[str], copy: bool) -> InstalledEncoder:
    """As links to its files, or as a copy. `taken`: lower-case names that the catalogues claim. Raises ModelError."""
    found = read_folder(folder.expanduser().absolute())
    entry, target = found.entry, user_folder / found.entry.folder
    if os.path.lexists(target) or {entry.id.lower(), entry.folder.lower()} & set(taken):
        raise ModelError(
            _("An encoder named {id} is known already. Remove it first, or rename the folder {folder}.").format(
                id=entry.id, folder=folder
            )
        )
    partial = user_folder / f"{entry.folder}.adding"
    try:
        shutil.rmtree(partial, ignore_errors=True)
        partial.mkdir(parents=True)
        for file, source in zip(entry.files, found.sources, strict=True):
            place(source, partial / file.file, copy)
        write_manifest(partial, entry)
        os.replace(partial, target)  # whole, or not there
        encoder = installed(entry, target)
    except OSError as error:
        shutil.rmtree(partial, ignore_errors=True)
        raise ModelError(
            _("{folder} could not be put into {user_folder} ({strerror}). Free some space, or make the folder writable.").format(
                folder=folder, user_folder=user_folder, strerror=error.strerror
            )
        ) from error
    if encoder is None:
        raise ModelError(_("{folder} changed while it was added. Add it again.").format(folder=folder))
    return replace(encoder, assumed=found.assumed)


def remove_encoder(encoder: InstalledEncoder) -> int:
    """Returns the bytes that it frees; what links lead to stays. Raises OSError."""
    freed = 0 if encoder.linked else encoder.size_bytes
    shutil.rmtree(encoder.path)
    return freed


def is_encoder_folder(folder: Path) -> bool:
    """Whether it is meant as one; what is wrong with it `add_encoder` says."""
    folder = folder.expanduser()
    return (folder / "tokenizer.json").is_file() or (folder / "onnx").is_dir() or any(folder.glob("*.onnx"))


def read_folder(folder: Path) -> EncoderFolder:
    """Raises ModelError where it is no encoder, or one that Munin cannot run."""
    if not folder.is_dir():
        raise ModelError(
            _("{folder} is no folder. Choose the folder that holds an encoder's model.onnx and tokenizer.json.").format(
                folder=folder
            )
        )
    graph = next((folder / name for name in _GRAPHS if (folder / name).is_file()), None)
    tokenizer = folder / "tokenizer.json"
    if graph is None or not tokenizer.is_file():
        _refuse(folder, graph is None, tokenizer.is_file())
    assert graph is not None
    if (folder / MANIFEST).is_file():
        entry = read_manifest(folder)
        return EncoderFolder(entry, tuple(graph if file.file == "model.onnx" else folder / file.file for file in entry.files))
    data = sorted([*graph.parent.glob("*.onnx_data"), *graph.parent.glob("*.onnx.data")])
    sources = (graph, tokenizer, *data)
    entry, assumed = _described(folder, sources)
    return EncoderFolder(entry, sources, assumed)


def _refuse(folder: Path, no_graph: bool, has_tokenizer: bool) -> None:
    found = sorted(path.name for path in folder.iterdir())
    listed = ", ".join(found[:6]) + (", …" if len(found) > 6 else "")
    missing = " and ".join(["model.onnx"] * no_graph + ["tokenizer.json"] * (not has_tokenizer))
    raise ModelError(
        _(
            "{folder} is no encoder that Munin can use: it has no {missing} (found: {listed}). "
            "Choose a folder with an ONNX export of a text encoder and its tokenizer.json."
        ).format(folder=folder, missing=missing, listed=listed or _("nothing"))
    )


def read_manifest(folder: Path) -> EncoderEntry:
    """Raises ModelError."""
    try:
        document = _json(folder / MANIFEST)
        if document.pop("version", None) != _VERSION:
            raise ModelError(_("it is not of version {version}").format(version=_VERSION))
        return encoder_entry(document)
    except ModelError as error:
        raise ModelError(
            _("{path} cannot be used ({error}). Correct it, or remove it.").format(path=folder / MANIFEST, error=error)
        ) from error


def write_manifest(folder: Path, entry: EncoderEntry) -> None:
    """Raises OSError."""
    text = json.dumps({"version": _VERSION, **asdict(entry)}, indent=2, ensure_ascii=False)
    (folder / MANIFEST).write_text(text + "\n", encoding="utf-8")


def _described(folder: Path, sources: tuple[Path, ...]) -> tuple[EncoderEntry, tuple[str, ...]]:
    config, pooled = _json(folder / "config.json"), _json(folder / "1_Pooling" / "config.json")
    prompts = _json(folder / "config_sentence_transformers.json").get("prompts")
    prompts = prompts if isinstance(prompts, dict) else {}
    _refuse_layers(folder)
    assumed = [_("it gives vectors by their mean")] if not pooled else []
    dimension = pooled.get("word_embedding_dimension", config.get("hidden_size"))
    if not _is_count(dimension):
        raise ModelError(
            _(
                "{folder} does not say how long its vectors are. Expected is hidden_size in its config.json, or "
                "word_embedding_dimension in 1_Pooling/config.json: add the file that belongs to the model."
            ).format(folder=folder)
        )
    tokens = _tokens(folder, config)
    if tokens is None:
        assumed.append(_("it reads 256 tokens"))
    name = "".join(
        character if character.isascii() and (character.isalnum() or character in "._+-") else "-" for character in folder.name
    )
    name = name.strip("-. ")[:100] or "encoder"
    files = [
        CatalogFile(path.name if number else "model.onnx", size_bytes=path.stat().st_size) for number, path in enumerate(sources)
    ]
    document: dict[str, Any] = {
        "id": name,
        "name": name,
        "folder": name,
        "licence": N_("licence not known"),
        "languages": [],
        "dimension": dimension,
        "max_tokens": tokens or 256,
        "pooling": _pooling(folder, pooled),
        "query_prefix": _prompt(prompts, "query"),
        "document_prefix": _prompt(prompts, "document", "passage"),
        "files": [asdict(file) for file in files],
        "good_for": N_("Added by you."),
    }
    try:
        return encoder_entry(document), tuple(assumed)
    except ModelError as error:
        raise ModelError(
            _("{folder} is no encoder that Munin can use ({error}). Choose another.").format(folder=folder, error=error)
        ) from error


def _refuse_layers(folder: Path) -> None:
    """A layer after the pooling is a file of its own, and not in the ONNX graph."""
    try:
        modules = json.loads((folder / "modules.json").read_bytes()[:_JSON_MAX_BYTES])
        kinds = [str(module["type"]).rsplit(".", 1)[-1] for module in modules]
    except (OSError, ValueError, TypeError, KeyError, RecursionError):
        return
    if others := [kind for kind in kinds if kind not in ("Transformer", "Pooling", "Normalize")]:
        raise ModelError(
            _(
                "{folder} has a layer that Munin does not know ({names} in modules.json). Known are Transformer, "
                "Pooling and Normalize: choose another encoder."
            ).format(folder=folder, names=", ".join(others)[:80])
        )


def _pooling(folder: Path, pooled: Mapping[str, Any]) -> Literal["mean", "cls"]:
    modes = [
        key.removeprefix("pooling_mode_") for key, value in pooled.items() if key.startswith("pooling_mode_") and value is True
    ]
    match modes:
        case [] | ["mean_tokens"]:
            return "mean"
        case ["cls_token"]:
            return "cls"
        case _:
            raise ModelError(
                _(
                    "{folder} makes its vectors by {names} (1_Pooling/config.json). Munin knows mean_tokens and "
                    "cls_token: choose another encoder."
                ).format(folder=folder, names=" and ".join(modes)[:80])
            )


def _tokens(folder: Path, config: Mapping[str, Any]) -> int | None:
    """The smallest limit that the folder names: beyond it a graph fails or forgets."""
    named = (
        _json(folder / "sentence_bert_config.json").get("max_seq_length"),
        _json(folder / "tokenizer_config.json").get("model_max_length"),
        config.get("max_position_embeddings"),
    )
    counts = [value for value in named if _is_count(value) and 8 <= value <= _LONGEST_TEXT]
    return min(counts, default=None)


def _prompt(prompts: Mapping[str, Any], *names: str) -> str:
    return next((prompts[name] for name in names if isinstance(prompts.get(name), str)), "")


def _is_count(value: object) -> TypeGuard[int]:
    return type(value) is int and value > 0


def _json(path: Path) -> dict[str, Any]:
    """Empty where there is none. Raises ModelError where it is damaged."""
    try:
        with open(path, "rb") as file:
            document = json.loads(file.read(_JSON_MAX_BYTES))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, RecursionError) as error:
        raise ModelError(
            _("{path} cannot be read ({kind}). Get the encoder's folder again.").format(path=path, kind=type(error).__name__)
        ) from error
    return document if isinstance(document, dict) else {}
