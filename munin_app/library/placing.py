"""Puts a file that the user names beside the models: a link, or a copy that appears only when it is whole."""

import os
import shutil
import tempfile
from pathlib import Path


def place(source: Path, target: Path, copy: bool) -> None:
    """A link where the platform lets us and no copy is asked for; a copy appears under its name only when it is whole."""
    if not copy:
        try:
            target.symlink_to(source)
            return
        except OSError:
            pass  # Windows without the privilege, phones: copy instead
    descriptor, temporary = tempfile.mkstemp(dir=target.parent, suffix=".part")
    os.close(descriptor)
    try:
        shutil.copyfile(source, temporary)
        os.replace(temporary, target)
    except OSError:
        os.unlink(temporary)
        raise
