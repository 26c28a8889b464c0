"""Cuts a long text into overlapping parts that an encoder can read whole. Knows texts and token spans, no encoder."""

import re
from collections.abc import Iterator, Sequence

Spans = Sequence[tuple[int, int]]

OVERLAP_TOKENS = 24
SECTION_CHARACTERS = 10_000
"""Long texts are tokenised by sections of this size, so that a recall never waits longer than some 10 ms for one."""
TEXT_CHARACTERS_MAX = 1_000_000
"""What lies beyond is not indexed: about 4,000 chunks, minutes of encoder work."""

_PIECE = re.compile(r"(?:(?![\u2e80-\U0003ffff])[^\W\d_]){1,4}|\S")


def sections(text: str) -> Iterator[str]:
    """Consecutive parts of at most SECTION_CHARACTERS, cut at white space where there is any."""
    start = 0
    while len(text) - start > SECTION_CHARACTERS:
        limit = start + SECTION_CHARACTERS
        end = max(text.rfind(space, start + SECTION_CHARACTERS // 2, limit) for space in " \n\t") + 1 or limit
        yield text[start:end]
        start = end
    yield text[start:]


def approximate_spans(text: str) -> list[tuple[int, int]]:
    """Stands in for a tokenizer where there is no encoder: four letters or one other character a token,
    rather too many than too few."""
    return [piece.span() for piece in _PIECE.finditer(text)]


def split(text: str, spans: Spans, limit: int) -> list[str]:
    """Parts of at most `limit` tokens that overlap by some and together hold every character but outer white space."""
    parts, first = [], 0
    overlap = min(OVERLAP_TOKENS, limit // 4)
    while len(spans) - first > limit:
        end = _cut(text, spans, first + limit // 2, first + limit)
        parts.append(text[spans[first][0] if first else 0 : spans[end][0]])
        first = _cut(text, spans, max(first + 1, end - overlap), end, forward=True)
    parts.append(text[spans[first][0] if first else 0 :])
    return [part.strip() for part in parts if part.strip()]


def _cut(text: str, spans: Spans, lowest: int, highest: int, *, forward: bool = False) -> int:
    """The token in that range, nearest to its preferred end, which follows white space; else that end itself."""
    candidates = range(lowest, highest + 1) if forward else range(highest, lowest - 1, -1)
    return next((index for index in candidates if text[spans[index][0] - 1].isspace()), lowest if forward else highest)
