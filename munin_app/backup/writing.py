"""Writes a backup: to a part file beside the target, renamed when it is whole. Everything here blocks: call it on a thread."""

import hashlib
import os
import time
import zipfile
from collections.abc import Mapping, Sequence
from contextlib import closing, suppress
from pathlib import Path
from typing import BinaryIO

import apsw

from munin_app import __version__, paths
from munin_app.backup.manifest import (
    DATABASE,
    FORMAT,
    KEY,
    LIMITS,
    PROFILE,
    SCHEMAS,
    SETTINGS,
    Counts,
    Manifest,
    Member,
    Model,
    encode,
)
from munin_app.backup.seal import CHUNK, COMMENT_BYTES, Progress, seal, silent
from munin_app.backup.snapshot import snapshot
from munin_app.chat import rows
from munin_app.config import load_settings
from munin_app.domain.ids import now_ms
from munin_app.errors import BackupError
from munin_app.i18n import _, decimal
from munin_app.profile.document import Profile
from munin_app.profile.store import ProfileStore
from munin_app.storage.connecting import reason_of
from munin_app.storage.files import create_file, read_file, sync_folder
from munin_app.storage.passphrase import Sealing
from munin_app.storage.sealed import SealedWriter

SEALED_ENDING = ".munin"


def target_for(typed: Path, folder: Path, ending: str = ".zip") -> Path:
    """The file to write: a folder gets one named after the day. Raises BackupError."""
    target = typed.expanduser().resolve()
    if target.is_dir():
        target = target / (time.strftime("munin-%Y-%m-%d-%H%M%S") + ending)
    if target.is_relative_to(folder.resolve()):
        raise BackupError(
            _("{target} is inside Munin's own data folder, which a backup is to outlive. Choose another folder.").format(
                target=target
            )
        )
    if target.exists():
        raise BackupError(_("{target} is there already. Choose another name; nothing was changed.").format(target=target))
    return target


def write_backup(
    typed: Path, models: Sequence[Model], progress: Progress = silent, sealing: Sealing | None = None
) -> tuple[Path, Manifest]:
    """Works beside an open app. Raises BackupError, StorageError, ProfileError or SettingsError; then no file is left.

    `sealing` None: whoever has the file can read it."""
    folder = paths.data_folder()
    target = target_for(typed, folder, SEALED_ENDING if sealing else ".zip")
    try:
        counts, members = _collect(progress)
    except apsw.Error as error:
        if paths.chats_database().with_name("munin.db-wal").exists() and not os.access(folder, os.W_OK):
            raise BackupError(
                _(
                    "{file} cannot be read: Munin was ended before it could close it, and {folder} cannot be written. Make it "
                    "writable, or copy all of it to a disk that is; nothing was written."
                ).format(file=paths.chats_database(), folder=folder)
            ) from error
        raise BackupError(
            _("{file} cannot be read ({reason}). Check whether its disk is full or damaged; nothing was written.").format(
                file=paths.chats_database(), reason=reason_of(error)
            )
        ) from error
    for name, content in members.items():
        if len(content) > LIMITS[name]:
            raise BackupError(
                _("{name} has {number} bytes; a backup takes {limits} of it. Nothing was written.").format(
                    name=name, number=decimal(len(content)), limits=decimal(LIMITS[name])
                )
            )
    manifest = Manifest(
        format=FORMAT,
        program=__version__,
        created_at=now_ms(),
        schemas=SCHEMAS,
        counts=counts,
        models=tuple(models),
        members={name: Member(len(content), hashlib.sha256(content).hexdigest()) for name, content in members.items()},
    )
    try:
        _write(target, manifest, members, progress, sealing)
    except OSError as error:
        raise BackupError(
            _("{path} could not be written ({reason}). Free some space or choose another folder.").format(
                path=target, reason=reason_of(error)
            )
        ) from error
    return target, manifest


def _collect(progress: Progress) -> tuple[Counts, dict[str, bytes]]:
    profile, _damaged = ProfileStore(paths.profile_file(), read_only=True).read()  # before its key, which is made first
    load_settings(paths.settings_file())  # what cannot be read is refused now, not at the restore
    members = {}
    for name, path in ((PROFILE, paths.profile_file()), (SETTINGS, paths.settings_file())):
        if path.exists():
            members[name] = read_file(path)
    if (key := paths.profile_file().with_suffix(".key")).exists():
        members[KEY] = read_file(key)
    with closing(snapshot(paths.chats_database(), progress)) as connection:
        return _counts(connection, profile), {DATABASE: connection.serialize("main"), **members}


def _counts(connection: apsw.Connection, profile: Profile) -> Counts:
    begun = "SELECT id FROM conversation WHERE leaf_id IS NOT NULL"
    return Counts(
        conversations=rows.scalar(connection, f"SELECT count(*) FROM ({begun})"),
        messages=rows.scalar(
            connection, f"SELECT count(*) FROM message WHERE status <> 'deleted' AND conversation_id IN ({begun})"
        ),
        facts=len(profile.facts),
        personas=rows.scalar(connection, "SELECT count(*) FROM persona WHERE NOT deleted"),
    )


def _write(target: Path, manifest: Manifest, members: Mapping[str, bytes], progress: Progress, sealing: Sealing | None) -> None:
    part = target.with_name(target.name + ".part")
    part.unlink(missing_ok=True)
    try:
        with create_file(part) as file:
            if sealing:
                writer = SealedWriter(file, sealing.key, sealing.slot)
                _pack(writer, manifest, members, progress)
                writer.finish()
            else:
                _pack(file, manifest, members, progress)
                seal(file)
            file.flush()
            os.fsync(file.fileno())
        os.replace(part, target)
    except BaseException:
        with suppress(OSError):
            part.unlink(missing_ok=True)
        raise
    sync_folder(target.parent)


def _pack(file: BinaryIO | SealedWriter, manifest: Manifest, members: Mapping[str, bytes], progress: Progress) -> None:
    with zipfile.ZipFile(file, "w") as archive:  # type: ignore[call-overload]  # it needs write, flush
        archive.comment = b" " * COMMENT_BYTES
        archive.writestr(_entry("manifest.json", manifest), encode(manifest))
        done = 0
        for name, content in members.items():
            with archive.open(_entry(name, manifest, len(content)), "w") as entry:
                for start in range(0, len(content), CHUNK):
                    entry.write(memoryview(content)[start : start + CHUNK])
                    progress(done + start, manifest.size)
            done += len(content)


def _entry(name: str, manifest: Manifest, size: int = 0) -> zipfile.ZipInfo:
    made = time.localtime(manifest.created_at / 1000)[:6]
    entry = zipfile.ZipInfo(name, max(made, (1980, 1, 1, 0, 0, 0)))  # zip knows no time before, a clock may
    entry.compress_type, entry.external_attr, entry.file_size = zipfile.ZIP_DEFLATED, 0o600 << 16, size
    return entry
