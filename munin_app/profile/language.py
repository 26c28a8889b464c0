"""What the extraction has to know of a language, as data: how to tell it, its guard, its clauses, its rules."""

import re
from collections.abc import Callable
from dataclasses import dataclass

from munin_app.profile.findings import Description
from munin_app.profile.rule import Rule


@dataclass(frozen=True, slots=True)
class Guard:
    """Where a user does not speak in earnest of themselves."""

    about_a_text: re.Pattern[str]
    """The message asks to work on a text: nothing in it is learned."""
    invented: re.Pattern[str]
    """From here on the message is made up, somebody else's words or orders to the assistant."""
    composing: re.Pattern[str]
    """A sentence that begins so is an order."""
    question: re.Pattern[str]
    """A sentence that begins so is a question."""
    question_within: re.Pattern[str]
    """From here on the rest of a sentence is one."""
    condition: re.Pattern[str]
    """A clause with this is a condition, a wish, a doubt, or what others say."""
    clause_end: re.Pattern[str]
    introduction: re.Pattern[str]
    """Before a colon: what follows is the speaker's own. After any other colon stands a text or a quotation."""
    asks_for_source: re.Pattern[str]
    """A question about what was just said: "who sang that?" """
    contrast: re.Pattern[str]
    """After a condition, where the speaker is back in earnest: "but now"."""


@dataclass(frozen=True, slots=True)
class Splitter:
    """How a sentence falls into clauses that begin with their subject."""

    lead: re.Pattern[str]
    """What may stand before a clause and says nothing: "Hi, by the way"."""
    remember: re.Pattern[str]
    """ "Remember that", up to what is to be remembered."""
    next: re.Pattern[str]
    """Between two clauses. The group that matched says how the second begins: subject, verb or complement."""
    verb: str
    """What is supplied before a verb without a subject: "I "."""
    complement: str
    """Before a complement without subject and verb: "I'm "."""
    takes_verb: re.Pattern[str]
    """The clause before, if its subject goes on."""
    takes_complement: re.Pattern[str]
    unreal: re.Pattern[str]
    """The clause before, if what goes on may not be so."""
    relative: re.Pattern[str] | None = None
    """The clause before, if it ends within a relative clause: "hotels that are quiet"; `goes_on` is what may go on with that."""
    goes_on: re.Pattern[str] | None = None
    reordered: tuple[tuple[re.Pattern[str], str], ...] = ()
    """Applied to each clause: "seit 2019 wohne ich in Kiel" is "ich wohne in Kiel"."""


@dataclass(frozen=True, slots=True, eq=False)
class Language:
    code: str
    """ISO 639-1."""
    on: bool
    """It reached the bar of `munin eval facts`."""
    words: frozenset[str]
    """Frequent words of it alone, folded, by which it is told."""
    guard: Guard
    splitter: Splitter
    rules: tuple[Rule, ...]
    first_person: re.Pattern[str]
    """Somewhere in what the user says of themselves."""
    somebody: re.Pattern[str]
    """Other people, wherever they stand in a clause."""
    transient: frozenset[str]
    """Words of today and of the task at hand."""
    note: Callable[[str], str | None]
    """What is to be remembered, in the third person; None for an errand."""
    describe: Callable[[str], tuple[str, str]]
    """Attribute and value of a third-person sentence; "note" and the sentence where nothing fits."""
    denial: Callable[[str, Description | None], str | None] | None = None
    """A clause that no rule knows and that denies something lasting, in the third person; with what the clause before it said."""
    unsaid_rest: Callable[[str, Description], str | None] | None = None
    """A fact with the negation that its clause goes on with; None where there is none."""
