"""Turns a rendered conversation into tokens, and remembers each session's so that a reply keeps the tokens it was made of.

Knows nothing of KV caches. A reply that is tokenised again often comes back different; the cache would end there.
"""

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from munin_app.inference.template import Segment

_ANCHOR = "\n"


class Vocabulary(Protocol):
    """What is needed of a LlamaModel."""

    adds_bos: bool
    bos: int

    def tokenise(self, text: str, *, special: bool) -> list[int]: ...
    def piece(self, token: int, *, special: bool = False) -> bytes: ...
    def is_special(self, token: int) -> bool: ...
    def strips_right(self, token: int) -> bool: ...


@dataclass(frozen=True, slots=True)
class TokenisedSegment:
    segment: Segment
    tokens: tuple[int, ...]


class Tokeniser:
    """Text to tokens, exactly: the pieces of the tokens joined are the text again.

    Vocabularies of the SentencePiece kind put a space before each text they are given. There every text is tokenised
    behind an anchor, whose tokens are then taken away.
    """

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._vocabulary = vocabulary
        first = vocabulary.tokenise("a", special=False)
        self._adds_space = b"".join(map(vocabulary.piece, first)).startswith(b" ")
        self._anchor = vocabulary.tokenise(_ANCHOR, special=False)

    def content(self, text: str) -> list[int]:
        """A pasted `<|im_start|>` stays text."""
        if not self._adds_space or not text:
            return self._vocabulary.tokenise(text, special=False)
        tokens = self._vocabulary.tokenise(_ANCHOR + text, special=False)
        length = len(self._anchor)
        return tokens[length:] if tokens[:length] == self._anchor else self._vocabulary.tokenise(text, special=False)

    def glue(self, text: str) -> list[int]:
        tokens = self._vocabulary.tokenise(text, special=True)
        if not self._adds_space:
            return tokens
        return self._glue_without_added_spaces(text, [token for token in tokens if self._vocabulary.is_special(token)])

    def tokens(self, segment: Segment) -> list[int]:
        before = [token for part in segment.thought for token in self.tokens(part)]
        return before + (self.content(segment.text) if segment.is_content else self.glue(segment.text))

    def with_bos(self, tokens: list[int]) -> list[int]:
        """Once when the model wants it, never twice (many templates write it too)."""
        bos = self._vocabulary.bos
        has = tokens[:1] == [bos]
        if has and tokens[1:2] == [bos]:
            return tokens[1:]
        return [bos, *tokens] if self._vocabulary.adds_bos and not has else tokens

    def _glue_without_added_spaces(self, text: str, specials: Sequence[int]) -> list[int]:
        result: list[int] = []
        strip = False
        for token in specials:
            name = self._vocabulary.piece(token, special=True).decode("utf-8", "replace")
            before, found, after = text.partition(name)
            if not found:
                continue
            result += [*self.content(before.lstrip() if strip else before), token]
            text, strip = after, self._vocabulary.strips_right(token)
        return result + self.content(text.lstrip() if strip else text)


class SessionTokens:
    """The segments of the sessions used last, oldest forgotten first."""

    def __init__(self, tokeniser: Tokeniser, limit: int = 8) -> None:
        self._tokeniser = tokeniser
        self._limit = limit
        self._sessions: OrderedDict[str, list[TokenisedSegment]] = OrderedDict()

    def tokenise(self, session_id: str, segments: Sequence[Segment]) -> list[TokenisedSegment]:
        """Tokens of equal segments at the same place are reused. Changes nothing."""
        known = self._sessions.get(session_id, [])
        return [
            known[index] if index < len(known) and known[index].segment == segment else self._tokenised(segment)
            for index, segment in enumerate(segments)
        ]

    def keep(self, session_id: str, segments: Sequence[TokenisedSegment]) -> None:
        """A mere beginning of what is known already takes nothing away."""
        known = self._sessions.get(session_id, [])
        if known[: len(segments)] != list(segments):
            self._sessions[session_id] = list(segments)
        self._sessions.move_to_end(session_id)
        if len(self._sessions) > self._limit:
            self._sessions.popitem(last=False)

    def known(self, session_id: str) -> Sequence[TokenisedSegment]:
        return self._sessions.get(session_id, ())

    def forget(self, session_id: str) -> None:
        self._sessions.pop(session_id, None)

    def _tokenised(self, segment: Segment) -> TokenisedSegment:
        return TokenisedSegment(segment, tuple(self._tokeniser.tokens(segment)))
