"""What a backup says of models, and what takes how much space in the data folder."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from munin_app.backup.manifest import Model
from munin_app.i18n import N_
from munin_app.library.models import InstalledModel
from munin_app.storage import owned

KINDS = {
    N_("Chats"): owned.CHATS,
    N_("Memory index"): owned.MEMORY,
    N_("Facts"): owned.FACTS,
    N_("Models"): ("models",),
    N_("Saved sessions"): owned.SESSIONS,
    N_("Logs and settings"): (*owned.LOGS, *owned.SETTINGS, "catalog.toml"),
    N_("A restore that waits"): owned.RESTORES,
}


@dataclass(frozen=True, slots=True)
class Space:
    name: str
    """One of KINDS; to be translated where it is shown."""
    size_bytes: int


def installed_models(models: Iterable[InstalledModel]) -> list[Model]:
    return [Model(one.id, one.name, one.size_bytes, _hashes(one)) for one in models]


def space(folder: Path) -> list[Space]:
    """The largest first; what takes none is left out. Links take none. Blocks: call it on a thread."""
    found = []
    for name, patterns in KINDS.items():
        size = sum(map(_size, owned.found(folder, patterns)))
        if size:
            found.append(Space(name, size))
    return sorted(found, key=lambda one: -one.size_bytes)


def _hashes(model: InstalledModel) -> tuple[str, ...]:
    return tuple(file.sha256 for file in model.entry.files if file.sha256) if model.entry else ()


def _size(path: Path) -> int:
    """Bytes; 0 for what went away meanwhile."""
    try:
        if path.is_symlink():
            return 0
        return sum(map(_size, path.iterdir())) if path.is_dir() else path.stat().st_size
    except OSError:
        return 0
