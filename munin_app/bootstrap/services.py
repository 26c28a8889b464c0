"""Each service as the settings and the library have it, and readers for commands that work beside an open app."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from munin_app import paths
from munin_app.chat.conversations import ConversationRepository
from munin_app.chat.personas import read_personas
from munin_app.chat.schema import MIGRATIONS
from munin_app.chat.shipped_personas import shipped
from munin_app.config import Settings, load_settings
from munin_app.domain.inference import ChatModel
from munin_app.domain.personas import Persona
from munin_app.errors import NotFound
from munin_app.inference.headers import can_chat
from munin_app.inference.host import LlamaChatModel
from munin_app.library.catalog import read_catalogs
from munin_app.library.encoders import InstalledEncoder
from munin_app.library.models import ModelLibrary
from munin_app.memory import EncoderManifest, MemoryService
from munin_app.profile import MemoryProfileService
from munin_app.storage.database import Database
from munin_app.storage.locks import key_of


def llama_model(path: Path, settings: Settings) -> ChatModel:
    return LlamaChatModel(
        path,
        context_size=settings.context_tokens,
        threads=settings.threads or None,
        sessions_folder=paths.sessions_folder(),
        sessions_key=key_of(paths.sessions_folder()),
        kv_type=settings.kv_type,
        gpu_layers=settings.gpu_layers,
        load_anyway=settings.load_anyway,
        template=settings.chat_templates.get(str(path), ""),
    )


def model_library() -> ModelLibrary:
    catalog, problem = read_catalogs(paths.catalog_file(), paths.user_catalog_file())
    return ModelLibrary(catalog, paths.user_models_folder(), paths.starter_models_folder(), problem, can_chat)


async def memory_service(library: ModelLibrary, encoder_id: str, *, read_only: bool = False) -> MemoryService:
    """With the encoder of that id (empty: the starter's). Where it is not here memory goes by words, and says why."""
    try:
        manifest, problem = await encoder_manifest(library, encoder_id), ""
    except NotFound as error:
        manifest, problem = None, str(error)
    return MemoryService(paths.memory_database(), manifest, problem=problem, read_only=read_only)


async def encoder_manifest(library: ModelLibrary, encoder_id: str = "") -> EncoderManifest | None:
    """None: there is none. Raises NotFound."""
    found = await library.find_encoder(encoder_id)
    return manifest_of(found) if found else None


def manifest_of(encoder: InstalledEncoder) -> EncoderManifest:
    """An encoder as memory wants to know it."""
    entry = encoder.entry
    measured = {} if entry.threshold is None else {"threshold": entry.threshold}
    return EncoderManifest(
        id=entry.id,
        folder=encoder.path,
        dimension=entry.dimension,
        max_tokens=entry.max_tokens,
        pooling=entry.pooling,
        query_prefix=entry.query_prefix,
        document_prefix=entry.document_prefix,
        **measured,
    )


@asynccontextmanager
async def memory_reader() -> AsyncIterator[MemoryService]:
    """Memory for commands that only read: works beside an open app, locks nothing, changes nothing."""
    settings = load_settings(paths.settings_file())
    memory = await memory_service(model_library(), settings.encoder, read_only=True)
    try:
        await memory.warm_up()
        yield memory
    finally:
        await memory.close()


@asynccontextmanager
async def profile_reader() -> AsyncIterator[MemoryProfileService]:
    """Facts for commands that only read. Raises ProfileError when profile.json is damaged or of a newer version."""
    profile = MemoryProfileService(paths.profile_file(), None, read_only=True)
    await profile.open()
    try:
        yield profile
    finally:
        await profile.close()


@asynccontextmanager
async def chats_reader() -> AsyncIterator[ConversationRepository]:
    """Chats for commands that only read. Raises StorageError when munin.db cannot be opened or was not upgraded yet."""
    database = Database(paths.chats_database(), MIGRATIONS, read_only=True)
    try:
        await database.open()
        yield ConversationRepository(database, database)
    finally:
        await database.close()


async def known_personas() -> tuple[Persona, ...]:
    """For commands that only read. Raises StorageError when munin.db cannot be opened or was not upgraded yet."""
    if not paths.chats_database().exists():
        return shipped()
    async with chats_reader() as chats:
        return await read_personas(chats.database)
