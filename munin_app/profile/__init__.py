"""Profile facts: learning them from the user's own words, merging, storing and forgetting them."""

from munin_app.profile.service import MemoryProfileService
from munin_app.profile.tombstones import sources_of

__all__ = ["MemoryProfileService", "sources_of"]
