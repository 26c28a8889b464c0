"""`munin memory …`: the Memory page in the terminal. Commands that only read work beside an open app."""

import argparse
import sys
from collections.abc import Sequence
from dataclasses import asdict

from munin_app.bootstrap import Munin, known_personas, memory_reader, profile_reader
from munin_app.chat.personas import by_name
from munin_app.cli.output import day, midnight, one_line, positive, print_json, printable, said_yes, similarity
from munin_app.cli.started import started
from munin_app.domain.events import Forgotten
from munin_app.domain.facts import Fact, FactOrigin, FactStatus
from munin_app.domain.memories import EVERYTHING, SHARED, MemoryFilter, SearchResult
from munin_app.domain.personas import EVERYONE, Persona
from munin_app.errors import MuninError, NotFound, PersonaError
from munin_app.i18n import _, decimal

WIPES = ("facts", "memories", "chats")


def add_parser(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    command = commands.add_parser("memory", help=_("see, correct and wipe what is remembered"))
    actions = command.add_subparsers(dest="action", metavar="action", required=True)

    def action(name: str, run: object, text: str) -> argparse.ArgumentParser:
        one = actions.add_parser(name, help=text)
        one.add_argument("--json", action="store_true", help=_("print one JSON object for each line"))
        one.set_defaults(run=run)
        return one

    search = action("search", _search, _("find remembered messages by meaning and words"))
    search.add_argument("query")
    search.add_argument("--top-k", type=positive, default=6, help=_("how many at most (default 6)"))
    search.add_argument(
        "--threshold", type=similarity, default=None, help=_("least similarity, -1 to 1 (default: the encoder's own rule)")
    )
    search.add_argument("--persona", metavar="NAME", help=_("as that persona recalls (default: in every memory)"))
    search.add_argument("--why", action="store_true", help=_("what each signal said, and what was left out and why"))
    listing = action("list", _list, _("remembered messages, newest first"))
    listing.add_argument("--limit", type=positive, default=50)
    _add_filters(listing)
    facts = action("facts", _facts, _("the facts about you"))
    facts.add_argument("--made-room", action="store_true", help=_("only those that left because of the limit, the last first"))
    add = action("add", _add, _("add a fact by hand"))
    add.add_argument("text")
    add.add_argument(
        "--scope", metavar="NAME", help=_("of a persona with a memory of its own (default: {everyone})").format(everyone=EVERYONE)
    )
    edit = action("edit", _edit, _("correct a fact, or move it to another scope"))
    edit.add_argument("id", help=_("as `munin memory facts` shows it; its beginning is enough"))
    edit.add_argument("text", nargs="?")
    edit.add_argument(
        "--scope", metavar="NAME", help=_("{everyone}, or a persona with a memory of its own").format(everyone=EVERYONE)
    )
    restore = action("restore", _restore, _("bring back a fact that made room for another or was replaced"))
    restore.add_argument("id", help=_("as `munin memory facts` shows it; its beginning is enough"))
    forget = action("forget", _forget, _("forget one fact, one remembered message, or those of a chat or a time"))
    forget.add_argument("id", nargs="?", help=_("of a fact or a message; its beginning is enough"))
    _add_filters(forget)
    forget.add_argument("--yes", action="store_true", help=_("do not ask"))
    wipe = action("wipe", _wipe, _("forget all facts, all memories, or clear all chats"))
    wipe.add_argument("what", choices=WIPES)
    wipe.add_argument("--yes", action="store_true", help=_("do not ask"))


def _add_filters(command: argparse.ArgumentParser) -> None:
    command.add_argument("--conversation", metavar="ID", help=_("only what was said in that conversation"))
    command.add_argument("--since", type=midnight, metavar="DATE", help=_("only what was said on that day or later: 2026-01-31"))
    command.add_argument("--before", type=midnight, metavar="DATE", help=_("only what was said before that day"))


def _meant(options: argparse.Namespace) -> MemoryFilter:
    return MemoryFilter(options.conversation, options.since, options.before)


async def _search(options: argparse.Namespace) -> int:
    personas = await known_personas()
    asked = [by_name(personas, options.persona)] if options.persona else personas
    scopes = {persona.scope for persona in asked} | (set() if options.persona else {SHARED})
    async with memory_reader() as memory:
        outcome = await memory.recall(options.query, options.top_k, options.threshold, scopes=scopes)
    for found in outcome.results:
        _show_found(found, options)
    if options.why:
        for found in outcome.left_out:
            _show_found(found, options, left_out=True)
    if not outcome.results and not options.json:
        print(_("Nothing found."))
    return 0


def _show_found(found: SearchResult, options: argparse.Namespace, *, left_out: bool = False) -> None:
    if options.json:
        shown = {**asdict(found.memory), "score": found.score, "similarity": found.similarity, "why": found.why}
        if options.why:
            shown |= {"left_out": left_out, "sureness": found.sureness, "signals": [asdict(signal) for signal in found.signals]}
        print_json(shown)
        return
    mark = "  - " if left_out else "    "
    similarity = mark if found.similarity is None else f"{found.similarity:.2f}"
    print(f"{similarity}  {day(found.memory.created_at)}  {found.memory.role:9}  {one_line(found.memory.text)}")
    print(f"{mark}  {found.why}  ({found.memory.message_id})")
    if options.why:
        signals = ", ".join(f"{signal.name} {signal.points:+.2f} (#{signal.rank})" for signal in found.signals)
        print(
            _("{mark}  score {score} = {signals}; {sureness} from the bar").format(
                mark=mark, score=decimal(found.score, 2), signals=signals, sureness=f"{found.sureness:+.2f}"
            )
        )


async def _list(options: argparse.Namespace) -> int:
    async with memory_reader() as memory:
        remembered = await memory.browse(0, options.limit, _meant(options))
    for one in remembered:
        if options.json:
            print_json(asdict(one))
        else:
            print(f"{one.message_id}  {day(one.created_at)}  {one.role:9}  {one_line(one.text)}")
    if not remembered and not options.json:
        print(_("Nothing found."))
    return 0


async def _facts(options: argparse.Namespace) -> int:
    async with profile_reader() as profile:
        everything = (*profile.facts, *profile.candidates, *profile.history)
    if options.made_room:
        _show_made_room(everything, as_json=options.json)
        return 0
    personas = await known_personas() if any(fact.scope != SHARED for fact in everything) else ()
    for fact in everything:
        _show_fact(fact, as_json=options.json, personas=personas)
    if not everything and not options.json:
        print(_("No facts yet. Say something about yourself in a chat, or add one with: munin memory add TEXT"))
    return 0


def _owner(scope: str, personas: Sequence[Persona]) -> str:
    return _("everyone") if scope == SHARED else next((one.name for one in personas if one.scope == scope), scope)


def _scope(name: str | None, personas: Sequence[Persona]) -> str:
    """Raises NotFound, and PersonaError for a persona that shares everyone's memory."""
    if name is None or name.casefold() in (EVERYONE, _("everyone")):
        return SHARED
    persona = by_name(personas, name)
    if not persona.own_memory:
        raise PersonaError(
            _("{name} shares everyone's memory and has no facts of its own. Give the name {everyone}.").format(
                name=persona.name, everyone=EVERYONE
            )
        )
    return persona.scope


def _show_made_room(everything: tuple[Fact, ...], *, as_json: bool) -> None:
    texts = {fact.id: fact.text for fact in everything}
    left = [fact for fact in everything if fact.status is FactStatus.DISPLACED]
    for fact in sorted(left, key=lambda fact: fact.updated_at, reverse=True):
        if as_json:
            print_json(asdict(fact))
            continue
        by = texts.get(fact.replaced_by or "")
        left_for = _("left {day} for “{fact}”") if by else _("left {day}")
        print(f"{fact.id}  {one_line(fact.text)}  ({left_for.format(day=day(fact.updated_at), fact=one_line(by or ''))})")
    if not left and not as_json:
        print(_("Nothing had to make room."))


async def _restore(options: argparse.Namespace) -> int:
    async with started() as munin:
        personas = await munin.controller.personas.list()
        fact = await munin.profile.restore(_fact_id(munin, options.id))
    _show_fact(fact, as_json=options.json, personas=personas)
    return 0


def _show_fact(fact: Fact, *, as_json: bool, personas: Sequence[Persona] = ()) -> None:
    if as_json:
        print_json(asdict(fact))
    else:
        marks = [_status(fact.status), _("pinned") if fact.pinned else "", _origin(fact.origin)]
        about = "; ".join([fact.attribute, ", ".join(filter(None, marks)), _owner(fact.scope, personas)])
        print(f"{fact.id}  {one_line(fact.text)}  ({about})")


def _status(status: FactStatus) -> str:
    return {
        FactStatus.ACTIVE: _("active"),
        FactStatus.CANDIDATE: _("to be reviewed"),
        FactStatus.SUPERSEDED: _("replaced"),
        FactStatus.DISPLACED: _("made room"),
    }[status]


def _origin(origin: FactOrigin) -> str:
    return {FactOrigin.TYPED: _("typed"), FactOrigin.EXTRACTED: _("noted")}[origin]


async def _add(options: argparse.Namespace) -> int:
    async with started() as munin:
        personas = await munin.controller.personas.list()
        learned = await munin.profile.add(options.text, _scope(options.scope, personas))
    _show_fact(learned.fact, as_json=options.json, personas=personas)
    return 0


async def _edit(options: argparse.Namespace) -> int:
    if options.text is None and options.scope is None:
        print(_("munin: give the corrected text, or --scope NAME, or both"), file=sys.stderr)
        return 2
    async with started() as munin:
        personas = await munin.controller.personas.list()
        scope = _scope(options.scope, personas)  # refused before anything is changed
        fact = munin.profile.get(_fact_id(munin, options.id))
        if options.text is not None:
            fact = await munin.profile.edit(fact.id, options.text)
        if options.scope is not None:
            fact = await munin.forgetting.move_fact(fact.id, scope)
    _show_fact(fact, as_json=options.json, personas=personas)
    return 0


async def _forget(options: argparse.Namespace) -> int:
    if bool(options.id) == (_meant(options) != EVERYTHING):
        print(_("munin: give the id of a fact or message, or say which: --conversation, --since, --before"), file=sys.stderr)
        return 2
    async with started() as munin:
        await munin.memory.warm_up()
        if options.id:
            forgotten = await _forget_one(munin, options.id)
        else:
            ids = await munin.memory.indexed_ids(_meant(options))
            if not options.yes and not _confirmed(_("Forget {number} memories?").format(number=decimal(len(ids)))):
                return 1
            forgotten = await munin.forgetting.forget_memories(ids)
    return _show_forgotten(forgotten, as_json=options.json)


async def _forget_one(munin: Munin, beginning: str) -> Forgotten:
    try:
        return await munin.forgetting.forget_fact(_fact_id(munin, beginning))
    except NotFound:
        return await munin.forgetting.forget_memories([await _memory_id(munin, beginning)])


def _fact_id(munin: Munin, beginning: str) -> str:
    everything = (*munin.profile.facts, *munin.profile.candidates, *munin.profile.history)
    return _only([fact.id for fact in everything if fact.id.startswith(beginning)], beginning)


async def _memory_id(munin: Munin, beginning: str) -> str:
    return _only([one for one in await munin.memory.indexed_ids() if one.startswith(beginning)], beginning)


def _only(found: list[str], beginning: str) -> str:
    if not found:
        raise NotFound(
            _(
                "There is no fact or remembered message with the id {beginning}. `munin memory facts` and `munin memory list` "
                "show the ids."
            ).format(beginning=beginning)
        )
    if len(found) > 1:
        raise MuninError(
            _("{number} ids begin with {beginning}. Give more of the one you mean.").format(
                number=len(found), beginning=beginning
            )
        )
    return found[0]


async def _wipe(options: argparse.Namespace) -> int:
    question = {
        "facts": _("Forget all facts?"),
        "memories": _("Forget all memories?"),
        "chats": _("Clear all chats?"),
    }[options.what]
    if not options.yes and not _confirmed(question):
        return 1
    async with started() as munin:
        await munin.memory.warm_up()
        wipe = {
            "facts": munin.forgetting.forget_all_facts,
            "memories": munin.forgetting.forget_all_memories,
            "chats": munin.forgetting.clear_chats,
        }[options.what]
        return _show_forgotten(await wipe(), as_json=options.json)


def _confirmed(question: str) -> bool:
    try:
        return said_yes(input(_("{question} This cannot be undone. Type yes: ").format(question=question)))
    except EOFError:
        return False


def _show_forgotten(forgotten: Forgotten, *, as_json: bool) -> int:
    """1 when something could not be done."""
    if as_json:
        print_json(
            {
                "sources": [message.id for message in forgotten.sources],
                "replies": [message.id for message in forgotten.replies],
                "failures": list(forgotten.failures),
            }
        )
    else:
        print(_("Forgotten."))
        for message in (*forgotten.sources, *forgotten.replies):
            print(_("  still in a chat: {id}  {one_line}").format(id=message.id, one_line=one_line(message.text, 80)))
    for failure in forgotten.failures:
        print(f"munin: {printable(str(failure))}", file=sys.stderr)
    return 1 if forgotten.failures else 0
