"""Who does the background work (facts, summaries, titles): the chat model, or a second model that the user chose for it.

The second one is loaded when it is first needed, and only beside a chat model that is loaded. Chat comes first: while a reply
or a prefill runs, it stands still. Where it cannot be used the chat model does its work.
"""

import asyncio
from collections.abc import AsyncGenerator, Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from munin_app.config import Settings
from munin_app.domain.ids import new_id
from munin_app.domain.inference import Cancelled, ChatModel, ChatRequest, ModelEvent, ModelInfo
from munin_app.errors import ModelError, ModelTooLarge
from munin_app.i18n import _
from munin_app.inference.memory_estimate import UTILITY_CONTEXT

MakeModel = Callable[[Path, Settings], ChatModel]
"""A GGUF file to a model that is not loaded yet."""


@dataclass(eq=False, slots=True)
class _Work:
    request: ChatRequest
    attempt: str = ""
    """The id under which the second model has the request."""
    interrupted: bool = False
    """By chat: it is begun again."""
    ended: bool = False
    """Cancelled, or to be forgotten: it is not."""


class UtilityModel:
    """A ChatModel for utility requests."""

    def __init__(
        self,
        chat: Callable[[], ChatModel],
        settings: Callable[[], Settings],
        make_model: MakeModel,
        tell: Callable[[str], None],
    ) -> None:
        """`chat` gives the chat model in use; `tell` is given a sentence for the user."""
        self._chat = chat
        self._settings = settings
        self._make_model = make_model
        self._tell = tell
        self._second: ChatModel | None = None
        self._failed = ""
        self._told = ""
        self._works: list[_Work] = []
        self._chatting = 0
        self._free = asyncio.Event()
        self._free.set()

    @property
    def info(self) -> ModelInfo | None:
        return (self._second or self._chat()).info

    async def load(self) -> ModelInfo:
        return await (await self._ready()).load()

    async def stream(self, request: ChatRequest) -> AsyncGenerator[ModelEvent, None]:
        """Everything comes with its end: what chat interrupted is begun again."""
        work = _Work(request)
        self._works.append(work)
        try:
            events = await self._answered(work)
        finally:
            self._works.remove(work)
        for event in events:
            yield event

    def cancel(self, request_id: str) -> None:
        for work in self._works:
            if work.request.id == request_id:
                work.ended = True
                if self._second:
                    self._second.cancel(work.attempt)
        self._chat().cancel(request_id)

    async def count_tokens(self, texts: Sequence[str]) -> list[int]:
        return await (await self._ready()).count_tokens(texts)

    async def forget_session(self, session_id: str) -> None:
        """In both models: either may have done the work."""
        for work in self._works:
            work.ended |= work.request.session_id == session_id
        await self._chat().forget_session(session_id)
        if second := self._second:
            try:
                await second.forget_session(session_id)
            except ModelError:
                if second is self._second:  # else it was released meanwhile, with all that it held
                    raise

    async def close(self) -> None:
        await self.release()

    async def chosen(self) -> None:
        """Another model was chosen in the settings: what is wrong with it may be said again."""
        self._told = ""
        await self.release()

    async def release(self, failed: str = "") -> None:
        """Gives its memory back until it is needed again; what it was doing is begun again by whichever model then does it.
        `failed`: the path of a model that is not to be tried again before the next release."""
        second, self._second, self._failed = self._second, None, failed
        if second:
            await second.close()

    @contextmanager
    def giving_way(self) -> Iterator[None]:
        """Inside, the second model stands still; what it was doing is begun again after."""
        self._chatting += 1
        self._free.clear()
        for work in self._works:
            if work.attempt and self._second:
                work.interrupted = True
                self._second.cancel(work.attempt)
        try:
            yield
        finally:
            self._chatting -= 1
            if not self._chatting:
                self._free.set()

    async def _answered(self, work: _Work) -> list[ModelEvent]:
        while True:
            model = await self._ready()
            if work.ended:
                return [Cancelled("")]
            if model is not self._second:
                return [event async for event in model.stream(work.request)]
            if not self._free.is_set():  # a reply began while it was loading
                continue
            work.attempt, work.interrupted = new_id(), False
            events = [event async for event in model.stream(replace(work.request, id=work.attempt))]
            work.attempt = ""
            released = model is not self._second
            if not (isinstance(events[-1], Cancelled) and (work.interrupted or released)):
                return events

    async def _ready(self) -> ChatModel:
        """The second model, loaded, where it is wanted and can be used; else the chat model."""
        if self._wanted() is None:
            return self._chat()
        await self._free.wait()
        path = self._wanted()
        here = path is not None and await asyncio.to_thread(path.is_file)
        if path is None or path != self._wanted():  # settings or chat model changed meanwhile
            return self._chat()
        if not here:
            await self._give_up(path, _("{path} is not there any more.").format(path=path))
            return self._chat()
        second = self._second = self._second or self._make_model(path, self._settings_of_second())
        try:
            await second.load()
        except ModelError as error:
            if second is self._second:  # else it was released meanwhile
                short = _("Memory is too short for both.")
                await self._give_up(path, short if isinstance(error, ModelTooLarge) else str(error))
        return second if second is self._second else self._chat()

    def _wanted(self) -> Path | None:
        chosen, chat = self._settings().background_model, self._chat().info
        if not chosen or chosen == self._failed or chat is None or chat.path == Path(chosen):
            return None
        return Path(chosen)

    def _settings_of_second(self) -> Settings:
        return replace(self._settings(), context_tokens=UTILITY_CONTEXT, load_anyway=False)

    async def _give_up(self, path: Path, reason: str) -> None:
        await self.release(failed=str(path))
        if self._told != str(path):
            self._told = str(path)
            self._tell(
                _("{stem} cannot do the background work, so the chat model does it. {reason}").format(
                    stem=path.stem, reason=reason
                )
            )
