"""Profile facts: durable, short, third-person sentences about the user."""

from dataclasses import dataclass
from enum import StrEnum

from munin_app.domain.memories import SHARED

FACT_MAX_CHARACTERS = 120
ACTIVE_FACTS_MAX = 40


class FactStatus(StrEnum):
    ACTIVE = "active"  # in every prompt
    CANDIDATE = "candidate"  # waits for the user's review, used nowhere
    SUPERSEDED = "superseded"  # replaced by a newer value of the same attribute; kept as history
    DISPLACED = "displaced"  # left because of the cap; shown, can be brought back


class FactOrigin(StrEnum):
    TYPED = "typed"  # by hand, or confirmed by the user: outranks what was extracted
    EXTRACTED = "extracted"


@dataclass(frozen=True, slots=True)
class FactSource:
    """The user's own words behind a fact: `message.text[start:end]`."""

    conversation_id: str
    message_id: str
    start: int
    end: int
    said_at: int
    """Unix time, milliseconds."""
    extractor: str
    """`rule:<language>.<name>`, `model:<model id>`."""


@dataclass(frozen=True, slots=True)
class Fact:
    id: str
    text: str
    """At most 120 characters, in the user's language: "Lives in Oslo"."""
    attribute: str
    """name, age, birthday, location, origin, job, employer, relationship, preference, diet, language, project, goal, note"""
    value: str
    """The part of `text` that carries the fact ("Oslo")."""
    status: FactStatus
    origin: FactOrigin
    created_at: int
    updated_at: int
    """For DISPLACED: when it left."""
    sources: tuple[FactSource, ...] = ()
    pinned: bool = False
    uses: int = 0
    """How many replies it was sent along with."""
    replaced_by: str | None = None
    """For SUPERSEDED and DISPLACED: the fact that took its place."""
    scope: str = SHARED
    """Who may see it: everyone who shares their memory, or the one persona that it belongs to."""


@dataclass(frozen=True, slots=True)
class LearnedFact:
    fact: Fact
    quote: str
    """The exact words of the user's message that support it."""
    replaced: tuple[Fact, ...] = ()
    """What it superseded, or displaced because of the cap."""
