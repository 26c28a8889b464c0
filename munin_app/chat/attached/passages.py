"""Cuts the text of a file into passages, each with its place. A text always gives the same ones, so they are not stored."""

from collections.abc import Iterator
from dataclasses import dataclass

from munin_app.domain.attachments import PAGE_BREAK

PASSAGE_CHARACTERS = 600
"""Some 130 tokens: enough to be understood alone, little enough that what it says is not drowned."""


@dataclass(frozen=True, slots=True)
class Passage:
    n: int
    """From 0; the passage's own number in its file."""
    text: str
    page: int
    """From 1; 0 in a file without pages."""
    line: int
    """From 1, where it begins; in a file with pages: on its page."""


def passages(text: str, *, paged: bool) -> tuple[Passage, ...]:
    """None of them is blank, longer than PASSAGE_CHARACTERS, or on two pages."""
    pages = enumerate(text.split(PAGE_BREAK), 1) if paged else [(0, text)]
    found = ((page, line, part) for page, whole in pages for line, part in _parts(whole) if part.strip())
    return tuple(Passage(n, part.strip("\n"), page, line) for n, (page, line, part) in enumerate(found))


def _parts(page: str) -> Iterator[tuple[int, str]]:
    """The line that each begins with, and its text: whole lines as far as they go, cut at a blank line where that leaves half."""
    begun: list[str] = []
    first, size = 1, 0
    for number, line in enumerate(page.split("\n"), 1):
        if size + len(line) > PASSAGE_CHARACTERS or (not line.strip() and size > PASSAGE_CHARACTERS // 2):
            yield first, "\n".join(begun)
            begun, size = [], 0
        for piece in _pieces(line):
            if size + len(piece) > PASSAGE_CHARACTERS:
                yield first, "\n".join(begun)
                begun, size = [], 0
            if not "".join(begun).strip():
                begun, size, first = [], 0, number
            begun.append(piece)
            size += len(piece) + 1
    yield first, "\n".join(begun)


def _pieces(line: str) -> Iterator[str]:
    """A line that is too long by itself (minified code, a paragraph of prose), cut at white space where there is any."""
    while len(line) > PASSAGE_CHARACTERS:
        end = line.rfind(" ", PASSAGE_CHARACTERS // 2, PASSAGE_CHARACTERS) + 1 or PASSAGE_CHARACTERS
        yield line[:end]
        line = line[end:]
    yield line
