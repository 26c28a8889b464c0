"""`munin export --everything FILE`: all that Munin holds as JSON Lines. Works beside an open app."""

import json
from pathlib import Path

from munin_app import paths
from munin_app.bootstrap import chats_reader, memory_reader, profile_reader
from munin_app.chat.everything import records
from munin_app.cli.output import new_file
from munin_app.config import load_settings
from munin_app.errors import BackupError
from munin_app.i18n import _, ngettext


async def export_everything(file: Path) -> None:
    """For its owner only. Raises BackupError; a file that is there stays, and one that could not be finished goes."""
    if not paths.chats_database().exists():
        raise BackupError(
            _("There is nothing to export yet: {folder} holds no chats. Open Munin first.").format(folder=paths.data_folder())
        )
    settings = load_settings(paths.settings_file())
    async with chats_reader() as chats, memory_reader() as memory, profile_reader() as profile:
        number = 0
        with new_file(file) as target:
            async for record in records(settings, chats, memory, profile):
                target.write(json.dumps(record, ensure_ascii=False) + "\n")
                number += 1
    print(ngettext("Wrote {path}: {n} record.", "Wrote {path}: {n} records.", number).format(path=file, n=number))
