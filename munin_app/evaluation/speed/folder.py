"""Munin over a data folder that is thrown away: nothing of the user's is opened, but the model and encoder are theirs."""

import os
import tempfile
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path

from munin_app import paths
from munin_app.bootstrap import Munin, encoder_manifest, model_library
from munin_app.config import Settings, load_settings, save_settings
from munin_app.errors import ModelError
from munin_app.i18n import _, decimal
from munin_app.memory import EncoderManifest, MemoryService

StartMunin = Callable[[], AbstractAsyncContextManager[Munin]]


async def settings_for(model: Path | None, context_tokens: int, reply_tokens: int, threads: int) -> Settings:
    """The defaults, with the given model or the one in use. Raises ModelError and SettingsError."""
    used = load_settings(paths.settings_file())
    found = await model_library().chat_model(str(model or used.model_path))
    return replace(
        Settings(),
        model_path=str(found.path.resolve()),
        context_tokens=context_tokens,
        max_reply_tokens=reply_tokens,
        threads=used.threads or threads,
    )


@asynccontextmanager
async def throw_away_folder(settings: Settings) -> AsyncIterator[StartMunin]:
    """Yields what starts Munin on the folder: as often as wanted, one after the other."""
    manifest = await encoder_manifest(model_library())  # looked for before the folder changes: it may be the user's own
    with throw_away_home(settings):
        yield partial(_started, settings, manifest)


@asynccontextmanager
async def _started(settings: Settings, manifest: EncoderManifest | None) -> AsyncIterator[Munin]:
    """Model and memory are loaded. Raises ModelError when the model's context is smaller than the settings ask for."""
    async with await Munin.start(memory=MemoryService(paths.memory_database(), manifest)) as munin:
        await munin.memory.warm_up()
        info = await munin.model.load()
        if info.context_size < settings.context_tokens:
            raise ModelError(
                _(
                    "{name} holds {context_size} tokens; the bench needs {context_tokens}. Give a smaller "
                    "--context-tokens, or earlier --turns."
                ).format(name=info.name, context_size=decimal(info.context_size), context_tokens=decimal(settings.context_tokens))
            )
        yield munin


@contextmanager
def throw_away_home(settings: Settings) -> Iterator[None]:
    """A data folder with these settings, for as long as this lasts."""
    before = os.environ.get("MUNIN_HOME")
    with tempfile.TemporaryDirectory(prefix="munin-bench-") as folder:
        os.environ["MUNIN_HOME"] = folder
        try:
            paths.ensure_data_folder()
            save_settings(paths.settings_file(), settings)
            yield
        finally:
            if before is None:
                del os.environ["MUNIN_HOME"]
            else:
                os.environ["MUNIN_HOME"] = before
