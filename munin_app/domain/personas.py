"""Personas: who answers, how, and with which memory. Frozen values that know nothing of storage."""

from dataclasses import dataclass, replace

from munin_app.domain.inference import SamplingParams
from munin_app.domain.memories import SHARED, persona_scope

EVERYONE = "everyone"
"""How the common scope is called; no persona may be."""
NAME_MAX_CHARACTERS = 32
PROMPT_MAX_CHARACTERS = 2_000
STARTERS_MAX = 4
STARTER_MAX_CHARACTERS = 120
ICONS = ("raven", "edit", "school", "translate", "heart", "code", "science", "work", "cooking", "music", "palette", "travel")


@dataclass(frozen=True, slots=True)
class Persona:
    id: str
    name: str
    icon: str
    """One of ICONS."""
    prompt: str
    """What the model is told first, in every prompt."""
    temperature: float | None = None
    """None: as in Settings. 0 to 2."""
    top_p: float | None = None
    """None: as it is for every model. Above 0, at most 1."""
    own_memory: bool = False
    """What is said to it stays with it, and it knows nothing else; False: it shares everyone's facts and memories."""
    starters: tuple[str, ...] = ()
    """Beginnings of a first message. Empty: the general ones."""
    model_path: str = ""
    """The model of its chats that have none of their own. Empty, or no longer a file: the default."""

    @property
    def scope(self) -> str:
        """Whose facts and memories stand in its prompts, and whom those belong to that it learns. Exactly one."""
        return persona_scope(self.id) if self.own_memory else SHARED

    def sampled(self, sampling: SamplingParams) -> SamplingParams:
        """With what it has chosen for itself."""
        temperature = sampling.temperature if self.temperature is None else self.temperature
        return replace(sampling, temperature=temperature, top_p=sampling.top_p if self.top_p is None else self.top_p)
