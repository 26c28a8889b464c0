"""Reasoning and the KV cache on the real model: what goes on to the next turn, and what it costs, counted in tokens."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from munin_app.domain.inference import Completed, PromptMessage, PromptRole, Purpose, ReasoningDelta, SamplingParams, TextDelta
from munin_app.inference.engine import Engine
from munin_app.inference.protocol import EngineSettings
from tests.model.inference.forced import ForcedReplies, force_replies
from tests.unit.inference.gguf_files import with_template
from tests.unit.inference.reasoning_templates import GLM_LIKE, KEEPING, QWEN_LIKE, R1_LIKE
from tests.unit.inference.requests import FreeRun, Outcome, assistant, request, run, system, user

pytestmark = pytest.mark.model

WARM = SamplingParams(temperature=0.1)
THOUGHT = "The user asks for a bird. A raven is a bird, and it fits."
ANSWER = "A raven."
SEAM_TOKENS = 18
"""What a template writes around one user message, the tag that it opens included, and a last token that was chosen and never
evaluated. (The starter model has no token for the tag.)"""


def load(folder: Path, model_path: Path, template: str, start: str) -> Engine:
    path = with_template(model_path, folder / "thinking.gguf", template)
    engine = Engine(EngineSettings(path, context_size=1024, threads=1))
    force_replies(engine, (f"{start}{THOUGHT}\n</think>\n\n{ANSWER}",))
    return engine


@pytest.fixture(
    scope="module", params=[(QWEN_LIKE, "<think>\n"), (R1_LIKE, ""), (GLM_LIKE, "<think>")], ids=["qwen", "r1", "glm"]
)
def stripping(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, model_path: Path) -> Iterator[Engine]:
    engine = load(tmp_path_factory.mktemp("models"), model_path, *request.param)
    yield engine
    engine.close()


@pytest.fixture(scope="module")
def keeping(tmp_path_factory: pytest.TempPathFactory, model_path: Path) -> Iterator[Engine]:
    engine = load(tmp_path_factory.mktemp("models"), model_path, KEEPING, "")
    yield engine
    engine.close()


def ask(engine: Engine, *messages: PromptMessage, tokens: int = 100) -> Outcome:
    return run(engine, request(system("Be brief."), *messages, tokens=tokens, sampling=WARM))


def test_thought_is_streamed_apart_from_the_answer(stripping: Engine) -> None:
    steps = [step for step in stripping.run(request(user("A bird?"), tokens=100, sampling=WARM), FreeRun()) if step]
    assert "".join(step.text for step in steps if isinstance(step, ReasoningDelta)) == THOUGHT
    assert "".join(step.text for step in steps if isinstance(step, TextDelta)) == ANSWER
    end = steps[-1]
    assert isinstance(end, Completed)
    assert (end.text, end.reasoning) == (ANSWER, THOUGHT)


def test_next_prompt_reuses_everything_up_to_the_reply_that_thought(stripping: Engine) -> None:
    first = ask(stripping, user("A bird?")).end
    second = ask(stripping, user("A bird?"), assistant(ANSWER), user("Another?")).end
    assert first.usage.left_out > 10
    assert second.usage.reused >= first.usage.context_used - first.usage.left_out - 1


def test_answer_evaluated_after_the_turn_costs_the_next_turn_nothing(stripping: Engine) -> None:
    ask(stripping, user("A bird?"))
    history = (system("Be brief."), user("A bird?"), assistant(ANSWER))
    after = run(stripping, request(*history, purpose=Purpose.PREFILL)).end
    assert after.usage.evaluated <= stripping.count_tokens([ANSWER])[0] + SEAM_TOKENS
    second = ask(stripping, user("A bird?"), assistant(ANSWER), user("Another?")).end
    assert second.usage.reused == after.usage.context_used
    assert second.usage.evaluated <= stripping.count_tokens(["Another?"])[0] + SEAM_TOKENS


def test_reasoning_of_past_replies_never_reaches_a_template_that_takes_it_out(stripping: Engine) -> None:
    past = PromptMessage(PromptRole.ASSISTANT, ANSWER, THOUGHT)
    bare = ask(stripping, user("A bird?"), assistant(ANSWER), user("Why?")).end.usage
    thoughtful = ask(stripping, user("A bird?"), past, user("Why?")).end.usage
    assert thoughtful.evaluated + thoughtful.reused == bare.evaluated + bare.reused


def test_kept_reasoning_goes_on_with_the_tokens_it_was_made_of(keeping: Engine) -> None:
    first = ask(keeping, user("A bird?")).end
    assert first.usage.left_out == 0
    past = PromptMessage(PromptRole.ASSISTANT, first.text, first.reasoning)
    second = ask(keeping, user("A bird?"), past, user("Another?")).end
    assert second.usage.reused == first.usage.context_used
    assert second.usage.evaluated <= keeping.count_tokens(["Another?"])[0] + SEAM_TOKENS


def test_thought_that_never_closes_is_no_answer(keeping: Engine) -> None:
    end = ask(keeping, user("A bird?"), tokens=6).end
    assert isinstance(end, Completed)
    assert end.truncated
    assert end.text == ""
    assert THOUGHT.startswith(end.reasoning) and end.reasoning
    assert end.usage.left_out > 0, "a thought without an answer is not sent back"


def test_literal_tag_of_the_user_opens_nothing(stripping: Engine) -> None:
    end = ask(stripping, user("What does <think> do? </think>")).end
    assert (end.text, end.reasoning) == (ANSWER, THOUGHT)


@pytest.mark.parametrize(
    ("mark", "template_end"),
    [("<repo_name>", "<repo_name>"), ("<|no_such_token|>", "<|no_such_token|>\n")],
    ids=["a token that is no end to llama.cpp", "no token at all"],
)
def test_reply_ends_where_the_template_ends_a_turn(tmp_path: Path, model_path: Path, mark: str, template_end: str) -> None:
    template = QWEN_LIKE.replace("<|im_end|>\\n", template_end)
    path = with_template(model_path, tmp_path / "own-mark.gguf", template)
    engine = ForcedReplies(
        EngineSettings(path, context_size=512, threads=1), (f"Hello <|no one{mark}\n<|im_start|>user\nAnd", "Bye")
    )()
    assert isinstance(engine, Engine)
    try:
        first = run(engine, request(user("Hi"), tokens=50, sampling=WARM)).end
        assert isinstance(first, Completed)
        assert (first.text, first.truncated) == ("Hello <|no one", False)
        second = run(engine, request(user("Hi"), assistant(first.text), user("Bye"), tokens=9, sampling=WARM)).end
        assert second.usage.reused >= first.usage.context_used - first.usage.left_out - 1
    finally:
        engine.close()
