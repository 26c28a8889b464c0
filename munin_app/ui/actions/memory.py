"""The Memory page: facts, what waits for review, memories, status, starting over. Knows no control but dialogs."""

from collections.abc import Awaitable, Callable, Coroutine
from datetime import date
from typing import Any

import flet as ft

from munin_app.bootstrap import Munin
from munin_app.domain.events import Forgotten
from munin_app.domain.facts import FACT_MAX_CHARACTERS, Fact, LearnedFact
from munin_app.domain.memories import SHARED, MemoryFilter
from munin_app.errors import MuninError
from munin_app.i18n import _, ngettext
from munin_app.ui.actions.chat import ChatActions
from munin_app.ui.actions.shell import Shell, telling
from munin_app.ui.components.base import stack, text
from munin_app.ui.components.buttons import button
from munin_app.ui.components.dialogs import ask_text, confirm, listed
from munin_app.ui.format import (
    bounds_of,
    chats_counted,
    counted,
    facts_counted,
    memories_counted,
    messages_counted,
    quoted,
    said_by,
)
from munin_app.ui.state import MemoryPage, MemoryTab, ProfileState
from munin_app.ui.tokens import Tokens

PAGE = 50
SEARCH_TOP_K = 20
LISTED = 5
"""Messages shown in a dialog."""


class MemoryActions:
    def __init__(self, munin: Munin, shell: Shell, chat: ChatActions, state: MemoryPage, profile: ProfileState) -> None:
        self._munin = munin
        self._shell = shell
        self._chat = chat
        self._asked = 0
        self.state = state
        self.profile = profile

    # Reading

    async def read_profile(self) -> None:
        service = self._munin.profile
        self.profile.facts, self.profile.candidates, self.profile.history = service.facts, service.candidates, service.history
        self.profile.opposed = {fact.id: service.opposed_by(fact) for fact in service.candidates}
        self.profile.quotes = {fact.id: await self._quote(fact) for fact in service.candidates}

    async def _quote(self, fact: Fact) -> str:
        for source in fact.sources[:1]:
            try:
                message = await self._munin.chats.message(source.message_id)
            except MuninError:
                continue
            return message.text[source.start : source.end]
        return ""

    async def refresh(self) -> None:
        """Everything the page shows."""
        await self.read_profile()
        self.state.count = await self._munin.memory.count()
        await self._read_memories()
        await self.read_status()
        self.state.conversations, self.state.messages = await self._munin.chats.counts()
        if self.state.memory_query:
            await self.search(self.state.memory_query)

    async def read_status(self) -> None:
        self.state.arms = await self._munin.memory.status()

    def _meant(self) -> MemoryFilter:
        since, before = bounds_of(self.state.period, date.today())
        return MemoryFilter(self.state.chat or None, since, before)

    async def _read_memories(self) -> None:
        """The first page of those that the filters leave. What is no longer there is no longer selected."""
        memory, meant = self._munin.memory, self._meant()
        memories, matching = await memory.browse(0, PAGE, meant), await memory.count(meant)
        there = await memory.indexed_ids(meant) if self.state.selected else frozenset()
        if meant == self._meant():  # else the filters were changed meanwhile
            self.state.memories, self.state.matching = memories, matching
            self.state.selected &= there

    @telling
    async def more(self) -> None:
        more = await self._munin.memory.browse(len(self.state.memories), PAGE, self._meant())
        self.state.memories = (*self.state.memories, *more)

    @telling
    async def choose_period(self, period: str) -> None:
        self.state.period = period
        await self._read_memories()

    @telling
    async def choose_chat(self, conversation_id: str) -> None:
        """Empty: all chats."""
        self.state.chat = conversation_id
        await self._read_memories()

    def select(self, on: bool) -> None:
        self.state.selecting, self.state.selected = on, frozenset()

    def toggle_selected(self, message_id: str) -> None:
        self.state.selected ^= {message_id}

    @telling
    async def select_all(self) -> None:
        """All that the filters leave, shown or not; while something is sought, all that was found."""
        found = self.state.found
        ids = await self._munin.memory.indexed_ids(self._meant()) if found is None else {one.memory.message_id for one in found}
        self.state.selected = frozenset(ids)

    def show(self, tab: MemoryTab) -> None:
        self.state.tab = tab
        self._shell.run(self.refresh())

    def filter_facts(self, words: str) -> None:
        self.state.fact_query = words

    def choose_owner(self, scope: str) -> None:
        """Empty: everybody's facts are shown."""
        self.state.fact_scope = scope

    @telling
    async def search(self, words: str) -> None:
        self._asked += 1
        asked, self.state.memory_query = self._asked, words
        if not words.strip():
            self.state.found = None
            return
        outcome = await self._munin.memory.recall(words, SEARCH_TOP_K, scopes=tuple(self.profile.owners))
        if asked == self._asked:
            self.state.found = outcome.results

    @telling
    async def use_memory(self, on: bool) -> None:
        await self._munin.change_settings(memory_on=on)

    # Facts

    async def undo_learned(self, learned: LearnedFact) -> str:
        """What is to be said of it."""
        outcome = await self._munin.forgetting.undo_learned(learned)
        return outcome.failures[0] if outcome.failures else _("Not noted.")

    async def bring_back(self, forgotten: Fact) -> str:
        """What is to be said of it."""
        await self._munin.profile.bring_back(forgotten)
        return _("Known again. The messages it came from stay forgotten.")

    def ask_add(self) -> None:
        """For whoever's facts are shown."""
        scope = self.state.fact_scope or SHARED
        sentence = _("One short sentence about you. It goes with every message.")
        if scope != SHARED:
            name = self.profile.owners.get(scope, scope)
            sentence = _("One short sentence about you. It goes with every message to {name}.").format(name=name)

        async def add(typed: str) -> None:
            await self._shell.attempt(self._try(lambda: self._munin.profile.add(typed, scope), dialog, _("Added.")))

        dialog = ask_text(
            _("Add a fact"),
            _("Lives in Oslo"),
            _("Add"),
            add,
            self._shell.close_dialog,
            help_=sentence,
            limit=FACT_MAX_CHARACTERS,
        )
        self._shell.show_dialog(dialog(""))

    def ask_edit(self, fact: Fact) -> None:
        async def edit(typed: str) -> None:
            await self._shell.attempt(self._try(lambda: self._munin.profile.edit(fact.id, typed), dialog, _("Saved.")))

        dialog = ask_text(
            _("Edit fact"), _("The fact"), _("Save"), edit, self._shell.close_dialog, value=fact.text, limit=FACT_MAX_CHARACTERS
        )
        self._shell.show_dialog(dialog(""))

    def ask_move(self, fact: Fact) -> None:
        """To whom it is to belong; only the user decides that."""

        def move_to(scope: str) -> Callable[[], Coroutine[Any, Any, None]]:
            async def moved() -> None:
                self._shell.close_dialog()
                await self._shell.attempt(self._move(fact, scope))

            return moved

        owners = [(scope, name) for scope, name in self.profile.owners.items() if scope != fact.scope]
        self._shell.show_dialog(
            listed(
                _("Move to"),
                (
                    _("“{fact}” belongs to everyone.").format(fact=fact.text)
                    if fact.scope == SHARED
                    else _("“{fact}” belongs to {owner}.").format(fact=fact.text, owner=self.profile.owner(fact))
                )
                + _(
                    " Moved, it goes with the messages to its new owner and no others. What was said in chats stays where it is."
                ),
                lambda t: [button(t, name, move_to(scope), tip=_("Move to {name}").format(name=name)) for scope, name in owners],
                [(_("Cancel"), "plain", self._shell.close_dialog)],
            )
        )

    async def _move(self, fact: Fact, scope: str) -> None:
        await self._munin.forgetting.move_fact(fact.id, scope)
        await self.read_profile()
        await self._shell.tell(_("Moved to {name}.").format(name=self.profile.owners.get(scope, scope)))

    async def _try(self, work: Callable[[], Awaitable[object]], dialog: Callable[[str], object], done: str) -> None:
        """A refused text stays in its field, with the sentence that says why."""
        try:
            await work()
        except MuninError as error:
            self._shell.show_dialog(dialog(str(error)))  # type: ignore[arg-type]  # ask_text gives builders
            return
        self._shell.close_dialog()
        await self.read_profile()
        await self._shell.tell(done)

    @telling
    async def toggle_pinned(self, fact: Fact) -> None:
        await self._munin.profile.set_pinned(fact.id, not fact.pinned)

    @telling
    async def accept(self, fact: Fact) -> None:
        await self._guarded(self._munin.profile.accept(fact.id))

    @telling
    async def restore(self, fact: Fact) -> None:
        await self._guarded(self._munin.profile.restore(fact.id))

    async def _guarded(self, work: Awaitable[object]) -> None:
        try:
            await work
        except MuninError as error:
            await self._shell.tell(str(error))
        await self.read_profile()

    def ask_remove(self, fact: Fact) -> None:
        async def confirmed() -> None:
            self._shell.close_dialog()
            await self.remove(fact)

        self._shell.show_dialog(
            confirm(
                _("Forget “{text}”?").format(text=fact.text),
                _("It leaves every prompt and is not learned again from what you said. Your chats stay."),
                _("Forget"),
                confirmed,
                self._shell.close_dialog,
            )
        )

    @telling
    async def remove(self, fact: Fact) -> None:
        """Also how a candidate is rejected. Chat messages that still hold it are listed."""
        outcome = await self._munin.forgetting.forget_fact(fact.id)
        await self.refresh()
        await self.offer_messages(outcome, _("“{text}” is forgotten.").format(text=fact.text))

    # Memories

    @telling
    async def forget_memory(self, message_id: str) -> None:
        outcome = await self._munin.forgetting.forget_memories([message_id])
        await self.refresh()
        await self.offer_messages(outcome, _("That memory is forgotten."))

    def ask_forget_selected(self) -> None:
        selected = self.state.selected
        number = memories_counted(len(selected))

        async def confirmed() -> None:
            self._shell.close_dialog()
            await self._shell.attempt(forgotten())

        async def forgotten() -> None:
            outcome = await self._munin.forgetting.forget_memories(selected)
            self.select(False)
            await self.refresh()
            await self.offer_messages(outcome, _("{memories} forgotten.").format(memories=number))

        self._shell.show_dialog(
            confirm(
                _("Forget {memories}?").format(memories=number),
                _("They leave every prompt and are not remembered again. Your chats stay. This cannot be undone."),
                _("Forget"),
                confirmed,
                self._shell.close_dialog,
            )
        )

    async def offer_messages(self, outcome: Forgotten, done: str) -> None:
        """What still holds it are chat messages: those are the user's, and stay unless they say otherwise."""
        messages = (*outcome.sources, *outcome.replies)
        if outcome.failures:
            await self._shell.tell(outcome.failures[0])
        if not messages:
            if not outcome.failures:
                await self._shell.tell(done)
            return

        async def delete() -> None:
            self._shell.close_dialog()
            await self._shell.attempt(deleted())

        async def deleted() -> None:
            await self._munin.forgetting.delete_messages([message.id for message in messages])
            await self._chat.reload()
            await self.refresh()
            await self._shell.tell(_("{messages} deleted.").format(messages=messages_counted(len(messages))))

        def rows(t: Tokens) -> list[ft.Control]:
            today = date.today()
            return [
                stack(
                    [
                        text(t, quoted(_shortened(message.text)), "quote" if message.role == "user" else "body"),
                        text(t, said_by(message.role, message.created_at, today), "small", t.text3),
                    ]
                )
                for message in messages[:LISTED]
            ] + (
                [text(t, _("and {number} more").format(number=len(messages) - LISTED), "small", t.text3)]
                if len(messages) > LISTED
                else []
            )

        still_held = counted(
            len(messages),
            ngettext(
                "Munin does not use it any more. {n} chat message still holds it:",
                "Munin does not use it any more. {n} chat messages still hold it:",
                len(messages),
            ),
        )
        self._shell.show_dialog(
            listed(
                _("Forgotten"),
                f"{done} {still_held}",
                rows,
                [(_("Keep the chats"), "plain", self._shell.close_dialog), (_("Delete these too"), "danger", delete)],
            )
        )

    # Starting over

    def ask_forget_facts(self) -> None:
        self._ask(
            _("Forget all facts?"),
            _("{facts}, {waiting} in review and their history. Chats and memories stay. This cannot be undone.").format(
                facts=facts_counted(len(self.profile.facts)), waiting=len(self.profile.candidates)
            ),
            _("Forget all facts"),
            self._munin.forgetting.forget_all_facts,
            _("All facts are forgotten."),
        )

    def ask_forget_memories(self) -> None:
        self._ask(
            _("Forget all memories?"),
            _("{memories}. Chats and facts stay. This cannot be undone.").format(memories=memories_counted(self.state.count)),
            _("Forget all memories"),
            self._munin.forgetting.forget_all_memories,
            _("All memories are forgotten."),
        )

    def ask_clear_chats(self) -> None:
        async def clear() -> Forgotten:
            outcome = await self._munin.forgetting.clear_chats()
            await self._chat.new()
            self._shell.go(view)
            return outcome

        view = self._shell.navigation.view
        self._ask(
            _("Clear all chats?"),
            _("{chats} and the memories made from them. Facts stay. This cannot be undone.").format(
                chats=chats_counted(self.state.conversations)
            ),
            _("Clear all chats"),
            clear,
            _("All chats are cleared."),
        )

    def _ask(self, title: str, sentence: str, label: str, work: Callable[[], Awaitable[Forgotten | None]], done: str) -> None:
        async def confirmed() -> None:
            self._shell.close_dialog()
            await self._shell.attempt(done_and_told())

        async def done_and_told() -> None:
            outcome = await work()
            await self.refresh()
            await self._shell.tell(outcome.failures[0] if outcome and outcome.failures else done)

        self._shell.show_dialog(confirm(title, sentence, label, confirmed, self._shell.close_dialog))


def _shortened(words: str) -> str:
    folded = " ".join(words.split())
    return folded if len(folded) <= 160 else folded[:159] + "…"
