"""What the bench is asked to do, and everything it found. Pure values."""

from dataclasses import dataclass
from pathlib import Path

from munin_app.domain.inference import ModelInfo
from munin_app.evaluation.speed.machine import Machine
from munin_app.evaluation.speed.samples import Samples

_SPARE_TOKENS = 512  # the newest turn, its snippets, the reply, a message after it
_BOUND_PER_TURN = 32  # what Munin reckons with for the template around question and answer


@dataclass(frozen=True, slots=True)
class Plan:
    pairs: int
    turns: tuple[int, ...]
    """Which turn of its conversation the measured one is; 2 or more."""
    context_tokens: int
    """Of the conversation before that turn."""
    model: Path | None = None
    """None: the model in use."""

    @property
    def context_size(self) -> int:
        """Room enough that no turn is cut, and that no summary for a cut is due."""
        used = self.context_tokens + _SPARE_TOKENS
        needed = max(2 * used, used + max(self.turns) * _BOUND_PER_TURN)
        return -(-needed // 512) * 512


@dataclass(frozen=True, slots=True)
class Result:
    plan: Plan
    machine: Machine
    threads: int
    info: ModelInfo
    samples: Samples
