"""The same parts as for any chat, and a file to attach."""

from collections.abc import Awaitable, Callable

import pytest

from munin_app.bootstrap import Munin
from munin_app.chat.attached.files import read_content
from munin_app.domain.attachments import Attachment
from munin_app.domain.events import Turn, TurnFinished
from munin_app.inference.scripted import ScriptedChatModel
from tests.chat.conftest import Talk, munin, talk

__all__ = ["munin", "talk"]

KEY = "The boathouse key hangs behind the green door."
LONG = "\n\n".join(
    KEY if n == 70 else f"Section {n} tells of the {n} lanterns and what they weigh, at some length. " * 3 for n in range(120)
)
"""Far more than a quarter of the context; what is asked for is far from its beginning."""
ASKED = "Where hangs the boathouse key, behind which door?"
OTHER = "What do the 3 lanterns weigh?"

Attach = Callable[..., Awaitable[Attachment]]


@pytest.fixture
def model() -> ScriptedChatModel:
    return ScriptedChatModel(["All right, noted."], context_size=2048)


@pytest.fixture
def attach(munin: Munin) -> Attach:
    async def attach(text: str, name: str = "notes.md", conversation: str = "") -> Attachment:
        return await munin.controller.attachments.add(conversation, await read_content(name, text.encode()))

    return attach


Ask = Callable[..., Awaitable[Turn]]


@pytest.fixture
def ask(munin: Munin, talk: Talk, attach: Attach) -> Ask:
    """Sends with files: `ask(text, conversation, a_text, …)`."""
    turns: list[Turn] = []
    munin.subscribe(lambda event: turns.append(event.turn) if isinstance(event, TurnFinished) else None)

    async def ask(text: str, conversation: str, *files: str, name: str = "notes.md") -> Turn:
        ids = [(await attach(one, name, conversation)).id for one in files]
        await munin.controller.send(conversation, text, ids)
        await munin.controller.drain()
        return turns[-1]

    return ask
