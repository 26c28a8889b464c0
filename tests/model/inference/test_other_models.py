"""Models of other kinds on the real llama.cpp: a SentencePiece vocabulary, a sliding window, recurrent and hybrid layers.

What they say is noise, but always the same noise for the same tokens: what they would say next from a restored state equals
that from a fresh evaluation, or the state was wrong.
"""

import asyncio
from collections.abc import Callable, Iterator, Sequence
from contextlib import aclosing
from pathlib import Path

import llama_cpp
import numpy as np
import pytest
from numpy.typing import NDArray

from munin_app.domain.inference import Cancelled, Completed, PromptMessage, Purpose, TextDelta
from munin_app.inference import kv_cache
from munin_app.inference.engine import Engine
from munin_app.inference.gguf_header import read_header
from munin_app.inference.host import LlamaChatModel
from munin_app.inference.kv_cache import KvCache
from munin_app.inference.links import StartLink, ThreadLink
from munin_app.inference.llama import LlamaModel
from munin_app.inference.process_link import ProcessLink
from munin_app.inference.protocol import EngineSettings
from tests.model.inference.conftest import TinyModel
from tests.tiny_models import VOCABULARY
from tests.unit.inference.requests import FreeRun, assistant, request, run, system, user

ALL = ["llama", "gemma3", "mamba", "lfm2"]
RECURRENT = ["mamba", "lfm2"]

SYSTEM = system("you are a raven that answers in few words")
REPLY_TOKENS = 20
GLUE_TOKENS = 5
"""The end of a reply, the two roles, and the last token of a reply cut short, which was chosen but never evaluated."""
NEAR = 16
"""Tokens that a checkpoint may lie before the place that is gone back to."""
SAME = 0.05
"""Logits: 16-bit keys and values, cut into other batches, differ by up to 0.01; a state that is not theirs, by more than 1."""

NewEngine = Callable[..., Engine]


@pytest.fixture
def new_engine(tiny_model: TinyModel) -> Iterator[NewEngine]:
    engines: list[Engine] = []

    def start(architecture: str, sessions_folder: Path | None = None) -> Engine:
        engines.append(Engine(EngineSettings(tiny_model(architecture), 2048, threads=1, sessions_folder=sessions_folder)))
        return engines[-1]

    yield start
    for engine in engines:
        engine.close()


def say(engine: Engine, messages: Sequence[PromptMessage], session: str = "session", tokens: int = REPLY_TOKENS) -> Completed:
    end = run(engine, request(*messages, session=session, tokens=tokens, keep=True)).end
    assert isinstance(end, Completed)
    return end


def next_logits(cache: KvCache) -> NDArray[np.float32]:
    """After the last token that was evaluated."""
    return np.ctypeslib.as_array(llama_cpp.llama_get_logits_ith(cache.context.pointer, -1), (VOCABULARY,)).copy()


def state_is_right(engine: Engine) -> bool:
    """What comes next is the same when the same tokens are evaluated in a new context. (Not the same messages: a reply
    that is tokenised again becomes other tokens.)"""
    context = engine._model.new_context(engine.info.context_size, 1)
    fresh = KvCache(context, engine.info.context_size)
    prefilled(fresh, engine._chat.tokens)
    same = np.allclose(next_logits(engine._chat), next_logits(fresh), atol=SAME)
    context.close()
    return same


def prefilled(cache: KvCache, prompt: Sequence[int]) -> int:
    """How many tokens it evaluated."""
    steps = cache.prefill(prompt, lambda: False, lambda: False)
    while True:
        try:
            next(steps)
        except StopIteration as end:
            return int(end.value.evaluated)


def conversation(engine: Engine, turns: int) -> list[PromptMessage]:
    """With its last reply at the end."""
    messages = [SYSTEM]
    for turn in range(turns):
        messages.append(user(f"question {'abcdefghij'[turn % 10] * 20}"))
        messages.append(assistant(say(engine, messages).text))
    return messages


@pytest.mark.parametrize("architecture", ALL)
def test_each_turn_evaluates_only_its_own_tokens(new_engine: NewEngine, architecture: str) -> None:
    engine = new_engine(architecture)
    messages, known = [SYSTEM], 0
    for turn in range(10):
        messages.append(user(f"question {turn}"))
        end = say(engine, messages)
        if turn:
            assert end.usage.reused == known
            assert end.usage.evaluated <= engine.count_tokens([messages[-1].text])[0] + GLUE_TOKENS
        known = end.usage.context_used
        messages.append(assistant(end.text))


def test_pieces_of_a_sentencepiece_prompt_are_the_rendered_template(new_engine: NewEngine) -> None:
    engine = new_engine("llama")
    say(engine, [SYSTEM, user(" a </s> b"), assistant("c"), user("d")], tokens=1)
    pieces = [engine._model.piece(token, special=True) for token in engine._chat.tokens]
    assert (
        b"".join(pieces).decode()
        == f"<s><|system|>{SYSTEM.text}</s><|user|> a </s> b</s><|assistant|>c</s><|user|>d</s><|assistant|>"
    )
    assert pieces.count(b"</s>") == 4, "pasted control token became one"


@pytest.mark.parametrize("architecture", ALL)
def test_what_was_kept_is_what_a_fresh_evaluation_gives(new_engine: NewEngine, architecture: str) -> None:
    engine = new_engine(architecture)
    messages = conversation(engine, 6)
    edited = [*messages[:-2], user("another question")]
    whole = engine.info.context_size
    for wanted, at_most in (
        (messages[:-1], 1 + NEAR),  # the last reply again
        (edited, engine.count_tokens([edited[-1].text])[0] + GLUE_TOKENS + NEAR),
        (messages[:-3], 1 + NEAR),  # the reply before
        (messages[:2], whole),
    ):
        assert say(engine, wanted, tokens=1).usage.evaluated <= at_most
        assert state_is_right(engine)


@pytest.mark.parametrize("architecture", ALL)
def test_stopped_reply_goes_on_or_is_made_again(new_engine: NewEngine, architecture: str) -> None:
    engine = new_engine(architecture)
    messages = [*conversation(engine, 3), user("go on")]
    steps = engine.run(request(*messages, tokens=REPLY_TOKENS), FreeRun(stop=lambda: len(arrived) > 5))
    arrived: list[str] = []
    for step in steps:
        if isinstance(step, TextDelta):
            arrived.append(step.text)
    assert isinstance(step, Cancelled)
    assert step.text.startswith("".join(arrived))
    going_on = [*messages, assistant(step.text), user("and")]
    assert say(engine, going_on, tokens=1).usage.evaluated <= engine.count_tokens(["and"])[0] + GLUE_TOKENS
    assert say(engine, messages, tokens=1).usage.evaluated <= 1 + NEAR
    assert state_is_right(engine)


@pytest.mark.parametrize("architecture", ALL)
def test_stopped_prefill_keeps_what_was_evaluated(new_engine: NewEngine, architecture: str) -> None:
    engine = new_engine(architecture)
    wanted = [SYSTEM, user("a long story " * 40)]
    asked = iter(range(1000))
    enough = 0 if architecture in RECURRENT else 60  # times: those are not asked within a batch
    stopped = run(engine, request(*wanted), FreeRun(stop=lambda: next(asked) > enough)).end
    assert isinstance(stopped, Cancelled)
    assert stopped.usage.evaluated > 0
    assert say(engine, wanted, tokens=1).usage.reused == stopped.usage.evaluated
    assert state_is_right(engine)


@pytest.mark.parametrize("architecture", RECURRENT)
def test_batch_that_takes_too_long_is_broken_off_and_the_state_stays_right(
    new_engine: NewEngine, monkeypatch: pytest.MonkeyPatch, architecture: str
) -> None:
    engine = new_engine(architecture)
    messages = conversation(engine, 2)
    kept = len(engine._chat.tokens)
    monkeypatch.setattr(kv_cache, "_PATIENCE_SECONDS", 0)
    asked = iter(range(10_000))
    wanted = [*messages, user("a long story " * 40)]
    stopped = run(engine, request(*wanted), FreeRun(stop=lambda: next(asked) > 10)).end  # within a batch
    assert isinstance(stopped, Cancelled)
    assert kept - NEAR <= len(engine._chat.tokens) <= kept
    again = run(engine, request(*wanted, tokens=1)).end
    assert again.usage.reused >= kept - NEAR
    assert state_is_right(engine)


@pytest.mark.parametrize("architecture", ALL)
def test_conversation_reopened_after_a_restart_goes_on_at_once(new_engine: NewEngine, tmp_path: Path, architecture: str) -> None:
    engine = new_engine(architecture, tmp_path)
    messages = conversation(engine, 4)
    wanted = [*messages, user("go on")]
    known = engine._chat.tokens[:]
    engine.rest()
    engine.close()
    engine = new_engine(architecture, tmp_path)
    assert say(engine, wanted, tokens=1).usage.reused == len(known)
    assert state_is_right(engine)
    edited = say(engine, [*messages, user("no more")])  # to the state that came from disk
    assert edited.usage.reused >= len(known) - NEAR


@pytest.mark.parametrize("architecture", ALL)
def test_next_conversation_begins_with_the_same_system_block(new_engine: NewEngine, architecture: str) -> None:
    engine = new_engine(architecture)
    conversation(engine, 12)
    for session in ("second", "third"):
        run(engine, request(SYSTEM, user("hello"), session=session, tokens=1))
    wanted = [SYSTEM, user("good morning")]
    end = say(engine, wanted, session="fourth", tokens=1)
    assert end.usage.reused >= engine.count_tokens([SYSTEM.text])[0]
    assert state_is_right(engine)


@pytest.mark.parametrize("architecture", RECURRENT)
def test_system_block_evaluated_beforehand_is_what_new_conversations_go_back_to(new_engine: NewEngine, architecture: str) -> None:
    engine = new_engine(architecture)
    opening = run(engine, request(SYSTEM, purpose=Purpose.PREFILL)).end
    conversation(engine, 20)  # more turns than checkpoints
    end = say(engine, [SYSTEM, user("hello")], session="second")
    assert end.usage.reused == opening.usage.context_used - 1


@pytest.mark.parametrize("architecture", RECURRENT)
def test_instructions_of_background_work_are_evaluated_twice_at_most(new_engine: NewEngine, architecture: str) -> None:
    """Nobody said beforehand where they end: the second request shows it."""
    engine = new_engine(architecture)
    instructions = system("list what the user said about " + "cats and dogs " * 5)
    reused = [
        run(engine, request(instructions, user(text), purpose=Purpose.UTILITY)).end.usage.reused
        for text in ("a cat", "the dog", "neither one")
    ]
    assert reused[:2] == [0, 0]
    assert reused[2] > engine.count_tokens([instructions.text])[0]


@pytest.mark.parametrize("architecture", RECURRENT)
@pytest.mark.parametrize(("name", "limit"), [("_CHECKPOINT_BYTES", 0), ("_MOST_CHECKPOINTS", 0)])
def test_without_room_for_checkpoints_replies_are_the_same(
    new_engine: NewEngine, monkeypatch: pytest.MonkeyPatch, architecture: str, name: str, limit: int
) -> None:
    monkeypatch.setattr(kv_cache, name, limit)
    engine = new_engine(architecture)
    wanted = conversation(engine, 3)[:-1]
    assert say(engine, wanted, tokens=1).usage.reused == 0
    assert state_is_right(engine)


@pytest.mark.parametrize("architecture", ALL)
def test_nothing_of_a_forgotten_session_is_gone_back_to(new_engine: NewEngine, architecture: str) -> None:
    engine = new_engine(architecture)
    messages = conversation(engine, 3)
    states = [checkpoint.state for checkpoint in engine._chat._checkpoints]
    assert bool(states) == (architecture in RECURRENT)
    engine.forget_session("session")
    assert not any(any(state) for state in states), "left in memory"
    assert say(engine, messages[:-1]).usage.reused == 0


def test_info_and_header_say_which_models_go_back_only_a_few_turns(new_engine: NewEngine, tiny_model: TinyModel) -> None:
    assert [name for name in ALL if not new_engine(name).info.cuts_freely] == RECURRENT
    assert [name for name in ALL if read_header(tiny_model(name)).recurrent] == RECURRENT


@pytest.mark.parametrize("swa_full", [True, False])
def test_window_that_slid_is_gone_back_to_by_checkpoints(tiny_model: TinyModel, swa_full: bool) -> None:
    """What it costs when only the window is kept; with all of it kept, nothing."""
    model = LlamaModel(tiny_model("gemma3"))
    try:
        size = 2048
        kept, fresh = (KvCache(model.new_context(size, 1, swa_full=swa_full), size) for _ in range(2))
        prompt = model.tokenise("once upon a time there was a raven " * 60, special=False)
        turns = [prompt[:400], prompt[:1400], [*prompt[:500], *prompt[:20]], prompt[:1400], prompt[:400]]
        evaluated = []
        for turn in turns:
            evaluated.append(prefilled(kept, turn))
            fresh.erase()
            prefilled(fresh, turn)
            assert np.allclose(next_logits(kept), next_logits(fresh), atol=SAME)
        assert evaluated == [400, 1000, 20 if swa_full else 121, 900, 1]
        for cache in (kept, fresh):
            cache.context.close()
    finally:
        model.close()


@pytest.mark.parametrize("link", [ThreadLink, ProcessLink], ids=["thread", "process"])
@pytest.mark.parametrize("architecture", RECURRENT)
async def test_ten_turns_a_reply_made_again_and_a_stop_evaluate_each_token_once(
    tiny_model: TinyModel, link: StartLink, architecture: str
) -> None:
    model = LlamaChatModel(tiny_model(architecture), context_size=1024, threads=1, start_link=link)
    messages, evaluated = [SYSTEM], 0

    async def reply() -> Completed:
        nonlocal evaluated
        async with aclosing(model.stream(request(*messages, tokens=REPLY_TOKENS))) as events:
            end = [event async for event in events][-1]
        assert isinstance(end, Completed)
        evaluated += end.usage.evaluated
        return end

    async def stopped() -> Cancelled:
        nonlocal evaluated
        wanted = request(*messages, tokens=1000)
        async with aclosing(model.stream(wanted)) as events:
            assert isinstance(await anext(events), TextDelta)
            model.cancel(wanted.id)
            end = [event async for event in events][-1]
        assert isinstance(end, Cancelled)
        evaluated += end.usage.evaluated
        return end

    async with asyncio.timeout(60):
        for turn in range(10):
            messages.append(user(f"question {turn}"))
            end = await reply()
            messages.append(assistant(end.text))
        messages.pop()
        again = await reply()
        assert again.text == end.text or architecture != "mamba"  # whose logits differ by 0.000001
        messages += [assistant(end.text), user("more")]
        messages.append(assistant((await stopped()).text))
        messages.append(user("and more"))
        await reply()
        new = sum(await model.count_tokens([m.text for m in messages if m.role != "assistant"]))
        await model.close()
    assert evaluated <= new + (len(messages) // 2 + 1) * GLUE_TOKENS + NEAR
