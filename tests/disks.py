"""Small file systems in memory: full to the last page, or read-only, as a test wants them."""

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

PAGE = 4096
BALLAST = "ballast"


@contextmanager
def mounted(folder: Path, megabytes: int) -> Iterator[Path]:
    folder.mkdir(exist_ok=True)
    command = ["mount", "-t", "tmpfs", "-o", f"size={megabytes}m", "none", str(folder)]
    if subprocess.run(command, capture_output=True, check=False).returncode:
        pytest.skip("no file system can be mounted here")
    try:
        yield folder
    finally:
        subprocess.run(["umount", str(folder)], check=True)


class Disk:
    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def leave(self, pages: int) -> None:
        """So much room, and no more."""
        self.free()
        with open(self.folder / BALLAST, "wb") as file:
            if size := os.statvfs(self.folder).f_bavail * PAGE - pages * PAGE:
                os.posix_fallocate(file.fileno(), 0, size)

    def free(self) -> None:
        (self.folder / BALLAST).unlink(missing_ok=True)

    def read_only(self, on: bool) -> None:
        subprocess.run(["mount", "-o", "remount,ro" if on else "remount,rw", str(self.folder)], check=True)

    def files(self) -> dict[str, bytes]:
        """All that is on it."""
        found = (path for path in sorted(self.folder.rglob("*")) if path.is_file() and path.name != BALLAST)
        return {str(path.relative_to(self.folder)): path.read_bytes() for path in found}
