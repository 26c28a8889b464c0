"""Fixtures of all layers: a data folder of its own for every test, and Munin over scripted or real parts."""

import os
import shutil
import signal
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest

from munin_app import i18n, paths
from munin_app.bootstrap import Munin
from munin_app.inference.scripted import ScriptedChatModel
from munin_app.memory import EncoderManifest, MemoryService
from munin_app.memory.hashing import HashEmbedder

MEMORY_DISK = Path("/dev/shm")


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    """Data folders lie on a disk in memory where there is one: every write waits for the disk, and disks differ.

    A shell that starts the tests in the background has them ignore Ctrl+C, and every process that they start as well.
    """
    signal.signal(signal.SIGINT, signal.default_int_handler)
    if config.option.basetemp is None and os.access(MEMORY_DISK, os.W_OK):
        config.option.basetemp = MEMORY_DISK / f"munin-tests-{os.getpid()}"


def pytest_unconfigure(config: pytest.Config) -> None:
    shutil.rmtree(MEMORY_DISK / f"munin-tests-{os.getpid()}", ignore_errors=True)


StartMunin = Callable[..., Awaitable[Munin]]


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A data folder that no other test sees, and none of the models that other apps have on this machine."""
    folder = tmp_path / "home"
    monkeypatch.setenv("MUNIN_HOME", os.fspath(folder))
    monkeypatch.setenv("MUNIN_USER_HOME", os.fspath(tmp_path / "user home"))
    for name in ("OLLAMA_MODELS", "LLAMA_CACHE", "HF_HUB_CACHE", "HF_HOME", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    return folder


@pytest.fixture(autouse=True)
def english(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever this machine speaks, and whatever the test before chose."""
    monkeypatch.delenv("MUNIN_LANGUAGE", raising=False)
    monkeypatch.setenv("LANGUAGE", "en")
    i18n.use_language()


@pytest.fixture
def no_starter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Munin came without models: else its starter is the default."""
    monkeypatch.setattr(paths, "starter_models_folder", lambda: tmp_path / "no starter")


@pytest.fixture(scope="session")
def model_path() -> Path:
    """The starter model, which set-up has unpacked."""
    return next(paths.starter_models_folder().glob("*.gguf"))


@pytest.fixture
async def start_munin(home: Path) -> AsyncIterator[StartMunin]:
    """Starts Munin over `home` with a scripted model and a hashing encoder; everything else is real. Closes what was started."""
    started: list[Munin] = []

    async def start(model: ScriptedChatModel | None = None) -> Munin:
        manifest = EncoderManifest("hash", home, 64, threshold=0.3)
        memory = MemoryService(home / "munin_memory.db", manifest, load_encoder=HashEmbedder)
        munin = await Munin.start(make_model=lambda path, size: model or ScriptedChatModel(["All right."]), memory=memory)
        started.append(munin)
        await munin.load_model()
        return munin

    yield start
    for munin in started:
        await munin.close()
