"""Reads a labelled file: JSON Lines of our own form, or of PrefEval's (`preference` and `question`)."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from munin_app.errors import MuninError
from munin_app.i18n import _

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Expected:
    attribute: str
    value: str


@dataclass(frozen=True, slots=True)
class Example:
    """One exchange, what is known before it, and what is to be learned from it; nothing, for half of a good set."""

    id: str
    lang: str
    user: str
    assistant: str
    known: tuple[str, ...]
    """Third-person sentences."""
    expect: tuple[Expected, ...]


@dataclass(frozen=True, slots=True)
class Preference:
    id: str
    preference: str
    question: str


def read_examples(path: Path) -> list[Example] | list[Preference]:
    """Raises MuninError, with the number of the line, where the file is of neither form."""
    try:
        lines = [(number, line) for number, line in enumerate(path.read_text().splitlines(), 1) if line.strip()]
    except (OSError, UnicodeDecodeError) as error:
        raise MuninError(_("{path} cannot be read ({error}). Give a JSON Lines file.").format(path=path, error=error)) from error
    if not lines:
        raise MuninError(_("{path} is empty. Give a JSON Lines file with one exchange a line.").format(path=path))
    if '"preference"' in lines[0][1]:
        return [_read(path, number, line, _preference) for number, line in lines]
    return [_read(path, number, line, _example) for number, line in lines]


def _read(path: Path, number: int, line: str, make: Callable[[dict[str, Any]], T]) -> T:
    try:
        return make(json.loads(line))
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise MuninError(
            _(
                "{path}, line {number}: {kind} ({error}). Expected an object with id, lang, user, assistant, known "
                "and expect (a list of attribute and value), or with id, preference and question."
            ).format(path=path, number=number, kind=type(error).__name__, error=error)
        ) from error


def _example(row: dict[str, Any]) -> Example:
    expect = tuple(Expected(str(one["attribute"]), str(one["value"])) for one in row["expect"])
    known = tuple(map(_sentence, row.get("known", ())))
    return Example(str(row["id"]), str(row["lang"]), row["user"], row.get("assistant", ""), known, expect)


def _sentence(known: str | dict[str, str]) -> str:
    """A known fact as a sentence, or as {"attribute", "value"} with or without "text"."""
    return known if isinstance(known, str) else known.get("text") or f"{known['attribute']}: {known['value']}"


def _preference(row: dict[str, Any]) -> Preference:
    return Preference(str(row["id"]), row["preference"].strip('"'), row["question"].strip('"'))
