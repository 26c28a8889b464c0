"""The ChatModel of a machine on which no model was found: says so at every use, so that the rest of the app works on."""

from collections.abc import AsyncIterator, Sequence

from munin_app.domain.inference import ChatRequest, Failed, ModelEvent, ModelInfo
from munin_app.errors import ModelError


class UnavailableChatModel:
    info: ModelInfo | None = None

    def __init__(self, reason: str) -> None:
        """`reason`: one sentence for the user, what is missing and what to do."""
        self._reason = reason

    async def load(self) -> ModelInfo:
        raise ModelError(self._reason)

    async def stream(self, request: ChatRequest) -> AsyncIterator[ModelEvent]:
        yield Failed(self._reason)

    def cancel(self, request_id: str) -> None:
        pass

    async def count_tokens(self, texts: Sequence[str]) -> list[int]:
        raise ModelError(self._reason)

    async def forget_session(self, session_id: str) -> None:
        pass

    async def close(self) -> None:
        pass
