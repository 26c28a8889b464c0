"""What is known of the model that answers: whether it is loaded, what is wrong with it, which one a conversation has. Values."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from munin_app.config import Settings
from munin_app.domain.inference import ModelInfo
from munin_app.inference.known_templates import KNOWN_TEMPLATES

ModelPhase = Literal["idle", "loading", "ready", "failed"]


@dataclass(frozen=True, slots=True)
class ModelState:
    phase: ModelPhase = "idle"
    info: ModelInfo | None = None
    error: str = ""
    offer: "TemplateOffer | None" = None
    """What would mend the error."""
    tiny: bool = False
    """The starter model: quick, and often wrong."""
    too_large: bool = False
    """It failed because memory seems too short; it may be loaded anyway."""


@dataclass(frozen=True, slots=True)
class TemplateOffer:
    """A known chat template that fits a file whose own is missing or cannot be used."""

    path: Path
    template: str
    """Its id."""

    @property
    def name(self) -> str:
        return KNOWN_TEMPLATES[self.template].name


@dataclass(frozen=True, slots=True)
class ModelStateChanged:
    state: ModelState


@dataclass(frozen=True, slots=True)
class SettingsChanged:
    settings: Settings


@dataclass(frozen=True, slots=True)
class ModelOf:
    """The model of one conversation."""

    path: Path | None
    """None: there is no model."""
    in_use: bool = True
    """It is the one in memory, or on its way there."""
    missing: str = ""
    """The name of the model that was chosen there, when its file is gone; the default answers instead."""
