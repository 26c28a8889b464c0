"""`munin export`: one conversation as Markdown, HTML or JSON, or everything as JSON Lines. Works beside an open app."""

import argparse
from pathlib import Path

from munin_app import paths
from munin_app.bootstrap import chats_reader, known_personas
from munin_app.chat.attached.rows import texts
from munin_app.chat.export import as_json, as_markdown
from munin_app.chat.html_export import as_html
from munin_app.cli.everything import export_everything
from munin_app.cli.output import day, new_file, one_line, printable
from munin_app.domain.messages import Conversation
from munin_app.errors import MuninError, NotFound
from munin_app.i18n import _


def add_parser(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    command = commands.add_parser("export", help=_("write a conversation as Markdown, HTML or JSON; without an id: list them"))
    command.add_argument("id", nargs="?", help=_("of a conversation; its beginning is enough"))
    command.add_argument(
        "--format",
        choices=("markdown", "html", "json"),
        default="markdown",
        help=_("markdown, html: what is shown (a browser prints html as a PDF); json: every branch"),
    )
    command.add_argument("-o", "--output", type=Path, metavar="FILE", help=_("a new file (default: standard output)"))
    command.add_argument("--everything", type=Path, metavar="FILE", help=_("all that Munin holds, as JSON Lines in a new file"))
    command.set_defaults(run=_export)


async def _export(options: argparse.Namespace) -> int:
    if options.everything:
        await export_everything(options.everything)
        return 0
    if not paths.chats_database().exists():  # before the first start
        if options.id is not None:
            _meant((), options.id)
        _list(())
        return 0
    async with chats_reader() as chats:
        conversations = await chats.list()
        if options.id is None:
            _list(conversations)
            return 0
        conversation = _meant(conversations, options.id)
        path, messages = await chats.path(conversation.id), await chats.messages(conversation.id)
        files = await texts(chats, conversation.id)
        tree = await chats.tree(conversation.id)
    names = {one.id: one.name for one in await known_personas()}
    persona = names.get(conversation.persona_id, "Munin")
    match options.format:
        case "json":
            text = as_json(conversation, messages, persona, files)
        case "html":
            text = as_html(conversation, path, tree, persona, files)
        case _other:
            text = as_markdown(conversation, path, persona, files)
    if options.output is None:
        print(printable(text), end="")
    else:
        with new_file(options.output) as file:
            file.write(text)
        print(_("Wrote {output}.").format(output=options.output))
    return 0


def _list(conversations: tuple[Conversation, ...]) -> None:
    for one in conversations:
        print(f"{one.id}  {day(one.updated_at)}  {one_line(one.title)}")
    if not conversations:
        print(_("No conversation yet."))


def _meant(conversations: tuple[Conversation, ...], beginning: str) -> Conversation:
    found = [one for one in conversations if one.id.startswith(beginning)]
    if not found:
        raise NotFound(
            _("There is no conversation {beginning}. `munin export` without an id lists them.").format(beginning=beginning)
        )
    if len(found) > 1:
        raise MuninError(
            _("{number} ids begin with {beginning}. Give more of the one you mean.").format(
                number=len(found), beginning=beginning
            )
        )
    return found[0]
