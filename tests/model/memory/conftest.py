"""Memory over a real SQLite file; the real encoder, loaded once a session, or the hashing one where only logic matters."""

import contextlib
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest

from munin_app.domain.ids import new_id
from munin_app.domain.messages import Message, Role
from munin_app.memory import EncoderManifest, MemoryService
from munin_app.memory.encoder import OnnxEmbedder
from munin_app.memory.hashing import HashEmbedder
from munin_app.paths import starter_models_folder

HASHING = EncoderManifest("hashing", Path("nowhere"), 1024)
Build = Callable[..., MemoryService]


def said(text: str, *, id: str = "", conversation: str = "c1", at: int = 0, role: Role = Role.USER) -> Message:
    return Message(id or new_id(), conversation, None, role, text, at)


@pytest.fixture(scope="session")
def manifest() -> EncoderManifest:
    return EncoderManifest("all-MiniLM-L6-v2-int8", starter_models_folder() / "all-MiniLM-L6-v2-int8", 384)


@pytest.fixture(scope="session")
def encoder(manifest: EncoderManifest) -> OnnxEmbedder:
    return OnnxEmbedder(manifest)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "munin_memory.db"


@pytest.fixture
async def build(path: Path) -> AsyncIterator[Build]:
    """Builds services on one database with the hashing encoder unless told otherwise, and closes them."""
    built: list[MemoryService] = []

    def make(manifest: EncoderManifest | None = HASHING, **options: Any) -> MemoryService:
        service = MemoryService(path, manifest, **({"load_encoder": HashEmbedder} | options))
        built.append(service)
        return service

    yield make
    for service in built:
        with contextlib.suppress(Exception):
            await service.close()


@pytest.fixture
def real(build: Build, manifest: EncoderManifest, encoder: OnnxEmbedder) -> MemoryService:
    return build(manifest, load_encoder=lambda _: encoder)
