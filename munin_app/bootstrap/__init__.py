"""The only composition root: what the window and the terminal start from."""

from munin_app.bootstrap.folder import closed_data_folder
from munin_app.bootstrap.munin import AppEvent, Munin, ProfileChanged
from munin_app.bootstrap.services import (
    chats_reader,
    encoder_manifest,
    known_personas,
    llama_model,
    manifest_of,
    memory_reader,
    model_library,
    profile_reader,
)

__all__ = [
    "AppEvent",
    "Munin",
    "ProfileChanged",
    "chats_reader",
    "closed_data_folder",
    "encoder_manifest",
    "known_personas",
    "llama_model",
    "manifest_of",
    "memory_reader",
    "model_library",
    "profile_reader",
]
