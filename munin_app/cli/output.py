"""Printing (JSON lines, plain lines), new files, types of arguments. No control character of stored text reaches the terminal."""

import argparse
import io
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path
from typing import Any, TextIO

from munin_app.errors import BackupError
from munin_app.i18n import _
from munin_app.storage.files import create_file


def print_json(value: Mapping[str, Any]) -> None:
    """One object on one line."""
    print(json.dumps(value, ensure_ascii=False), flush=True)


def printable(text: str) -> str:
    """Without control characters (line breaks and tabs aside): a stored message must not drive the terminal."""
    return "".join(character for character in text if character in "\n\t" or character.isprintable() or ord(character) > 0x9F)


def one_line(text: str, width: int = 100) -> str:
    line = " ".join(printable(text).split())
    return line if len(line) <= width else line[: width - 1] + "…"


def day(milliseconds: int) -> str:
    return datetime.fromtimestamp(milliseconds / 1000).strftime("%Y-%m-%d %H:%M")


def midnight(text: str) -> int:
    """An argument's type: the beginning of a day here, in Unix ms."""
    try:
        return int(datetime.strptime(text, "%Y-%m-%d").timestamp() * 1000)
    except ValueError as error:
        raise argparse.ArgumentTypeError(_("{text!r} is no day; expected the form 2026-01-31").format(text=text)) from error


def said_yes(answer: str) -> bool:
    """In the user's language, or in English."""
    return answer.strip().lower() in (_("yes"), "yes")


def positive(text: str) -> int:
    """An argument's type: 1 or more."""
    if int(text) < 1:
        raise argparse.ArgumentTypeError(_("{text} is too small; expected 1 or more").format(text=text))
    return int(text)


def similarity(text: str) -> float:
    """An argument's type: -1 to 1."""
    if not -1 <= float(text) <= 1:
        raise argparse.ArgumentTypeError(_("{text} is out of range; expected -1 to 1").format(text=text))
    return float(text)


@contextmanager
def new_file(path: Path) -> Iterator[TextIO]:
    """For its owner only. Raises BackupError; a file that is there stays, and one that could not be finished goes."""
    try:
        file = create_file(path)
    except FileExistsError as error:
        raise BackupError(_("{path} is there already. Choose another name; nothing was changed.").format(path=path)) from error
    except OSError as error:
        raise _unwritten(path, error) from error
    try:
        with io.TextIOWrapper(file, encoding="utf-8", newline="\n") as text:
            yield text
    except BaseException as error:
        with suppress(OSError):
            path.unlink()
        if isinstance(error, OSError):
            raise _unwritten(path, error) from error
        raise


def _unwritten(path: Path, error: OSError) -> BackupError:
    return BackupError(
        _("{path} could not be written ({reason}). Free some space or choose another folder.").format(
            path=path, reason=error.strerror or error
        )
    )
