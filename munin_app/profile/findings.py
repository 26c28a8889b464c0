"""What an extractor hands over: a sentence about the user, and where in the message it was said."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Description:
    text: str
    """Third person, at most 120 characters: "Lives in Oslo"."""
    attribute: str
    value: str
    certain: bool = True
    """False: for the user's review."""


@dataclass(frozen=True, slots=True)
class Finding:
    description: Description
    start: int
    end: int
    """The quote is `message.text[start:end]`."""
    extractor: str
