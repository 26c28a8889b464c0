"""A copy a day, in a folder of the user's choice; the oldest go. Everything here blocks: call it on a thread."""

import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from munin_app import paths
from munin_app.backup.manifest import Model
from munin_app.backup.seal import Progress, silent
from munin_app.backup.writing import SEALED_ENDING, write_backup
from munin_app.errors import BackupError
from munin_app.i18n import _
from munin_app.locking.opening import own_sealing

DAY_SECONDS = 24 * 3600
_DIGIT = "[0-9]"
_NAME = f"munin-copy-{_DIGIT * 4}-{_DIGIT * 2}-{_DIGIT * 2}-{_DIGIT * 6}"


def copies(folder: Path) -> list[Path]:
    """Oldest first; other files in the folder are none of our business."""
    return sorted(path for ending in (".zip", SEALED_ENDING) for path in folder.glob(_NAME + ending))


def copy_if_due(folder: Path, keep: int, models: Sequence[Model], progress: Progress = silent) -> Path | None:
    """Writes one where the newest is a day old, then deletes all but the `keep` newest. Raises MuninError: none was written.

    Copies of locked data are sealed, and open with the passphrase that held when they were made."""
    if not folder.is_dir():
        raise BackupError(
            _(
                "The folder {folder}, where a copy is kept each day, is not there. Connect its disk, or choose "
                "another under Settings → Data."
            ).format(folder=folder)
        )
    try:
        here = copies(folder)
        if here and 0 <= time.time() - here[-1].stat().st_mtime < DAY_SECONDS:
            return None
        for left in folder.glob(_NAME + ".*.part"):  # by a process that was killed
            with suppress(OSError):  # it is no reason to make no copy, and may be gone
                if time.time() - left.stat().st_mtime >= DAY_SECONDS:
                    left.unlink()
        sealing = own_sealing(paths.data_folder())
        name = time.strftime("munin-copy-%Y-%m-%d-%H%M%S") + (SEALED_ENDING if sealing else ".zip")
        written, _manifest = write_backup(folder / name, models, progress, sealing)
        for old in copies(folder)[:-keep]:
            old.unlink()
    except OSError as error:
        raise BackupError(
            _("{folder} cannot be used for copies ({strerror}). Choose another under Settings → Data.").format(
                folder=folder, strerror=error.strerror
            )
        ) from error
    return written
