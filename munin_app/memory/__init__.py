"""Vector memory: remembers messages, finds them by meaning and by words, erases them for real. Knows no chats and no UI."""

from munin_app.memory.manifest import EncoderManifest, TextEncoder
from munin_app.memory.service import MemoryService

__all__ = ["EncoderManifest", "MemoryService", "TextEncoder"]
