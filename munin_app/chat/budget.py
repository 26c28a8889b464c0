"""What memory may cost: facts a quarter of the context, recalled text 128 tokens a turn. Counts, never guesses."""

from collections.abc import Sequence
from dataclasses import replace

from munin_app.chat.parts import Part
from munin_app.chat.rendering import turn_text
from munin_app.domain.facts import Fact
from munin_app.domain.inference import ChatModel

SNIPPETS_MAX = 3
SNIPPET_TOKENS_MAX = 128
"""Of one turn, the frame around the snippets included."""
FACTS_SHARE = 4
FACT_FRAME_TOKENS = 8  # "New about the user:", quotation marks, line end
FACTS_FRAME_TOKENS = 24


async def facts_that_fit(
    facts: Sequence[Fact], model: ChatModel, context_size: int, *, beside: Sequence[str] = ()
) -> tuple[Fact, ...]:
    """All of them, unless they and those in the prompt already would take more than a quarter of the context: then
    pinned first, then most used."""
    if not facts:
        return ()
    tokens = await model.count_tokens([*(fact.text for fact in facts), *beside])
    room = context_size // FACTS_SHARE - FACTS_FRAME_TOKENS - sum(cost + FACT_FRAME_TOKENS for cost in tokens[len(facts) :])
    costs = {fact.id: cost + FACT_FRAME_TOKENS for fact, cost in zip(facts, tokens, strict=False)}
    chosen: set[str] = set()
    for fact in sorted(facts, key=lambda fact: (not fact.pinned, -fact.uses)):
        if costs[fact.id] <= room:
            room -= costs[fact.id]
            chosen.add(fact.id)
    return tuple(fact for fact in facts if fact.id in chosen)


async def snippets_that_fit(snippets: Sequence[Part], model: ChatModel) -> tuple[Part, ...]:
    """The best three, sharing 128 tokens; a long one is cut at a word, the frame is counted."""
    best = snippets[:SNIPPETS_MAX]
    kept: tuple[Part, ...] = ()
    for position, snippet in enumerate(best):
        used = await _cost(kept, model)
        share = (SNIPPET_TOKENS_MAX - used) // (len(best) - position)
        if shortened := await _shortened(kept, snippet, used + share, model):
            kept = (*kept, shortened)
    return kept


async def _cost(snippets: Sequence[Part], model: ChatModel) -> int:
    return (await model.count_tokens([turn_text(snippets, "", with_memory=True)]))[0] if snippets else 0


async def _shortened(kept: tuple[Part, ...], snippet: Part, tokens_max: int, model: ChatModel) -> Part | None:
    """The snippet cut so that all of it together costs at most `tokens_max`; None when nothing sensible is left."""
    words = snippet.text.split()
    text = " ".join(words)[: tokens_max * 16]
    while text:
        candidate = replace(snippet, text=text if len(text) == len(" ".join(words)) else text + " …")
        cost = await _cost((*kept, candidate), model)
        if cost <= tokens_max:
            return candidate
        keep = min(len(text) - 1, len(text) * tokens_max // cost)
        text = text[:keep].rpartition(" ")[0] or text[: keep if keep > 8 else 0]
    return None
