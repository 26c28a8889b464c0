"""Looks for models in the folders of other apps, and in any folder. Changes nothing, and loads nothing.

What lies there was written by others. Folders are walked breadth first, links to folders are not followed, and what is looked at
is bounded in number, in depth and in time: a tree without an end costs some seconds, on a thread of its own.
"""

import json
import os
import re
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from munin_app.errors import ModelError
from munin_app.library.app_folders import AppFolder
from munin_app.library.names import safe_file_name
from munin_app.library.splits import is_file, model_id, whole

_MOST_ENTRIES = 20_000
"""Of one app."""
_DEEPEST = 6
_SECONDS = 8.0
"""For all apps together."""
_MOST_MODELS = 200
_MANIFEST_MAX_BYTES = 100_000
_MANIFEST_DEPTH = 4
"""HOST/NAMESPACE/MODEL/TAG."""
_MOST_CHILDREN = 20
_DIGEST = re.compile(r"sha256[:-]([0-9a-f]{64})", re.IGNORECASE)
_MODEL_LAYER = "application/vnd.ollama.image.model"
_NAMELESS = re.compile(r"(?:ggml-)?model(?:[-._](?P<rest>.+))?", re.IGNORECASE)
"""A file of that name is told from others by its folder only."""

CanChat = Callable[[Path], bool]


@dataclass(frozen=True, slots=True)
class FoundModel:
    """A chat model that another app has on this device."""

    id: str
    """What it is called by, and what a link to it is named: harmless on every platform, and unlike that of any other."""
    app: str
    files: tuple[Path, ...]
    """All parts, in order; the first is the one to load."""
    size_bytes: int

    @property
    def path(self) -> Path:
        return self.files[0]


@dataclass(frozen=True, slots=True)
class Found:
    models: tuple[FoundModel, ...] = ()
    complete: bool = True
    """False: there was more than could be looked at."""


@dataclass(frozen=True, slots=True)
class _Candidate:
    app: str
    name: str
    files: tuple[Path, ...]


class _Spent(Exception):
    """No more is looked at."""


class _Budget:
    def __init__(self, entries: int, until: float) -> None:
        self._entries = entries
        self._until = until
        self.spent = False

    def take(self) -> None:
        """For each thing that is looked at. Raises _Spent."""
        self._entries -= 1
        if self._entries < 0 or time.monotonic() > self._until:
            self.spent = True
            raise _Spent


def find_models(
    folders: Iterable[AppFolder], can_chat: CanChat, here: Iterable[Path], taken: Iterable[str], seconds: float = _SECONDS
) -> Found:
    """`can_chat` reads a file's header; `here`: files that are in the library already, linked or not; `taken`: its ids.

    Blocks for `seconds` at most, and for as long as the disk lets one call wait.
    """
    until, complete = time.monotonic() + seconds, True
    seen = {identity for path in here if (identity := _identity(path))}
    ids = {name.casefold() for name in taken}
    models: list[FoundModel] = []
    for folder in folders:
        budget = _Budget(_MOST_ENTRIES, until)
        candidates = sorted(_candidates(folder, budget), key=lambda one: (one.name.casefold(), one.files))
        complete = complete and not budget.spent
        for candidate in candidates:
            if len(models) == _MOST_MODELS or time.monotonic() > until:
                complete = False
                break
            identity = _identity(candidate.files[0])
            if identity is None or identity in seen:
                continue
            seen.add(identity)
            if model := _offered(candidate, can_chat, ids):
                ids.add(model.id.casefold())
                models.append(model)
    return Found(tuple(models), complete)


def _offered(candidate: _Candidate, can_chat: CanChat, ids: set[str]) -> FoundModel | None:
    try:
        name = model_id(safe_file_name(candidate.name))
        size = sum(file.stat().st_size for file in candidate.files)
    except (ModelError, OSError):
        return None
    if not can_chat(candidate.files[0]):
        return None
    number, unlike = 1, name
    while unlike.casefold() in ids:
        number += 1
        unlike = f"{name}-{number}"
    return FoundModel(unlike, candidate.app, candidate.files, size)


def _candidates(folder: AppFolder, budget: _Budget) -> list[_Candidate]:
    """As far as the budget reaches: what was found before it was spent counts."""
    layouts = {"plain": _plain, "ollama": _ollama, "hub": _hub}
    found: list[_Candidate] = []
    with suppress(_Spent):
        for candidate in layouts[folder.layout](folder, budget):
            found.append(candidate)
    return found


def _plain(folder: AppFolder, budget: _Budget) -> Iterator[_Candidate]:
    for path in _files(folder.path, _DEEPEST, budget, ".gguf"):
        yield from _file(folder.app, path, path.parent.name if path.parent != folder.path else folder.app)


def _hub(folder: AppFolder, budget: _Budget) -> Iterator[_Candidate]:
    """models--OWNER--NAME/snapshots/REVISION/…, where files are links to blobs; other kinds of repository hold none."""
    for repository in _folders(folder.path, budget):
        if repository.name.startswith("models--"):
            for path in _files(repository / "snapshots", _DEEPEST, budget, ".gguf"):
                yield from _file(folder.app, path, repository.name.rpartition("--")[2])


def _file(app: str, path: Path, folder_name: str) -> Iterator[_Candidate]:
    """Nothing where it is a later part, or where parts are missing."""
    if files := whole(path):
        name, nameless = model_id(path.name), _NAMELESS.fullmatch(model_id(path.name))
        if nameless:
            name = "-".join(filter(None, (folder_name, nameless["rest"])))
        yield _Candidate(app, name, files)


def _ollama(folder: AppFolder, budget: _Budget) -> Iterator[_Candidate]:
    """manifests/HOST/NAMESPACE/MODEL/TAG names a blob; newer versions keep manifests-v2 in place of it."""
    for manifests in (folder.path / "manifests-v2", folder.path / "manifests"):
        for path in _files(manifests, _MANIFEST_DEPTH - 1, budget):
            parts = path.relative_to(manifests).parts
            if len(parts) == _MANIFEST_DEPTH and (blob := _model_blob(path, folder.path / "blobs")):
                _, _, model, tag = parts
                yield _Candidate(folder.app, model if tag == "latest" else f"{model}-{tag}", (blob,))


def _model_blob(manifest: Path, blobs: Path) -> Path | None:
    """The GGUF file that a manifest names, if there is one: of several variants, the first that has one."""
    content = _json(manifest)
    children = content.get("manifests")
    variants = children[:_MOST_CHILDREN] if isinstance(children, list) else [content]
    for variant in variants:
        if isinstance(variant, dict):
            own = _json(blob) if "layers" not in variant and (blob := _blob(variant.get("digest"), blobs)) else variant
            layers = own.get("layers")
            for layer in layers if isinstance(layers, list) else []:
                if isinstance(layer, dict) and layer.get("mediaType") == _MODEL_LAYER:
                    return _blob(layer.get("digest"), blobs)
    return None


def _blob(digest: object, blobs: Path) -> Path | None:
    """The digest is all that a manifest says of where a blob lies: anything else than one is a path out of the folder."""
    text = digest if isinstance(digest, str) else ""
    match = _DIGEST.fullmatch(text if text.lower().startswith("sha256") else f"sha256:{text}")
    path = blobs / f"sha256-{match[1].lower()}" if match else None
    return path if path and _identity(path) else None


def _json(path: Path) -> dict[str, object]:
    """Empty where it is none of a manifest's size, or nothing that can be read."""
    try:
        if not is_file(path) or path.stat().st_size > _MANIFEST_MAX_BYTES:
            return {}
        content = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return {}
    return content if isinstance(content, dict) else {}


def _files(root: Path, deepest: int, budget: _Budget, ending: str = "") -> Iterator[Path]:
    """Plain files, and links to such, breadth first. Folders that cannot be read are left out. Raises _Spent."""
    waiting = deque([(root, 0)])
    while waiting:
        folder, depth = waiting.popleft()
        for entry in _entries(folder, budget):
            if _is_folder(entry):
                if depth < deepest:
                    waiting.append((Path(entry.path), depth + 1))
            elif entry.name.lower().endswith(ending) and is_file(Path(entry.path)):
                yield Path(entry.path)


def _folders(root: Path, budget: _Budget) -> Iterator[Path]:
    for entry in _entries(root, budget):
        if _is_folder(entry):
            yield Path(entry.path)


def _entries(folder: Path, budget: _Budget) -> Iterator["os.DirEntry[str]"]:
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                budget.take()
                yield entry
    except OSError:
        return


def _is_folder(entry: "os.DirEntry[str]") -> bool:
    try:
        return entry.is_dir(follow_symlinks=False)
    except OSError:
        return False


def _identity(path: Path) -> tuple[int, int] | None:
    """What a file is told by, whatever links lead to it; None where there is none."""
    try:
        status = path.stat()
    except (OSError, ValueError):
        return None
    return status.st_dev, status.st_ino
