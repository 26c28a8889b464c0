"""`munin chat`: one turn, or a prompt loop, in the terminal. Ends only when remembering and learning are done."""

import argparse
import asyncio
import queue
import signal
import sys
import threading
from collections.abc import AsyncIterator, Awaitable
from contextlib import suppress
from pathlib import Path
from typing import Any

from munin_app.bootstrap import AppEvent, Munin
from munin_app.chat.attached.files import read_path
from munin_app.chat.attached.naming import quotes_label
from munin_app.chat.branches import LONGER, SHORTER
from munin_app.chat.commands import COMMANDS, parse
from munin_app.chat.personas import by_name
from munin_app.cli.chat_commands import obey
from munin_app.cli.output import print_json, printable
from munin_app.cli.started import started
from munin_app.domain.events import FactsForgotten, FactsLearned, ReplyDelta, ThoughtDelta, Turn, TurnFinished
from munin_app.domain.facts import Fact, LearnedFact
from munin_app.domain.messages import DEFAULT_PERSONA, Conversation, Message, MessageStatus, Role
from munin_app.errors import MessageRefused, ModelError, MuninError, NotFound, StorageError
from munin_app.i18n import _

DEFAULT_MODEL = "default"
INSTRUCTIONS = {"shorter": SHORTER, "longer": LONGER}
DIM, PLAIN = "\x1b[2m", "\x1b[22m"


def add_parser(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    command = commands.add_parser("chat", help=_("talk in the terminal"))
    command.add_argument("-m", "--message", help=_("one turn with this text; without it, a prompt loop"))
    where = command.add_mutually_exclusive_group()
    where.add_argument("--new", action="store_true", help=_("in a new conversation (default: the newest one)"))
    where.add_argument("--conversation", metavar="ID", help=_("in this conversation"))
    where.add_argument("--temporary", action="store_true", help=_("nothing is read from memory, learned or stored"))
    command.add_argument(
        "--persona", metavar="NAME", help=_("who answers: in their newest conversation, a new one, or the given one")
    )
    command.add_argument(
        "--model", metavar="ID", help=_("the model of this conversation from now on; default: the default again")
    )
    what = command.add_mutually_exclusive_group()
    what.add_argument("--edit", metavar="MESSAGE", help=_("with -m: say this message otherwise; the old one is kept beside it"))
    what.add_argument("--retry", nargs="?", const="", choices=sorted(INSTRUCTIONS), help=_("answer the last message again"))
    what.add_argument("--continue", dest="go_on", action="store_true", help=_("go on with a reply that was stopped or cut off"))
    command.add_argument(
        "--attach",
        metavar="FILE",
        action="append",
        default=[],
        help=_("a text, PDF or source file for what is said; may be repeated"),
    )
    command.add_argument("--json", action="store_true", help=_("print one JSON object for each turn"))
    command.set_defaults(run=run)


async def run(options: argparse.Namespace) -> int:
    async with started() as munin:
        if options.edit and options.message is None:
            raise MessageRefused(_("--edit says which message; -m TEXT says what it should be instead."))
        if options.attach and (options.edit or options.retry is not None or options.go_on):
            raise MessageRefused(_("--attach goes with a new message: an edited one keeps the files that it has."))
        conversation = await _with_model(munin, await _conversation(munin, options), options.model)
        await munin.switch.choose(conversation)
        await munin.warm_up()
        terminal = _Terminal(munin, conversation, as_json=options.json)
        if options.edit:
            return await terminal.turn(munin.branches.edit(options.edit, options.message))
        if options.retry is not None or options.go_on:
            reply = await _last_reply(munin, conversation)
            if options.go_on:
                return await terminal.turn(munin.branches.go_on(reply.id))
            return await terminal.turn(munin.controller.retry(reply.id, INSTRUCTIONS.get(options.retry, "")))
        for file in options.attach:
            await terminal.attach(file)
        if options.message is not None:
            return await terminal.say(options.message)
        return await _loop(terminal)


async def _last_reply(munin: Munin, conversation: Conversation) -> Message:
    path = await munin.chats.path(conversation.id)
    if not path or path[-1].role is not Role.ASSISTANT:
        raise MessageRefused(_("This conversation has no reply at its end. Say something first: munin chat -m TEXT."))
    return path[-1]


async def _conversation(munin: Munin, options: argparse.Namespace) -> Conversation:
    if options.edit:
        return await munin.chats.get((await munin.chats.message(options.edit)).conversation_id)
    persona = by_name(await munin.controller.personas.list(), options.persona) if options.persona else None
    if options.conversation:
        if persona:
            await munin.controller.choose_persona(options.conversation, persona.id)
        return await munin.chats.get(options.conversation)
    known = [one for one in await munin.chats.list() if not one.archived and (persona is None or one.persona_id == persona.id)]
    if options.new or options.temporary or not known:
        persona_id = persona.id if persona else DEFAULT_PERSONA
        return await munin.controller.new_conversation(temporary=options.temporary, persona_id=persona_id)
    return known[0]


async def _with_model(munin: Munin, conversation: Conversation, model_id: str | None) -> Conversation:
    """The conversation with the model that was asked for; what became of another one is said."""
    if model_id is not None:
        path = munin.switch.default
        if model_id != DEFAULT_MODEL:
            path = (await munin.library.find(model_id, munin.settings.model_path)).path
        await munin.chats.set_model(conversation.id, str(path) if path != munin.switch.default else "")
        return await munin.chats.get(conversation.id)
    of = await munin.switch.model_of(conversation)
    if of.missing:
        instead = of.path.stem if of.path else _("The default")
        print(
            _("munin: {missing}, the model of this chat, is no longer here. {instead} answers instead.").format(
                missing=of.missing, instead=instead
            ),
            file=sys.stderr,
        )
    return conversation


async def _loop(terminal: "_Terminal") -> int:
    """Until the input ends. 1 when a turn or a command failed; those after it were answered all the same."""
    if sys.stdin.isatty():
        print(_("Enter sends, Ctrl+C stops a reply, Ctrl+D ends. Commands: ") + ", ".join(one.usage for one in COMMANDS))
    code = 0
    lines = _input_lines("you> " if sys.stdin.isatty() else "")
    async for text in lines:
        if text.strip():
            try:
                line = parse(text)
                if line and line.name == "attach":
                    await terminal.attach(line.text)
                elif line:
                    terminal.conversation = await obey(terminal.munin, terminal.conversation, line, terminal.tell)
                else:
                    code = await terminal.say(text) or code
            except MuninError as error:
                print(f"munin: {printable(str(error))}", file=sys.stderr)
                code = 1
    return code


async def _input_lines(prompt: str) -> AsyncIterator[str]:
    """Lines of standard input, read on a thread that does not keep the process alive: Ctrl+C at the prompt ends it."""
    loop = asyncio.get_running_loop()
    wanted: queue.SimpleQueue[None] = queue.SimpleQueue()
    read: asyncio.Queue[str | None] = asyncio.Queue()

    def reader() -> None:
        while True:
            wanted.get()  # the next prompt comes after the reply
            try:
                line: str | None = input(prompt)
            except (EOFError, ValueError):
                line = None
            loop.call_soon_threadsafe(read.put_nowait, line)
            if line is None:
                return

    threading.Thread(target=reader, daemon=True, name="input").start()
    while True:
        wanted.put(None)
        line = await read.get()
        if line is None:
            return
        yield line


class _Terminal:
    """Shows the turns of one conversation."""

    def __init__(self, munin: Munin, conversation: Conversation, *, as_json: bool) -> None:
        self.munin = munin
        self.conversation = conversation
        self._as_json = as_json
        self._attached: list[str] = []
        """Ids of files that go with what is said next."""
        self._turn: Turn | None = None
        self._thinking = False
        """The words that were printed last were thoughts."""
        self._learned: dict[str, tuple[LearnedFact, ...]] = {}
        self._forgotten: dict[str, tuple[Fact, ...]] = {}
        munin.subscribe(self._listen)

    def _listen(self, event: AppEvent) -> None:
        if isinstance(event, ReplyDelta | ThoughtDelta):
            self._show_part(event)
        elif isinstance(event, TurnFinished):
            self._turn = event.turn
        elif isinstance(event, FactsLearned):  # before the end of its turn, when an earlier start left it to be caught up with
            self._learned[event.message_id] = event.learned
        elif isinstance(event, FactsForgotten):
            self._forgotten[event.message_id] = event.facts
            for failure in event.failures:
                print(f"munin: {printable(str(failure))}", file=sys.stderr)

    def _show_part(self, event: ReplyDelta | ThoughtDelta) -> None:
        """Thoughts are dimmed where there is a terminal, and left out of what goes into a file or another program."""
        if self._as_json:
            return
        if isinstance(event, ReplyDelta):
            print(("\n\n" if self._thinking else "") + printable(event.text), end="", flush=True)
            self._thinking = False
        elif sys.stdout.isatty():
            print(f"{DIM}{printable(event.text)}{PLAIN}", end="", flush=True)
            self._thinking = True

    def tell(self, sentence: str) -> None:
        """What a command did; beside the objects of the turns where those are asked for."""
        print(printable(sentence), file=sys.stderr if self._as_json else sys.stdout)

    async def attach(self, path: str) -> None:
        """It goes with what is said next. Raises AttachmentRefused."""
        file = await read_path(Path(path))
        attachment = await self.munin.controller.attachments.add(self.conversation.id, file)
        self._attached.append(attachment.id)
        self.tell(_("Attached: {name}").format(name=attachment.name))

    async def say(self, text: str) -> int:
        async def send() -> None:
            await self.munin.controller.send(self.conversation.id, text, self._attached)
            self._attached = []

        return await self.turn(send())

    async def turn(self, asking: Awaitable[object]) -> int:
        """Until the turn that `asking` begins is over, and all that follows from it."""
        self._turn, self._thinking = None, False
        loop, conversation_id = asyncio.get_running_loop(), self.conversation.id
        with suppress(NotImplementedError):  # Windows: Ctrl+C ends the command instead of the reply
            loop.add_signal_handler(signal.SIGINT, self.munin.controller.stop, conversation_id)
        try:
            await asking
            await self.munin.controller.drain()
        finally:
            with suppress(NotImplementedError):
                loop.remove_signal_handler(signal.SIGINT)
        return self._show(self._turn)

    def _show(self, turn: Turn | None) -> int:
        if turn is None:
            raise StorageError(_("The reply could not be saved. Your message is kept; see logs/munin.log in the data folder."))
        self._print(turn)
        if turn.reply.status is MessageStatus.FAILED:
            raise ModelError(turn.reply.error)
        return 0

    def _print(self, turn: Turn) -> None:
        learned = self._learned.pop(turn.user.id, ())
        forgotten = self._forgotten.pop(turn.user.id, ())
        if self._as_json:
            print_json(turn_object(turn, learned, self.munin) | {"forgotten": [fact.text for fact in forgotten]})
            return
        print()
        if turn.reply.reasoning:
            print(_("  (thought for {number} s)").format(number=max(1, round(turn.reply.reasoning_ms / 1000))))
        if label := quotes_label(turn.used.quotes):
            print(f"  ({printable(label)})")
        for one in learned:
            print(_("  (noted: {fact})").format(fact=printable(one.fact.text)))
        for fact in forgotten:
            print(_("  (forgot: {fact}; `munin memory add` takes that back)").format(fact=printable(fact.text)))


def turn_object(turn: Turn, learned: tuple[LearnedFact, ...], munin: Munin) -> dict[str, Any]:
    """The turn as SPEC §7 names its fields. Ids are UUIDs, times milliseconds."""
    return {
        "conversation": turn.conversation.id,
        "persona": turn.conversation.persona_id,
        "message": turn.user.id,
        "reply": turn.reply.text,
        "reasoning": turn.reply.reasoning,
        "reasoning_ms": turn.reply.reasoning_ms,
        "reply_id": turn.reply.id,
        "status": turn.reply.status.value,
        "error": turn.reply.error,
        "facts": [{"fact": fact.fact_id, "text": fact.text, "message": _source(munin, fact.fact_id)} for fact in turn.used.facts],
        "recalled": [
            {
                "text": snippet.text,
                "message": snippet.message_id,
                "conversation": snippet.conversation_id,
                "score": snippet.score,
                "similarity": snippet.similarity,
                "why": snippet.why,
            }
            for snippet in turn.used.snippets
        ],
        "quoted": [
            {
                "file": one.name,
                "page": one.page,
                "line": one.line,
                "whole": one.whole,
                "text": one.text,
                "similarity": one.similarity,
            }
            for one in turn.used.quotes
        ],
        "learned": [
            {"fact": one.fact.id, "text": one.fact.text, "status": one.fact.status.value, "quote": one.quote} for one in learned
        ],
        "timings": {
            "ttft_ms": round(turn.timings.first_token, 1),
            "total_ms": round(turn.timings.total, 1),
            "embed_ms": round(turn.timings.embed, 1),
            "search_ms": round(turn.timings.search, 1),
        },
        "tokens": {
            "evaluated": turn.usage.evaluated,
            "reused": turn.usage.reused,
            "generated": turn.usage.generated,
            "per_second": round(turn.usage.tokens_per_second, 1),
        },
        "prompt_reset": turn.prompt_reset,
        "truncated": turn.truncated,
    }


def _source(munin: Munin, fact_id: str) -> str | None:
    """The newest user message behind a fact; None for one that was typed by hand."""
    try:
        sources = munin.profile.get(fact_id).sources
    except NotFound:
        return None
    return sources[-1].message_id if sources else None
