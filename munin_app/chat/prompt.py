"""PromptBuilder: the append-only prompt. Earlier turns are never rendered differently, so that their KV cache stays good.

What changed since the system block was taken (facts learned or corrected, recalled snippets) goes into the newest user
turn. So do quotes of attached files. Knows nothing of how memory finds what, or how the model evaluates.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import apsw

from munin_app.chat import parts as part_rows
from munin_app.chat import summaries
from munin_app.chat.attached.quoting import NOTHING_ATTACHED, Quotables, quotes_that_fit
from munin_app.chat.budget import facts_that_fit, snippets_that_fit
from munin_app.chat.conversations import ConversationRepository
from munin_app.chat.parts import Kind, Part, Place, TurnParts
from munin_app.chat.personas import Personas
from munin_app.chat.rendering import instructed, system_text, turn_text
from munin_app.chat.used import NOTHING, facts_in, quotes_in, remembered, shown_parts, system_taken_at, without_facts
from munin_app.domain.inference import ChatModel, ChatRequest, ModelInfo, PromptMessage, PromptRole, Purpose, SamplingParams
from munin_app.domain.memories import SearchResult
from munin_app.domain.messages import Conversation, Message, Role
from munin_app.domain.personas import Persona
from munin_app.errors import MessageRefused
from munin_app.i18n import _, decimal
from munin_app.profile import MemoryProfileService

WINDOW_KEPT = 0.4
"""Of what the context has beside the reply: the share that a compaction keeps, system block included."""
GLUE_TOKENS = 8
"""Bound of what a chat template puts around one message (ChatML and Llama 3: 5 or 6)."""
REPLY_TOKENS_MIN = 64
NO_REPLY = "(no reply)"


@dataclass(frozen=True, slots=True)
class Prompt:
    request: ChatRequest
    path: tuple[str, ...]
    """Ids of the messages that it answers, from the first of the conversation to the newest, in the prompt or not."""
    system_taken_at: str
    """The message with which its system block was sent first: the last compaction, if there was one."""
    newest_tokens: int
    """Upper bound of what the newest message takes, template glue included."""
    compacted: bool
    left_out: int
    """Active facts for which there was no room."""
    persona: int = 0
    """Hash of what the model is told first; another one, another persona or one that was changed."""
    passing: int = 0
    """How many messages at its end the next prompt shows otherwise: one that came with an instruction for this reply only, or
    a reply that was gone on with."""


@dataclass(frozen=True, slots=True)
class _Draft:
    """One attempt at a prompt: the system block, the history it shows, the newest turn with its own parts."""

    system: tuple[Part, ...]
    history: tuple[Message, ...]
    newest: Message
    parts: dict[str, tuple[Part, ...]]
    """By message: what stands in front of it."""
    with_memory: bool
    with_reasoning: bool
    """That of earlier replies, for a model that is shown it again."""
    instruction: str = ""
    """Behind the newest message."""
    goes_on: Message | None = None
    """The unfinished reply that the prompt ends in."""

    def messages(self) -> tuple[PromptMessage, ...]:
        system = PromptMessage(PromptRole.SYSTEM, system_text(self.system, with_memory=self.with_memory))
        last = (self.goes_on,) if self.goes_on else ()
        return (system, *(self._shown(message) for message in (*self.history, self.newest, *last)))

    def _shown(self, message: Message) -> PromptMessage:
        if message.role is Role.ASSISTANT:
            reasoning = message.reasoning if self.with_reasoning and message.text else ""
            return PromptMessage(PromptRole.ASSISTANT, message.text or NO_REPLY, reasoning)
        text = turn_text(self.parts.get(message.id, ()), message.text, with_memory=self.with_memory)
        return PromptMessage(PromptRole.USER, instructed(text, self.instruction) if message is self.newest else text)

    @property
    def own(self) -> tuple[Part, ...]:
        return self.parts.get(self.newest.id, ())

    def with_own(self, own: tuple[Part, ...]) -> "_Draft":
        return replace(self, parts={**self.parts, self.newest.id: own})

    def facts(self) -> dict[str, str]:
        shown = (*self.history, self.newest)
        return facts_in([*self.system, *(part for message in shown for part in self.parts.get(message.id, ()))])


class PromptBuilder:
    def __init__(
        self, chats: ConversationRepository, personas: Personas, profile: MemoryProfileService, model: ChatModel
    ) -> None:
        self._chats = chats
        self._personas = personas
        self._profile = profile
        self.model = model
        self.instructions: Callable[[ModelInfo], str] = lambda info: ""
        """What the user wants a model to be told beside Munin's own words."""

    async def require_fits(self, text: str, conversation: Conversation, info: ModelInfo, *, with_memory: bool) -> None:
        """Raises MessageRefused when the message could never fit the context, whatever else is left out."""
        if len(text) > info.context_size * 64:  # no vocabulary has tokens that long: spares tokenising megabytes
            raise _too_long(_("{number} characters").format(number=decimal(len(text))), info.context_size)
        snapshot = await self._snapshot(await self._personas.get(conversation.persona_id), info, with_memory=with_memory)
        system = system_text(snapshot, with_memory=with_memory)
        taken, tokens = await self.model.count_tokens([system, text])
        room = info.context_size - taken - 3 * GLUE_TOKENS - REPLY_TOKENS_MIN
        if tokens > room:
            raise _too_long(_("{number} tokens").format(number=decimal(tokens)), max(room, 0))

    async def prefill(self, conversation: Conversation, info: ModelInfo, *, with_memory: bool) -> ChatRequest:
        """What can be evaluated before the user sends: the system block and the conversation so far."""
        path = await self._chats.path(conversation.id)
        parts = await self._load_parts(conversation)
        persona = await self._personas.get(conversation.persona_id)
        system, taken_at = await self._system(persona, path, parts, info, with_memory=with_memory)
        window = remembered(await self.window(conversation, path))
        messages: tuple[PromptMessage, ...] = (PromptMessage(PromptRole.SYSTEM, system_text(system, with_memory=with_memory)),)
        if window and window[-1].role is Role.ASSISTANT:
            shown = shown_parts(path, parts, taken_at)
            messages = _Draft(system, window[:-1], window[-1], shown, with_memory, info.keeps_reasoning).messages()
        return ChatRequest(
            conversation.id,
            messages,
            max_tokens=0,
            purpose=Purpose.PREFILL,
            started_at=conversation.created_at,
            keep=bool(path) and not conversation.temporary,
        )

    async def shown(self, conversation: Conversation, path: Sequence[Message]) -> set[str]:
        """Ids of the messages that the next prompt holds anyway, itself or as a snippet of an earlier turn, and of those that
        it replaces: earlier replies to the newest one (a retry is to answer anew), and what other branches have in place of a
        message that it holds (an edit is a correction). What was said further down there is memory like any other."""
        window = {message.id for message in await self.window(conversation, path)}
        parts = await self._load_parts(conversation)
        snippets = {part.source_id for one in window for part in parts.get(one, NOTHING).turn}
        tree = await self._chats.tree(conversation.id)
        return window | snippets | tree.others(window) | tree.below(path[-1].id)

    async def next_turn(
        self,
        conversation: Conversation,
        path: Sequence[Message],
        recalled: Sequence[SearchResult],
        info: ModelInfo,
        *,
        quotables: Quotables = NOTHING_ATTACHED,
        with_memory: bool,
        sampling: SamplingParams,
        max_reply_tokens: int,
        max_thought_tokens: int,
        instruction: str = "",
        goes_on: Message | None = None,
    ) -> Prompt:
        """The prompt that ends in `path[-1]`, a user message; the parts that are new in it are stored.

        A turn that has snippets or quotes already (a retry) keeps them. `instruction`: read for this reply only, and not stored.
        `goes_on`: the unfinished reply to that message, which the prompt ends in then; nothing else is new in it.
        """
        parts = await self._load_parts(conversation)
        window = await self.window(conversation, path)
        persona, newest = await self._personas.get(conversation.persona_id), path[-1]
        system, taken_at = await self._system(persona, path, parts, info, with_memory=with_memory)
        earlier = shown_parts(path, parts, taken_at)
        history = remembered(window[:-1])
        draft = _Draft(system, history, newest, earlier, with_memory, info.keeps_reasoning, instruction, goes_on)
        if with_memory and not goes_on:
            draft = draft.with_own(await self._own_parts(persona, draft, recalled, info))
        reserve = reply_reserve(max_reply_tokens, info.context_size)
        if not goes_on:
            draft = await self._with_quotes(draft, quotables, info, reserve)

        costs = await self._costs(draft)
        outgrown = sum(costs) + reserve > info.context_size
        if outgrown:
            draft = await self._compact(conversation, persona, path, draft, info, reserve)
            costs = await self._costs(draft)
        compacted = outgrown and len(path) > 1
        if compacted or not taken_at:
            taken_at = newest.id
        await self._save(conversation, draft, snapshot_taken=taken_at == newest.id, compacted=compacted)

        room = info.context_size - sum(costs)
        reply_tokens = min(max_reply_tokens, max(room, REPLY_TOKENS_MIN // 2))
        request = ChatRequest(
            conversation.id,
            draft.messages(),
            sampling,
            reply_tokens,
            max_thought_tokens=max(0, min(max_thought_tokens, room - reply_tokens)),
            started_at=conversation.created_at,
            keep=not conversation.temporary,
        )
        shown = draft.facts()
        left_out = sum(fact.id not in shown for fact in self._profile.facts_of(persona.scope)) if with_memory else 0
        ids = tuple(message.id for message in path)
        passing = 1 if instruction or goes_on else 0
        return Prompt(request, ids, taken_at, costs[-1], compacted, left_out, hash(persona.prompt), passing)

    async def _taken_beside(self, path: Sequence[Message], parts: Mapping[str, TurnParts]) -> str:
        """A first message that replaces another goes on from the same system block: only the message itself is evaluated."""
        if not path or path[-1].parent_id is not None:
            return ""
        beside = (await self._chats.tree(path[-1].conversation_id)).siblings(path[-1].id)
        return next((turn_id for turn_id in beside if parts.get(turn_id, NOTHING).system), "")

    async def _system(
        self,
        persona: Persona,
        path: Sequence[Message],
        parts: Mapping[str, TurnParts],
        info: ModelInfo,
        *,
        with_memory: bool,
    ) -> tuple[tuple[Part, ...], str]:
        """The system block that is valid after the path, and the turn at which it was taken. Where there is none yet, or the
        persona has changed since, it is taken anew and that turn is empty; a summary stays."""
        taken_at = system_taken_at(path, parts)
        known_at = taken_at or await self._taken_beside(path, parts)
        taken = parts[known_at].system if known_at else ()
        if any(part.kind is Kind.PERSONA and part.text == persona.prompt for part in taken):
            return taken, taken_at
        snapshot = await self._snapshot(persona, info, with_memory=with_memory)
        return (*snapshot, *(part for part in taken if part.kind is Kind.SUMMARY)), ""

    async def _snapshot(self, persona: Persona, info: ModelInfo, *, with_memory: bool) -> tuple[Part, ...]:
        """The system block as it would be taken now."""
        known = self._profile.facts_of(persona.scope) if with_memory else ()
        facts = await facts_that_fit(known, self.model, info.context_size)
        own = self.instructions(info)
        told = [Part(Kind.PERSONA, persona.id, persona.prompt), *([Part(Kind.PERSONA, "model", own)] if own else [])]
        return (*told, *(Part(Kind.FACT, fact.id, fact.text) for fact in facts))

    async def _own_parts(
        self, persona: Persona, draft: _Draft, recalled: Sequence[SearchResult], info: ModelInfo
    ) -> tuple[Part, ...]:
        """Facts that the prompt does not show in their present form, then snippets: those that the turn was sent with before
        (a retry), else what was recalled and the prompt does not hold already."""
        shown = draft.with_own(()).facts()
        missing = [fact for fact in self._profile.facts_of(persona.scope) if shown.get(fact.id) != fact.text]
        fitting = await facts_that_fit(missing, self.model, info.context_size, beside=tuple(shown.values()))
        facts = tuple(Part(Kind.FACT, fact.id, fact.text) for fact in fitting)
        if sent := without_facts(draft.own):
            return (*facts, *sent)
        texts = {_folded(message.text) for message in (*draft.history, draft.newest)}
        snippets = []
        for found in recalled:
            memory = found.memory
            if (text := _folded(memory.text)) not in texts:
                texts.add(text)  # an edited message and the one before it may be the same but for a comma
                snippets.append(Part(Kind.SNIPPET, memory.message_id, memory.text, found.similarity, found.score, found.why))
        return (*facts, *await snippets_that_fit(snippets, self.model))

    async def _with_quotes(self, draft: _Draft, quotables: Quotables, info: ModelInfo, reserve: int) -> _Draft:
        """Within what the system block, the message and the reply leave; the history makes room."""
        if quotes_in(draft.own) or not (quotables.new or quotables.earlier):
            return draft
        costs = await self._costs(draft)
        free = info.context_size - reserve - costs[0] - costs[-1]
        return draft.with_own((*draft.own, *await quotes_that_fit(quotables, self.model, info.context_size, free)))

    async def held(self, conversation: Conversation, path: Sequence[Message]) -> tuple[Part, ...]:
        """Quotes that the next prompt holds in turns before `path[-1]`."""
        parts = await self._load_parts(conversation)
        before = (await self.window(conversation, path))[:-1]
        return quotes_in([part for message in before for part in parts.get(message.id, NOTHING).turn])

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

    async def window(self, conversation: Conversation, path: Sequence[Message]) -> tuple[Message, ...]:
        """The part of the path that is in the prompt: from the last compaction's cut on, if that lies on this branch."""
        start = await self._chats.window_start(conversation.id)
        ids = [message.id for message in path]
        return tuple(path[ids.index(start) :]) if start in ids else tuple(path)

    async def _compact(
        self,
        conversation: Conversation,
        persona: Persona,
        path: Sequence[Message],
        draft: _Draft,
        info: ModelInfo,
        reserve: int,
    ) -> _Draft:
        """One large cut at a turn boundary, never a little each turn; facts are refreshed."""
        persona_and_facts = await self._snapshot(persona, info, with_memory=draft.with_memory)
        summary, until = await summaries.stored(self._chats, conversation.id)
        if not any(message.id == until for message in path):
            summary = ""
        draft = replace(draft, parts={identity: without_facts(own) for identity, own in draft.parts.items()})
        whole = (*persona_and_facts, *summaries.as_part(summary, until))
        quotes = quotes_in(draft.own)
        for system, own in ((whole, draft.own), (whole, quotes), (persona_and_facts, quotes), (persona_and_facts, ())):
            fresh = replace(draft.with_own(own), system=system)  # for a message that only just fits, less is sent along
            block, *history, newest = await self._costs(fresh)
            if block + newest + REPLY_TOKENS_MIN <= info.context_size:
                break
        window = info.context_size - reserve
        free = window - block - newest
        room = min(free, max(WINDOW_KEPT * window - block, WINDOW_KEPT / 2 * free))  # many facts leave some room all the same
        start = len(history)
        for index in range(len(history) - 1, -1, -1):
            if sum(history[index:]) > room:
                break
            if fresh.history[index].role is Role.USER:
                start = index
        return replace(fresh, history=fresh.history[start:])

    async def _costs(self, draft: _Draft) -> list[int]:
        """Upper bounds of what each message takes of the context: the system block, the history, the newest with the reply to
        it that is gone on with."""
        counts = await self.model.count_tokens([message.text + message.reasoning for message in draft.messages()])
        costs = [count + GLUE_TOKENS for count in counts]
        return [*costs[:-2], sum(costs[-2:])] if draft.goes_on else costs


def reply_reserve(max_reply_tokens: int, context_size: int) -> int:
    """Tokens that are kept free for a reply."""
    return min(max_reply_tokens, context_size // 4)


def _folded(text: str) -> str:
    return " ".join(text.casefold().split())


def _too_long(found: str, room: int) -> MessageRefused:
    return MessageRefused(
        _(
            "This message is too long for the model: {found}, and there is room for {room} tokens. Shorten it, "
            "or choose a larger context in Settings."
        ).format(found=found, room=decimal(room))
    )
