"""Backups that Munin would not write, sealed all the same."""

import hashlib
import json
import zipfile
from pathlib import Path

from munin_app.backup import manifest as manifests
from munin_app.backup.reading import read_manifest
from munin_app.backup.seal import COMMENT_BYTES, seal


def forge(target: Path, members: dict[str, bytes], document: dict[str, object], *, names: dict[str, str] | None = None) -> None:
    """A sealed file, whatever is in it."""
    listed = {name: {"size": len(one), "sha256": hashlib.sha256(one).hexdigest()} for name, one in members.items()}
    with open(target, "w+b") as file:
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.comment = b" " * COMMENT_BYTES
            archive.writestr("manifest.json", json.dumps({"members": listed} | document))
            for name, one in members.items():
                archive.writestr((names or {}).get(name, name), one)
        seal(file)


def document_of(backup: Path, **changes: object) -> dict[str, object]:
    document = json.loads(manifests.encode(read_manifest(backup)))
    del document["members"]
    return {**document, **changes}


def members_of(backup: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(backup) as archive:
        return {name: archive.read(name) for name in archive.namelist() if name != "manifest.json"}
