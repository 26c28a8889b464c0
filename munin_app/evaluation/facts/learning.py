"""What the app would learn from one message: its own service over a profile that is thrown away."""

import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from munin_app.bootstrap import model_library
from munin_app.config import load_settings
from munin_app.domain.facts import Fact, FactOrigin
from munin_app.domain.ids import new_id, now_ms
from munin_app.domain.inference import ChatModel
from munin_app.domain.messages import Exchange, Message, Role
from munin_app.errors import MuninError
from munin_app.i18n import _
from munin_app.inference.host import LlamaChatModel
from munin_app.paths import settings_file
from munin_app.profile import MemoryProfileService
from munin_app.profile.changes import new_fact
from munin_app.profile.document import Profile
from munin_app.profile.rules import describe
from munin_app.profile.store import ProfileStore

CONTEXT_TOKENS = 2048


@dataclass(frozen=True, slots=True)
class Learned:
    facts: tuple[Fact, ...]
    """Active now and not known before."""
    candidates: tuple[Fact, ...]
    """For the user's review."""
    repeated: tuple[Fact, ...]
    """Known before and said again in this message."""


async def learn(model: ChatModel | None, user: str, assistant: str = "", known: tuple[str, ...] = ()) -> Learned:
    """Raises MuninError when the service failed: that is no result."""
    with tempfile.TemporaryDirectory(prefix="munin-facts-") as folder:
        path = Path(folder) / "profile.json"
        if known:
            ProfileStore(path).write(Profile(facts=tuple(map(_as_if_learned, known))))
        profile = MemoryProfileService(path, model)
        await profile.open()
        said = Message(new_id(), "evaluation", None, Role.USER, user, now_ms())
        reply = Message(new_id(), "evaluation", said.id, Role.ASSISTANT, assistant, now_ms())
        learned = await profile.learn_from(Exchange(said, reply))
        await profile.close()
        if learned is None:
            raise MuninError(_("Learning from a message failed. The log says why; with --no-model only the rules run."))
        new = {one.fact.id for one in learned}
        again = (fact for fact in profile.facts if fact.id not in new and any(s.message_id == said.id for s in fact.sources))
        return Learned(tuple(one.fact for one in learned), profile.candidates, tuple(again))


def _as_if_learned(sentence: str) -> Fact:
    """As extracted: what was typed would outrank every correction in the set."""
    return new_fact(describe(sentence), FactOrigin.EXTRACTED)


@asynccontextmanager
async def utility_model(file: Path | None) -> AsyncIterator[ChatModel]:
    """The given GGUF file or the model in use, loaded. Raises ModelError and SettingsError."""
    found = await model_library().chat_model(str(file or load_settings(settings_file()).model_path))
    with tempfile.TemporaryDirectory(prefix="munin-facts-") as sessions:
        model = LlamaChatModel(found.path, context_size=CONTEXT_TOKENS, threads=None, sessions_folder=Path(sessions))
        await model.load()
        try:
            yield model
        finally:
            await model.close()
