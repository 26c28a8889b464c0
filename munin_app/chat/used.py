"""What of a conversation stands in a prompt, and what a reply used: read back from the parts of its turn and of those before."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from munin_app.chat.parts import Kind, Part, TurnParts
from munin_app.domain.events import Used, UsedFact, UsedQuote, UsedSnippet
from munin_app.domain.messages import MemoryState, Message, Role

NOTHING = TurnParts()


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
        elif turns and message.parent_id == turns[-1][-1].id:  # else the question was deleted
            turns[-1].append(message)
    return turns


def system_taken_at(turns: Sequence[Message], parts: Mapping[str, TurnParts]) -> str:
    """The turn whose system block is valid after these turns, the latest that has one; empty where there is none yet."""
    return next((turn.id for turn in reversed(turns) if parts.get(turn.id, NOTHING).system), "")


def shown_parts(turns: Sequence[Message], parts: Mapping[str, TurnParts], taken_at: str) -> dict[str, tuple[Part, ...]]:
    """What stands in front of each turn's message, by the message's id. The facts of turns before `taken_at` do not: they are
    in the system block that was taken there, as they were then."""
    shown: dict[str, tuple[Part, ...]] = {}
    taken = False
    for turn in turns:
        taken = taken or turn.id == taken_at
        own = parts.get(turn.id, NOTHING).turn
        shown[turn.id] = own if taken else without_facts(own)
    return shown


def without_facts(parts: Sequence[Part]) -> tuple[Part, ...]:
    return tuple(part for part in parts if part.kind is not Kind.FACT)


def quotes_in(parts: Iterable[Part]) -> tuple[Part, ...]:
    return tuple(part for part in parts if part.kind is Kind.QUOTE)


def facts_in(parts: Iterable[Part]) -> dict[str, str]:
    """Fact id to text, the newest text of each."""
    return {part.source_id: part.text for part in parts if part.kind is Kind.FACT}


def used_by(reply: Message, path: Sequence[Message], parts: Mapping[str, TurnParts], conversations: Mapping[str, str]) -> Used:
    """What a reply to `path[-1]`, a user message, was given. `conversations`: message id to conversation id."""
    turn = path[-1]
    quotes = tuple(_quote(part) for part in quotes_in(parts.get(turn.id, NOTHING).turn))
    if reply.memory is MemoryState.OFF:
        return Used(quotes=quotes)
    taken_at = system_taken_at(path, parts)
    shown = shown_parts(path, parts, taken_at)
    turns = [shown[message.id] for message in (*remembered(path[:-1]), turn)]
    facts = facts_in([*parts.get(taken_at, NOTHING).system, *(part for own in turns for part in own)])
    snippets = [part for part in shown[turn.id] if part.kind is Kind.SNIPPET]
    return Used(
        tuple(UsedFact(fact_id, text) for fact_id, text in facts.items()),
        tuple(
            UsedSnippet(
                part.source_id, conversations.get(part.source_id, ""), part.text, part.score or 0.0, part.similarity, part.why
            )
            for part in snippets
        ),
        quotes=quotes,
    )


def _quote(part: Part) -> UsedQuote:
    origin = part.origin
    assert origin is not None
    whole = origin.passage is None
    return UsedQuote(part.source_id, origin.name, part.text, whole, origin.page, origin.line, part.similarity, part.why)
