"""The elements of a JSON file one by one, so that a file of any length takes the memory of its largest element.

A file that is one object is one element. The decoder is Python's own: what is there of an element is tried again with twice as
much text until it is whole.
"""

import codecs
import json
import re
from collections.abc import Iterator

from munin_app.errors import ChatImportError
from munin_app.i18n import _
from munin_app.imports.archive import Readable

ELEMENT_MAX_CHARACTERS = 32_000_000
ELEMENT_MAX_PARTS = 1_000_000
"""Brackets in one element: each may become a hundred bytes of memory."""
CHUNK = 1 << 18
LONGEST_TOKEN = 20
"""Of what is complained about when it is cut: a literal, an escape. (A number is taken as far as it goes.)"""
_SPACE = re.compile(r"[\s,]*")


class _Text:
    """What is read and not taken yet."""

    def __init__(self, file: Readable) -> None:
        self._file = file
        self._decoder = codecs.getincrementaldecoder("utf-8-sig")()
        self.kept, self.at, self.ended = "", 0, False

    def more(self, least: int = CHUNK) -> None:
        chunk = self._file.read(max(CHUNK, least))
        self.ended = not chunk
        self.kept, self.at = self.kept[self.at :] + self._decoder.decode(chunk, self.ended), 0

    def next(self) -> str:
        """The next character that is no space or comma, not taken; empty at the end."""
        while True:
            self.at = _SPACE.match(self.kept, self.at).end()  # type: ignore[union-attr]  # matches the empty text too
            if self.at < len(self.kept) or self.ended:
                return self.kept[self.at : self.at + 1]
            self.more()


def elements(file: Readable, name: str) -> Iterator[object]:
    """Raises ChatImportError; the file's own errors pass."""
    text = _Text(file)
    try:
        listed = text.next() == "["
        text.at += listed
        while (begins := text.next()) and not (listed and begins == "]"):
            yield _element(text, name)
        if listed and begins != "]":
            raise ValueError
    except UnicodeDecodeError as error:
        raise ChatImportError(_("{name} is no text in UTF-8. Nothing was imported.").format(name=name)) from error
    except RecursionError as error:
        raise ChatImportError(_("{name} is nested deeper than any chat. Nothing was imported.").format(name=name)) from error
    except ValueError as error:
        raise ChatImportError(
            _("{name} is cut short or no JSON. Export it again; nothing was imported.").format(name=name)
        ) from error


def _element(text: _Text, name: str) -> object:
    decoder = json.JSONDecoder(strict=False)
    while True:
        try:
            value, end = decoder.raw_decode(text.kept, text.at)
        except json.JSONDecodeError as error:
            begun = error.msg.startswith("Unterminated") or error.pos > len(text.kept) - LONGEST_TOKEN
            if text.ended or not begun:
                raise
        else:
            if end < len(text.kept) or text.ended:  # a number may go on behind the end of what is read
                _require_bounds(text.kept, text.at, end, name)
                text.at = end
                return value
        _require_bounds(text.kept, text.at, len(text.kept), name)
        text.more(len(text.kept) - text.at)


def _require_bounds(text: str, start: int, end: int, name: str) -> None:
    if end - start > ELEMENT_MAX_CHARACTERS or sum(text.count(one, start, end) for one in "[{") > ELEMENT_MAX_PARTS:
        raise ChatImportError(
            _("{name} holds one entry that is larger than any chat ({size} MB are read at most). Nothing was imported.").format(
                name=name, size=ELEMENT_MAX_CHARACTERS // 1_000_000
            )
        )
