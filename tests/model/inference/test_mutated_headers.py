"""500 mutated headers on the real llama.cpp, in a child process: a normal load or a clear sentence, and nothing else."""

import asyncio
import multiprocessing
import shutil
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import aclosing
from functools import partial
from multiprocessing.process import BaseProcess
from pathlib import Path

import pytest

from munin_app.domain.inference import Cancelled, Completed, Failed
from munin_app.errors import ModelError
from munin_app.inference.gguf_header import read_header
from munin_app.inference.host import LlamaChatModel
from munin_app.inference.process_link import ProcessLink
from munin_app.inference.protocol import EngineSettings
from tests.mutated_headers import mutated_bytes, mutated_file
from tests.tiny_models import tensors, tiny_model, write_tiny_model
from tests.unit.inference.child_engines import LoadsAnew
from tests.unit.inference.gguf_files import write_gguf
from tests.unit.inference.requests import request, system, user

pytestmark = [
    pytest.mark.model,
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="reads how much memory the children took"),
]

TINY, STARTER = 440, 60
HEADER_BYTES = 1_800_000
"""The starter model's header is about so long."""
SECONDS = 60
"""For one file. It takes less than one; this is for a busy machine."""
MOST_KILOBYTES = 700_000
"""A child with the starter model takes 260,000."""


@pytest.fixture
def outcomes() -> Iterator[Counter[str]]:
    counted: Counter[str] = Counter()
    yield counted
    print(dict(counted))


class Loader:
    """Loads what lies at one path, again and again, in a child that lives on until a file kills it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.most_kilobytes = 0
        """What a child that lived on held at most."""
        settings = EngineSettings(path, context_size=256, threads=1)
        self._model = LlamaChatModel(path, start_link=lambda _, emit: ProcessLink(partial(LoadsAnew, settings), emit))

    async def outcome(self) -> tuple[str, str]:
        """Its kind, and what the user is told."""
        try:
            read_header(self.path)
        except ModelError as error:
            return "refused by its header", str(error)
        wanted = request(system("be brief"), user("hello there"), tokens=3)
        async with asyncio.timeout(SECONDS), aclosing(self._model.stream(wanted)) as events:
            end = [event async for event in events][-1]
        self.most_kilobytes = max(self.most_kilobytes, *map(peak_kilobytes, multiprocessing.active_children()), 0)
        assert not isinstance(end, Cancelled)
        if isinstance(end, Completed):
            return "replied", ""
        assert isinstance(end, Failed)
        return "killed the child" if "stopped unexpectedly" in end.error else "refused by the engine", end.error

    async def close(self) -> None:
        await self._model.close()


def peak_kilobytes(child: BaseProcess) -> int:
    """0 where it has just died."""
    try:
        lines = Path(f"/proc/{child.pid}/status").read_text().splitlines()
    except OSError:
        return 0
    return sum(int(line.split()[1]) for line in lines if line.startswith("VmHWM:"))


def is_clear(sentence: str) -> bool:
    """Says what to do, and is no dump."""
    remedies = ("Choose", "choose", "Download", "Retry", "Shorten", "lower the context size", "Check its permissions")
    return any(word in sentence for word in remedies) and len(sentence) < 1000 and sentence.isprintable()


async def test_mutated_tiny_models(tmp_path: Path, outcomes: Counter[str]) -> None:
    loader = Loader(tmp_path / "mutated.gguf")
    for number in range(TINY):
        what, content = mutated_file(number)
        loader.path.write_bytes(content)
        kind, said = await loader.outcome()
        outcomes[kind] += 1
        assert kind == "replied" or is_clear(said), f"{number} ({what}): {said}"
    write_tiny_model(loader.path, "llama")
    assert await loader.outcome() == ("replied", "")
    await loader.close()
    assert 0 < loader.most_kilobytes < MOST_KILOBYTES


async def test_file_that_kills_the_child_while_it_loads_is_named(tmp_path: Path) -> None:
    values, shapes = tiny_model("llama")
    tokens = values["tokenizer.ggml.tokens"]
    assert isinstance(tokens, list)
    path = write_gguf(tmp_path / "twice.gguf", values | {"tokenizer.ggml.tokens": ["a"] * len(tokens)}, *tensors(shapes))
    model = LlamaChatModel(path, context_size=256, threads=1, start_link=ProcessLink)
    with pytest.raises(ModelError, match=r"stopped unexpectedly \(signal 6.* while .*twice\.gguf was loading.*choose another"):
        await model.load()
    write_tiny_model(path, "llama")
    assert (await model.load()).architecture == "llama"
    await model.close()


async def test_mutated_starter_model(tmp_path: Path, model_path: Path, outcomes: Counter[str]) -> None:
    path = tmp_path / "starter.gguf"
    shutil.copyfile(model_path, path)
    loader = Loader(path)
    with path.open("r+b", buffering=0) as file:
        right = file.read(HEADER_BYTES)
        for number in range(STARTER):
            what, header = mutated_bytes(right, number)
            file.seek(0)
            file.write(header)
            kind, said = await loader.outcome()
            outcomes[kind] += 1
            assert kind == "replied" or is_clear(said), f"{number} ({what}): {said}"
    await loader.close()
    assert 0 < loader.most_kilobytes < MOST_KILOBYTES
