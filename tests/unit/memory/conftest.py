"""The real encoder, loaded once a session. Set-up put it where the app looks for it."""

import pytest

from munin_app.memory import EncoderManifest
from munin_app.memory.encoder import OnnxEmbedder
from munin_app.paths import starter_models_folder


@pytest.fixture(scope="session")
def manifest() -> EncoderManifest:
    return EncoderManifest("all-MiniLM-L6-v2-int8", starter_models_folder() / "all-MiniLM-L6-v2-int8", 384)


@pytest.fixture(scope="session")
def encoder(manifest: EncoderManifest) -> OnnxEmbedder:
    return OnnxEmbedder(manifest)
