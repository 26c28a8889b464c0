"""`munin doctor`: looks at every part on this machine and says what works, what does not and what to do. Changes nothing."""

import asyncio
import importlib.util
import os
import shutil
from collections.abc import Awaitable, Callable
from pathlib import Path

from filelock import FileLock, Timeout

from munin_app import paths
from munin_app.bootstrap import manifest_of, memory_reader, model_library, profile_reader
from munin_app.chat.schema import MIGRATIONS
from munin_app.config import load_settings
from munin_app.domain.memories import ArmState, ArmStatus
from munin_app.errors import MuninError
from munin_app.i18n import _, decimal
from munin_app.inference.fitting import fitting_context, gigabytes
from munin_app.inference.gguf_header import read_header
from munin_app.inference.machine import free_memory, real_cores
from munin_app.inference.memory_estimate import estimate_memory, usable_kv_type
from munin_app.locking.opening import open_by_keyring
from munin_app.locking.switching import ciphers_missing
from munin_app.memory.encoder import OnnxEmbedder
from munin_app.memory.encoder_host import EncoderHost
from munin_app.storage.database import Database
from munin_app.storage.locks import read_lock

LOW_DISK_BYTES = 1_000_000_000


async def examine() -> tuple[ArmStatus, ...]:
    """Every part, in the order in which one depends on the other. Works beside an open app."""
    first = [await _guarded("data folder", _data_folder), await _guarded("lock", _lock)]
    if first[-1].state is ArmState.OFF:
        return tuple(first)
    found = [await _guarded(name, look) for name, look in _PARTS]
    return (*first, *found, *await _memory(), *_set_aside())


async def _guarded(name: str, look: Callable[[], Awaitable[ArmStatus]]) -> ArmStatus:
    try:
        return await look()
    except (MuninError, OSError) as error:
        return ArmStatus(name, ArmState.OFF, str(error))


async def _data_folder() -> ArmStatus:
    folder = paths.data_folder()
    if not folder.exists():
        parent = next(parent for parent in folder.parents if parent.exists())
        if not os.access(parent, os.W_OK):
            return ArmStatus(
                "data folder",
                ArmState.OFF,
                _("{folder} cannot be made in {parent}.").format(folder=folder, parent=parent),
                _("Set MUNIN_HOME to another one."),
            )
        return ArmStatus(
            "data folder", ArmState.READY, _("{folder} does not exist yet; the first start makes it.").format(folder=folder)
        )
    paths.ensure_data_folder()
    free = shutil.disk_usage(folder).free
    if free < LOW_DISK_BYTES:
        return ArmStatus(
            "data folder",
            ArmState.BEHIND,
            _("{folder}: only {number} MB are free.").format(folder=folder, number=decimal(free / 1000000.0)),
            _("Free some space."),
        )
    return ArmStatus(
        "data folder",
        ArmState.READY,
        (_("{folder} (Munin is open on it)") if _in_use() else _("{folder} (no Munin is open on it)")).format(folder=folder),
    )


def _in_use() -> bool:
    if not paths.lock_file().exists():
        return False
    try:
        with FileLock(paths.lock_file()).acquire(timeout=0):
            return False
    except Timeout:
        return True


async def _settings() -> ArmStatus:
    load_settings(paths.settings_file())
    return ArmStatus(
        "settings", ArmState.READY, _("{name} is valid, or absent and the defaults hold.").format(name=paths.settings_file().name)
    )


async def _model() -> ArmStatus:
    found = await model_library().chat_model(load_settings(paths.settings_file()).model_path)
    header = read_header(found.path)
    tiny = _(" It is the tiny starter model: quick, and often wrong.") if found.tiny else ""
    slow = _(" Going back more than a few turns evaluates the conversation again: parts of it are recurrent.")
    size = decimal(found.size_bytes / 1e6)
    detail = f"{found.path.name}: {header.architecture}, {size} MB.{tiny}{slow if header.recurrent else ''}"
    return ArmStatus("model", ArmState.READY, detail)


async def _fit() -> ArmStatus:
    settings = load_settings(paths.settings_file())
    header = read_header((await model_library().chat_model(settings.model_path)).path)
    kv_type, free = usable_kv_type(header, settings.kv_type), free_memory()
    size = settings.context_tokens or fitting_context(header, kv_type, free)[0]
    size = min(size, header.context_trained or size)
    needed = estimate_memory(header, size, kv_type).total
    known = (
        _("how much is free is not known here") if free is None else _("{gigabytes} are free").format(gigabytes=gigabytes(free))
    )
    detail = _("The model takes about {gigabytes} with {size} tokens of context; {known}.").format(
        gigabytes=gigabytes(needed), size=decimal(size), known=known
    )
    if free is None or needed <= free or _in_use():  # a Munin that is open holds the model already
        return ArmStatus("fits", ArmState.READY, detail)
    return ArmStatus("fits", ArmState.BEHIND, detail, _("Close other programs, or choose a smaller model or context."))


async def _llama() -> ArmStatus:
    if importlib.util.find_spec("llama_cpp") is None:
        return ArmStatus(
            "llama.cpp", ArmState.OFF, _("llama-cpp-python is not installed: Munin cannot answer."), _("Run: make setup")
        )
    settings = load_settings(paths.settings_file())
    try:
        processor = _processor(settings.gpu_layers)
    except (OSError, RuntimeError) as error:
        return ArmStatus(
            "llama.cpp", ArmState.OFF, _("llama.cpp cannot be loaded ({error}).").format(error=error), _("Run: make clean setup")
        )
    return ArmStatus(
        "llama.cpp",
        ArmState.READY,
        _("{number} threads, {processor}.").format(number=settings.threads or real_cores(), processor=processor),
    )


def _processor(gpu_layers: int) -> str:
    from munin_app.inference.llama import supports_gpu  # loads llama.cpp

    if not supports_gpu():
        return _("no graphics processor (this build of llama.cpp uses none)")
    if gpu_layers == 0:
        return _("the graphics processor switched off in the settings")
    if gpu_layers < 0:
        return _("all layers on the graphics processor")
    return _("{number} layers on the graphics processor").format(number=gpu_layers)


async def _chats() -> ArmStatus:
    path = paths.chats_database()
    if not path.exists():
        return ArmStatus("chats", ArmState.READY, _("No conversation yet."))
    database = Database(path, MIGRATIONS, read_only=True)
    try:
        await database.open()
        verdict = await database.read(lambda connection: str(connection.pragma("integrity_check")))
        count = await database.read(lambda connection: connection.execute("SELECT count(*) FROM message").fetchall()[0][0])
    finally:
        await database.close()
    if verdict != "ok":
        return ArmStatus(
            "chats",
            ArmState.OFF,
            _("{name} is damaged: {verdict}.").format(name=path.name, verdict=verdict),
            _("Restore a copy of it, or move it away to start afresh."),
        )
    return ArmStatus("chats", ArmState.READY, _("{name} is sound, {count} messages.").format(name=path.name, count=count))


async def _profile() -> ArmStatus:
    async with profile_reader() as profile:
        return ArmStatus(
            "facts",
            ArmState.READY,
            _("{number} facts, {number2} to review.").format(number=len(profile.facts), number2=len(profile.candidates)),
        )


async def _memory() -> tuple[ArmStatus, ...]:
    if not paths.memory_database().exists():
        return (ArmStatus("memory", ArmState.READY, _("Nothing is remembered yet.")), await _guarded("encoder", _encoder))
    try:
        async with memory_reader() as memory:
            return await memory.status()
    except MuninError as error:
        return (ArmStatus("memory", ArmState.OFF, str(error)),)


async def _encoder() -> ArmStatus:
    """Loads it: where memory has none to load it for."""
    found = await model_library().find_encoder(load_settings(paths.settings_file()).encoder)
    if found is None:
        return ArmStatus(
            "encoder", ArmState.OFF, _("No encoder is here: recall goes by words only."), _("Get one: munin models get ID")
        )
    host = EncoderHost(manifest_of(found), OnnxEmbedder)
    try:
        await host.load()
    finally:
        await host.close()
    if host.problem:
        return ArmStatus("encoder", ArmState.OFF, host.problem, _("Choose another one: munin models use ID"))
    return ArmStatus(
        "encoder",
        ArmState.READY,
        _("{id} with {dimension} dimensions can be loaded.").format(id=found.id, dimension=found.entry.dimension),
    )


def _set_aside() -> tuple[ArmStatus, ...]:
    """Damaged files that were moved away, and never silently."""
    return tuple(
        _one_set_aside(path) for path in sorted(paths.data_folder().glob("*.damaged-*")) if path.suffix not in ("-wal", "-shm")
    )


def _one_set_aside(path: Path) -> ArmStatus:
    return ArmStatus(
        "set aside",
        ArmState.BEHIND,
        _("{name} was damaged and moved out of the way; Munin goes on with a fresh one.").format(name=path.name),
        _("Delete it when you do not need it. Forgetting something deletes it too, as it may hold what was forgotten."),
    )


async def _lock() -> ArmStatus:
    folder = paths.data_folder()
    if missing := ciphers_missing():
        return ArmStatus("lock", ArmState.READY, missing)
    if read_lock(folder) is None:
        return ArmStatus("lock", ArmState.READY, _("Not locked. Whoever can read this disk can read your data: munin lock on"))
    if await asyncio.to_thread(open_by_keyring, folder):
        return ArmStatus("lock", ArmState.READY, _("Locked at rest, and opened for this."))
    remedy = _("Give the passphrase, or set MUNIN_PASSPHRASE.")
    return ArmStatus("lock", ArmState.OFF, _("Locked at rest: what is in it was not looked at."), remedy)


_PARTS: tuple[tuple[str, Callable[[], Awaitable[ArmStatus]]], ...] = (
    ("settings", _settings),
    ("llama.cpp", _llama),
    ("model", _model),
    ("fits", _fit),
    ("chats", _chats),
    ("facts", _profile),
)
