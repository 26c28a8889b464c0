"""Names of GGUF models that are cut into several files: NAME-00001-of-00003.gguf and so on, as llama.cpp wants them."""

import re
from pathlib import Path, PurePath

_SPLIT = re.compile(r"(?P<stem>.+)-(?P<number>\d{5})-of-(?P<count>\d{5})(?P<ending>\.gguf)", re.IGNORECASE)
_MOST_PARTS = 999


def model_id(file_name: str) -> str:
    """What a model is called by: its file's name without the ending, and without the number of the part."""
    match = _SPLIT.fullmatch(file_name)
    return match["stem"] if match else PurePath(file_name).stem


def parts_of(file_name: str) -> tuple[str, ...]:
    """Every file of the model that begins with this one; none where this is a later part, which is no model by itself."""
    match = _SPLIT.fullmatch(file_name)
    if match is None:
        return (file_name,)
    count = int(match["count"])
    if int(match["number"]) != 1 or not 1 <= count <= _MOST_PARTS:
        return ()
    return tuple(f"{match['stem']}-{number:05}-of-{count:05}{match['ending']}" for number in range(1, count + 1))


def whole(first: Path) -> tuple[Path, ...]:
    """Every file of the model that begins with this one; none where one of them is missing, or this is a later part."""
    files = tuple(first.with_name(name) for name in parts_of(first.name))
    return files if all(map(is_file, files)) else ()


def is_file(path: Path) -> bool:
    """A link to itself, or a name that is too long for the file system, is none either."""
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False
