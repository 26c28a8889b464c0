"""Personas: those that are shipped, as the user changed them, and the user's own. Kept in munin.db.

What a chat remembers belongs to the scope of its persona (`Persona.scope`), and nothing else is kept of that. So a persona's
memory, and the persona of a chat, change only where nothing was said yet that would come to belong to somebody else.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import replace

import apsw

from munin_app.chat import rows
from munin_app.chat.conversations import ConversationRepository
from munin_app.chat.shipped_personas import MUNIN, shipped
from munin_app.domain.ids import new_id
from munin_app.domain.messages import DEFAULT_PERSONA, Conversation
from munin_app.domain.personas import (
    EVERYONE,
    ICONS,
    NAME_MAX_CHARACTERS,
    PROMPT_MAX_CHARACTERS,
    STARTER_MAX_CHARACTERS,
    STARTERS_MAX,
    Persona,
)
from munin_app.errors import NotFound, PersonaError
from munin_app.i18n import _, decimal
from munin_app.profile import MemoryProfileService
from munin_app.storage.database import Database

NEW = Persona("", "", "heart", "")
"""What a persona of the user's own begins with."""


async def read_personas(database: Database) -> tuple[Persona, ...]:
    """Munin first, then the other shipped ones, then the user's own, oldest first."""
    return await database.read(_load)


class Personas:
    def __init__(self, chats: ConversationRepository, profile: MemoryProfileService, changed: Callable[[], None]) -> None:
        self._chats = chats
        self._profile = profile
        self._changed = changed

    async def list(self) -> tuple[Persona, ...]:
        return await read_personas(self._chats.database)

    async def get(self, persona_id: str) -> Persona:
        """Munin where there is no such persona (any more)."""
        return next((one for one in await self.list() if one.id == persona_id), MUNIN)

    async def of(self, conversation_id: str) -> Persona:
        """Whoever answers in it; Munin when it is gone."""
        database = self._chats.store(conversation_id)
        sql = "SELECT persona_id FROM conversation WHERE id = ?"
        found = await database.read(lambda connection: rows.text(connection, sql, (conversation_id,)))
        return await self.get(found or DEFAULT_PERSONA)

    async def choose(self, conversation: Conversation, persona_id: str) -> None:
        """Who answers from now on. Raises NotFound, and PersonaError when what was said would change hands."""
        wanted, present = _named(await self.list(), persona_id), await self.of(conversation.id)
        free = conversation.temporary or wanted.scope == present.scope

        def update(connection: apsw.Connection) -> int:
            connection.execute(
                "UPDATE conversation SET persona_id = ? WHERE id = ? AND (leaf_id IS NULL OR ?)",
                (persona_id, conversation.id, free),
            )
            return connection.changes()

        if not await self._chats.store(conversation.id).write(update):
            why = _("{name} has a memory of its own, and this chat is remembered elsewhere.").format(name=wanted.name)
            if present.own_memory:
                why = _("What was said here stays with {name}, which has a memory of its own.").format(name=present.name)
            raise PersonaError(
                _("{why} Start a new chat with {name}; this one stays as it is.").format(why=why, name=wanted.name)
            )

    async def save(self, persona: Persona) -> Persona:
        """A changed persona, or a new one where the id is empty. Raises PersonaError; then nothing was changed."""
        known = await self.list()
        clean = _checked(replace(persona, id=persona.id or new_id()), known)
        before = next((one for one in known if one.id == clean.id), None)
        await self._require_same_memory(before, clean)
        await self._chats.database.write(lambda connection: _store(connection, clean, deleted=False))
        self._changed()
        return clean

    async def copy(self, persona_id: str) -> Persona:
        """The same again under another name, for the user to change. It has no chats and no facts yet."""
        known = await self.list()
        original = _named(known, persona_id)
        taken, number = {one.name.casefold() for one in known}, 2
        stem = original.name[: NAME_MAX_CHARACTERS - 4]
        while f"{stem} {number}".casefold() in taken:
            number += 1
        return await self.save(replace(original, id="", name=f"{stem} {number}"))

    async def reset(self, persona_id: str) -> Persona:
        """A shipped persona as it was shipped, also one that was deleted. Raises NotFound, PersonaError."""
        original = _named(shipped(), persona_id)
        known = await self.list()
        _checked(original, known)
        await self._require_same_memory(next((one for one in known if one.id == persona_id), None), original)
        await self._chats.database.write(lambda connection: connection.execute("DELETE FROM persona WHERE id = ?", (persona_id,)))
        self._changed()
        return original

    async def is_used(self, persona: Persona) -> bool:
        """It has chats in which something was said, deleted ones that may come back among them, or facts."""
        if persona.own_memory and self._profile.everything_of(persona.scope):
            return True
        sql = "SELECT id FROM conversation WHERE persona_id = ? AND leaf_id IS NOT NULL LIMIT 1"
        return bool(await self._chats.database.read(lambda connection: rows.text(connection, sql, (persona.id,))))

    async def _require_same_memory(self, before: Persona | None, after: Persona) -> None:
        if before and before.own_memory != after.own_memory and await self.is_used(before):
            raise PersonaError(
                _(
                    "{name} has chats or facts already, so its memory stays as it is. Copy it, and choose the other "
                    "memory for the copy."
                ).format(name=before.name)
            )

    def require_deletable(self, persona: Persona) -> None:
        if persona.id == DEFAULT_PERSONA:
            raise PersonaError(_("Munin itself stays: other chats need somebody who answers. It can be edited and reset."))

    async def conversations_of(self, persona: Persona) -> tuple[str, ...]:
        """Ids of all its chats that are on disk, deleted ones that may come back among them."""
        sql = "SELECT id FROM conversation WHERE persona_id = ?"
        return await self._chats.database.read(lambda connection: rows.column(connection, sql, (persona.id,)))

    async def hand_over(self, persona: Persona) -> None:
        """Deletes it: its chats go on with Munin, and what may be remembered of them is to be indexed anew, in Munin's scope.
        What else belongs to it is the business of `Forgetting.delete_persona`."""

        def delete(connection: apsw.Connection) -> None:
            if persona.own_memory:
                connection.execute(
                    "UPDATE message SET memory = 'pending' WHERE memory = 'indexed' "
                    "AND conversation_id IN (SELECT id FROM conversation WHERE persona_id = ?)",
                    (persona.id,),
                )
            connection.execute("UPDATE conversation SET persona_id = ? WHERE persona_id = ?", (DEFAULT_PERSONA, persona.id))
            connection.execute("DELETE FROM persona WHERE id = ?", (persona.id,))
            if any(persona.id == one.id for one in shipped()):
                _store(connection, persona, deleted=True)

        await self._chats.database.write(delete)
        self._changed()

    async def missing(self) -> tuple[Persona, ...]:
        """Shipped ones that the user deleted."""
        there = {one.id for one in await self.list()}
        return tuple(one for one in shipped() if one.id not in there)


def by_name(personas: Sequence[Persona], name: str) -> Persona:
    """Case is folded. Raises NotFound, which names those that there are."""
    for persona in personas:
        if persona.name.casefold() == name.strip().casefold():
            return persona
    raise NotFound(
        _("There is no persona “{name}”. There are: {names}.").format(name=name, names=", ".join(one.name for one in personas))
    )


def _named(personas: Sequence[Persona], persona_id: str) -> Persona:
    for persona in personas:
        if persona.id == persona_id:
            return persona
    raise NotFound(_("There is no such persona any more: it was deleted meanwhile. Choose another one."))


def _checked(persona: Persona, known: Sequence[Persona]) -> Persona:
    """Cleaned. Raises PersonaError that says what to change."""
    name, prompt = " ".join(persona.name.split()), persona.prompt.strip()
    if not name or len(name) > NAME_MAX_CHARACTERS:
        raise PersonaError(
            _("The name has {number} characters; 1 to {name_max_characters} are needed. Change it.").format(
                number=len(name), name_max_characters=NAME_MAX_CHARACTERS
            )
        )
    if name.casefold() == EVERYONE or any(one.name.casefold() == name.casefold() and one.id != persona.id for one in known):
        raise PersonaError(_("There is a persona “{name}” already. Choose another name.").format(name=name))
    if not prompt or len(prompt) > PROMPT_MAX_CHARACTERS:
        raise PersonaError(
            _("The instructions have {number} characters; 1 to {prompt_max_characters} are needed. Change them.").format(
                number=decimal(len(prompt)), prompt_max_characters=decimal(PROMPT_MAX_CHARACTERS)
            )
        )
    if persona.temperature is not None and not 0 <= persona.temperature <= 2:
        raise PersonaError(
            _("The temperature is {temperature}; expected 0 to 2. Change it, or leave it empty.").format(
                temperature=f"{persona.temperature:g}"
            )
        )
    if persona.top_p is not None and not 0 < persona.top_p <= 1:
        raise PersonaError(
            _("Top p is {top_p}; expected more than 0, at most 1. Change it, or leave it empty.").format(
                top_p=f"{persona.top_p:g}"
            )
        )
    starters = tuple(one for one in persona.starters if one.strip())
    if len(starters) > STARTERS_MAX or any(len(one) > STARTER_MAX_CHARACTERS for one in starters):
        raise PersonaError(
            _("At most {starters_max} starters of {starter_max_characters} characters each. Shorten them.").format(
                starters_max=STARTERS_MAX, starter_max_characters=STARTER_MAX_CHARACTERS
            )
        )
    icon = persona.icon if persona.icon in ICONS else NEW.icon
    return replace(persona, name=name, prompt=prompt, icon=icon, starters=starters)


def _load(connection: apsw.Connection) -> tuple[Persona, ...]:
    kept: dict[str, Persona | None] = {}
    found = connection.execute(
        "SELECT id, name, icon, prompt, temperature, top_p, own_memory, starters, deleted, model_path FROM persona ORDER BY id"
    )
    for identity, name, icon, prompt, temperature, top_p, own_memory, starters, deleted, model in found:
        persona = Persona(identity, name, icon, prompt, temperature, top_p, bool(own_memory), tuple(json.loads(starters)), model)
        kept[identity] = None if deleted else persona
    first = [kept.pop(one.id, one) for one in shipped()]
    return tuple(persona for persona in (*first, *kept.values()) if persona)


def _store(connection: apsw.Connection, persona: Persona, *, deleted: bool) -> None:
    connection.execute(
        "INSERT OR REPLACE INTO persona VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            persona.id,
            persona.name,
            persona.icon,
            persona.prompt,
            persona.temperature,
            persona.top_p,
            persona.own_memory,
            json.dumps(persona.starters, ensure_ascii=False),
            deleted,
            persona.model_path,
        ),
    )
