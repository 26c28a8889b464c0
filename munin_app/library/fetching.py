"""Brings a whole model of the catalogue into a folder, file by file. Knows where its files belong, and how to go on."""

import asyncio
from dataclasses import replace
from importlib import import_module
from pathlib import Path

from munin_app.errors import ModelError
from munin_app.i18n import _
from munin_app.library.catalog import CatalogFile, EncoderEntry, Entry
from munin_app.library.part import discard, part_of
from munin_app.library.progress import Progress, Report
from munin_app.library.verify import is_intact


def where(entry: Entry, folder: Path) -> tuple[Path, ...]:
    """The place of each of its files: chat models lie flat in the folder, each encoder in a folder of its own."""
    home = folder / entry.folder if isinstance(entry, EncoderEntry) else folder
    return tuple(home / file.file for file in entry.files)


async def fetch(entry: Entry, folder: Path, report: Report) -> None:
    """Downloads what is missing; files that are here whole are read and kept. Raises ModelError."""
    if not all(file.address for file in entry.files):
        raise ModelError(
            _("{name} comes with Munin and has no address. To get it again: munin models get {id}").format(
                name=entry.name, id=entry.id
            )
        )
    await asyncio.to_thread(import_module, "munin_app.library.download")  # takes httpx along: half a second, not on the loop
    from munin_app.library.download import download

    done, then = 0, sum(file.size_bytes for file in entry.files)
    for file, target in zip(entry.files, where(entry, folder), strict=True):
        then -= file.size_bytes
        if not await asyncio.to_thread(_is_here, file, target):
            await download(file, target, _after(done, entry.size_bytes, report), then_bytes=then)
        done += (await asyncio.to_thread(target.stat)).st_size


def throw_away(entry: Entry, folder: Path) -> int:
    """Deletes it, whole or not; returns the bytes that it frees. Raises ModelError while it is being downloaded, or OSError."""
    freed = sum(place.stat().st_size for place in _places(entry, folder) if place.is_file() and not place.is_symlink())
    for target in where(entry, folder):
        discard(target)
        target.unlink(missing_ok=True)
    if isinstance(entry, EncoderEntry):
        (folder / entry.folder).rmdir()
    return freed


def is_begun(entry: Entry, folder: Path) -> bool:
    """Whether anything of it is in the folder."""
    return any(target.exists() or part_of(target).exists() for target in where(entry, folder))


def arrived_bytes(entry: Entry, folder: Path) -> int:
    """What is here of a model that is not whole; 0 where its download was not begun."""
    return sum(place.stat().st_size for place in _places(entry, folder) if place.is_file())


def _places(entry: Entry, folder: Path) -> list[Path]:
    """Its files, whole and begun, there or not."""
    return [place for target in where(entry, folder) for place in (target, part_of(target))]


def _is_here(file: CatalogFile, target: Path) -> bool:
    """Raises ModelError where another file has that name: it may be the user's own."""
    if not target.exists():
        return False
    if is_intact(target, file):
        return True
    raise ModelError(
        _(
            "{target} is another file than the catalogue describes, or is damaged. Rename it, or remove it, and download again."
        ).format(target=target)
    )


def _after(done: int, total: int, report: Report) -> Report:
    """The progress of one file as that of the whole model, of which `done` bytes are here."""

    def onward(progress: Progress) -> None:
        received = done + progress.received_bytes
        report(replace(progress, received_bytes=received, total_bytes=total or done + progress.total_bytes))

    return onward
