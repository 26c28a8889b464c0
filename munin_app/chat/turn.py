"""One turn, from the saved user message to the finished reply. What is shown as sent is on disk before the model starts."""

import asyncio
import logging
import time
from collections.abc import Sequence
from contextlib import aclosing
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from munin_app.chat.attached.quoting import NOTHING_ATTACHED, Quotables
from munin_app.chat.sampling import sampling_for
from munin_app.domain.events import ConversationChanged, ReplyDelta, ReplyStarted, ThoughtDelta, Timings, Turn, TurnFinished, Used
from munin_app.domain.inference import (
    Cancelled,
    ChatRequest,
    Completed,
    Delta,
    Failed,
    ModelEvent,
    ModelInfo,
    ReasoningDelta,
    Usage,
)
from munin_app.domain.memories import RecallOutcome
from munin_app.domain.messages import Conversation, MemoryState, Message, MessageStatus, Role
from munin_app.errors import MuninError
from munin_app.i18n import N_, _, translated

if TYPE_CHECKING:
    from munin_app.chat.controller import ChatController

log = logging.getLogger(__name__)

SAVE_EVERY_SECONDS = 2.0
"""How much of an unfinished reply a killed process may lose."""
RAN_OUT = N_("The model ran out before it answered; it only thought. Retry, or allow it longer thoughts in its settings.")


def sentence_of(error: Exception) -> str:
    """For the user: its own, or that something went wrong which nobody foresaw."""
    if isinstance(error, MuninError):
        return str(error)
    return _("Something went wrong in Munin ({kind}). Try again.").format(kind=type(error).__name__)


class RunningTurn:
    def __init__(
        self,
        controller: "ChatController",
        user: Message,
        *,
        instruction: str = "",
        goes_on: Message | None = None,
        model_path: str = "",
    ) -> None:
        """`goes_on`: the unfinished reply that is to be gone on with; without it a new one is made. `model_path`: of the model
        that makes it; empty: the conversation's."""
        self._controller = controller
        self.user = user
        self.instruction = instruction
        self._goes_on = goes_on
        self._model_path = model_path
        # half a character at the end of a reply that was stopped is not to be gone on from
        self._begun = goes_on.text.rstrip("\ufffd") if goes_on else ""
        self.text = self._begun
        self.reasoning = goes_on.reasoning if goes_on else ""
        self.ended = asyncio.Event()
        self._started = time.perf_counter()
        self._first_token = 0.0
        self._reasoning_ms = 0.0
        self._request_id = ""
        self._stopped = asyncio.Event()
        self._holds_model = False
        self._made_by: Path | None = None

    @property
    def prompted(self) -> bool:
        """Its prompt is built: what is forgotten from now on may be in it."""
        return bool(self._request_id)

    def stop(self) -> None:
        self._stopped.set()
        if self._request_id:
            self._controller.model.cancel(self._request_id)

    async def run(self) -> Turn | None:
        """The turn, in whatever state it ended; None when not even an empty reply could be saved."""
        reply: Message | None = None
        turn: Turn | None = None
        try:
            conversation = await self._controller.chats.get(self.user.conversation_id)
            with_memory = self._controller.with_memory(conversation)
            reply = await self._begin(conversation, with_memory=with_memory)
            turn = await self._reply(conversation, reply, with_memory=with_memory)
        except Exception as error:
            log.warning("a turn failed: %s", type(error).__name__, exc_info=not isinstance(error, MuninError))
            turn = await self._failed(conversation, reply, error) if reply else None
        finally:
            if self._holds_model:
                self._controller.switch.release()
            self.ended.set()
        if turn:
            self._controller.emit(TurnFinished(self.user.conversation_id, turn))
            self._controller.in_background(self._controller.remember(turn.reply))
        self._controller.emit(ConversationChanged(self.user.conversation_id))
        return turn

    async def _begin(self, conversation: Conversation, *, with_memory: bool) -> Message:
        if self._goes_on:
            self._reasoning_ms = self._goes_on.reasoning_ms
            await self._controller.chats.set_memory([self._goes_on.id], MemoryState.PENDING)  # it is indexed anew
            return await self._save(self._goes_on, MessageStatus.STREAMING)
        return await self._controller.chats.append(
            conversation.id,
            Role.ASSISTANT,
            "",
            parent_id=self.user.id,
            memory=_memory_of_reply(self.user, with_memory=with_memory),
            status=MessageStatus.STREAMING,
        )

    async def _reply(self, conversation: Conversation, reply: Message, *, with_memory: bool) -> Turn:
        controller = self._controller
        controller.in_background(controller.remember(self.user))
        info = await self._loaded(conversation)
        if info is None:
            used = await controller.chats.used_by(reply.id) if self._goes_on else Used()
            return await self._finish(conversation, reply, Cancelled(""), used, RecallOutcome())
        path = await controller.chats.path_to(self.user)
        outcome = RecallOutcome() if self._goes_on else await controller.recall(conversation, path)
        quotables = NOTHING_ATTACHED if self._goes_on else await self._quotables(conversation, path)
        settings, persona = controller.settings().for_model(info.path), await controller.personas.get(conversation.persona_id)
        async with controller.prompts:
            usable = await controller.chats.usable([found.memory.message_id for found in outcome.results])
            prompt = await controller.builder.next_turn(
                conversation,
                path,
                [found for found in outcome.results if found.memory.message_id in usable],  # not what was forgotten since
                info,
                quotables=quotables,
                with_memory=with_memory,
                sampling=persona.sampled(sampling_for(settings, settings.set_for(info.path), info.advice)),
                max_reply_tokens=settings.max_reply_tokens,
                max_thought_tokens=settings.max_thought_tokens,
                instruction=self.instruction,
                goes_on=reply if self._goes_on else None,
            )
            used = replace(await controller.chats.used_by(reply.id), left_out=prompt.left_out)
            self._request_id = prompt.request.id
        controller.emit(ReplyStarted(conversation.id, reply, used))
        end = Cancelled("") if self._stopped.is_set() else await self._stream(reply, prompt.request)
        read_by = controller.model.info or info  # another one, when the model was started again meanwhile
        reset = controller.prefix.reason(prompt, read_by, _usage_of(end), with_memory=with_memory)
        return await self._finish(conversation, reply, end, used, outcome, reset)

    async def _quotables(self, conversation: Conversation, path: Sequence[Message]) -> Quotables:
        """A file that was just attached may take a while; Stop does not."""
        finding = asyncio.ensure_future(self._controller.quotables(conversation, path))
        if await self._before_stop(finding):
            return finding.result()
        finding.cancel()
        return NOTHING_ATTACHED

    async def _loaded(self, conversation: Conversation) -> ModelInfo | None:
        """The conversation's model, loaded, when no other turn needs another one; None when the user stopped first. Loading
        goes on for the next turn. Raises ModelError."""
        if self._model_path:
            conversation = replace(conversation, model_path=self._model_path)
        hold = asyncio.ensure_future(self._hold(conversation))
        if not await self._before_stop(hold):
            hold.cancel()
            return None
        hold.result()
        load = asyncio.ensure_future(self._controller.switch.load_for(conversation))
        if await self._before_stop(load):
            self._made_by = self._controller.switch.path
            return load.result()
        load.add_done_callback(lambda done: done.cancelled() or done.exception())  # nobody waits for it any more
        return None

    async def _hold(self, conversation: Conversation) -> None:
        await self._controller.switch.hold(conversation)
        self._holds_model = True

    async def _before_stop(self, work: asyncio.Future[Any]) -> bool:
        """Waits for both; whether the work was done first."""
        stopped = asyncio.ensure_future(self._stopped.wait())
        try:
            await asyncio.wait({work, stopped}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            stopped.cancel()
        return work.done() and not self._stopped.is_set()

    async def _stream(self, reply: Message, request: ChatRequest) -> ModelEvent:
        saved_at = time.perf_counter()
        async with aclosing(self._controller.model.stream(request)) as events:  # type: ignore[type-var]
            async for event in events:
                if not isinstance(event, Delta):
                    return event
                self._first_token = self._first_token or self._elapsed()
                self._take(reply, event)
                if self._stopped.is_set():
                    self._controller.model.cancel(request.id)
                if time.perf_counter() - saved_at > SAVE_EVERY_SECONDS:
                    saved_at = time.perf_counter()
                    await self._save(reply, MessageStatus.STREAMING)
        return Failed(_("The model ended without a word. Try again."), self.text, reasoning=self.reasoning)

    def _take(self, reply: Message, delta: Delta) -> None:
        if not self.text:  # the answer's first word ends the thought
            self._reasoning_ms = self._elapsed() - self._first_token
        if isinstance(delta, ReasoningDelta):
            self.reasoning += delta.text
            self._controller.emit(ThoughtDelta(reply.conversation_id, reply.id, delta.text))
        else:
            self.text += delta.text
            self._controller.emit(ReplyDelta(reply.conversation_id, reply.id, delta.text))

    async def _save(self, reply: Message, status: MessageStatus, error: str = "", *, truncated: bool = False) -> Message:
        thought_ms = round(self._reasoning_ms) if self.reasoning else 0
        finish = self._controller.chats.finish
        return await finish(reply, self.text, status, error, self.reasoning, thought_ms, truncated=truncated)

    async def _finish(
        self, conversation: Conversation, reply: Message, end: ModelEvent, used: Used, outcome: RecallOutcome, reset: str = ""
    ) -> Turn:
        status, error, usage = MessageStatus.COMPLETED, "", _usage_of(end)
        if not isinstance(end, Delta) and end.text:
            self.text = self._begun + end.text
        self.reasoning = _reasoning_of(end) or self.reasoning
        if isinstance(end, Cancelled):
            status = MessageStatus.STOPPED
        elif isinstance(end, Failed):
            status, error = MessageStatus.FAILED, end.error
        elif self.reasoning and not self.text:
            status, error = MessageStatus.FAILED, translated(RAN_OUT)
        truncated = isinstance(end, Completed) and end.truncated
        finished = await self._save(reply, status, error, truncated=truncated)
        timings = Timings(self._first_token, self._elapsed(), outcome.embed_ms, outcome.search_ms)
        _log_turn(timings, usage, used, status)
        self._controller.in_background(self._controller.profile.count_uses([fact.fact_id for fact in used.facts]))
        return Turn(conversation, self.user, finished, used, timings, usage, reset, truncated, self._made_by)

    async def _failed(self, conversation: Conversation, reply: Message, error: Exception) -> Turn:
        """Whatever went wrong: the user's text and what had arrived are shown, with a sentence and Retry."""
        sentence = sentence_of(error)
        try:
            reply = await self._save(reply, MessageStatus.FAILED, sentence)
        except MuninError as second:  # the disk is full, say: it cannot be kept, but it can be shown
            log.warning("a failed reply could not be saved: %s", second)
            reply = replace(reply, text=self.text, status=MessageStatus.FAILED, error=sentence, reasoning=self.reasoning)
        return Turn(conversation, self.user, reply, timings=Timings(self._first_token, self._elapsed()), model=self._made_by)

    def _elapsed(self) -> float:
        return (time.perf_counter() - self._started) * 1000


def _memory_of_reply(user: Message, *, with_memory: bool) -> MemoryState:
    """A message that was sent while memory was off may be answered again when it is on: with memory, and not indexed."""
    if not with_memory:
        return MemoryState.OFF
    return MemoryState.WIPED if user.memory is MemoryState.OFF else MemoryState.PENDING


def _usage_of(end: ModelEvent) -> Usage:
    return Usage() if isinstance(end, Delta) else end.usage


def _reasoning_of(end: ModelEvent) -> str:
    return "" if isinstance(end, Delta) else end.reasoning


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
