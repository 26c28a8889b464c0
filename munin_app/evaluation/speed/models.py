"""How fast each of several models is on this device: reading a prompt, writing a reply, and the memory that it takes.

Each is loaded as chat would load it, in a process of its own where there are such, and closed before the next. Figures are
llama.cpp's work as a turn of chat sees it; what memory and learning add to a turn is not in them.
"""

from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from munin_app.domain.inference import (
    Cancelled,
    ChatModel,
    ChatRequest,
    Completed,
    Failed,
    PromptMessage,
    PromptRole,
    SamplingParams,
    Usage,
)
from munin_app.errors import ChatTemplateError, ModelError, MuninError
from munin_app.evaluation.speed import texts
from munin_app.i18n import _, decimal
from munin_app.inference.host import LlamaChatModel

PROMPT_SENTENCES = 16
"""About 400 tokens."""
REPLY_TOKENS = 48
_ENOUGH_TOKENS = 24
_MOST_REPLIES = 3
"""Where a model answers briefly, several replies make up the figure."""
_GREEDY = SamplingParams(temperature=0)


class Make(Protocol):
    def __call__(self, path: Path, template: str = "") -> ChatModel:
        """`template`: id of a known chat template; empty: the file's own."""


@dataclass(frozen=True, slots=True)
class ModelSpeed:
    id: str
    name: str
    reading: float = 0.0
    """Prompt tokens a second."""
    writing: float = 0.0
    """Tokens of a reply a second."""
    memory_bytes: int = 0
    estimated: bool = False
    """The memory: it has no process of its own that could be measured."""
    context_tokens: int = 0
    """What the memory is for."""
    error: str = ""
    """Why there are no figures."""


class Measured(Protocol):
    """A model that is to be measured."""

    @property
    def id(self) -> str: ...

    @property
    def name(self) -> str: ...

    @property
    def path(self) -> Path: ...


async def measure_models(models: Sequence[Measured], make: Make) -> AsyncGenerator[ModelSpeed, None]:
    """One after the other. Whatever is wrong with one is in its figures. To be closed where it is not run to its end."""
    for model in models:
        try:
            yield await _measured(model, make)
        except MuninError as error:
            yield ModelSpeed(model.id, model.name, error=str(error))


async def _measured(measured: Measured, make: Make, template: str = "") -> ModelSpeed:
    """Raises ModelError."""
    model = make(measured.path, template)
    try:
        info = await model.load()
        await _usage(model, texts.question(0), 2)  # the weights come from the disk only now
        reading = await _usage(model, texts.document(PROMPT_SENTENCES), 1)
        written, took_ms = 0, 0.0
        for number in range(1, _MOST_REPLIES + 1):
            usage = await _usage(model, texts.question(number), REPLY_TOKENS)
            written, took_ms = written + usage.generated, took_ms + usage.decode_ms
            if written >= _ENOUGH_TOKENS:
                break
        resident = model.resident_bytes() if isinstance(model, LlamaChatModel) else None
        return ModelSpeed(
            measured.id,
            measured.name,
            reading=reading.evaluated / reading.prefill_ms * 1000 if reading.prefill_ms else 0.0,
            writing=written / took_ms * 1000 if took_ms else 0.0,
            memory_bytes=resident or info.memory_bytes,
            estimated=resident is None,
            context_tokens=info.context_size,
        )
    except ChatTemplateError as error:
        if template:
            raise
        again = error.suggested
    finally:
        await model.close()
    return await _measured(measured, make, again)


async def _usage(model: ChatModel, prompt: str, tokens: int) -> Usage:
    """Of one turn; nothing is reused but the words that all prompts begin with. Raises ModelError."""
    messages = (PromptMessage(PromptRole.USER, prompt),)
    async for event in model.stream(ChatRequest("speed", messages, _GREEDY, tokens)):
        match event:
            case Failed(error):
                raise ModelError(error)
            case Completed(usage=usage) | Cancelled(usage=usage):
                return usage
    raise ModelError(_("The model ended without an answer. Try again, or choose another model."))


def as_text(speeds: Sequence[ModelSpeed], heading: str) -> str:
    """To be copied: a heading, and one line for each model."""
    lines = [heading]
    for speed in speeds:
        about = "about " if speed.estimated else ""
        figures = _(
            "reading {reading} tokens/s, writing {writing} tokens/s, memory {about}{number} MB "
            "with {context_tokens} tokens of context"
        ).format(
            reading=decimal(speed.reading),
            writing=decimal(speed.writing, 1),
            about=about,
            number=decimal(speed.memory_bytes / 1000000.0),
            context_tokens=decimal(speed.context_tokens),
        )
        lines.append(f"{speed.name}: {speed.error or figures}")
    return "\n".join(lines)
