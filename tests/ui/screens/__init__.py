"""Every screen and state of the window, each made on the page it is given: for a test without a client, and for pictures."""

from collections.abc import Sequence

from tests.ui.screens import chat, chats, dialogs, memory, models, pages
from tests.ui.screens.stage import Scene

SCENES: Sequence[Scene] = [scene for module in (chat, chats, memory, models, pages, dialogs) for scene in module.scenes.made]
"""In this order: each finds what those before it left, but for what lies over the page."""
