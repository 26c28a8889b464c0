"""Every screen and state of the window, each made on the page it is given: for a test without a client, and for pictures."""

from collections.abc import Sequence

from tests.ui.screens import about, appearance, chat, chats, dialogs, files, imports, lock, memory, models, pages
from tests.ui.screens.stage import Scene

_FILES = (chat, chats, memory, models, pages, dialogs, files, imports, about, lock, appearance)
SCENES: Sequence[Scene] = [scene for module in _FILES for scene in module.scenes.made]
"""In this order: each finds what those before it left, but for what lies over the page."""
