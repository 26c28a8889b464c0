"""A conversation reopened after a restart, on the real starter model: evaluated tokens are counted, not estimated."""

import asyncio
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from munin_app.domain.inference import Cancelled, Completed, ModelEvent, PromptMessage, Purpose
from munin_app.errors import ModelError
from munin_app.inference.engine import Engine
from munin_app.inference.host import LlamaChatModel
from munin_app.inference.links import StartLink, ThreadLink
from munin_app.inference.process_link import ProcessLink
from munin_app.inference.protocol import EngineSettings
from munin_app.inference.unavailable import UnavailableChatModel
from tests.unit.inference.requests import LONG_TEXT, FreeRun, assistant, request, run, system, user

pytestmark = pytest.mark.model

OPENING = [system("Be brief."), user(LONG_TEXT[:620])]
"""About 150 tokens."""
GLUE_TOKENS = 12
"""See test_engine; the new message itself is two more."""

NewEngine = Callable[..., Engine]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "sessions"


@pytest.fixture
def new_engine(model_path: Path, folder: Path) -> Iterator[NewEngine]:
    """Each one closes the one before: a restart."""
    engines: list[Engine] = []

    def start(**settings: int) -> Engine:
        for engine in engines:
            engine.close()
        engines[:] = [Engine(EngineSettings(model_path, **{"context_size": 1024} | settings, sessions_folder=folder))]
        return engines[0]

    yield start
    for engine in engines:
        engine.close()


def first_turn(engine: Engine, session: str = "session") -> Completed | Cancelled:
    return run(engine, request(*OPENING, session=session, tokens=6, keep=True)).end


def second_turn(engine: Engine, first: Completed | Cancelled, session: str = "session") -> Completed | Cancelled:
    wanted = request(*OPENING, assistant(first.text), user("Go on"), session=session, tokens=4, keep=True)
    return run(engine, wanted).end


def saved(folder: Path) -> list[Path]:
    return list(folder.glob("*")) if folder.exists() else []


def test_reopened_conversation_evaluates_only_the_new_tokens(new_engine: NewEngine) -> None:
    engine = new_engine()
    first = first_turn(engine)
    warm = second_turn(engine, first)
    engine.forget_session("session")
    again = first_turn(engine)
    reopened = second_turn(new_engine(), again)
    assert reopened.usage.reused == first.usage.context_used > 128
    assert reopened.usage.evaluated == warm.usage.evaluated <= GLUE_TOKENS + 2
    assert reopened.text == warm.text


def test_opening_a_conversation_restores_it_before_the_user_sends(new_engine: NewEngine) -> None:
    first = first_turn(new_engine())
    engine = new_engine()
    history: list[PromptMessage] = [*OPENING, assistant(first.text)]
    opened = run(engine, request(*history, purpose=Purpose.PREFILL, keep=True)).end
    assert opened.usage.reused == first.usage.context_used
    assert second_turn(engine, first).usage.reused == opened.usage.context_used


def test_session_of_another_context_size_is_evaluated_anew(new_engine: NewEngine, folder: Path) -> None:
    first = first_turn(new_engine())
    engine = new_engine(context_size=512)
    (before,) = saved(folder)
    assert second_turn(engine, first).usage.reused == 0
    assert before.exists(), "the user may go back to that size"


def test_damaged_state_is_evaluated_anew(new_engine: NewEngine, folder: Path) -> None:
    first = first_turn(new_engine())
    engine = new_engine()
    (file,) = saved(folder)
    content = bytearray(file.read_bytes())
    content[-1000:] = bytes(1000)
    file.write_bytes(content)
    assert second_turn(engine, first).usage.reused == 0
    assert not file.exists()


def test_conversation_left_for_another_is_restored_when_it_is_opened_again(new_engine: NewEngine, folder: Path) -> None:
    engine = new_engine()
    first = first_turn(engine)
    run(engine, request(user("Hi"), session="other", tokens=1))
    again = second_turn(engine, first)
    assert again.usage.reused == first.usage.context_used
    assert len(saved(folder)) == 1


def test_forgetting_another_conversation_costs_this_one_no_evaluation(new_engine: NewEngine) -> None:
    engine = new_engine()
    run(engine, request(user("Secret"), session="other", tokens=1))
    first = first_turn(engine)
    engine.rest()
    engine.forget_session("other")
    assert second_turn(engine, first).usage.reused == first.usage.context_used


def test_conversation_that_is_not_to_be_kept_is_never_written(new_engine: NewEngine, folder: Path) -> None:
    engine = new_engine()
    run(engine, request(*OPENING, session="temporary", tokens=2))
    run(engine, request(*OPENING, session="utility", tokens=2, purpose=Purpose.UTILITY))
    engine.rest()
    first_turn(engine)
    assert not saved(folder)


def test_short_conversation_is_not_written(new_engine: NewEngine, folder: Path) -> None:
    engine = new_engine()
    run(engine, request(user("Hi"), tokens=2, keep=True))
    engine.rest()
    new_engine()
    assert not saved(folder)


def test_nothing_of_one_conversation_is_ever_written_under_the_name_of_another(new_engine: NewEngine, folder: Path) -> None:
    engine = new_engine()
    first_turn(engine)
    with pytest.raises(ModelError, match="but the context holds"):
        run(engine, request(user(LONG_TEXT), session="refused", keep=True))
    stopped = engine.run(request(user("Hi"), session="stopped", keep=True), FreeRun())
    next(stopped, None)
    stopped.close()
    new_engine()
    assert len(saved(folder)) == 1


def test_same_state_is_written_once(new_engine: NewEngine, folder: Path) -> None:
    engine = new_engine()
    first_turn(engine)
    engine.rest()
    engine._resident._files.wait()  # type: ignore[union-attr]
    (file,) = saved(folder)
    written = file.stat().st_mtime_ns
    engine.rest()
    new_engine()
    assert file.stat().st_mtime_ns == written


def test_forgotten_session_leaves_no_file_and_is_evaluated_anew(new_engine: NewEngine, folder: Path) -> None:
    engine = new_engine()
    first = first_turn(engine)
    engine.rest()
    engine.forget_session("session")
    assert not saved(folder)
    engine = new_engine()
    assert not saved(folder), "closing wrote what was forgotten"
    assert second_turn(engine, first).usage.reused == 0


def test_restoring_can_be_stopped_and_tried_again(new_engine: NewEngine) -> None:
    first = first_turn(new_engine())
    engine = new_engine()
    wanted = request(*OPENING, assistant(first.text), user("Go on"), tokens=4, keep=True)
    assert isinstance(run(engine, wanted, FreeRun(stop=lambda: True)).end, Cancelled)
    assert second_turn(engine, first).usage.reused == first.usage.context_used


@pytest.mark.parametrize("link", [ThreadLink, ProcessLink], ids=["thread", "process"])
class TestHost:
    @staticmethod
    def new_model(link: StartLink, path: Path, folder: Path) -> LlamaChatModel:
        return LlamaChatModel(path, context_size=1024, sessions_folder=folder, start_link=link)

    @staticmethod
    async def end_of(model: LlamaChatModel, *messages: PromptMessage) -> ModelEvent:
        return [event async for event in model.stream(request(*messages, tokens=4, keep=True))][-1]

    async def test_closing_saves_and_the_next_model_goes_on(self, link: StartLink, model_path: Path, folder: Path) -> None:
        model = self.new_model(link, model_path, folder)
        first = await self.end_of(model, *OPENING)
        assert isinstance(first, Completed)
        await model.close()
        model = self.new_model(link, model_path, folder)
        second = await self.end_of(model, *OPENING, assistant(first.text), user("Go on"))
        assert isinstance(second, Completed)
        assert second.usage.reused == first.usage.context_used
        await model.forget_session("session")
        await model.close()
        assert not saved(folder)

    async def test_forgetting_needs_no_worker(self, link: StartLink, model_path: Path, folder: Path) -> None:
        model = self.new_model(link, model_path, folder)
        await self.end_of(model, *OPENING)
        await model.close()
        assert saved(folder)
        await self.new_model(link, model_path, folder).forget_session("session")
        assert not saved(folder)

    async def test_forgetting_while_a_model_closes_leaves_nothing(self, link: StartLink, model_path: Path, folder: Path) -> None:
        model = self.new_model(link, model_path, folder)
        await self.end_of(model, *OPENING)
        await asyncio.gather(model.close(), self.new_model(link, model_path, folder).forget_session("session"))
        assert not saved(folder)


async def test_session_can_be_forgotten_when_no_model_is_found(new_engine: NewEngine, folder: Path) -> None:
    first_turn(new_engine())
    new_engine()
    assert saved(folder)
    await UnavailableChatModel("There is no model.", folder).forget_session("session")
    assert not saved(folder)
