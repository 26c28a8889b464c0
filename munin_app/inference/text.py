"""Puts streamed token bytes together into whole characters. Knows nothing of tokens or models.

A token may end in the middle of a UTF-8 character, and a character as a reader sees it (a grapheme cluster, UAX 29) may be
several of those: the last cluster is held back until the next one begins.
"""

import codecs

import wcwidth

_LONGEST_CLUSTER = 256
"""Code points: a longer one is cut, so that endless combining marks neither stall the stream nor cost quadratic time."""


class TextAssembler:
    """`feed` bytes, emit what it returns; `finish` gives the rest. `text` is everything emitted so far."""

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._pending = ""
        self._emitted: list[str] = []

    @property
    def text(self) -> str:
        return "".join(self._emitted)

    def feed(self, data: bytes) -> str:
        """The clusters that are whole now; often empty."""
        self._pending += self._decoder.decode(data)
        return self._emit(_settled_length(self._pending))

    def finish(self) -> str:
        """What was held back; bytes that never became a character are U+FFFD."""
        self._pending += self._decoder.decode(b"", final=True)
        return self._emit(len(self._pending))

    def _emit(self, length: int) -> str:
        text, self._pending = self._pending[:length], self._pending[length:]
        if text:
            self._emitted.append(text)
        return text


def _settled_length(text: str) -> int:
    """How much of `text` (which begins at a cluster) no continuation can change any more."""
    if not text or text[-1] == "\n":  # nothing joins a line feed
        return len(text)
    if text.isascii():
        return len(text) - 1
    start = wcwidth.grapheme_boundary_before(text, len(text))
    return len(text) if len(text) - start > _LONGEST_CLUSTER else start
