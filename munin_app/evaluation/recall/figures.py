"""Recall, session recall and reciprocal rank of ranked results. Pure arithmetic."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

CUTS = (5, 6, 10, 25)


@dataclass(frozen=True, slots=True)
class Found:
    """What one question found."""

    question: str
    category: str
    text: str
    evidence: tuple[str, ...]
    ranked: tuple[str, ...]
    """Message ids, best first."""
    sureness: tuple[float, ...]
    """Of each of them."""
    conversations: Mapping[str, str]
    """Conversation of each message that is ranked or evidence."""
    search_ms: float = 0.0

    def above(self, least: float) -> "Found":
        """With only what is at least that sure."""
        kept = [(one, sure) for one, sure in zip(self.ranked, self.sureness, strict=True) if sure >= least]
        return Found(
            self.question,
            self.category,
            self.text,
            self.evidence,
            tuple(one for one, _ in kept),
            tuple(sure for _, sure in kept),
            self.conversations,
        )


def recall_at(cut: int, evidence: Collection[str], ranked: Sequence[str]) -> float:
    """Share of the evidence among the first `cut`."""
    return len(set(evidence) & set(ranked[:cut])) / len(evidence)


def reciprocal_rank(evidence: Collection[str], ranked: Sequence[str]) -> float:
    """1 / rank of the first evidence; 0 when there is none."""
    return next((1 / rank for rank, one in enumerate(ranked, 1) if one in evidence), 0.0)


def session_recall(cut: int, found: Found) -> float:
    """As `recall_at`, of conversations in the order of their best message."""
    ranked = list(dict.fromkeys(found.conversations[one] for one in found.ranked))
    return recall_at(cut, {found.conversations[one] for one in found.evidence}, ranked)


def figures(everything: Sequence[Found]) -> dict[str, float]:
    """Means over questions, and `macro`: over the means of categories."""
    shown = {f"r{cut}": fmean(recall_at(cut, one.evidence, one.ranked) for one in everything) for cut in CUTS}
    shown["hit6"] = fmean(recall_at(6, one.evidence, one.ranked) > 0 for one in everything)
    for cut in (5, 10):
        shown[f"macro_r{cut}"] = fmean(values[f"r{cut}"] for values in by_category(everything).values())
    shown["session_r5"] = fmean(session_recall(5, one) for one in everything)
    shown["mrr"] = fmean(reciprocal_rank(one.evidence, one.ranked) for one in everything)
    return shown


def by_category(everything: Sequence[Found]) -> dict[str, dict[str, float]]:
    found: dict[str, dict[str, float]] = {}
    for category in sorted({one.category for one in everything}):
        mine = [one for one in everything if one.category == category]
        found[category] = {f"r{cut}": fmean(recall_at(cut, one.evidence, one.ranked) for one in mine) for cut in (5, 10)}
        found[category]["questions"] = len(mine)
    return found


def cut_for(false_share: float, unrelated: Sequence[float]) -> float:
    """The sureness from which at most that share of unrelated questions finds something; `unrelated` holds the best
    sureness of each."""
    allowed = int(false_share * len(unrelated))
    ordered = sorted(unrelated, reverse=True)
    return ordered[allowed] + 1e-9 if allowed < len(ordered) else min(ordered, default=0.0)
