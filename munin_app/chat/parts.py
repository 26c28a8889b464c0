"""Prompt parts: what a prompt holds beside the messages, each with its source, so that forgetting can find it.

The system block is a snapshot taken at a turn and valid from there on; a turn's own parts stand in front of its message.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import apsw

FORMAT = 1
"""Version of the rendering in prompt.py; a part is rendered by the version it was written with."""


class Place(StrEnum):
    SYSTEM = "system"
    TURN = "turn"


class Kind(StrEnum):
    PERSONA = "persona"
    FACT = "fact"
    SNIPPET = "snippet"
    SUMMARY = "summary"
    QUOTE = "quote"


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a quote stands."""

    name: str
    """Of the file."""
    passage: int | None
    """None: it is the whole."""
    page: int = 0
    line: int = 0


@dataclass(frozen=True, slots=True)
class Part:
    kind: Kind
    source_id: str
    text: str
    similarity: float | None = None
    score: float | None = None
    why: str = ""
    format: int = FORMAT
    origin: Origin | None = None
    """Of a quote; its source is the attachment's content."""


@dataclass(frozen=True, slots=True)
class TurnParts:
    system: tuple[Part, ...] = ()
    """Not empty where a snapshot of the system block was taken."""
    turn: tuple[Part, ...] = ()


_HIDDEN = """
    EXISTS (SELECT 1 FROM message JOIN conversation ON conversation.id = message.conversation_id
        WHERE message.id = source_id AND (message.status = 'deleted' OR deleted_at IS NOT NULL))
    OR (kind = 'quote' AND NOT EXISTS (SELECT 1 FROM attachment JOIN message ON message.id = message_id WHERE status <> 'deleted'
        AND content_id = source_id AND attachment.conversation_id = prompt_part.conversation_id))
"""
"""What was made of something that is deleted while Undo is offered: it is brought back with it, or erased with it."""


def load(connection: apsw.Connection, conversation_id: str) -> dict[str, TurnParts]:
    """The parts of every turn of a conversation, by the turn's user message; without what is hidden."""
    found: dict[str, dict[Place, list[Part]]] = {}
    rows = connection.execute(
        "SELECT turn_id, place, kind, source_id, text, similarity, score, why, format, name, passage, page, line "
        f"FROM prompt_part WHERE conversation_id = ? AND NOT ({_HIDDEN}) ORDER BY turn_id, place, ordinal",
        (conversation_id,),
    )
    for turn_id, place, kind, source_id, text, similarity, score, why, version, *origin in rows:
        where = Origin(*origin) if kind == Kind.QUOTE else None
        part = Part(Kind(kind), source_id, text, similarity, score, why, version, where)
        found.setdefault(turn_id, {}).setdefault(Place(place), []).append(part)
    return {
        turn_id: TurnParts(tuple(places.get(Place.SYSTEM, ())), tuple(places.get(Place.TURN, ())))
        for turn_id, places in found.items()
    }


def save(connection: apsw.Connection, conversation_id: str, turn_id: str, place: Place, parts: Sequence[Part]) -> None:
    """Replaces the parts of one turn at one place."""
    connection.execute("DELETE FROM prompt_part WHERE turn_id = ? AND place = ?", (turn_id, place))
    connection.executemany(
        "INSERT INTO prompt_part (conversation_id, turn_id, place, ordinal, kind, source_id, text, format, similarity, score, "
        "why, name, passage, page, line) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        [
            (
                conversation_id,
                turn_id,
                place,
                n,
                part.kind,
                part.source_id,
                part.text,
                part.format,
                part.similarity,
                part.score,
                part.why,
                *(
                    (part.origin.name, part.origin.passage, part.origin.page, part.origin.line)
                    if part.origin
                    else ("", None, 0, 0)
                ),
            )
            for n, part in enumerate(parts)
        ],
    )
