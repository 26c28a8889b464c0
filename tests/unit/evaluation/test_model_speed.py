"""Figures of several models, over scripted ones: what is wrong with one does not hinder the next, and all are closed."""

from collections.abc import AsyncGenerator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from munin_app.domain.inference import ChatModel, ChatRequest, Completed, ModelEvent, ModelInfo
from munin_app.errors import ChatTemplateError
from munin_app.evaluation.speed.models import ModelSpeed, as_text, measure_models
from munin_app.inference.scripted import ScriptedChatModel


@dataclass(frozen=True)
class File:
    id: str
    path: Path

    @property
    def name(self) -> str:
        return self.id.title()


class Timed(ScriptedChatModel):
    """Evaluates 200 tokens a second and writes 10, four at a time; takes 5 MB."""

    async def load(self) -> ModelInfo:
        self._info = replace(await super().load(), memory_bytes=5_000_000)
        return self._info

    async def stream(self, request: ChatRequest) -> AsyncGenerator[ModelEvent, None]:
        async for event in super().stream(request):
            if isinstance(event, Completed):
                usage = replace(event.usage, evaluated=100, prefill_ms=500.0, generated=4, decode_ms=400.0)
                event = replace(event, usage=usage)
            yield event


class Base(Timed):
    """Has no chat template of its own."""

    async def load(self) -> ModelInfo:
        raise ChatTemplateError("No chat template.", "chatml")


@pytest.fixture
def made() -> list[tuple[str, str, ScriptedChatModel]]:
    return []


async def speeds(made: list[tuple[str, str, ScriptedChatModel]], *models: ScriptedChatModel) -> list[ModelSpeed]:
    waiting = list(models)

    def make(path: Path, template: str = "") -> ChatModel:
        made.append((path.name, template, waiting.pop(0)))
        return made[-1][2]

    names = dict.fromkeys(["one", "two"][: len(models)])
    return [speed async for speed in measure_models([File(name, Path(f"{name}.gguf")) for name in names], make)]


async def test_figures_are_of_several_short_replies(made: list[tuple[str, str, ScriptedChatModel]]) -> None:
    model = Timed()
    (speed,) = await speeds(made, model)
    assert (speed.reading, speed.writing, speed.memory_bytes, speed.estimated) == (200.0, pytest.approx(10.0), 5_000_000, True)
    assert model.closed and len(model.requests) == 5, "one to get warm, one to read, three to write"


async def test_model_that_fails_says_why_and_the_next_is_measured(made: list[tuple[str, str, ScriptedChatModel]]) -> None:
    broken = Timed()
    broken.fail_to_load("broken.gguf is damaged.")
    first, second = await speeds(made, broken, Timed())
    assert first.error == "broken.gguf is damaged." and second.reading == 200.0
    assert all(model.closed for _, _, model in made)


async def test_model_that_fails_midway_is_closed(made: list[tuple[str, str, ScriptedChatModel]]) -> None:
    model = Timed()
    model.fail_next("It stopped.")
    (speed,) = await speeds(made, model)
    assert speed.error == "It stopped." and model.closed


async def test_base_model_is_measured_with_the_template_that_fits(made: list[tuple[str, str, ScriptedChatModel]]) -> None:
    base, known = Base(), Timed()
    files = [File("one", Path("one.gguf"))]

    def make(path: Path, template: str = "") -> ChatModel:
        made.append((path.name, template, known if template else base))
        return made[-1][2]

    (speed,) = [speed async for speed in measure_models(files, make)]
    assert speed.reading == 200.0 and [template for _, template, _ in made] == ["", "chatml"]
    assert base.closed and known.closed


def test_text_to_copy() -> None:
    found = [
        ModelSpeed("a", "Starter", 412.4, 61.26, 362_000_000, False, 8192),
        ModelSpeed("b", "Other", 10.0, 2.0, 5_000_000_000, True, 4096),
        ModelSpeed("c", "Bad", error="It is damaged."),
    ]
    assert as_text(found, "Munin here").splitlines() == [
        "Munin here",
        "Starter: reading 412 tokens/s, writing 61.3 tokens/s, memory 362 MB with 8,192 tokens of context",
        "Other: reading 10 tokens/s, writing 2.0 tokens/s, memory about 5,000 MB with 4,096 tokens of context",
        "Bad: It is damaged.",
    ]
