"""manifest.json of a backup: what is in the file, what wrote it, and the checksum of each member."""

import json
from dataclasses import dataclass
from typing import Any

from cattrs import Converter
from cattrs.errors import BaseValidationError

from munin_app import config
from munin_app.chat.schema import MIGRATIONS
from munin_app.errors import BackupError
from munin_app.i18n import _
from munin_app.profile import document

FORMAT = 1
DATABASE, PROFILE, KEY, SETTINGS = "munin.db", "profile.json", "profile.key", "settings.json"
LIMITS = {DATABASE: 0xFFFF_FFFE, PROFILE: 16_000_000, KEY: 32, SETTINGS: 1_000_000}
"""Every member there may be, and how many bytes it may have. A database of 4 GB would need another form of zip."""
SCHEMAS = {DATABASE: len(MIGRATIONS), PROFILE: document.VERSION, SETTINGS: config.VERSION}
NOT_INCLUDED = (
    "Models are named, not included. The memory index is rebuilt from munin.db. Temporary chats, deleted chats and saved "
    "sessions of the model are left out."
)


@dataclass(frozen=True, slots=True)
class Member:
    size: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Counts:
    conversations: int
    messages: int
    facts: int
    """In use, waiting for review and history."""
    personas: int
    """Made or changed by the user."""


@dataclass(frozen=True, slots=True)
class Model:
    """One that was there; its weights are not in the backup."""

    id: str
    name: str
    size_bytes: int
    sha256: tuple[str, ...]
    """Of each of its files; empty: the catalogue does not know it."""


@dataclass(frozen=True, slots=True)
class Manifest:
    format: int
    program: str
    created_at: int
    """Unix ms."""
    schemas: dict[str, int]
    counts: Counts
    models: tuple[Model, ...]
    members: dict[str, Member]
    not_included: str = NOT_INCLUDED

    @property
    def size(self) -> int:
        """Bytes of all members, unpacked."""
        return sum(member.size for member in self.members.values())


def _strict(kind: type) -> Any:
    def structure(value: Any, target: Any) -> Any:
        if type(value) is not kind:
            raise TypeError(f"expected {kind.__name__}, found {type(value).__name__}")
        return value

    return structure


_converter = Converter(forbid_extra_keys=True)
for _kind in (str, int):
    _converter.register_structure_hook(_kind, _strict(_kind))


def encode(manifest: Manifest) -> bytes:
    return (json.dumps(_converter.unstructure(manifest), ensure_ascii=False, indent=1) + "\n").encode()


def decode(content: bytes, name: str) -> Manifest:
    """Raises BackupError when a newer Munin wrote it, and ValueError when it is damaged."""
    try:
        found = json.loads(content.decode())
        if type(found["format"]) is int and found["format"] > FORMAT:
            raise BackupError(
                _newer(name, _("form {found}, this program knows {format}").format(found=found["format"], format=FORMAT))
            )
        manifest = _converter.structure(found, Manifest)
    except (BaseValidationError, KeyError, TypeError, RecursionError) as error:
        raise ValueError(_("its manifest is no manifest")) from error
    for part, version in manifest.schemas.items():
        if version > SCHEMAS.get(part, 0):
            raise BackupError(
                _newer(
                    name,
                    _("{part} version {version}, this program knows {get}").format(
                        part=part, version=version, get=SCHEMAS.get(part, "none")
                    ),
                )
            )
    if not {DATABASE} <= manifest.members.keys() <= LIMITS.keys():
        raise ValueError(_("its members are not those of a backup"))
    if any(not 0 <= member.size <= LIMITS[part] for part, member in manifest.members.items()):
        raise ValueError(_("a member has a size that it cannot have"))
    return manifest


def _newer(name: str, what: str) -> str:
    return _("{name} was written by a newer Munin ({what}). Update Munin; nothing was changed.").format(name=name, what=what)
