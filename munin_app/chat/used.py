"""What a reply used, read back from the prompt parts of its turn and of the turns before it."""

from collections.abc import Mapping, Sequence

from munin_app.chat.parts import Kind, Part, TurnParts
from munin_app.domain.events import Used, UsedFact, UsedSnippet
from munin_app.domain.messages import MemoryState, Message, Role

NOTHING = TurnParts()


def system_of(turns: Sequence[Message], parts: Mapping[str, TurnParts]) -> tuple[Part, ...]:
    """The system block that is valid after these turns: the latest snapshot."""
    return next((parts[turn.id].system for turn in reversed(turns) if turn.id in parts and parts[turn.id].system), ())


def facts_in(system: Sequence[Part], turns: Sequence[TurnParts]) -> dict[str, str]:
    """Fact id to text, the newest text of each."""
    shown = [*system, *(part for turn in turns for part in turn.turn)]
    return {part.source_id: part.text for part in shown if part.kind is Kind.FACT}


def used_by(path: Sequence[Message], parts: Mapping[str, TurnParts], conversations: Mapping[str, str]) -> Used:
    """What the reply to `path[-1]`, a user message, was given. `conversations`: message id to conversation id."""
    turn = path[-1]
    if turn.memory is MemoryState.OFF:
        return Used()
    own = parts.get(turn.id, NOTHING)
    earlier = [parts.get(message.id, NOTHING) for message in path if message.role is Role.USER]
    facts = facts_in(system_of(path, parts), earlier)
    snippets = [part for part in own.turn if part.kind is Kind.SNIPPET]
    return Used(
        tuple(UsedFact(fact_id, text) for fact_id, text in facts.items()),
        tuple(
            UsedSnippet(
                part.source_id, conversations.get(part.source_id, ""), part.text, part.score or 0.0, part.similarity, part.why
            )
            for part in snippets
        ),
    )
