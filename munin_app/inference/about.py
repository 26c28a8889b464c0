"""What a GGUF file says of itself, for a person to read before it is loaded. Its texts are anybody's: one short line each."""

from dataclasses import dataclass
from pathlib import Path

from munin_app.inference.gguf_header import GgufHeader
from munin_app.inference.headers import header_of
from munin_app.inference.known_templates import KNOWN_TEMPLATES

_LONGEST = 120


@dataclass(frozen=True, slots=True)
class AboutFile:
    """Empty or 0 where the file does not say."""

    name: str
    architecture: str
    size_label: str
    """How many parameters, as its maker puts it: "135M"."""
    parameters: int
    """Counted; of a split model, those of its first part."""
    quantisation: str
    context_trained: int
    own_template: bool
    fitting_template: str
    """Name of the known chat template that its vocabulary is made for, where it has none of its own."""
    licence: str
    can_chat: bool


def about_file(path: Path) -> AboutFile:
    """Reads the header and nothing more. Raises ModelError or OSError."""
    header = header_of(path)
    fitting = KNOWN_TEMPLATES.get(header.fitting_template)
    return AboutFile(
        name=_line(header.name),
        architecture=_line(header.architecture),
        size_label=_text(header, "general.size_label"),
        parameters=header.parameters,
        quantisation="" if header.quantisation == "unknown" else header.quantisation,
        context_trained=header.context_trained,
        own_template=header.has_chat_template,
        fitting_template=fitting.name if fitting else "",
        licence=_text(header, "general.license.name") or _text(header, "general.license"),
        can_chat=header.can_chat,
    )


def _text(header: GgufHeader, key: str) -> str:
    value = header.values.get(key)
    return _line(value) if isinstance(value, str) else ""


def _line(text: str) -> str:
    line = "".join(letter if letter.isprintable() else " " for letter in text[: 10 * _LONGEST])
    return " ".join(line.split())[:_LONGEST]
