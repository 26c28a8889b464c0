"""PrefEval: a stated preference has to become a short fact or candidate that keeps its words; a question yields nothing.

Zhao et al., 2025, "Do LLMs Recognize Your Preferences?".
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from munin_app.evaluation.facts.examples import Preference
from munin_app.evaluation.facts.learning import Learned
from munin_app.evaluation.facts.scoring import content_words

FACT_WORDS_MAX = 15
_NEGATION = re.compile(
    r"(?i)n't\b|\b(?:not|no|never|none|nor|neither|nothing|nobody|cannot|without)\b"
    r"|\b(?:avoid|dislike|hate|despise|detest|loathe|refuse|aversion|opposed)"
)


@dataclass(frozen=True, slots=True)
class PreferenceRow:
    preference: Preference
    learned: Learned
    """From the preference as a message."""
    asked: Learned
    """From the question as a message."""

    @property
    def texts(self) -> tuple[str, ...]:
        """Facts and candidates of at most 15 words."""
        found = (*self.learned.facts, *self.learned.candidates)
        return tuple(fact.text for fact in found if len(fact.text.split()) <= FACT_WORDS_MAX)

    @property
    def kept(self) -> float:
        """The share of the preference's content words that stand in the best of its texts; 0 when there is none."""
        wanted = content_words(self.preference.preference)
        return max((len(wanted & content_words(text)) / len(wanted) for text in self.texts), default=0.0)

    @property
    def keeps_negations(self) -> bool:
        """No fewer negations in what was made of it."""
        return len(_NEGATION.findall(" ".join(self.texts))) >= len(_NEGATION.findall(self.preference.preference))

    @property
    def is_negative_still(self) -> bool:
        """At least one negation where the preference has one."""
        return not _NEGATION.search(self.preference.preference) or any(map(_NEGATION.search, self.texts))


def preference_figures(rows: Iterable[PreferenceRow]) -> dict[str, Any]:
    """Shares from 0 to 1."""
    rows = list(rows)
    yielding = [row for row in rows if row.texts]
    asked = sum(bool(row.asked.facts or row.asked.candidates) for row in rows)
    return {
        "preferences": len(rows),
        "yield": len(yielding) / len(rows),
        "facts_only": sum(bool(row.learned.facts) for row in rows) / len(rows),
        "words_kept": sum(row.kept for row in yielding) / (len(yielding) or 1),
        "negation_kept": sum(row.is_negative_still for row in yielding) / (len(yielding) or 1),
        "all_negations_kept": sum(row.keeps_negations for row in yielding) / (len(yielding) or 1),
        "questions_that_yield": asked / len(rows),
    }
