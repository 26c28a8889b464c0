"""`munin import`: chats of other apps, from the files that those export."""

import argparse
import sys
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

from munin_app import paths
from munin_app.bootstrap import AppEvent, Munin, chats_reader
from munin_app.chat.conversations import ConversationRepository
from munin_app.chat.schema import MIGRATIONS
from munin_app.cli.output import day, one_line, print_json
from munin_app.cli.started import started
from munin_app.errors import ChatImportError, NotFound
from munin_app.i18n import _
from munin_app.imports.importing import FoundChat, Preview, preview
from munin_app.imports.remembering import ImportsRemembered
from munin_app.imports.wording import described, refusals
from munin_app.imports.writing import Wish
from munin_app.storage.database import Database

SHORT = 12
"""The end of a chat's mark, which is printed and typed."""


def add_parser(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    command = commands.add_parser("import", help=_("bring chats from ChatGPT, Claude, Open WebUI, LM Studio or PocketPal"))
    command.add_argument("file", type=Path, help=_("what the app exported: a zip or JSON file, or LM Studio's folder of chats"))
    command.add_argument("--dry-run", action="store_true", help=_("only list what is in it; works beside an open app"))
    command.add_argument("--select", nargs="+", metavar="ID", help=_("only these chats; --dry-run lists the ids"))
    command.add_argument("--remember", action="store_true", help=_("let memory hold what was said in them"))
    command.add_argument("--facts", action="store_true", help=_("with --remember: look for facts about you, for your review"))
    command.add_argument("--json", action="store_true", help=_("one object a line"))
    command.set_defaults(run=_import)


async def _import(options: argparse.Namespace) -> int:
    if options.facts and not options.remember:
        raise ChatImportError(_("--facts needs --remember: facts are sought only in chats that memory may hold."))
    if options.dry_run:
        async with _reader() as chats:
            found = await preview(chats, options.file)
        chosen = _chosen(found, options.select)
        for chat in chosen:
            _print_chat(chat, as_json=options.json)
        _print_summary(found, as_json=options.json)
        return 0
    async with started() as munin:
        found = await preview(munin.chats, options.file)
        _print_summary(found, as_json=options.json)
        marks = {chat.mark for chat in _chosen(found, options.select)}
        with _bar(_("Importing"), len(marks)) as show:
            imported = await munin.import_chats(options.file, Wish(options.remember, options.facts), marks, show)
        if options.json:
            print_json({"imported": imported.chats, "messages": imported.messages, "extended": imported.extended})
        else:
            print(_("Imported {n} new chats and {m} messages.").format(n=imported.chats, m=imported.messages))
        if options.remember:
            await _remember(munin)
    return 0


async def _remember(munin: Munin) -> None:
    """Until it is done. Interrupted, it goes on when Munin is opened."""
    with _bar(_("Remembering"), (await munin.remembering.progress()).total) as show:

        def follow(event: AppEvent) -> None:
            if isinstance(event, ImportsRemembered) and event.total:
                show(event.done)

        end = munin.subscribe(follow)
        await munin.controller.drain()
        end()


def _chosen(found: Preview, wanted: Sequence[str] | None) -> list[FoundChat]:
    """Raises NotFound."""
    if wanted is None:
        return [*found.chats]
    ends = {chat.mark[-SHORT:]: chat for chat in found.chats}
    for one in wanted:
        if one not in ends:
            raise NotFound(_("{file} holds no chat {id}. --dry-run lists what it holds.").format(file=found.path.name, id=one))
    return [ends[one] for one in wanted]


def _print_chat(chat: FoundChat, *, as_json: bool) -> None:
    if as_json:
        entry = {"id": chat.mark[-SHORT:], "app": chat.app, "title": chat.title, "messages": chat.messages, "new": chat.new}
        print_json(entry)
        return
    new = _("all here") if not chat.new else _("{n} new").format(n=chat.new)
    print(f"{chat.mark[-SHORT:]}  {day(chat.updated_at)}  {chat.messages:>5} ({new})  {one_line(chat.title)}")


def _print_summary(found: Preview, *, as_json: bool) -> None:
    if as_json:
        print_json(
            {
                "apps": list(found.apps),
                "chats": len(found.chats),
                "messages": found.messages,
                "new": found.new_messages,
                "here": found.here,
                "left_out": dict(found.left_out),
                "refused": [{"title": one.title, "reason": one.reason} for one in found.refused],
            }
        )
        return
    for line in (described(found), *refusals(found)):
        print(one_line(line, 1_000))


@asynccontextmanager
async def _reader() -> AsyncIterator[ConversationRepository]:
    """What is here, without changing it; nothing where Munin was never opened."""
    if paths.chats_database().exists():
        async with chats_reader() as chats:
            yield chats
        return
    empty = Database(None, MIGRATIONS)
    await empty.open()
    yield ConversationRepository(empty, empty)
    await empty.close()


@contextmanager
def _bar(name: str, total: int) -> Iterator[Callable[[int], None]]:
    """On standard error, and only where that is a terminal."""
    from tqdm import tqdm

    with tqdm(desc=name, total=total, disable=None, file=sys.stderr, leave=False) as bar:

        def show(done: int) -> None:
            bar.n = done
            bar.refresh()

        yield show
