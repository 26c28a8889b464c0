"""Where a reply ends beside the tokens of which llama.cpp itself knows that they do.

llama.cpp takes what the file declares, and the usual names (`<|im_end|>`, `<|eot_id|>`, `<end_of_turn>` and some more) wherever
they are one token. What is missing is a mark of the template's own, and one that the vocabulary has no token for.
"""

import re
from dataclasses import dataclass

from munin_app.inference.reasoning import STYLES, overlap
from munin_app.inference.tokens import Vocabulary

_MARK = re.compile(r"\s*(<[^<>\s]+>|\[[^\[\]\s]+\])")


@dataclass(frozen=True, slots=True)
class Ends:
    tokens: frozenset[int] = frozenset()
    text: str = ""
    """Empty: none."""


def ends_of_turn(vocabulary: Vocabulary, end_of_turn: str, tags: frozenset[int]) -> Ends:
    """From what the template writes behind a past reply. `tags` end a thought and no reply."""
    found = _MARK.match(end_of_turn)
    if found is None:
        return Ends()
    tokens = vocabulary.tokenise(found[1], special=True)
    if len(tokens) > 1 and not any(map(vocabulary.is_special, tokens)):
        return Ends(text=found[1])
    return Ends(frozenset(token for token in tokens[-1:] if vocabulary.is_special(token)) - tags)


def reasoning_tags(vocabulary: Vocabulary) -> frozenset[int]:
    """Control tokens that reasoning tags are made of: they have a text only when one asks for it."""
    tags = [tag for style in STYLES for tag in (style.start, style.end) if tag]
    found = {(token, tag) for tag in tags for token in vocabulary.tokenise(tag, special=True) if vocabulary.is_special(token)}
    return frozenset(token for token, tag in found if vocabulary.piece(token, special=True).decode("utf-8", "replace") in tag)


class StopText:
    """Cuts a stream of text where `mark` begins, if there is one. What may be its beginning is held back."""

    def __init__(self, mark: str) -> None:
        self.found = False
        self._mark = mark
        self._held = ""

    def feed(self, text: str) -> str:
        """What surely comes before the mark."""
        if not self._mark or self.found:
            return "" if self.found else text
        before, found, _ = (self._held + text).partition(self._mark)
        self.found = bool(found)
        settled = len(before) - (0 if found else overlap(before, self._mark))
        self._held = before[settled:]
        return before[:settled]

    def finish(self, text: str) -> str:
        """The last `text` and what was held back."""
        return self.feed(text) + self._held
