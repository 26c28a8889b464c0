"""What of the attached files goes into a turn: small ones whole, of larger ones the passages that answer the question best.

What comes with the message itself is always quoted, within a quarter of the context. Later turns quote what they ask for of what
came earlier, within an eighth, and nothing that the prompt holds already. Counts, never guesses.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from munin_app.chat.attached.passages import Passage
from munin_app.chat.attached.service import Attachments
from munin_app.chat.parts import Kind, Origin, Part
from munin_app.chat.rendering import attached_texts
from munin_app.chat.used import remembered
from munin_app.domain.attachments import PAGE_BREAK, Attachment, FileKind
from munin_app.domain.inference import ChatModel
from munin_app.domain.messages import Message
from munin_app.i18n import _
from munin_app.memory.passages import FoundPassage

NEW_SHARE = 4
"""Of the context, for what comes with the message: a quarter."""
LATER_SHARE = 8
PASSAGES_MAX = 24
RELATED = 0.25
"""Similarity from which a passage of an earlier file belongs to a later question. Below the bar of memories: the user attached it
here, so that a weak relation is one."""
VECTORS_SECONDS = 5.0
"""How long a turn waits for what was just attached to be found by meaning too."""
TOKEN_CHARACTERS_MAX = 12
"""A text with more characters a token does not exist, about: spares tokenising megabytes."""


@dataclass(frozen=True, slots=True)
class Quotable:
    """A file, and what of it this turn may quote where it is too long as a whole."""

    attachment: Attachment
    text: str
    passages: tuple[tuple[Passage, FoundPassage | None], ...]
    """Best first; None: it stands there because nothing was found."""


@dataclass(frozen=True, slots=True)
class Quotables:
    new: tuple[Quotable, ...] = ()
    """Of what came with the message."""
    earlier: tuple[tuple[Attachment, Passage, FoundPassage], ...] = ()
    """Best first."""


NOTHING_ATTACHED = Quotables()


async def find(attachments: Attachments, path: Sequence[Message], held: Collection[Part]) -> Quotables:
    """For `path[-1]`, a user message. `held`: parts of turns that the prompt holds."""
    by_message = await attachments.of(path[-1].conversation_id)
    new = by_message.get(path[-1].id, ())
    before = remembered(path[:-1])
    known = {one.content_id: one for message in before for one in by_message.get(message.id, ())}
    whole = {part.source_id for part in held if part.origin and part.origin.passage is None}
    earlier = [one for content_id, one in known.items() if content_id not in whole]
    await attachments.ready([*new, *earlier], VECTORS_SECONDS)
    question = path[-1].text
    shown = {(part.source_id, part.origin.passage) for part in held if part.origin and part.origin.passage is not None}
    return Quotables(
        tuple([await _new(attachments, one, question) for one in new]), await _earlier(attachments, earlier, question, shown)
    )


async def _new(attachments: Attachments, attachment: Attachment, question: str) -> Quotable:
    text, cut = await attachments.text(attachment), await attachments.cut(attachment)
    found = await attachments.passages_of(attachment).find(question, [attachment.content_id], PASSAGES_MAX, -1.0)
    best = tuple((cut[one.n], one) for one in found if one.n < len(cut))
    return Quotable(attachment, text, best or tuple((passage, None) for passage in cut[:PASSAGES_MAX]))


async def _earlier(
    attachments: Attachments, files: Sequence[Attachment], question: str, shown: Collection[tuple[str, int]]
) -> tuple[tuple[Attachment, Passage, FoundPassage], ...]:
    if not files:
        return ()
    index = attachments.passages_of(files[0])
    found = await index.find(question, [one.content_id for one in files], PASSAGES_MAX, RELATED, shown)
    by_content = {
        one.content_id: (one, await attachments.cut(one))
        for one in files
        if any(one.content_id == hit.content_id for hit in found)
    }
    return tuple(
        (by_content[hit.content_id][0], by_content[hit.content_id][1][hit.n], hit)
        for hit in found
        if hit.n < len(by_content[hit.content_id][1])
    )


async def quotes_that_fit(found: Quotables, model: ChatModel, context_size: int, free: int) -> tuple[Part, ...]:
    """`free`: tokens that there are for them at most."""
    room = min(free, context_size // NEW_SHARE)
    parts: list[tuple[Part, ...]] = []
    smallest_first = sorted(found.new, key=lambda one: len(one.text))
    for number, quotable in enumerate(smallest_first):
        share = room // (len(smallest_first) - number)
        part = await _new_that_fits(quotable, model, share)
        room -= await _cost(part, model)
        parts.append(part)
    order = {one.attachment.content_id: number for number, one in enumerate(found.new)}
    parts.sort(key=lambda some: order[some[0].source_id] if some else -1)
    if found.earlier:
        parts.append(
            await _passages_that_fit(
                [_part(attachment, passage, hit) for attachment, passage, hit in found.earlier],
                model,
                min(free - await _cost([part for some in parts for part in some], model), context_size // LATER_SHARE),
            )
        )
    return tuple(part for some in parts for part in some)


async def _new_that_fits(quotable: Quotable, model: ChatModel, room: int) -> tuple[Part, ...]:
    if len(quotable.text) <= room * TOKEN_CHARACTERS_MAX:
        text = _with_page_numbers(quotable.text) if quotable.attachment.kind is FileKind.PDF else quotable.text.strip("\n")
        origin = Origin(quotable.attachment.name, None)
        whole = Part(Kind.QUOTE, quotable.attachment.content_id, text, origin=origin)
        if await _cost((whole,), model) <= room:
            return (whole,)
    return await _passages_that_fit([_part(quotable.attachment, *one) for one in quotable.passages], model, room)


def _with_page_numbers(text: str) -> str:
    return "\n\n".join(f"[page {number}]\n{page.strip()}" for number, page in enumerate(text.split(PAGE_BREAK), 1))


def _part(attachment: Attachment, passage: Passage, found: FoundPassage | None) -> Part:
    origin = Origin(attachment.name, passage.n, passage.page, passage.line)
    if found is None:
        why = _("The beginning: nothing was found that answers better")
        return Part(Kind.QUOTE, attachment.content_id, passage.text, why=why, origin=origin)
    return Part(Kind.QUOTE, attachment.content_id, passage.text, found.similarity, found.score, found.why, origin=origin)


async def _passages_that_fit(best_first: Sequence[Part], model: ChatModel, room: int) -> tuple[Part, ...]:
    """As many as there is room for, in the order of their files."""
    if not best_first:
        return ()
    alone = await model.count_tokens(["\n".join(attached_texts([part])) for part in best_first])
    chosen: list[Part] = []
    left = room
    for part, cost in zip(best_first, alone, strict=True):  # each with a frame of its own: rather too much than too little
        if cost <= left:
            left -= cost
            chosen.append(part)
    files = list(dict.fromkeys(part.source_id for part in chosen))
    return tuple(sorted(chosen, key=lambda part: (files.index(part.source_id), part.origin.passage if part.origin else 0)))


async def _cost(parts: Sequence[Part], model: ChatModel) -> int:
    return (await model.count_tokens(["\n\n".join(attached_texts(parts)) + "\n\n"]))[0] if parts else 0
