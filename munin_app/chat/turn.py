"""One turn, from the saved user message to the finished reply. What is shown as sent is on disk before the model starts."""

import asyncio
import logging
import time
from contextlib import aclosing
from dataclasses import replace
from typing import TYPE_CHECKING

from munin_app.domain.events import ConversationChanged, ReplyDelta, ReplyStarted, Timings, Turn, TurnFinished, Used
from munin_app.domain.inference import Cancelled, ChatRequest, Completed, Failed, ModelEvent, SamplingParams, TextDelta, Usage
from munin_app.domain.memories import RecallOutcome
from munin_app.domain.messages import Conversation, MemoryState, Message, MessageStatus, Role
from munin_app.errors import MuninError

if TYPE_CHECKING:
    from munin_app.chat.controller import ChatController

log = logging.getLogger(__name__)

SAVE_EVERY_SECONDS = 2.0
"""How much of an unfinished reply a killed process may lose."""


class RunningTurn:
    def __init__(self, controller: "ChatController", user: Message) -> None:
        self._controller = controller
        self.user = user
        self.text = ""
        self.ended = asyncio.Event()
        self._started = time.perf_counter()
        self._first_token = 0.0
        self._request_id = ""
        self._stopped = False

    def stop(self) -> None:
        self._stopped = True
        if self._request_id:
            self._controller.model.cancel(self._request_id)

    async def run(self) -> Turn | None:
        """The turn, in whatever state it ended; None when not even an empty one could be saved."""
        controller, chats = self._controller, self._controller.chats
        reply: Message | None = None
        turn: Turn | None = None
        try:
            conversation = await chats.get(self.user.conversation_id)
            reply = await chats.append(
                conversation.id,
                Role.ASSISTANT,
                "",
                parent_id=self.user.id,
                memory=self.user.memory if self.user.memory is MemoryState.OFF else MemoryState.PENDING,
                status=MessageStatus.STREAMING,
            )
            turn = await self._reply(conversation, reply)
        except Exception as error:
            if not isinstance(error, MuninError):
                log.exception("a turn failed")
            turn = await self._failed(reply, error)
        finally:
            self.ended.set()
        if turn is not None:
            controller.emit(TurnFinished(self.user.conversation_id, turn))
        controller.emit(ConversationChanged(self.user.conversation_id))
        if turn is None:
            return None
        controller.in_background(controller.remember(turn.reply))
        return turn

    async def _reply(self, conversation: Conversation, reply: Message) -> Turn:
        controller = self._controller
        controller.in_background(controller.remember(self.user))
        info = await controller.load_model()
        with_memory = controller.with_memory(conversation)
        outcome = RecallOutcome() if self._stopped else await controller.recall(conversation, self.user)
        settings = controller.settings()
        async with controller.prompts:
            path = (await controller.chats.path(conversation.id))[:-1]
            prompt = await controller.builder.next_turn(
                conversation,
                path,
                outcome.results,
                info,
                with_memory=with_memory,
                sampling=SamplingParams(temperature=settings.temperature),
                max_reply_tokens=settings.max_reply_tokens,
            )
            used = replace(await controller.chats.used_by(reply.id), left_out=prompt.left_out)
            self._request_id = prompt.request.id
        controller.emit(ReplyStarted(conversation.id, reply, used))
        end = Cancelled("") if self._stopped else await self._stream(reply, prompt.request)
        return await self._finish(conversation, reply, end, used, outcome, prompt.compacted)

    async def _stream(self, reply: Message, request: ChatRequest) -> ModelEvent:
        saved_at = time.perf_counter()
        async with aclosing(self._controller.model.stream(request)) as events:  # type: ignore[type-var]
            async for event in events:
                if not isinstance(event, TextDelta):
                    return event
                self._first_token = self._first_token or self._elapsed()
                self.text += event.text
                self._controller.emit(ReplyDelta(reply.conversation_id, reply.id, event.text))
                if self._stopped:
                    self._controller.model.cancel(request.id)
                if time.perf_counter() - saved_at > SAVE_EVERY_SECONDS:
                    saved_at = time.perf_counter()
                    await self._controller.chats.finish(reply, self.text, MessageStatus.STREAMING)
        return Failed("The model ended without a word. Try again.", self.text)

    async def _finish(
        self, conversation: Conversation, reply: Message, end: ModelEvent, used: Used, outcome: RecallOutcome, compacted: bool
    ) -> Turn:
        status, error, usage = MessageStatus.COMPLETED, "", Usage()
        if isinstance(end, Completed | Cancelled | Failed):
            self.text, usage = end.text or self.text, end.usage
        if isinstance(end, Cancelled):
            status = MessageStatus.STOPPED
        elif isinstance(end, Failed):
            status, error = MessageStatus.FAILED, end.error
        finished = await self._controller.chats.finish(reply, self.text, status, error)
        timings = Timings(self._first_token, self._elapsed(), outcome.embed_ms, outcome.search_ms)
        _log_turn(timings, usage, used, status)
        self._controller.in_background(self._controller.profile.count_uses([fact.fact_id for fact in used.facts]))
        reset = "The conversation grew beyond the model's context; its oldest part is no longer sent." if compacted else ""
        return Turn(conversation, self.user, finished, used, timings, usage, reset)

    async def _failed(self, reply: Message | None, error: Exception) -> Turn | None:
        """Whatever went wrong: the user's text and what had arrived stay, with a sentence and Retry."""
        sentence = (
            str(error) if isinstance(error, MuninError) else f"Something went wrong in Munin ({type(error).__name__}). Try again."
        )
        chats = self._controller.chats
        conversation = await chats.get(self.user.conversation_id)
        if reply is None:
            return None
        finished = await chats.finish(reply, self.text, MessageStatus.FAILED, sentence)
        return Turn(conversation, self.user, finished, timings=Timings(self._first_token, self._elapsed()))

    def _elapsed(self) -> float:
        return (time.perf_counter() - self._started) * 1000


def _log_turn(timings: Timings, usage: Usage, used: Used, status: MessageStatus) -> None:
    log.info(
        "turn %s: first token %.0f ms, total %.0f ms, embed %.1f ms, search %.1f ms; "
        "tokens evaluated %d, reused %d, generated %d (%.1f/s); facts %d, snippets %d",
        status,
        timings.first_token,
        timings.total,
        timings.embed,
        timings.search,
        usage.evaluated,
        usage.reused,
        usage.generated,
        usage.tokens_per_second,
        len(used.facts),
        len(used.snippets),
    )
