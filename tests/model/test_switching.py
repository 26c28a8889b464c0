"""Another model, where memory holds both or only one: what fails brings the old one back. Real model, scripted memory figures."""

import multiprocessing
import threading
from collections.abc import AsyncIterator
from functools import partial
from pathlib import Path

import pytest

from munin_app import paths
from munin_app.bootstrap import Munin
from munin_app.chat.model_state import ModelStateChanged
from munin_app.config import Settings, load_settings
from munin_app.domain.inference import ChatModel, ModelInfo
from munin_app.errors import ModelError, ModelTooLarge
from munin_app.inference.host import LlamaChatModel
from munin_app.inference.links import StartLink, ThreadLink
from munin_app.inference.process_link import ProcessLink
from tests.unit.inference.gguf_files import write_gguf

pytestmark = pytest.mark.model

PLENTY = 4_000_000_000
SOME = 330_000_000  # enough for the starter model and 2,048 tokens
LITTLE = 20_000_000


class Machine:
    """Makes models; each finds the next figure of free bytes, the last one for ever. Notes which model was still there then."""

    def __init__(self, start_link: StartLink) -> None:
        self.free: list[int] = [PLENTY]
        self.beside: list[ModelInfo | None] = []
        self.munin: Munin | None = None
        self._start_link = start_link

    def make(self, path: Path, settings: Settings) -> ChatModel:
        self.beside.append(self.munin.model.info if self.munin else None)
        free = self.free.pop(0) if len(self.free) > 1 else self.free[0]
        return LlamaChatModel(
            path,
            context_size=settings.context_tokens,
            load_anyway=settings.load_anyway,
            free_memory=partial(int, free),  # a process can import it
            start_link=self._start_link,
        )


@pytest.fixture(params=[ThreadLink, ProcessLink], ids=["thread", "process"])
def machine(request: pytest.FixtureRequest) -> Machine:
    return Machine(request.param)


@pytest.fixture
async def munin(machine: Machine) -> AsyncIterator[Munin]:
    async with await Munin.start(make_model=machine.make) as munin:
        machine.munin = munin
        await munin.load_model()
        machine.beside.clear()
        yield munin


@pytest.fixture
def other(tmp_path: Path, model_path: Path) -> Path:
    link = tmp_path / "other.gguf"
    link.symlink_to(model_path)
    return link


@pytest.fixture
def broken(tmp_path: Path) -> Path:
    """Sound to look at; llama.cpp cannot load it."""
    return write_gguf(tmp_path / "novel.gguf", {"general.architecture": "novel", "tokenizer.chat_template": "x"}, data=bytes(32))


def workers() -> int:
    return sum(one.name == "munin-model" for one in (*threading.enumerate(), *multiprocessing.active_children()))


def context(munin: Munin) -> int:
    assert munin.model.info
    return munin.model.info.context_size


async def answers(munin: Munin) -> bool:
    return await munin.model.count_tokens(["Hello"]) == [1]


def phases_of(munin: Munin) -> list[str]:
    phases: list[str] = []
    munin.subscribe(lambda event: phases.append(event.state.phase) if isinstance(event, ModelStateChanged) else None)
    return phases


async def test_where_both_fit_the_old_one_stays_until_the_new_one_is_ready(munin: Munin, machine: Machine, other: Path) -> None:
    old = munin.model.info
    info = await munin.use_model_file(str(other))
    assert (machine.beside, info.path, munin.model.info) == ([old], other, info)


@pytest.mark.parametrize("beside", [LITTLE, SOME], ids=["not at all", "with less context"])
async def test_where_only_one_fits_the_old_one_goes_first(munin: Munin, machine: Machine, other: Path, beside: int) -> None:
    before, old = workers(), munin.model.info
    machine.free = [beside, PLENTY]
    await munin.use_model_file(str(other))
    assert machine.beside == [old, None], "the second try came while the old one was there"
    assert munin.model.info and munin.model.info.path == other
    assert (context(munin), munin.model_state.phase, workers()) == (8192, "ready", before)


async def test_broken_file_leaves_the_old_one_where_it_is(munin: Munin, broken: Path) -> None:
    old = munin.model
    with pytest.raises(ModelError, match="could not load"):
        await munin.use_model_file(str(broken))
    assert munin.model is old and munin.model_state.phase == "ready" and await answers(munin)


async def test_broken_file_for_which_the_old_one_had_to_go_brings_it_back(
    munin: Munin, machine: Machine, broken: Path, model_path: Path
) -> None:
    before, phases = workers(), phases_of(munin)
    machine.free = [LITTLE, PLENTY]
    with pytest.raises(ModelError, match=r"could not load .*novel"):
        await munin.use_model_file(str(broken))
    assert munin.model.info and munin.model.info.path == model_path
    assert phases[-1] == "ready" and "failed" not in phases
    assert await answers(munin) and workers() == before
    assert load_settings(paths.settings_file()).model_path == ""


async def test_model_that_fits_on_no_account_is_refused_and_loaded_anyway(
    munin: Munin, machine: Machine, other: Path, model_path: Path
) -> None:
    machine.free = [LITTLE, LITTLE, PLENTY]
    with pytest.raises(ModelTooLarge, match=r"20 MB are free\..*load it anyway"):
        await munin.use_model_file(str(other))
    assert munin.model.info and munin.model.info.path == model_path
    machine.free = [LITTLE]
    await munin.use_model_file(str(other), load_anyway=True)
    assert (munin.model.info.path, context(munin)) == (other, 2048)
    assert load_settings(paths.settings_file()).load_anyway


async def test_context_that_does_not_fit_is_refused_and_the_old_one_comes_back(munin: Munin, machine: Machine) -> None:
    machine.free = [SOME, SOME, PLENTY]
    with pytest.raises(ModelTooLarge, match="8,000 tokens"):
        await munin.change_settings(context_tokens=8000)
    assert munin.settings.context_tokens == 0 and context(munin) == 8192 and await answers(munin)


async def test_start_without_room_says_so_and_loads_on_request(machine: Machine) -> None:
    machine.free = [LITTLE]
    async with await Munin.start(make_model=machine.make) as munin:
        await munin.load_model()
        assert munin.model_state.too_large and "Close other programs" in munin.model_state.error
        await munin.change_settings(load_anyway=True)
        assert munin.model_state.phase == "ready" and not munin.model_state.too_large and await answers(munin)


async def test_short_memory_at_the_start_means_a_smaller_context(machine: Machine) -> None:
    machine.free = [SOME]
    async with await Munin.start(make_model=machine.make) as munin:
        await munin.load_model()
        assert munin.model.info and munin.model.info.squeezed and context(munin) == 2048


async def test_settings_that_cannot_be_saved_bring_the_old_one_back(
    munin: Munin, machine: Machine, other: Path, monkeypatch: pytest.MonkeyPatch, model_path: Path
) -> None:
    machine.free = [LITTLE, PLENTY]
    monkeypatch.setattr("munin_app.chat.model_switch.save_settings", ScriptedFailure())
    with pytest.raises(ModelError, match="on purpose"):
        await munin.use_model_file(str(other))
    assert munin.model.info and munin.model.info.path == model_path and await answers(munin)


class ScriptedFailure:
    def __call__(self, *arguments: object) -> None:
        raise ModelError("The disk is full on purpose.")
