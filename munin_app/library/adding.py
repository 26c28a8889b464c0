"""Puts GGUF files into the user's folder: linked, or copied. Blocks; belongs on a thread of its own.

What appears under a model's name is whole: copies are made under names that no list shows, and renamed when all of them are on
the disk. Whatever goes wrong, or is cancelled, leaves nothing behind.
"""

import errno
import os
import shutil
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

from munin_app.errors import ModelError
from munin_app.i18n import _, decimal
from munin_app.library.names import safe_file_name, shown_name
from munin_app.library.splits import parts_of
from munin_app.library.verify import check_gguf
from munin_app.storage.files import sync_folder

KEPT_FREE_BYTES = 200_000_000
"""What a copy leaves free: the chats live on the same disk."""
_STEP_BYTES = 4 << 20
_COPYING = ".copying-"
_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)

Copied = Callable[[int], bool]
"""Is told how many bytes are copied, of all files together; False ends it."""


class CopyCancelled(Exception):
    """Nothing of it is left."""


def parts_at(path: Path) -> tuple[Path, ...]:
    """Every file of the model at `path`, each of which begins as a GGUF does. Raises ModelError."""
    first = path.expanduser().absolute()
    files = tuple(first.with_name(name) for name in parts_of(first.name))
    if not files:
        raise ModelError(
            _("{name} is one part of a model in several files. Add the part that ends in 00001-of-….gguf.").format(
                name=first.name
            )
        )
    for file in files:
        check_gguf(file)
    return files


def put(files: Sequence[Path], name: str, folder: Path, copied: Copied | None) -> Path:
    """`name`: what the model is called here; empty: as its file. `copied` None: links. Returns the file to load.

    Raises ModelError, or CopyCancelled.
    """
    targets = [folder / _target_name(file, name) for file in files]
    for target in targets:
        if target.exists():
            raise ModelError(
                _("A model named {name} is in {folder} already. Remove it first, or rename the file.").format(
                    name=target.name, folder=folder
                )
            )
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for target in targets:
            target.unlink(missing_ok=True)  # a link whose file is gone
        if copied is None:
            _link(files, targets)
        else:
            _copy(files, targets, copied)
    except OSError as error:
        raise _explained(error, files, folder) from error
    return targets[0]


def _target_name(file: Path, name: str) -> str:
    """A part keeps its number: llama.cpp finds the others by it."""
    own = safe_file_name(file.name)
    if not name:
        return own
    parted = len(parts_of(file.name)) != 1
    return safe_file_name(name + own[-len("-00001-of-00001.gguf") :] if parted else f"{name}.gguf")


def _link(files: Sequence[Path], targets: Sequence[Path]) -> None:
    """Symbolic, else hard ones (Windows lets few people make the first kind). Raises ModelError where there are neither."""
    try:
        for file, target in zip(files, targets, strict=True):
            try:
                target.symlink_to(file)
            except OSError as error:
                if error.errno in _FULL:
                    raise
                os.link(file.resolve(), target)
    except OSError as error:
        remove(targets)
        if error.errno in _FULL or not os.access(targets[0].parent, os.W_OK):
            raise
        raise ModelError(
            _("{name} cannot be linked from this disk ({strerror}). Copy it instead.").format(
                name=shown_name(files[0].name), strerror=error.strerror
            )
        ) from error


def _copy(files: Sequence[Path], targets: Sequence[Path], copied: Copied) -> None:
    folder = targets[0].parent
    for left in folder.glob(_COPYING + "*"):  # by a process that was killed: only one at a time copies
        left.unlink()
    _require_room(files, folder)
    parts = [target.with_name(f"{_COPYING}{target.name}.part") for target in targets]
    done = 0
    try:
        for file, part in zip(files, parts, strict=True):
            done = _copy_one(file, part, done, copied)
        for part, target in zip(parts, targets, strict=True):
            os.replace(part, target)
        sync_folder(folder)
    except BaseException:
        remove([*parts, *targets])
        raise


def _copy_one(file: Path, part: Path, done: int, copied: Copied) -> int:
    with open(file, "rb") as source, open(part, "xb") as target:
        while data := source.read(_STEP_BYTES):
            target.write(data)
            done += len(data)
            if not copied(done):
                raise CopyCancelled
        target.flush()
        os.fsync(target.fileno())
    return done


def _require_room(files: Sequence[Path], folder: Path) -> None:
    needed, free = sum(file.stat().st_size for file in files), shutil.disk_usage(folder).free
    if needed + KEPT_FREE_BYTES > free:
        raise ModelError(
            _(
                "{name} takes {number} MB, and {number2} MB are free on the disk of {folder}, of which "
                "{number3} MB are left to other things. Free some space, or link the file instead."
            ).format(
                name=shown_name(files[0].name),
                number=decimal(needed / 1000000.0),
                number2=decimal(free / 1000000.0),
                folder=folder,
                number3=decimal(KEPT_FREE_BYTES / 1000000.0),
            )
        )


def remove(paths: Sequence[Path]) -> None:
    for path in paths:
        with suppress(OSError):
            path.unlink(missing_ok=True)


def _explained(error: OSError, files: Sequence[Path], folder: Path) -> ModelError:
    name = shown_name(files[0].name)
    if error.errno in _FULL:
        return ModelError(
            _("The disk of {folder} is full: nothing of {name} was kept. Free some space, or link the file instead.").format(
                folder=folder, name=name
            )
        )
    return ModelError(
        _("{name} could not be put into {folder} ({strerror}). Make the file readable and the folder writable.").format(
            name=name, folder=folder, strerror=error.strerror
        )
    )
