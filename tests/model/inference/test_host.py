"""LlamaChatModel on the real starter model, in a thread and in a process: what the rest of Munin sees of it."""

import asyncio
import multiprocessing
import statistics
import threading
import time
from collections.abc import AsyncIterator, Callable
from contextlib import aclosing
from functools import partial
from pathlib import Path

import pytest
import pytest_asyncio

from munin_app.domain.inference import (
    Cancelled,
    ChatModel,
    ChatRequest,
    Completed,
    Failed,
    ModelEvent,
    Purpose,
    ReasoningDelta,
    TextDelta,
)
from munin_app.errors import ChatTemplateError, ModelError
from munin_app.inference.host import LlamaChatModel
from munin_app.inference.links import ThreadLink
from munin_app.inference.process_link import ProcessLink
from tests.unit.inference.gguf_files import with_template, write_gguf
from tests.unit.inference.reasoning_templates import R1_LIKE
from tests.unit.inference.requests import LONG_TEXT, assistant, request, system, user

pytestmark = [pytest.mark.model, pytest.mark.asyncio(loop_scope="module")]

STOP_SECONDS = 0.3
BUSY_STOP_SECONDS = 3
"""Other programs may be at work on this machine; without a stop it takes much longer."""


NewModel = Callable[..., LlamaChatModel]


@pytest.fixture(scope="module", params=[ThreadLink, ProcessLink], ids=["thread", "process"])
def new_model(request: pytest.FixtureRequest) -> NewModel:
    return partial(LlamaChatModel, start_link=request.param)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def model(new_model: NewModel, model_path: Path) -> AsyncIterator[LlamaChatModel]:
    model = new_model(model_path, context_size=2048)
    await model.load()
    yield model
    await model.close()


async def collect(model: ChatModel, wanted: ChatRequest) -> list[ModelEvent]:
    return [event async for event in model.stream(wanted)]


async def end_of(model: ChatModel, wanted: ChatRequest) -> ModelEvent:
    return (await collect(model, wanted))[-1]


def workers() -> int:
    """Threads and processes."""
    return sum(one.name.startswith("munin-model") for one in (*threading.enumerate(), *multiprocessing.active_children()))


async def test_deltas_then_exactly_one_end(model: LlamaChatModel) -> None:
    *deltas, end = await collect(model, request(user("Hello"), session="deltas", tokens=8))
    assert all(isinstance(delta, TextDelta) for delta in deltas)
    assert isinstance(end, Completed)
    assert "".join(delta.text for delta in deltas if isinstance(delta, TextDelta)) == end.text


async def stop_while_decoding(model: LlamaChatModel) -> float:
    """Seconds that it took."""
    wanted = request(user("Write a very long story"), tokens=1000)
    async with aclosing(model.stream(wanted)) as events:
        await anext(events)
        asked = time.monotonic()
        model.cancel(wanted.id)
        rest = [event async for event in events]
    assert isinstance(rest[-1], Cancelled)
    return time.monotonic() - asked


async def stop_during_prefill(model: LlamaChatModel, text: str = LONG_TEXT) -> float:
    """Seconds that it took."""
    wanted = request(user(text), session="long")
    ending = asyncio.ensure_future(end_of(model, wanted))
    await asyncio.sleep(0.4)  # well inside the prefill: there is no event to wait for
    asked = time.monotonic()
    model.cancel(wanted.id)
    end = await ending
    assert isinstance(end, Cancelled)
    assert end.usage.evaluated < 1400
    return time.monotonic() - asked


async def test_stop_takes_effect_at_once_while_decoding(model: LlamaChatModel) -> None:
    assert await stop_while_decoding(model) < BUSY_STOP_SECONDS


async def test_stop_takes_effect_at_once_during_a_long_prefill(model: LlamaChatModel) -> None:
    assert await stop_during_prefill(model) < BUSY_STOP_SECONDS


async def test_stop_ends_a_thought_too(new_model: NewModel, tmp_path: Path, model_path: Path) -> None:
    """The prompt opens a thought that this model never closes."""
    model = new_model(with_template(model_path, tmp_path / "thinking.gguf", R1_LIKE), context_size=1024)
    wanted = request(user("Write a very long story"), tokens=600)
    async with aclosing(model.stream(wanted)) as events:
        assert isinstance(await anext(events), ReasoningDelta)
        model.cancel(wanted.id)
        end = [event async for event in events][-1]
    assert isinstance(end, Cancelled) and end.reasoning and not end.text
    await model.close()


@pytest.mark.slow
async def test_twenty_stops_of_twenty_take_effect_at_once(model: LlamaChatModel) -> None:
    decoding = [await stop_while_decoding(model) for _ in range(20)]
    prefilling = [await stop_during_prefill(model, f"{number} {LONG_TEXT}") for number in range(20)]
    assert statistics.median(decoding + prefilling) < STOP_SECONDS and max(decoding + prefilling) < BUSY_STOP_SECONDS


async def test_prefill_gives_way_to_a_reply_and_its_tokens_are_kept(model: LlamaChatModel) -> None:
    prefill = request(system(LONG_TEXT), session="opening", purpose=Purpose.PREFILL)
    opening = asyncio.ensure_future(end_of(model, prefill))
    await asyncio.sleep(0.5)
    reply = await end_of(model, request(user("Hi"), session="urgent", tokens=1))
    assert isinstance(reply, Completed)
    assert isinstance(await opening, Cancelled)


async def test_utility_work_gives_way_to_chat(model: LlamaChatModel) -> None:
    utility = request(user(LONG_TEXT), purpose=Purpose.UTILITY)
    background = asyncio.ensure_future(end_of(model, utility))
    await asyncio.sleep(0.2)
    reply = await end_of(model, request(user("Hi"), session="hurry", tokens=2))
    assert isinstance(reply, Completed)
    assert not background.done()
    model.cancel(utility.id)
    assert isinstance(await background, Cancelled)


async def test_leaving_the_stream_cancels_the_request(model: LlamaChatModel) -> None:
    async with aclosing(model.stream(request(user("Write a very long story"), tokens=1000))) as events:
        await anext(events)
    asked = time.monotonic()
    assert isinstance(await end_of(model, request(user("Hi"), session="after", tokens=1)), Completed)
    assert time.monotonic() - asked < 10, "the request that was left runs on"


async def test_sessions_can_run_side_by_side(model: LlamaChatModel) -> None:
    names = ("one", "two", "three")
    ends = await asyncio.gather(*(end_of(model, request(user(f"Say {name}"), session=name, tokens=3)) for name in names))
    assert all(isinstance(end, Completed) for end in ends)


async def test_forgotten_session_is_evaluated_anew(model: LlamaChatModel) -> None:
    first = await end_of(model, request(user("Hello there"), session="secret", tokens=2))
    await model.forget_session("secret")
    again = await end_of(model, request(user("Hello there"), assistant(first.text), user("Go on"), session="secret", tokens=1))
    assert isinstance(again, Completed)
    assert again.usage.reused == 0


async def test_tokens_are_counted_as_content(model: LlamaChatModel) -> None:
    assert await model.count_tokens(["", "Hello", "<|im_end|>"]) == [0, 1, 7]


async def test_unknown_ids_are_ignored(model: LlamaChatModel) -> None:
    model.cancel("nobody")
    await model.forget_session("nobody")


async def test_running_request_is_not_started_twice(model: LlamaChatModel) -> None:
    wanted = request(user("Hi"), session="twice", tokens=3)
    first, second = await asyncio.gather(end_of(model, wanted), end_of(model, wanted))
    assert isinstance(first, Completed)
    assert isinstance(second, Failed)


async def test_event_loop_is_never_blocked(new_model: NewModel, model_path: Path) -> None:
    late: list[float] = []

    async def watch() -> None:
        while True:
            before = time.monotonic()
            await asyncio.sleep(0.005)
            late[-1] = max(late[-1], time.monotonic() - before - 0.005)

    watching = asyncio.ensure_future(watch())
    for _ in range(4):
        late.append(0.0)
        fresh = new_model(model_path, context_size=512)
        await end_of(fresh, request(user("Hi"), tokens=3))
        await fresh.close()
    watching.cancel()
    assert min(late) < 0.05, "every time; a busy machine is late by itself at times"


async def test_loads_at_the_first_request_and_once_for_all(new_model: NewModel, model_path: Path) -> None:
    fresh = new_model(model_path, context_size=100_000)
    assert fresh.info is None
    first, second, end = await asyncio.gather(fresh.load(), fresh.load(), end_of(fresh, request(user("Hi"), tokens=1)))
    assert first == second == fresh.info
    assert first.context_size == first.context_trained == 8192
    assert isinstance(end, Completed)
    await fresh.close()


async def test_closing_ends_running_requests_and_the_worker(new_model: NewModel, model_path: Path) -> None:
    before = workers()
    fresh = new_model(model_path, context_size=2048)
    ending = asyncio.ensure_future(end_of(fresh, request(user(LONG_TEXT))))
    await fresh.load()
    await fresh.close()
    assert isinstance(await ending, Cancelled)
    assert workers() == before
    assert isinstance(await end_of(fresh, request(user("Hi"))), Failed)
    with pytest.raises(ModelError, match="was closed"):
        await fresh.load()
    await fresh.close()


async def test_model_that_was_never_used_closes(new_model: NewModel) -> None:
    await new_model(Path("nowhere.gguf")).close()


async def test_failed_load_can_be_tried_again(new_model: NewModel, tmp_path: Path, model_path: Path) -> None:
    path = tmp_path / "late.gguf"
    late = new_model(path, context_size=512)
    with pytest.raises(ModelError, match="There is no model file"):
        await late.load()
    failed = await end_of(late, request(user("Hi")))
    assert isinstance(failed, Failed)
    assert "There is no model file" in failed.error
    path.symlink_to(model_path)
    assert (await late.load()).id == "late"
    await late.close()


@pytest.mark.parametrize("own", [None, "{% for %}"], ids=["none", "broken"])
async def test_file_without_a_usable_template_is_answered_with_the_one_it_is_made_for(
    new_model: NewModel, tmp_path: Path, model_path: Path, own: str | None
) -> None:
    path = with_template(model_path, tmp_path / "bare.gguf", own)
    bare = new_model(path, context_size=512)
    with pytest.raises(ChatTemplateError, match=r"Use ChatML, .* --template chatml") as refused:
        await bare.load()
    assert refused.value.suggested == "chatml"
    await bare.close()
    mended = new_model(path, context_size=512, template=refused.value.suggested)
    end = await end_of(mended, request(system("Be kind."), user("Hello"), tokens=8))
    assert isinstance(end, Completed) and end.text
    await mended.close()


async def test_template_that_nobody_knows_is_refused_with_those_that_are_known(new_model: NewModel, model_path: Path) -> None:
    model = new_model(model_path, template="alpaca")
    with pytest.raises(ModelError, match=r'no chat template "alpaca".*chatml, llama3'):
        await model.load()
    await model.close()


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"general.architecture": "llama"}, "has no chat template.*It is a base model, most likely"),
        ({"general.architecture": "nomic-bert"}, "is an embedding model"),
        ({"general.architecture": "llama", "llama.pooling_type": "mean"}, "is an embedding model"),
        ({"general.architecture": "llama", "general.type": "adapter"}, "of kind adapter"),
        ({"general.architecture": "novel", "tokenizer.chat_template": "x"}, "could not load .*novel"),
    ],
)
async def test_file_that_cannot_chat_says_why(new_model: NewModel, tmp_path: Path, values: dict[str, str], said: str) -> None:
    unusable = new_model(write_gguf(tmp_path / "unusable.gguf", dict(values), data=bytes(32)))
    with pytest.raises(ModelError, match=said):
        await unusable.load()
    await unusable.close()
