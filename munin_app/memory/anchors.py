"""Times that are given by an event: “before the move”, “seit ich umgezogen bin”, “después de la boda”, “après le mariage”.

The event is looked up among the rows that may be seen. One that is not told of, or in many places, gives no time.
"""

import re
from typing import TYPE_CHECKING

import numpy as np

from munin_app.memory.times import Window, until

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from munin_app.memory.words import WordMatches

ROWS_MAX = 5
"""An event that more rows hold is no one moment."""

_THE = r"(?:the|my|our) |(?:i|we) |i['’]"
_DER = r"(?:de[mnr]|meine[mnr]|unsere[mnr]) "
_ICH = r"(?:ich|wir) "
_EL = r"(?:el|la|los|las|mi|mis|nuestr[oa]s?) "
_LE = r"(?:le|la|les|mon|ma|mes|notre|nos) |l['’]"
_JE = r"(?:je|nous) |j['’]"
_BEFORE = rf"before (?:{_THE})|vor (?:{_DER})|bevor {_ICH}|antes de(?:l | {_EL})|avant (?:{_LE})|avant que (?:{_JE})"
_AFTER = (
    rf"(?:after|since) (?:{_THE})|(?:nach|seit) (?:{_DER})|(?:nachdem|seit|seitdem) {_ICH}"
    rf"|despu[eé]s de(?:l | {_EL})|desde (?:{_EL}|que )|(?:apr[eè]s|depuis) (?:{_LE})|(?:apr[eè]s|depuis) que (?:{_JE})"
)
_ANCHOR = re.compile(rf"\b(?:(?P<before>{_BEFORE})|(?:{_AFTER}))(?P<event>[^,;:.?!]+)", re.IGNORECASE)
_GERMAN = re.compile("vor|nach|seit", re.IGNORECASE)


def windows(
    text: str, now_ms: int, found: "WordMatches", table: "NDArray[np.void]", allowed: "NDArray[np.bool_]"
) -> tuple[Window, ...]:
    """At most one. `found` is what the words of the whole text find in the rows of the table."""
    anchor = _ANCHOR.search(text)
    if anchor is None:
        return ()
    event = _row_of(anchor["event"], found, table, allowed)
    if event is None and _GERMAN.match(anchor[0]):  # “vor dem Umzug gemacht”: the verb comes last
        event = _row_of(anchor["event"].strip().rpartition(" ")[0], found, table, allowed)
    if event is None:
        return ()
    start, end = int(table["event_start"][event]), int(table["event_end"][event])
    if anchor["before"]:
        return (until(start),)
    return (Window(end, now_ms),) if end < now_ms else ()


def _row_of(phrase: str, found: "WordMatches", table: "NDArray[np.void]", allowed: "NDArray[np.bool_]") -> int | None:
    """The earliest statement that holds all words of the phrase which are no stop words."""
    spelled = set(re.findall(r"\w+", phrase.casefold()))
    meant = [index for index, word in enumerate(found.spelled) if word in spelled]
    if not meant:
        return None
    holding = np.flatnonzero(allowed & (found.counts[meant] > 0).all(axis=0) & (table["question"] == 0))
    if not 0 < len(holding) <= ROWS_MAX:
        return None
    return int(holding[np.argmin(table["said_at"][holding])])
