"""Turns with a model that thinks, through the whole of Munin over a real engine: what each turn evaluates, and before what."""

from collections.abc import AsyncGenerator, Callable
from pathlib import Path

import pytest

from munin_app.bootstrap import AppEvent, Munin
from munin_app.chat.turn import RAN_OUT
from munin_app.domain.events import Turn, TurnFinished
from munin_app.domain.inference import ChatRequest, ModelEvent, Purpose
from munin_app.inference.host import LlamaChatModel
from munin_app.inference.links import ThreadLink
from munin_app.inference.protocol import EngineSettings
from tests.model.inference.forced import ForcedReplies
from tests.unit.inference.gguf_files import with_template
from tests.unit.inference.reasoning_templates import KEEPING, QWEN_LIKE, R1_LIKE

pytestmark = pytest.mark.model

THOUGHT = "They want a bird. A raven is one, and it fits. "
ANSWER = "A raven is black, clever and curious."
SEAM_TOKENS = 18
"""What a template writes around one user message, and a last token that was chosen and never evaluated."""


class CountingModel(LlamaChatModel):
    """Keeps count of the prompt tokens that were evaluated, by purpose."""

    def __init__(self, path: Path, replies: tuple[str, ...], context: int) -> None:
        forced = ForcedReplies(EngineSettings(path, context, threads=1), replies)
        super().__init__(path, start_link=lambda _factory, emit: ThreadLink(forced, emit))
        self.evaluated = dict.fromkeys(Purpose, 0)

    async def stream(self, request: ChatRequest) -> AsyncGenerator[ModelEvent, None]:
        async for event in super().stream(request):
            if usage := getattr(event, "usage", None):
                self.evaluated[request.purpose] += usage.evaluated
            yield event


async def talk(
    path: Path,
    reply: str,
    messages: list[str],
    context: int = 1024,
    after: Callable[[CountingModel, Turn], None] = lambda *_: None,
    **settings: int,
) -> tuple[list[Turn], CountingModel]:
    """One conversation. `after` is called when everything behind a turn is done."""
    model = CountingModel(path, (reply,), context)
    turns: list[Turn] = []

    def listen(event: AppEvent) -> None:
        if isinstance(event, TurnFinished):
            turns.append(event.turn)

    async with await Munin.start(make_model=lambda path, settings: model) as munin:
        await munin.change_settings(learn_facts="off", **settings)
        munin.subscribe(listen)
        await munin.load_model()
        conversation = await munin.controller.new_conversation()
        for text in messages:
            await munin.controller.send(conversation.id, text)
            await munin.controller.drain()
            after(model, turns[-1])
    return turns, model


@pytest.mark.parametrize(
    ("template", "start"), [(QWEN_LIKE, "<think>\n"), (R1_LIKE, ""), (KEEPING, "")], ids=["qwen", "r1", "keeping"]
)
async def test_user_waits_for_the_new_words_alone(tmp_path: Path, model_path: Path, template: str, start: str) -> None:
    path = with_template(model_path, tmp_path / "thinking.gguf", template)
    turns, model = await talk(path, f"{start}{THOUGHT}\n</think>\n\n{ANSWER}", ["A bird?", "Why?", "Really?"])
    assert [turn.reply.text for turn in turns] == [ANSWER] * 3
    assert [turn.reply.reasoning for turn in turns] == [THOUGHT.strip()] * 3
    assert [turn.prompt_reset for turn in turns] == [""] * 3, "nothing was lost that could have been kept"
    for turn in turns[1:]:
        assert turn.usage.evaluated <= 4 + SEAM_TOKENS
    again = model.evaluated[Purpose.PREFILL]
    assert again <= 3 * 40 if template is not KEEPING else again < 60


@pytest.mark.parametrize("template", [QWEN_LIKE, R1_LIKE], ids=["qwen", "r1"])
async def test_thought_leaves_the_reply_its_whole_length(tmp_path: Path, model_path: Path, template: str) -> None:
    path = with_template(model_path, tmp_path / "thinking.gguf", template)
    start = "" if template is R1_LIKE else "<think>\n"
    reply = f"{start}{THOUGHT * 10}\n</think>\n\n{ANSWER}"
    (turn,), _ = await talk(path, reply, ["A bird?"], max_reply_tokens=16, max_thought_tokens=1000)
    assert (turn.reply.text, turn.truncated) == (ANSWER, False)
    (turn,), _ = await talk(path, reply, ["A bird?"], max_reply_tokens=16, max_thought_tokens=40)
    assert (turn.reply.error, turn.usage.generated) == (RAN_OUT, 56)


async def test_room_for_thoughts_makes_no_answer_longer(tmp_path: Path, model_path: Path) -> None:
    path = with_template(model_path, tmp_path / "thinking.gguf", QWEN_LIKE)
    (turn,), _ = await talk(path, ANSWER * 5, ["A bird?"], max_reply_tokens=16, max_thought_tokens=1000)
    assert (turn.usage.generated, turn.truncated) == (16, True)
