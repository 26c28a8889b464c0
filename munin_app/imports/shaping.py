"""A conversation of another app as turns of this one: user and assistant take turns along every branch, times grow downwards.

What is left out is passed over, so that what followed it follows what it followed. Messages of one speaker in a row (a reply that
called tools, say) become one. Ids are UUIDv7 of which the time sorts and the rest, made from the source's own ids, tells whether
it is here already: importing the same again doubles nothing.
"""

import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from munin_app.domain.messages import Role
from munin_app.i18n import _
from munin_app.imports import wording
from munin_app.imports.source import SourceConversation, SourceMessage, Unreadable
from munin_app.imports.values import joined

MESSAGE_MAX_CHARACTERS = 1_000_000
CONVERSATION_MAX_CHARACTERS = 32_000_000
TITLE_CHARACTERS = 120


@dataclass(frozen=True, slots=True)
class ShapedMessage:
    mark: str
    parent: str | None
    """The mark of what it answers or goes on from, which comes before it."""
    role: Role
    text: str
    reasoning: str
    created_at: int
    """Unix ms; later than its parent."""


@dataclass(frozen=True, slots=True)
class ShapedConversation:
    app: str
    mark: str
    title: str
    created_at: int
    updated_at: int
    messages: tuple[ShapedMessage, ...]
    leaf: str
    """The mark of the message that the shown path ends in."""
    archived: bool
    left_out: Mapping[str, int]


def made_id(milliseconds: int, mark: str) -> str:
    """A UUIDv7: the time, then `mark`, which is the rest of it."""
    time = f"{milliseconds:012x}"
    return f"{time[:8]}-{time[8:]}-{mark}"


def mark_of(identity: str) -> str:
    return identity[14:]


def time_of(identity: str) -> int:
    return int(identity[:8] + identity[9:13], 16)


def mark(*names: str) -> str:
    """The last 23 characters of a UUIDv7, made of a hash of the names."""
    digest = hashlib.sha256("\0".join(names).encode()).hexdigest()
    return f"7{digest[:3]}-{'89ab'[int(digest[3], 16) % 4]}{digest[4:7]}-{digest[7:19]}"


@dataclass(slots=True, eq=False)
class _Turn:
    """One or more messages in a row of one speaker."""

    last: SourceMessage
    parent: "_Turn | None"
    before: "_Turn | None"
    """What of it was said before `last`."""
    time: int
    characters: int
    gone_on: bool = False
    """The same speaker went on, as another turn that holds this one."""
    answered: bool = False
    mark: str = ""

    @property
    def kept(self) -> bool:
        return self.answered or not self.gone_on

    def parts(self) -> Iterator[SourceMessage]:
        found, turn = [], self
        while turn:
            found.append(turn.last)
            turn = turn.before  # type: ignore[assignment]
        return reversed(found)


@dataclass(slots=True)
class _Shaping:
    source: SourceConversation
    now: int
    left_out: Counter[str] = field(default_factory=Counter)
    turns: list[_Turn] = field(default_factory=list)
    places: dict[str, _Turn | None] = field(default_factory=dict)
    """Source message to the turn that it became part of; what was left out, to the one before it."""

    def place(self, message: SourceMessage) -> _Turn | None:
        above = self.places[message.parent_id] if message.parent_id in self.places and message.parent_id else None
        if message.role is None or not (message.text.strip() or message.reasoning.strip()):
            return above
        if above is None and message.role is Role.ASSISTANT:
            self.left_out[wording.GREETING] += 1
            return None
        before = above if above and above.last.role is message.role else None
        parent = before.parent if before else above
        characters = len(message.text) + len(message.reasoning) + (before.characters if before else 0)
        turn = _Turn(message, parent, before, self._time(message, above), characters)
        if characters > MESSAGE_MAX_CHARACTERS:
            raise Unreadable(_("a message in it has more than a million characters"))
        if before:
            before.gone_on = True
        elif above:
            above.answered = True
        self.turns.append(turn)
        return turn

    def _time(self, message: SourceMessage, above: _Turn | None) -> int:
        """Its own where it has one that can be; after what it follows in any case."""
        own = message.created_at or self.source.created_at or self.source.updated_at or 0
        return max(min(own, self.now), above.time + 1 if above else 0)


def shaped(source: SourceConversation, now: int) -> ShapedConversation:
    """`now`: Unix ms; nothing was said later. Raises Unreadable. Without messages where nothing was said."""
    shaping = _Shaping(source, now, Counter(source.left_out))
    for message in _downwards(source.messages):
        shaping.places[message.id] = shaping.place(message)
    own = mark(source.app, source.id or _fingerprint(source))
    kept = [turn for turn in shaping.turns if turn.kept]
    if sum(turn.characters for turn in kept) > CONVERSATION_MAX_CHARACTERS:
        raise Unreadable(_("its branches repeat more text than any chat holds"))
    for turn in kept:
        turn.mark = mark(source.app, source.id, own, turn.last.id)
    messages = tuple(_message(turn) for turn in kept)
    begun = min([source.created_at or now, *(one.created_at for one in messages[:1]), now])
    return ShapedConversation(
        source.app,
        own,
        " ".join(source.title.split())[:TITLE_CHARACTERS],
        begun,
        max((one.created_at for one in messages), default=begun),
        messages,
        _leaf(shaping, kept),
        source.archived,
        +shaping.left_out,
    )


def _downwards(messages: tuple[SourceMessage, ...]) -> Iterator[SourceMessage]:
    """Every one after what it follows. Raises Unreadable for what is no tree."""
    known = {message.id: message for message in messages}
    if len(known) != len(messages):
        raise Unreadable(_("two of its messages have the same id"))
    below: defaultdict[str | None, list[SourceMessage]] = defaultdict(list)
    for message in messages:
        below[message.parent_id if message.parent_id in known else None].append(message)
    waiting, found = below[None][::-1], 0
    while waiting:
        message = waiting.pop()
        found += 1
        yield message
        waiting += below[message.id][::-1]
    if found < len(messages):
        raise Unreadable(_("its messages answer each other in a ring"))


def _message(turn: _Turn) -> ShapedMessage:
    assert turn.last.role
    parts = tuple(turn.parts())
    text, reasoning = joined(one.text.strip() for one in parts), joined(one.reasoning.strip() for one in parts)
    return ShapedMessage(turn.mark, turn.parent.mark if turn.parent else None, turn.last.role, text, reasoning, turn.time)


def _leaf(shaping: _Shaping, kept: list[_Turn]) -> str:
    """What the app showed last, or what was said last; then down to where that branch ends."""
    if not kept:
        return ""
    shown = shaping.places.get(shaping.source.leaf_id or "")
    leaf = shown if shown and shown.kept else max(kept, key=lambda turn: turn.time)
    below: defaultdict[int, list[_Turn]] = defaultdict(list)
    for turn in kept:
        below[id(turn.parent)].append(turn)
    while below[id(leaf)]:
        leaf = max(below[id(leaf)], key=lambda turn: turn.time)
    return leaf.mark


def _fingerprint(source: SourceConversation) -> str:
    """For a conversation without an id: how it begins."""
    first = next((message.text for message in source.messages if message.role is Role.USER), "")
    return f"{source.created_at}\0{first[:1000]}"
