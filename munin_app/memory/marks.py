"""What can be said of a text before any query: its length, whether it asks, who speaks, when it happened."""

import re
from dataclasses import dataclass

import apsw

from munin_app.memory import times, words

_SPEAKER = re.compile(r"\s*([^\W\d_][\w.'’-]{0,30}(?: [^\W\d_][\w.'’-]{0,30})?): ")
"""How pasted chats and protocols name who speaks: “Anna: we moved”."""


@dataclass(frozen=True, slots=True)
class Marks:
    words: int
    question: bool
    speaker: str | None
    """As written, case-folded."""
    event: times.Window | None
    """What time the text speaks of; None: none but that of its being said."""


def marks_of(connection: apsw.Connection, text: str, said_at: int) -> Marks:
    speaker = _SPEAKER.match(text)
    found = times.windows(text, said_at)
    return Marks(
        words=words.count(connection, text),
        question=text.rstrip().endswith(("?", "？")),
        speaker=speaker[1].casefold() if speaker else None,
        event=found[0] if found else None,
    )
