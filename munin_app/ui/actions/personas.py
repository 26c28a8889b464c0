"""Personas: choosing who answers, and the page where they are made, changed, copied, reset and deleted. Knows no control."""

from munin_app.bootstrap import Munin
from munin_app.chat.personas import NEW
from munin_app.chat.shipped_personas import MUNIN, shipped
from munin_app.domain.memories import SHARED
from munin_app.domain.messages import Conversation
from munin_app.domain.personas import Persona
from munin_app.errors import MuninError, PersonaError
from munin_app.i18n import _
from munin_app.ui.actions.chat import ChatActions
from munin_app.ui.actions.memory import MemoryActions
from munin_app.ui.actions.shell import Shell, telling
from munin_app.ui.components.dialogs import confirm, listed
from munin_app.ui.format import chats_counted, facts_counted
from munin_app.ui.state import PersonaForm, PersonasPage, ProfileState


class PersonaActions:
    def __init__(
        self,
        munin: Munin,
        shell: Shell,
        chat: ChatActions,
        memory: MemoryActions,
        state: PersonasPage,
        profile: ProfileState,
    ) -> None:
        self._munin = munin
        self._shell = shell
        self._chat = chat
        self._memory = memory
        self.state = state
        self._profile = profile

    async def refresh(self) -> None:
        personas = self._munin.controller.personas
        self.state.items, self.state.missing = await personas.list(), await personas.missing()
        own = {one.scope: one.name for one in self.state.items if one.own_memory}
        self._profile.owners = {SHARED: _("Everyone"), **own}

    # In a chat

    def of(self, conversation: Conversation | None) -> Persona:
        """Who answers there."""
        wanted = conversation.persona_id if conversation else MUNIN.id
        return next((one for one in self.state.items if one.id == wanted), MUNIN)

    @telling
    async def choose(self, persona: Persona) -> None:
        """For the open chat. Where what was said would change hands, a new chat is offered."""
        conversation = self._chat.state.conversation
        if conversation is None:
            self._chat.state.conversation = await self._munin.controller.new_conversation(persona_id=persona.id)
            return
        try:
            await self._munin.controller.choose_persona(conversation.id, persona.id)
        except PersonaError as error:
            await self._shell.snack(str(error), _("New chat"), lambda: self._chat.new(persona_id=persona.id))
            return
        self._chat.state.conversation = await self._munin.chats.get(conversation.id)

    # The page

    async def edit(self, persona: Persona) -> None:
        used = bool(persona.id) and await self._munin.controller.personas.is_used(persona)
        self.state.form = PersonaForm(
            persona.id,
            icon=persona.icon,
            own_memory=persona.own_memory,
            used=used,
            model=persona.model_path,
            _name=persona.name,
            _prompt=persona.prompt,
            _temperature="" if persona.temperature is None else f"{persona.temperature:g}",
            _top_p="" if persona.top_p is None else f"{persona.top_p:g}",
            _starters=[*persona.starters],
        )

    async def new(self) -> None:
        await self.edit(NEW)

    def close_form(self) -> None:
        self.state.form = None

    @telling
    async def save(self) -> None:
        """A refused form stays, with the sentence that says why."""
        form = self.state.form
        if form is None:
            return
        try:
            saved = await self._munin.controller.personas.save(
                Persona(
                    form.id,
                    form._name,
                    form.icon,
                    form._prompt,
                    _number(_("The temperature"), form._temperature),
                    _number(_("Top p"), form._top_p),
                    form.own_memory,
                    tuple(form._starters),
                    form.model,
                )
            )
        except MuninError as error:
            form.error = str(error)
            return
        self.close_form()
        await self.refresh()
        await self._shell.tell(_("{name} is saved.").format(name=saved.name))

    @telling
    async def copy(self, persona: Persona) -> None:
        copied = await self._munin.controller.personas.copy(persona.id)
        await self.refresh()
        await self.edit(copied)

    @telling
    async def reset(self, persona: Persona) -> None:
        """As it was shipped; also one that was deleted."""
        await self._munin.controller.personas.reset(persona.id)
        await self.refresh()
        await self._shell.tell(_("{name} is as it was shipped.").format(name=persona.name))

    @telling
    async def ask_delete(self, persona: Persona) -> None:
        personas, close = self._munin.controller.personas, self._shell.close_dialog
        if not persona.own_memory or not await personas.is_used(persona):

            async def confirmed() -> None:
                await self._delete(persona, keep=True)

            sentence = _("Its chats stay and go on with Munin.")
            self._shell.show_dialog(
                confirm(_("Delete {name}?").format(name=persona.name), sentence, _("Delete"), confirmed, close)
            )
            return

        async def leave() -> None:
            await self._delete(persona, keep=True)

        async def forget() -> None:
            await self._delete(persona, keep=False)

        facts, chats = self._munin.profile.facts_of(persona.scope), await personas.conversations_of(persona)
        self._shell.show_dialog(
            listed(
                _("Delete {name}?").format(name=persona.name),
                _(
                    "{name} has a memory of its own: {facts}, and what was said in {chats}. Leave it to everyone, so that all "
                    "personas that share their memory know it, or forget it? The chats themselves stay and go on with Munin."
                ).format(name=persona.name, facts=facts_counted(len(facts)), chats=chats_counted(len(chats))),
                [],
                [(_("Cancel"), "plain", close), (_("Leave to everyone"), "plain", leave), (_("Forget"), "danger", forget)],
            )
        )

    @telling
    async def _delete(self, persona: Persona, *, keep: bool) -> None:
        self._shell.close_dialog()
        outcome = await self._munin.forgetting.delete_persona(persona, keep=keep)
        await self.refresh()
        await self._memory.refresh()
        await self._memory.offer_messages(outcome, _("{name} is deleted.").format(name=persona.name))

    def is_changed(self, persona: Persona) -> bool:
        """A shipped one that the user changed: it can be reset."""
        return any(persona.id == one.id and persona != one for one in shipped())


def _number(name: str, typed: str) -> float | None:
    """Empty: None. Raises PersonaError."""
    try:
        return float(typed.strip().replace(",", ".")) if typed.strip() else None
    except ValueError:
        raise PersonaError(
            _("{name} is “{typed}”; expected a number such as 0.7. Change it, or leave it empty.").format(
                name=name, typed=typed.strip()
            )
        ) from None
