"""Everything that Munin holds as JSON Lines, for other programs: one record a line, each with its `type`.

docs/export.md describes the records; a test holds the two together. Reads within the memory of one conversation.
"""

from collections.abc import AsyncIterator
from dataclasses import asdict
from typing import Any

from munin_app import __version__
from munin_app.chat.attached.rows import texts
from munin_app.chat.conversations import ConversationRepository
from munin_app.chat.export import iso_time
from munin_app.chat.personas import read_personas
from munin_app.config import Settings
from munin_app.domain.attachments import Attachment
from munin_app.domain.facts import Fact
from munin_app.domain.ids import now_ms
from munin_app.domain.messages import Conversation, Message
from munin_app.domain.personas import Persona
from munin_app.memory import MemoryService
from munin_app.profile import MemoryProfileService

FORMAT, VERSION = "munin-everything", 1
MEMORIES_AT_ONCE = 500
Record = dict[str, Any]


async def records(
    settings: Settings, chats: ConversationRepository, memory: MemoryService, profile: MemoryProfileService
) -> AsyncIterator[Record]:
    """Temporary chats, and chats and messages that are deleted while Undo is offered, are left out."""
    yield {"type": "header", "format": FORMAT, "version": VERSION, "program": __version__, "exported_at": iso_time(now_ms())}
    for name, value in asdict(settings).items():
        yield {"type": "setting", "name": name, "value": value}
    for persona in await read_personas(chats.database):
        yield _persona(persona)
    for fact in (*profile.facts, *profile.candidates, *profile.history):
        yield _fact(fact)
    for conversation in await chats.list():
        yield _conversation(conversation)
        for message in await chats.messages(conversation.id):
            yield _message(message)
        for files in (await texts(chats, conversation.id)).values():
            for attachment, text in files:
                yield _attachment(attachment, text)
    offset = 0
    while page := await memory.browse(offset, MEMORIES_AT_ONCE):
        offset += len(page)
        for one in page:
            yield {"type": "memory", "message": one.message_id, "conversation": one.conversation_id, "scope": one.scope}


def _persona(persona: Persona) -> Record:
    return {
        "type": "persona",
        "id": persona.id,
        "name": persona.name,
        "instructions": persona.prompt,
        "temperature": persona.temperature,
        "top_p": persona.top_p,
        "own_memory": persona.own_memory,
        "starters": list(persona.starters),
        "model": persona.model_path,
    }


def _fact(fact: Fact) -> Record:
    return {
        "type": "fact",
        "id": fact.id,
        "text": fact.text,
        "attribute": fact.attribute,
        "value": fact.value,
        "status": fact.status.value,
        "origin": fact.origin.value,
        "created_at": iso_time(fact.created_at),
        "updated_at": iso_time(fact.updated_at),
        "pinned": fact.pinned,
        "uses": fact.uses,
        "replaced_by": fact.replaced_by,
        "scope": fact.scope,
        "sources": [
            {
                "conversation": source.conversation_id,
                "message": source.message_id,
                "start": source.start,
                "end": source.end,
                "said_at": iso_time(source.said_at),
                "extractor": source.extractor,
            }
            for source in fact.sources
        ],
    }


def _conversation(conversation: Conversation) -> Record:
    return {
        "type": "conversation",
        "id": conversation.id,
        "title": conversation.title,
        "created_at": iso_time(conversation.created_at),
        "updated_at": iso_time(conversation.updated_at),
        "leaf": conversation.leaf_id,
        "persona": conversation.persona_id,
        "pinned": conversation.pinned,
        "archived": conversation.archived,
        "memory_on": conversation.memory_on,
        "tags": list(conversation.tags),
        "model": conversation.model_path,
    }


def _message(message: Message) -> Record:
    return {
        "type": "message",
        "id": message.id,
        "conversation": message.conversation_id,
        "parent": message.parent_id,
        "role": message.role.value,
        "text": message.text,
        "created_at": iso_time(message.created_at),
        "status": message.status.value,
        "error": message.error,
        "reasoning": message.reasoning,
        "truncated": message.truncated,
        "bookmarked_at": None if message.bookmarked_at is None else iso_time(message.bookmarked_at),
        "memory": message.memory.value,
    }


def _attachment(attachment: Attachment, text: str) -> Record:
    return {
        "type": "attachment",
        "id": attachment.id,
        "conversation": attachment.conversation_id,
        "message": attachment.message_id,
        "name": attachment.name,
        "kind": attachment.kind.value,
        "size": attachment.size,
        "pages": attachment.pages,
        "cut": attachment.cut,
        "created_at": iso_time(attachment.created_at),
        "text": text,
    }
