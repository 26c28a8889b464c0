"""MemoryProfileService: the facts about the user, learned, corrected, forgotten. Knows neither prompts nor vectors.

One lock orders the changes; a change is visible only once it is on disk; files are touched on a thread.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

from munin_app.domain.facts import FACT_MAX_CHARACTERS, Fact, FactStatus, LearnedFact
from munin_app.domain.inference import ChatModel
from munin_app.domain.memories import SHARED
from munin_app.domain.messages import Exchange, MemoryState, Message, MessageStatus, Role
from munin_app.errors import ProfileError
from munin_app.i18n import _
from munin_app.profile import changes
from munin_app.profile.corrections import find_corrections
from munin_app.profile.document import Profile
from munin_app.profile.extraction import UTILITY_SESSION, extract_with_model, may_hold_facts
from munin_app.profile.findings import Description, Finding
from munin_app.profile.merge import opposed
from munin_app.profile.orders import Order, find_orders, meant_by, without_orders
from munin_app.profile.rules import describe, find_facts
from munin_app.profile.store import ProfileStore
from munin_app.profile.tombstones import is_closed
from munin_app.profile.words import fold

logger = logging.getLogger(__name__)

T = TypeVar("T")
Change = Callable[[Profile, bytes], tuple[Profile, T]]


class MemoryProfileService:
    """Every change raises ProfileError when profile.json cannot be written, was opened for reading only or not at all."""

    def __init__(self, path: Path, model: ChatModel | None, *, read_only: bool = False) -> None:
        """`model` answers the utility requests of `learn_from`; None leaves learning to the rules."""
        self._store = ProfileStore(path, read_only=read_only)
        self._path = path
        self._model = model
        self._read_only = read_only
        self._profile: Profile | None = None
        self._secret = b""
        self._lock = asyncio.Lock()
        self._running: set[asyncio.Task[object]] = set()
        self._callbacks: list[Callable[[], None]] = []
        self._wipes = 0
        self.set_aside: Path | None = None
        """Where a damaged profile.json was moved when it was opened."""

    async def refuse_newer(self) -> None:
        """Raises ProfileError, nothing changed, when a newer Munin wrote the file."""
        await asyncio.to_thread(self._store.refuse_newer)

    async def open(self) -> None:
        """Reads the file; a damaged one is set aside and an empty profile starts. Raises ProfileError for a newer version."""
        if self._profile is None:
            self._profile, self.set_aside = await asyncio.to_thread(self._store.read)
            if self.set_aside:
                logger.warning("a damaged profile was set aside as %s", self.set_aside.name)

    def use_model(self, model: ChatModel | None) -> None:
        """Another model was chosen: it answers the requests of `learn_from` from now on."""
        self._model = model

    async def close(self) -> None:
        """Waits for changes that are being written."""
        await asyncio.gather(*self._running, return_exceptions=True)
        self._callbacks.clear()

    @property
    def facts(self) -> tuple[Fact, ...]:
        """Active facts of every scope, pinned ones first, then the newest."""
        return tuple(sorted(self._of(FactStatus.ACTIVE), key=lambda fact: (not fact.pinned, -fact.created_at)))

    def facts_of(self, scope: str) -> tuple[Fact, ...]:
        """The active facts that a prompt of this scope may hold."""
        return tuple(fact for fact in self.facts if fact.scope == scope)

    @property
    def candidates(self) -> tuple[Fact, ...]:
        """What waits for the user's review, the newest first."""
        return self._of(FactStatus.CANDIDATE)

    @property
    def history(self) -> tuple[Fact, ...]:
        """Superseded and displaced facts, the newest first."""
        return self._of(FactStatus.SUPERSEDED, FactStatus.DISPLACED)

    def everything_of(self, scope: str) -> tuple[Fact, ...]:
        """What is kept for a scope: active facts, candidates and history."""
        return tuple(fact for fact in self._of(*FactStatus) if fact.scope == scope)

    @property
    def revision(self) -> int:
        """Grows with every change to what is remembered; counting uses is none."""
        return self._profile.revision if self._profile else 0

    def get(self, fact_id: str) -> Fact:
        """A fact of any status. Raises NotFound."""
        return changes.find(self._profile or Profile(), fact_id)

    def versions_of(self, fact_id: str) -> tuple[Fact, ...]:
        """The fact and its earlier versions, which `remove` erases with it. Raises NotFound."""
        return changes.versions_of(self._profile or Profile(), self.get(fact_id))

    def subscribe(self, callback: Callable[[], None]) -> Callable[[], None]:
        """`callback` runs on the loop after each change; the result ends that."""
        self._callbacks.append(callback)

        def unsubscribe() -> None:
            with suppress(ValueError):
                self._callbacks.remove(callback)

        return unsubscribe

    def opposed_by(self, candidate: Fact) -> tuple[Fact, ...]:
        """The active facts that cannot stay beside it."""
        return opposed(self.facts, candidate)

    async def ordered_to_forget(self, message: Message, scope: str = SHARED) -> tuple[Fact, ...]:
        """The active facts of the scope that the user tells Munin to forget in this message ("forget that I live in Oslo")."""
        if not self._may_learn_from(message):
            return ()
        facts = self.facts_of(scope)
        meant = await asyncio.to_thread(lambda: [meant_by(order, facts) for order in find_orders(message.text)])
        return tuple({fact.id: fact for fact in meant if fact}.values())

    async def meant(self, text: str, scope: str = SHARED) -> Fact | None:
        """The one active fact of the scope that `text` means ("I live in Oslo", "my birthday", or its own words)."""
        what, facts = " ".join(text.split()), self.facts_of(scope)
        same = next((fact for fact in facts if fold(fact.text) == fold(what)), None)
        return same or await asyncio.to_thread(meant_by, Order(0, len(what), what), facts)

    async def learn_from(
        self,
        exchange: Exchange,
        still_allowed: Callable[[], Awaitable[bool]] | None = None,
        *,
        review: bool = False,
        before: Exchange | None = None,
        scope: str = SHARED,
    ) -> tuple[LearnedFact, ...] | None:
        """Learns from the user's own message only. Never raises. Returns what is active now and was not known before;
        what needs the user's review is in `candidates`. None: it failed, and may be tried again.

        `still_allowed` is asked when facts were found: the message may have been forgotten while it was being read.
        `review`: nothing becomes a fact by itself. `before`: what "no, it's Bergen" may correct. `scope`: whom the facts
        belong to.
        """
        try:
            return await self._learn(exchange.user, still_allowed, review, before, scope)
        except Exception as error:  # a background task: chat must not notice
            logger.warning("learning from a message failed: %s", type(error).__name__)
            return None

    async def add(self, text: str, scope: str = SHARED) -> LearnedFact:
        """A fact typed by hand; a first person ("I live in Oslo") is turned into the third. Outranks extracted facts.
        Raises ProfileError when it is empty, longer than 120 characters, or finds no place."""
        described = _described(text)
        merged = await self._change(lambda profile, secret: changes.add(profile, secret, described, scope))
        return LearnedFact(merged.fact, text, merged.replaced)

    async def bring_back(self, forgotten: Fact) -> Fact:
        """Takes a `remove` back, as if it was typed. Its sources stay closed, its earlier versions erased.
        Raises ProfileError when it finds no place."""
        described = Description(forgotten.text, forgotten.attribute, forgotten.value)
        return (await self._change(lambda profile, secret: changes.add(profile, secret, described, forgotten.scope))).fact

    async def edit(self, fact_id: str, text: str) -> Fact:
        """A new version, typed, under an id of its own; the old wording becomes history. Raises NotFound, ProfileError."""
        described = _described(text)
        return await self._change(lambda profile, secret: changes.edit(profile, secret, fact_id, described))

    async def set_pinned(self, fact_id: str, pinned: bool) -> Fact:
        return await self._change(lambda profile, _found: changes.set_pinned(profile, fact_id, pinned))

    async def accept(self, fact_id: str) -> Fact:
        """A candidate becomes a fact that the user confirmed (`remove` rejects it)."""
        return await self._change(lambda profile, secret: changes.accept(profile, secret, fact_id))

    async def restore(self, fact_id: str) -> Fact:
        """A superseded or displaced fact comes back, confirmed by the user; what took its place becomes history."""
        return await self._change(lambda profile, secret: changes.restore(profile, secret, fact_id))

    async def move(self, fact_id: str, scope: str) -> Fact:
        """It belongs to another scope, confirmed by the user. Raises NotFound, ProfileError."""
        return await self._change(lambda profile, secret: changes.move(profile, secret, fact_id, scope), secret_needed=True)

    async def move_all(self, scope: str, target: str) -> None:
        """All that is kept for a scope, history included, belongs to another one. What contradicts that goes to review."""
        await self._change(lambda profile, _found: (changes.move_all(profile, scope, target), None))

    async def undo_learned(self, learned: LearnedFact) -> None:
        """The fact leaves as by `remove`, and what it replaced comes back. Raises NotFound when it is gone already."""
        fact = self.get(learned.fact.id)
        await self._erase_traces((fact,))
        await self._change(lambda profile, secret: changes.undo_learned(profile, secret, learned), secret_needed=True)

    async def remove(self, fact_id: str) -> Fact:
        """Erases the fact, its earlier versions, and set-aside copies that hold them. Returns it with the sources of all
        its versions, for whoever has derived something from them. Raises NotFound."""
        await self._erase_traces(self.versions_of(fact_id))
        return await self._change(lambda profile, secret: changes.remove(profile, secret, fact_id), secret_needed=True)

    async def forget_all(self, scope: str | None = None) -> tuple[Fact, ...]:
        """Erases facts, candidates and history, all or those of one scope, and every set-aside copy. Returns what was there."""
        self._wipes += 1
        await self._erase_traces(None)
        return await self._change(lambda profile, secret: changes.forget_all(profile, secret, scope), secret_needed=True)

    async def count_uses(self, fact_ids: Iterable[str]) -> None:
        """Each of the facts was sent along with one more reply. Unknown ids are ignored."""
        counted = frozenset(fact_ids)
        await self._change(lambda profile, _found: (changes.count_uses(profile, counted), None))

    async def _learn(
        self,
        message: Message,
        still_allowed: Callable[[], Awaitable[bool]] | None,
        review: bool,
        before: Exchange | None,
        scope: str,
    ) -> tuple[LearnedFact, ...]:
        if self._read_only or not self._may_learn_from(message):
            return ()
        wipes, facts = self._wipes, self.facts_of(scope)

        def find() -> tuple[str, tuple[Finding, ...]]:
            text = without_orders(message.text, find_orders(message.text))
            return text, find_facts(text) or find_corrections(text, facts, before)

        text, findings = await asyncio.to_thread(find)
        if not findings and self._model and may_hold_facts(text):
            findings = await extract_with_model(self._model, text)
        if not findings or (still_allowed and not await still_allowed()):
            return ()

        def learn(profile: Profile, secret: bytes) -> tuple[Profile, tuple[LearnedFact, ...]]:
            wiped_meanwhile = wipes != self._wipes
            if wiped_meanwhile:
                return profile, ()
            return changes.learn(profile, secret, message, findings, review=review, scope=scope)

        return await self._change(learn)

    def _may_learn_from(self, message: Message) -> bool:
        closed = message.memory in (MemoryState.OFF, MemoryState.FORGOTTEN) or is_closed(self._opened().tombstones, message.id)
        return message.role is Role.USER and message.status is not MessageStatus.DELETED and not closed

    async def _erase_traces(self, facts: tuple[Fact, ...] | None) -> None:
        """Set-aside copies that hold the facts (None: all copies), and what the model keeps of the last utility request."""
        self._refuse_if_read_only()
        texts = None if facts is None else tuple(text for fact in facts for text in (fact.text, fact.value))
        await asyncio.to_thread(self._store.delete_copies, texts)
        if self.set_aside and not await asyncio.to_thread(self.set_aside.exists):
            self.set_aside = None
        await self._forget_utility_session()

    async def _forget_utility_session(self) -> None:
        try:
            if self._model:
                await self._model.forget_session(UTILITY_SESSION)
        except Exception as error:  # a model that is gone keeps nothing, and must not stand in the way of forgetting
            logger.warning("the utility session could not be dropped: %s", type(error).__name__)

    async def _change(self, change: Change[T], *, secret_needed: bool = False) -> T:
        """A caller that is cancelled does not stop a change half-way: file and memory stay the same."""
        self._refuse_if_read_only()
        task = asyncio.create_task(self._commit(change, secret_needed))
        self._running.add(task)
        task.add_done_callback(self._running.discard)
        return await asyncio.shield(task)

    async def _commit(self, change: Change[T], secret_needed: bool) -> T:
        async with self._lock:
            before = self._opened()
            if not self._secret and (secret_needed or before.tombstones):
                self._secret = await asyncio.to_thread(self._store.key)
            after, result = change(before, self._secret)
            if after is not before:
                await asyncio.to_thread(self._store.write, after)
                self._profile = after
        if after.revision != before.revision:
            self._notify()
        return result

    def _notify(self) -> None:
        for callback in tuple(self._callbacks):
            try:
                callback()
            except Exception as error:  # one page that is gone must not hide the change from the others
                logger.warning("a subscriber of the profile failed: %s", type(error).__name__)

    def _refuse_if_read_only(self) -> None:
        if self._read_only:
            raise ProfileError(
                _("{path} was opened for reading only. Close the Munin that owns the data folder, then try again.").format(
                    path=self._path
                )
            )

    def _opened(self) -> Profile:
        if self._profile is None:
            raise ProfileError(_("{path} is not open. Open Munin again; if that fails, it says why.").format(path=self._path))
        return self._profile

    def _of(self, *statuses: FactStatus) -> tuple[Fact, ...]:
        facts = self._profile.facts if self._profile else ()
        return tuple(sorted((fact for fact in facts if fact.status in statuses), key=lambda fact: fact.id, reverse=True))


def _described(text: str) -> Description:
    cleaned = " ".join(text.encode("utf-8", "replace").decode().split())
    if not cleaned:
        raise ProfileError(_("The fact is empty. Type a short sentence, such as “Lives in Oslo”."))
    described = describe(cleaned)
    length = max(len(cleaned), len(described.text))
    if length > FACT_MAX_CHARACTERS:
        raise ProfileError(
            _("The fact has {length} characters, at most {fact_max_characters} fit. Shorten it or make two of it.").format(
                length=length, fact_max_characters=FACT_MAX_CHARACTERS
            )
        )
    return described
