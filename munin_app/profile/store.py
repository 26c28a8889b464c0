"""profile.json and profile.key on disk: read, set aside, replaced atomically. Knows nothing of what facts mean.

Everything here blocks: the service calls it on a thread. One writer at a time is the service's promise.
"""

import json
import os
import secrets
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

from munin_app.errors import ProfileError
from munin_app.i18n import _
from munin_app.profile.document import VERSION, DamagedDocument, Profile, decode, encode, parse, version_of
from munin_app.storage import upgrades
from munin_app.storage.connecting import reason_of
from munin_app.storage.files import read_file, sync_folder, write_file

KEY_BYTES = 32

T = TypeVar("T")


class ProfileStore:
    def __init__(self, path: Path, *, read_only: bool = False) -> None:
        self.path = path
        self._read_only = read_only
        self._key_file = path.with_suffix(".key")

    def read(self) -> tuple[Profile, Path | None]:
        """The profile, and where a damaged file was set aside. Raises ProfileError for a newer version, a file that cannot
        be read, and, when reading only, a damaged one."""
        if not self._read_only:
            self._guarded(self._remove_leftovers)
        try:
            content = read_file(self.path)
            profile = decode(content, str(self.path))
        except FileNotFoundError:
            return Profile(), None
        except OSError as error:
            raise ProfileError(
                _("{path} cannot be read ({strerror}). Make it a readable file and open Munin again.").format(
                    path=self.path, strerror=error.strerror
                )
            ) from error
        except (DamagedDocument, ValueError) as error:
            if self._read_only:
                raise ProfileError(
                    _("{path} is damaged ({error}). Open Munin once: it sets the file aside.").format(path=self.path, error=error)
                ) from error
            return Profile(), self._guarded(self._set_aside)
        if version_of(content) < VERSION and not self._read_only:
            self._guarded(lambda: self._upgrade(content, profile))
        return profile, None

    def refuse_newer(self) -> None:
        """Raises ProfileError when a newer Munin wrote the file. What else may be wrong with it is for `read` to say."""
        with suppress(OSError, ValueError, DamagedDocument):
            parse(read_file(self.path), str(self.path))

    def write(self, profile: Profile) -> None:
        """On disk when it returns. Raises ProfileError, the old file untouched, when the disk refuses."""
        self._guarded(lambda: write_file(self.path, encode(profile)))

    def key(self) -> bytes:
        """The 32 secret bytes behind the tombstones, made at first need."""
        found = self._guarded(self._read_key)
        if len(found) == KEY_BYTES:
            return found
        fresh = secrets.token_bytes(KEY_BYTES)
        self._guarded(lambda: write_file(self._key_file, fresh))
        return fresh

    def copies(self) -> list[Path]:
        """Files that were set aside, oldest first, and those from before an upgrade."""
        return [*sorted(self.path.parent.glob(self.path.name + ".damaged-*")), *upgrades.copies(self.path)]

    def delete_copies(self, containing: tuple[str, ...] | None = None) -> None:
        """All copies, or those that hold one of the texts."""

        def delete() -> None:
            for copy in self.copies():
                if containing is None or _holds(copy, containing):
                    copy.unlink()
            sync_folder(self.path.parent)

        self._guarded(delete)

    def _read_key(self) -> bytes:
        """Empty: there is none, or it is damaged."""
        with suppress(FileNotFoundError, ValueError):
            return read_file(self._key_file)
        return b""

    def _remove_leftovers(self) -> None:
        """A process that was killed while writing leaves its temporary file: text that nobody would ever erase."""
        for target in (self.path, self._key_file):
            target.with_name(target.name + ".tmp").unlink(missing_ok=True)

    def _set_aside(self) -> Path:
        stamp = self.path.name + time.strftime(".damaged-%Y%m%d-%H%M%S")
        target, number = self.path.with_name(stamp), 1
        while target.exists():
            target, number = self.path.with_name(f"{stamp}-{number}"), number + 1
        os.rename(self.path, target)
        sync_folder(self.path.parent)
        return target

    def _upgrade(self, content: bytes, profile: Profile) -> None:
        """The file as it was stays beside it, under the name of its version."""
        copy = upgrades.copy_name(self.path, version_of(content))
        write_file(copy, content)
        upgrades.delete_copies(self.path, but=copy)
        write_file(self.path, encode(profile))

    def _guarded(self, work: Callable[[], T]) -> T:
        try:
            return work()
        except OSError as error:
            raise self._refusal(error) from error

    def _refusal(self, error: OSError) -> ProfileError:
        return ProfileError(
            _(
                "{path} could not be written ({reason}); what was remembered before is unchanged. "
                "Free some space or make the folder writable, then try again."
            ).format(path=self.path, reason=reason_of(error))
        )


def _holds(copy: Path, texts: tuple[str, ...]) -> bool:
    """As it stands, or as JSON writes it; one that cannot be opened may."""
    try:
        content = read_file(copy)
    except ValueError:
        return True
    return any(form.encode() in content for text in texts if text for form in (text, json.dumps(text, ensure_ascii=False)[1:-1]))
