"""What files need beside their content to be safe. Knows nothing of what is in them."""

import os
from pathlib import Path


def sync_folder(folder: Path) -> None:
    """Makes a renaming in it durable; Windows knows no such thing for folders."""
    if os.name == "nt":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
