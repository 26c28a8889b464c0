"""The content of profile.json as values, its version and its upgrades. Knows nothing of files.

A document is `{"version": 2, "revision": n, "facts": […], "tombstones": […]}`; unknown keys and wrong types are refused.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from cattrs import Converter, transform_error
from cattrs.errors import BaseValidationError

from munin_app.domain.facts import Fact, FactOrigin, FactStatus
from munin_app.domain.memories import SHARED
from munin_app.errors import ProfileError
from munin_app.i18n import _

Upgrade = Callable[[dict[str, Any]], dict[str, Any]]


def _to_2(document: dict[str, Any]) -> dict[str, Any]:
    """Facts belong to somebody: those of before to everyone."""
    return document | {"facts": [fact | {"scope": SHARED} for fact in document["facts"]]}


UPGRADES: Sequence[Upgrade] = (_to_2,)
"""Append-only. Number N of the list turns a document of version N + 1 into one of version N + 2."""

VERSION = len(UPGRADES) + 1


@dataclass(frozen=True, slots=True)
class Tombstone:
    """What is left of a removed fact."""

    key: str
    """Keyed hash of what it said, hexadecimal; empty once the user typed it again."""
    messages: tuple[str, ...]
    """Ids of the messages it came from, never learned from again."""


@dataclass(frozen=True, slots=True)
class Profile:
    revision: int = 0
    """Counts the changes to what is remembered; counting uses is none."""
    facts: tuple[Fact, ...] = ()
    tombstones: tuple[Tombstone, ...] = ()
    version: int = VERSION


class DamagedDocument(Exception):
    """`str(error)` says where; it holds no text of a fact."""


def _strict(kind: type) -> Callable[[Any, Any], Any]:
    def structure(value: Any, target: Any) -> Any:
        if type(value) is not kind:
            raise TypeError(f"expected {kind.__name__}, found {type(value).__name__}")
        return value

    return structure


def _make_converter() -> Converter:
    converter = Converter(forbid_extra_keys=True)
    for kind in (str, int, bool):
        converter.register_structure_hook(kind, _strict(kind))
    for choices in (FactStatus, FactOrigin):  # strings too, so the hook above would let any of them pass
        converter.register_structure_hook(choices, lambda value, wanted: wanted(value))
    return converter


_converter = _make_converter()


def encode(profile: Profile) -> bytes:
    return (json.dumps(_converter.unstructure(profile), ensure_ascii=False, indent=1) + "\n").encode()


def version_of(content: bytes) -> int:
    """Of a document that `decode` could read."""
    return int(json.loads(content)["version"])


def decode(content: bytes, name: str, upgrades: Sequence[Upgrade] = UPGRADES) -> Profile:
    """Raises DamagedDocument, and ProfileError when a newer Munin wrote it."""
    return _structure(parse(content, name, upgrades), upgrades)


def parse(content: bytes, name: str, upgrades: Sequence[Upgrade] = UPGRADES) -> dict[str, Any]:
    """As far as its version. Raises as `decode`."""
    try:
        document = json.loads(content.decode())
    except (ValueError, RecursionError) as error:  # no UTF-8, no JSON, or a number beyond all bounds
        raise DamagedDocument(_("it is no JSON")) from error
    if not isinstance(document, dict) or type(document.get("version")) is not int or document["version"] < 1:
        raise DamagedDocument(_("it has no version number"))
    if document["version"] > len(upgrades) + 1:
        raise ProfileError(
            _(
                "{name} was written by a newer Munin (version {document}, this program knows {number}). Update "
                "Munin; nothing was changed."
            ).format(name=name, document=document["version"], number=len(upgrades) + 1)
        )
    return document


def _structure(document: dict[str, Any], upgrades: Sequence[Upgrade]) -> Profile:
    try:
        for number, upgrade in enumerate(upgrades[document["version"] - 1 :], start=document["version"] + 1):
            document = upgrade(document) | {"version": number}
        return _converter.structure(document, Profile)
    except BaseValidationError as error:
        raise DamagedDocument("; ".join(transform_error(error)[:3])) from error
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise DamagedDocument(_("an upgrade failed ({kind})").format(kind=type(error).__name__)) from error
