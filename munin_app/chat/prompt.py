"""PromptBuilder: the append-only prompt. Earlier turns are never rendered differently, so that their KV cache stays good.

What changed since the system block was taken (facts learned or corrected, recalled snippets) goes into the newest user
turn. Knows nothing of how memory finds snippets or how the model evaluates.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import apsw

from munin_app.chat import parts as part_rows
from munin_app.chat import summaries
from munin_app.chat.budget import facts_that_fit, snippets_that_fit
from munin_app.chat.conversations import ConversationRepository
from munin_app.chat.parts import Kind, Part, Place, TurnParts
from munin_app.chat.rendering import PERSONA, system_text, turn_text
from munin_app.chat.used import NOTHING, facts_in, system_of
from munin_app.domain.inference import ChatModel, ChatRequest, ModelInfo, PromptMessage, PromptRole, Purpose, SamplingParams
from munin_app.domain.memories import SearchResult
from munin_app.domain.messages import Conversation, MemoryState, Message, Role
from munin_app.errors import MessageRefused
from munin_app.profile import MemoryProfileService

WINDOW_KEPT = 0.4
"""Of what the context has beside system block and reply: the share of the history that a compaction keeps."""
GLUE_TOKENS = 8
"""Bound of what a chat template puts around one message (ChatML and Llama 3: 5 or 6)."""
REPLY_TOKENS_MIN = 64
NO_REPLY = "(no reply)"


@dataclass(frozen=True, slots=True)
class Prompt:
    request: ChatRequest
    compacted: bool
    left_out: int
    """Active facts for which there was no room."""


@dataclass(frozen=True, slots=True)
class _Draft:
    """One attempt at a prompt: the system block, the history it shows, the newest turn with its own parts."""

    system: tuple[Part, ...]
    history: tuple[Message, ...]
    newest: Message
    own: tuple[Part, ...]
    parts: dict[str, TurnParts]
    with_memory: bool

    def messages(self) -> tuple[PromptMessage, ...]:
        system = PromptMessage(PromptRole.SYSTEM, system_text(self.system, with_memory=self.with_memory))
        return (system, *(self._shown(message, self._parts_of(message)) for message in (*self.history, self.newest)))

    def _parts_of(self, message: Message) -> tuple[Part, ...]:
        return self.own if message is self.newest else self.parts.get(message.id, NOTHING).turn

    def _shown(self, message: Message, own: Sequence[Part]) -> PromptMessage:
        if message.role is Role.ASSISTANT:
            return PromptMessage(PromptRole.ASSISTANT, message.text or NO_REPLY)
        return PromptMessage(PromptRole.USER, turn_text(own, message.text, with_memory=self.with_memory))

    def facts(self) -> dict[str, str]:
        turns = [self.parts.get(message.id, NOTHING) for message in self.history]
        return facts_in(self.system, [*turns, TurnParts(turn=self.own)])


class PromptBuilder:
    def __init__(self, chats: ConversationRepository, profile: MemoryProfileService, model: ChatModel) -> None:
        self._chats = chats
        self._profile = profile
        self.model = model

    async def require_fits(self, text: str, info: ModelInfo, *, with_memory: bool) -> None:
        """Raises MessageRefused when the message could never fit the context, whatever else is left out."""
        if len(text) > info.context_size * 64:  # no vocabulary has tokens that long: spares tokenising megabytes
            raise _too_long(f"{len(text):,} characters", info.context_size)
        system = system_text(await self._snapshot(info, with_memory=with_memory), with_memory=with_memory)
        taken, tokens = await self.model.count_tokens([system, text])
        room = info.context_size - taken - 3 * GLUE_TOKENS - REPLY_TOKENS_MIN
        if tokens > room:
            raise _too_long(f"{tokens:,} tokens", max(room, 0))

    async def prefill(self, conversation: Conversation, info: ModelInfo, *, with_memory: bool) -> ChatRequest:
        """What can be evaluated before the user sends: the system block and the conversation so far."""
        path = await self._chats.path(conversation.id)
        parts = await self._load_parts(conversation)
        system = system_of(path, parts) or await self._snapshot(info, with_memory=with_memory)
        window = remembered(await self._window(conversation, path))
        messages: tuple[PromptMessage, ...] = (PromptMessage(PromptRole.SYSTEM, system_text(system, with_memory=with_memory)),)
        if window and window[-1].role is Role.ASSISTANT:
            messages = _Draft(system, window[:-1], window[-1], (), parts, with_memory).messages()
        return ChatRequest(
            conversation.id,
            messages,
            max_tokens=0,
            purpose=Purpose.PREFILL,
            started_at=conversation.created_at,
            keep=bool(path) and not conversation.temporary,
        )

    async def shown(self, conversation: Conversation, path: Sequence[Message]) -> set[str]:
        """Ids of the messages that the next prompt holds anyway, itself or as a snippet of an earlier turn."""
        window = await self._window(conversation, path)
        parts = await self._load_parts(conversation)
        snippets = {part.source_id for message in window for part in parts.get(message.id, NOTHING).turn}
        return {message.id for message in window} | snippets

    async def next_turn(
        self,
        conversation: Conversation,
        path: Sequence[Message],
        recalled: Sequence[SearchResult],
        info: ModelInfo,
        *,
        with_memory: bool,
        sampling: SamplingParams,
        max_reply_tokens: int,
    ) -> Prompt:
        """The prompt that ends in `path[-1]`, a user message; the parts that are new in it are stored.

        A turn that has parts already (a retry) keeps them.
        """
        parts = await self._load_parts(conversation)
        window = await self._window(conversation, path)
        system = system_of(path, parts)
        snapshot_taken = not system
        if snapshot_taken:
            system = await self._snapshot(info, with_memory=with_memory)
        draft = _Draft(system, remembered(window[:-1]), path[-1], (), parts, with_memory)
        if path[-1].id in parts:
            draft = replace(draft, own=parts[path[-1].id].turn)
        elif with_memory:
            draft = replace(draft, own=await self._own_parts(draft, recalled, info))

        reserve = min(max_reply_tokens, info.context_size // 4)
        compacted = await self._tokens(draft) + reserve > info.context_size
        if compacted:
            draft = await self._compact(conversation, draft, info, reserve)
        await self._save(conversation, draft, snapshot_taken=snapshot_taken or compacted, compacted=compacted)

        room = info.context_size - await self._tokens(draft)
        tokens = min(max_reply_tokens, max(room, REPLY_TOKENS_MIN // 2))
        request = ChatRequest(
            conversation.id,
            draft.messages(),
            sampling,
            tokens,
            started_at=conversation.created_at,
            keep=not conversation.temporary,
        )
        shown = draft.facts()
        left_out = sum(fact.id not in shown for fact in self._profile.facts) if with_memory else 0
        return Prompt(request, compacted, left_out)

    async def _snapshot(self, info: ModelInfo, *, with_memory: bool) -> tuple[Part, ...]:
        """The system block as it would be taken now."""
        facts = await facts_that_fit(self._profile.facts, self.model, info.context_size) if with_memory else ()
        return (Part(Kind.PERSONA, "default", PERSONA), *(Part(Kind.FACT, fact.id, fact.text) for fact in facts))

    async def _own_parts(self, draft: _Draft, recalled: Sequence[SearchResult], info: ModelInfo) -> tuple[Part, ...]:
        """Facts that the prompt does not show in their present form, then snippets that it does not hold already."""
        shown = draft.facts()
        missing = [fact for fact in self._profile.facts if shown.get(fact.id) != fact.text]
        fitting = await facts_that_fit(missing, self.model, info.context_size, beside=tuple(shown.values()))
        facts = [Part(Kind.FACT, fact.id, fact.text) for fact in fitting]
        texts = {_folded(message.text) for message in (*draft.history, draft.newest)}
        snippets = [
            Part(Kind.SNIPPET, found.memory.message_id, found.memory.text, found.similarity, found.score, found.why)
            for found in recalled
            if _folded(found.memory.text) not in texts
        ]
        return (*facts, *await snippets_that_fit(snippets, self.model))

    async def _load_parts(self, conversation: Conversation) -> dict[str, TurnParts]:
        return await self._chats.store(conversation.id).read(lambda connection: part_rows.load(connection, conversation.id))

    async def _save(self, conversation: Conversation, draft: _Draft, *, snapshot_taken: bool, compacted: bool) -> None:
        start = (draft.history[0] if draft.history else draft.newest).id

        def save(connection: apsw.Connection) -> None:
            if snapshot_taken:
                part_rows.save(connection, conversation.id, draft.newest.id, Place.SYSTEM, draft.system)
            part_rows.save(connection, conversation.id, draft.newest.id, Place.TURN, draft.own)
            if compacted:
                connection.execute("UPDATE conversation SET window_start_id = ? WHERE id = ?", (start, conversation.id))

        await self._chats.store(conversation.id).write(save)

    async def _window(self, conversation: Conversation, path: Sequence[Message]) -> tuple[Message, ...]:
        """The part of the path that is in the prompt: from the last compaction's cut on, if that lies on this branch."""
        start = await self._chats.window_start(conversation.id)
        ids = [message.id for message in path]
        return tuple(path[ids.index(start) :]) if start in ids else tuple(path)

    async def _compact(self, conversation: Conversation, draft: _Draft, info: ModelInfo, reserve: int) -> _Draft:
        """One large cut at a turn boundary, never a little each turn; facts are refreshed."""
        fresh = await self._snapshot(info, with_memory=draft.with_memory)
        summary, until = await summaries.stored(self._chats, conversation.id)
        if any(message.id == until for message in draft.history):
            fresh = (*fresh, *summaries.as_part(summary, until))
        bare = replace(draft, system=fresh, history=(), own=tuple(part for part in draft.own if part.kind is Kind.SNIPPET))
        if await self._tokens(bare) + REPLY_TOKENS_MIN > info.context_size:  # a message that only just fits: snippets go
            bare = replace(bare, own=())
        base = await self._tokens(bare)
        room = int((info.context_size - reserve - base) * WINDOW_KEPT)
        turns = [index for index, message in enumerate(draft.history) if message.role is Role.USER]
        kept = bare
        for start in reversed(turns):
            candidate = replace(bare, history=draft.history[start:])
            if await self._tokens(candidate) - base > room:
                break
            kept = candidate
        return kept

    async def _tokens(self, draft: _Draft) -> int:
        """An upper bound of what the prompt takes of the context."""
        messages = draft.messages()
        return sum(await self.model.count_tokens([message.text for message in messages])) + GLUE_TOKENS * len(messages)


def remembered(path: Sequence[Message]) -> tuple[Message, ...]:
    """Without the exchanges that hold something forgotten: question and answer go together, so that roles alternate."""
    shown: list[Message] = []
    for turn in _turns(path):
        if all(message.memory is not MemoryState.FORGOTTEN for message in turn):
            answered = turn if turn[-1].role is Role.ASSISTANT else [*turn, replace(turn[-1], role=Role.ASSISTANT, text="")]
            shown += answered
    return tuple(shown)


def _turns(path: Sequence[Message]) -> list[list[Message]]:
    turns: list[list[Message]] = []
    for message in path:
        if message.role is Role.USER:
            turns.append([message])
        elif turns:
            turns[-1].append(message)
    return turns


def _folded(text: str) -> str:
    return " ".join(text.casefold().split())


def _too_long(found: str, room: int) -> MessageRefused:
    return MessageRefused(
        f"This message is too long for the model: {found}, and there is room for {room:,} tokens. "
        "Shorten it, or choose a larger context in Settings."
    )
