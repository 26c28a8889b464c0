"""`munin export --everything FILE`: all that Munin holds as JSON Lines. Works beside an open app."""

import json
import os
from contextlib import suppress
from pathlib import Path

from munin_app import paths
from munin_app.bootstrap import chats_reader, memory_reader, profile_reader
from munin_app.chat.everything import records
from munin_app.config import load_settings
from munin_app.errors import BackupError
from munin_app.i18n import _, ngettext


async def export_everything(file: Path) -> None:
    """For its owner only. Raises BackupError; a file that is there stays, and one that could not be finished goes."""
    settings = load_settings(paths.settings_file())
    async with chats_reader() as chats, memory_reader() as memory, profile_reader() as profile:
        try:
            descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        except FileExistsError as error:
            raise BackupError(
                _("{path} is there already. Choose another name; nothing was changed.").format(path=file)
            ) from error
        except OSError as error:
            raise _unwritten(file, error) from error
        number = 0
        try:
            with os.fdopen(descriptor, "w", encoding="utf-8") as target:
                async for record in records(settings, chats, memory, profile):
                    target.write(json.dumps(record, ensure_ascii=False) + "\n")
                    number += 1
        except BaseException as error:
            with suppress(OSError):
                os.unlink(file)
            if isinstance(error, OSError):
                raise _unwritten(file, error) from error
            raise
    print(ngettext("Wrote {path}: {n} record.", "Wrote {path}: {n} records.", number).format(path=file, n=number))


def _unwritten(file: Path, error: OSError) -> BackupError:
    return BackupError(
        _("{path} could not be written ({reason}). Choose another folder.").format(path=file, reason=error.strerror)
    )
