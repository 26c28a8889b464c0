"""Builds what a follow-up turn stands on: facts, older messages to recall, and a conversation of a given length.

The messages are written straight to munin.db, as if said before; only evaluating them costs time.
"""

from dataclasses import dataclass, replace

import apsw

from munin_app.bootstrap import Munin
from munin_app.chat import parts
from munin_app.chat.parts import Kind, Part, Place
from munin_app.chat.rendering import PERSONA, system_text
from munin_app.domain.inference import PromptMessage, PromptRole
from munin_app.domain.messages import MemoryState, Message, MessageStatus, Role
from munin_app.evaluation.speed import texts

GLUE_TOKENS = 5
"""About what a chat template puts around one message."""


@dataclass(frozen=True, slots=True)
class Stage:
    """A conversation, and the reply that every measured turn follows."""

    conversation_id: str
    base: Message


async def fill_memory(munin: Munin) -> None:
    """Facts by hand, and a conversation whose messages are remembered."""
    for fact in texts.FACTS:
        await munin.profile.add(fact)
    conversation = await munin.chats.create()
    parent: Message | None = None
    for topic in texts.TOPICS:
        parent = await _say(munin, conversation.id, Role.USER, texts.earlier_message(topic), parent, MemoryState.PENDING)
        await munin.controller.remember(parent)


async def build_conversation(munin: Munin, turns: int, context_tokens: int) -> Stage:
    """`turns` exchanges, about `context_tokens` in all: short ones, after a pasted document that makes up the rest.

    Documents of several conversations begin alike, so that the second takes less time to evaluate than the first.
    """
    exchanges = [(texts.question(n), texts.answer(n)) for n in range(turns)]
    exchanges[0] = (await _opening(munin, exchanges, context_tokens), exchanges[0][1])
    conversation = await munin.chats.create()
    reply: Message | None = None
    for question, answer in exchanges:
        user = await _say(munin, conversation.id, Role.USER, question, reply, MemoryState.OFF)
        if reply is None:
            await _take_system_block(munin, user)
        reply = await _say(munin, conversation.id, Role.ASSISTANT, answer, user, MemoryState.OFF)
    assert reply is not None
    return Stage(conversation.id, reply)


async def return_to(munin: Munin, stage: Stage) -> None:
    """The next message follows the stage's base, whose state is in the KV cache, and nothing beyond it."""
    await munin.chats.move_leaf(stage.base)
    info = await munin.model.load()
    opening = await munin.controller.builder.prefill(await munin.chats.get(stage.conversation_id), info, with_memory=True)
    other_words = PromptMessage(PromptRole.USER, "-")  # take the place of those of the turn that was measured before
    async for _ in munin.model.stream(replace(opening, messages=(*opening.messages, other_words), keep=False)):
        pass


async def _opening(munin: Munin, exchanges: list[tuple[str, str]], context_tokens: int) -> str:
    said = [text for exchange in exchanges for text in exchange]
    system, sentence, *counts = await munin.model.count_tokens([_system_text(munin), texts.sentence(1), *said])
    room = context_tokens - system - sum(counts) - GLUE_TOKENS * (len(said) + 1)
    sentences = room // (sentence + 1)
    return f"{texts.document(sentences)}\n\n{exchanges[0][0]}" if sentences > 0 else exchanges[0][0]


async def _take_system_block(munin: Munin, user: Message) -> None:
    """As at a conversation's first turn; else every branch would take its own."""
    block = _system_parts(munin)

    def save(connection: apsw.Connection) -> None:
        parts.save(connection, user.conversation_id, user.id, Place.SYSTEM, block)

    await munin.chats.store(user.conversation_id).write(save)


def _system_parts(munin: Munin) -> tuple[Part, ...]:
    return (Part(Kind.PERSONA, "default", PERSONA), *(Part(Kind.FACT, fact.id, fact.text) for fact in munin.profile.facts))


def _system_text(munin: Munin) -> str:
    return system_text(_system_parts(munin), with_memory=True)


async def _say(munin: Munin, conversation_id: str, role: Role, text: str, parent: Message | None, memory: MemoryState) -> Message:
    return await munin.chats.append(
        conversation_id,
        role,
        text,
        parent_id=parent.id if parent else None,
        memory=memory,
        status=MessageStatus.COMPLETED,
    )
