"""A fact is short: at most 15 words and 120 characters, and it is never cut in the middle of a clause or before a negation."""

import re

from munin_app.domain.facts import FACT_MAX_CHARACTERS
from munin_app.profile.words import is_negation, tokens

FACT_WORDS_MAX = 15
_KEPT_WORDS_MIN = 4
_BOUNDARY = re.compile(
    r",|;|\s(?:due to|as they|as it|because|rather than|instead of|including|like|such as|and|or|with|when|for|to|in)\b"
)


def within_limits(text: str) -> str | None:
    """The text, or as much of it as fits; None when no boundary is early enough, or a negation would be lost."""
    if _fits(text):
        return text
    ends = [found.start() for found in _BOUNDARY.finditer(text)]
    fitting = [end for end in ends if _fits(text[:end]) and len(text[:end].split()) >= _KEPT_WORDS_MIN]
    if not fitting or any(is_negation(word) for word in tokens(text[fitting[-1] :])):
        return None
    return text[: fitting[-1]]


def with_rest(text: str, rest: str) -> str | None:
    """Both, as much of `text` as fits before the whole of `rest`; None when that is not enough to be a fact."""
    ends = [len(text), *(found.start() for found in reversed(list(_BOUNDARY.finditer(text))))]
    heads = (text[:end] for end in ends)
    return next((head + rest for head in heads if len(head.split()) >= _KEPT_WORDS_MIN and _fits(head + rest)), None)


def _fits(text: str) -> bool:
    return len(text) <= FACT_MAX_CHARACTERS and len(text.split()) <= FACT_WORDS_MAX
