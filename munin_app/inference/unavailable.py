"""The ChatModel of a machine on which no model was found: says so at every use, so that the rest of the app works on."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

from munin_app.domain.inference import ChatRequest, Failed, ModelEvent, ModelInfo
from munin_app.errors import ModelError
from munin_app.inference.session_files import forget_session_files


class UnavailableChatModel:
    info: ModelInfo | None = None

    def __init__(self, reason: str, sessions_folder: Path | None = None) -> None:
        """`reason`: one sentence for the user, what is missing and what to do. `sessions_folder`: where models that were
        there once saved sessions, so that these can be forgotten all the same."""
        self._reason = reason
        self._sessions_folder = sessions_folder

    async def load(self) -> ModelInfo:
        raise ModelError(self._reason)

    async def stream(self, request: ChatRequest) -> AsyncIterator[ModelEvent]:
        yield Failed(self._reason)

    def cancel(self, request_id: str) -> None:
        pass

    async def count_tokens(self, texts: Sequence[str]) -> list[int]:
        raise ModelError(self._reason)

    async def forget_session(self, session_id: str) -> None:
        if self._sessions_folder:
            await asyncio.to_thread(forget_session_files, self._sessions_folder, session_id)

    async def close(self) -> None:
        pass
