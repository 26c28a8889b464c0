"""What Munin is made of, read from what is installed here: versions and licences. Nobody's text is copied into the program."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import Distribution, PackageNotFoundError, distribution, distributions
from platform import python_version

import apsw

from munin_app import __version__, paths

PARTS = {
    "flet": "Flet",
    "llama_cpp_python": "llama-cpp-python",
    "onnxruntime": "ONNX Runtime",
    "tokenizers": "Tokenizers",
    "sqlite_vec": "sqlite-vec",
    "numpy": "NumPy",
}
_CLASSIFIER = "License :: OSI Approved :: "
_LONGEST = 60
_FILE = re.compile(r"(^|/)(licen[cs]e|copying)[^/]*$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Licensed:
    """A package or a font."""

    name: str
    version: str
    licence: str
    """Its short name; empty: it does not say."""
    text: str
    """As it came with it; empty: none came."""


def versions() -> tuple[tuple[str, str], ...]:
    """Name and version of what Munin stands on, Munin first; of what is not here, nothing."""
    found = [("Munin", __version__), ("Python", python_version()), ("SQLite", apsw.sqlite_lib_version())]
    for package, name in PARTS.items():
        try:
            found.append((name, distribution(package).version))
        except PackageNotFoundError:
            continue
    return tuple(found)


def packages() -> tuple[Licensed, ...]:
    """What is shipped with Munin: all that it requires, and what that requires. Where Munin itself is no package (on a phone),
    everything that is installed. Reads files."""
    try:
        needed = _required(distribution("munin"), {})
    except PackageNotFoundError:
        needed = {_normal(one.name): one for one in distributions()}
    return tuple(_licensed(one) for name, one in sorted(needed.items()) if name != "munin")


def _required(root: Distribution, found: dict[str, Distribution]) -> dict[str, Distribution]:
    from packaging.requirements import Requirement  # not on phones, where nothing is to be left out

    for line in root.requires or ():
        requirement = Requirement(line)
        name = _normal(requirement.name)
        if name in found or (requirement.marker and not requirement.marker.evaluate({"extra": ""})):
            continue
        try:
            found[name] = distribution(requirement.name)
        except PackageNotFoundError:
            continue
        _required(found[name], found)
    return found


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _licensed(package: Distribution) -> Licensed:
    return Licensed(package.name, package.version, _name_of_licence(package), "\n\n".join(_texts(package)).strip())


def _name_of_licence(package: Distribution) -> str:
    """As its metadata has it: an expression, a short line, or what it is classified as."""
    metadata = package.metadata
    for key in ("License-Expression", "License"):
        line = str((metadata.get_all(key) or [""])[0]).strip()
        if line and "\n" not in line and len(line) <= _LONGEST and line.upper() != "UNKNOWN":
            return line
    classified = [line.removeprefix(_CLASSIFIER) for line in metadata.get_all("Classifier") or () if line.startswith(_CLASSIFIER)]
    return ", ".join(classified)


def _texts(package: Distribution) -> Iterator[str]:
    for file in package.files or ():
        if _FILE.search(str(file)) and not str(file).endswith((".py", ".pyc")):
            try:
                yield file.read_text(encoding="utf-8")
            except (OSError, UnicodeDecodeError):
                continue


def fonts() -> tuple[Licensed, ...]:
    """Those in assets/fonts, each with the licence beside it. Reads files."""
    folder = paths.assets_folder() / "fonts"
    texts = [(file.stem.removeprefix("OFL-"), file.read_text(encoding="utf-8")) for file in sorted(folder.glob("OFL-*.txt"))]
    return tuple(Licensed(name, "", "OFL-1.1", text) for name, text in texts)
