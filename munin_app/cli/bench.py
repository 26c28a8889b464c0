"""`munin bench`: speed as ratios against bare llama.cpp in the same run. Works beside an open app, on a folder of its own."""

import argparse
import sys
from collections.abc import Callable, Iterable
from contextlib import aclosing
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from munin_app.cli.output import print_json
from munin_app.i18n import _

if TYPE_CHECKING:
    from munin_app.domain.inference import ChatModel

PAIRS = 20
QUICK_PAIRS = 3


def add_parser(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    command = commands.add_parser("bench", help=_("how fast Munin is beside bare llama.cpp, in some minutes"))
    command.add_argument(
        "--pairs",
        type=partial(_whole, least=1),
        default=None,
        metavar="N",
        help=_("of each kind (default {pairs})").format(pairs=PAIRS),
    )
    command.add_argument("--quick", action="store_true", help=_("{number} pairs").format(number=QUICK_PAIRS))
    command.add_argument(
        "--turns", type=_turns, default=(5, 20, 50), metavar="5,20,50", help=_("which turns of their conversation to measure")
    )
    command.add_argument(
        "--context-tokens",
        type=partial(_whole, least=0),
        default=3000,
        metavar="N",
        help=_("of the conversation before them (default 3000)"),
    )
    command.add_argument("--model", type=Path, default=None, metavar="FILE", help=_("a GGUF file (default: the model in use)"))
    command.add_argument("--json", action="store_true", help=_("print one JSON object"))
    command.set_defaults(run=run)
    actions = command.add_subparsers(metavar="recall|models|window|locked")
    recall = actions.add_parser("recall", help=_("how fast memory finds among many memories, beside the bare arms"))
    recall.add_argument(
        "--memories", type=partial(_whole, least=1000), default=100_000, metavar="N", help=_("in the store (default 100000)")
    )
    recall.add_argument("--queries", type=partial(_whole, least=20), default=200, metavar="N", help="(default 200)")
    recall.add_argument("--json", action="store_true", help=_("print one JSON object"))
    recall.set_defaults(run=_recall)

    models = actions.add_parser("models", help=_("how fast each model on this device reads and writes, and what memory it takes"))
    models.add_argument("ids", nargs="*", metavar="ID", help=_("as `munin models list` shows them (default: all)"))
    models.add_argument("--json", action="store_true", help=_("print one JSON object a model"))
    models.set_defaults(run=_models)

    window = actions.add_parser("window", help=_("what a long chat and a long list of chats cost the window, beside short ones"))
    window.add_argument("--messages", type=partial(_whole, least=40), default=2_000, metavar="N", help="(default 2000)")
    window.add_argument("--conversations", type=partial(_whole, least=40), default=10_000, metavar="N", help="(default 10000)")
    window.add_argument("--rounds", type=partial(_whole, least=3), default=15, metavar="N", help="(default 15)")
    window.add_argument("--json", action="store_true", help=_("print one JSON object"))
    window.set_defaults(run=_window)

    locked = actions.add_parser("locked", help=_("what locking the data costs recall and chat, beside the same not locked"))
    locked.add_argument("--memories", type=partial(_whole, least=1000), default=20_000, metavar="N", help="(default 20000)")
    locked.add_argument("--queries", type=partial(_whole, least=20), default=200, metavar="N", help="(default 200)")
    locked.add_argument("--rounds", type=partial(_whole, least=1), default=6, metavar="N", help=_("of chat (default 6)"))
    locked.add_argument("--json", action="store_true", help=_("print one JSON object"))
    locked.set_defaults(run=_locked)


async def run(options: argparse.Namespace) -> int:
    from munin_app.evaluation.speed.plan import Plan
    from munin_app.evaluation.speed.report import report, table
    from munin_app.evaluation.speed.run import measure

    pairs = options.pairs or (QUICK_PAIRS if options.quick else PAIRS)
    result = await measure(Plan(pairs, options.turns, options.context_tokens, options.model), _progress)
    shown = report(result)
    if result.machine.busy:
        _progress(
            _("the machine was busy at the start (load {load}): run it again when it is not").format(load=result.machine.load)
        )
    _print(options, shown, table)
    return 0


async def _recall(options: argparse.Namespace) -> int:
    from munin_app.evaluation.recall.bench import Plan, measure, table

    shown = await measure(Plan(options.memories, options.queries), _progress)
    _print(options, shown, table)
    return 0


async def _window(options: argparse.Namespace) -> int:
    from munin_app.ui.bench import Plan, measure, table

    shown = await measure(Plan(options.messages, options.conversations, options.rounds), _progress)
    _print(options, shown, table)
    return 0


async def _locked(options: argparse.Namespace) -> int:
    from munin_app.evaluation.speed.locked import Plan, measure, table

    shown = await measure(Plan(options.memories, options.queries, options.rounds, model=options.model), _progress)
    _print(options, shown, table)
    return 0


async def _models(options: argparse.Namespace) -> int:
    from munin_app.bootstrap import llama_model, model_library
    from munin_app.config import load_settings
    from munin_app.evaluation.speed.machine import this_machine
    from munin_app.evaluation.speed.models import as_text, measure_models
    from munin_app.paths import settings_file

    settings, library = load_settings(settings_file()), model_library()
    here = await library.chat_models(settings.model_path)
    chosen = [await library.find(model_id, settings.model_path) for model_id in options.ids] or here

    def make(path: Path, template: str = "") -> "ChatModel":
        templates = {**settings.chat_templates, str(path): template} if template else settings.chat_templates
        return llama_model(path, replace(settings, chat_templates=templates, load_anyway=False))

    speeds = []
    async with aclosing(measure_models(chosen, make)) as measured:
        for model in chosen:
            _progress(_("{name}: some seconds, or minutes for a large one").format(name=model.name))
            speeds.append(await anext(measured))
            if options.json:
                print_json(asdict(speeds[-1]))
    if not options.json:
        print(as_text(speeds, _("Models on {system}").format(system=this_machine().system)))
    return 0


def _print(options: argparse.Namespace, shown: dict[str, Any], table: Callable[[dict[str, Any]], Iterable[str]]) -> None:
    if options.json:
        print_json(shown)
    else:
        print("\n".join(table(shown)))


def _progress(text: str) -> None:
    print(_("munin bench: {text}").format(text=text), file=sys.stderr, flush=True)


def _turns(text: str) -> tuple[int, ...]:
    try:
        turns = tuple(int(part) for part in text.split(","))
    except ValueError:
        turns = ()
    if not turns or min(turns) < 2:
        raise argparse.ArgumentTypeError(_("{text!r}: expected turn numbers from 2 on, such as 5,20,50").format(text=text))
    return turns


def _whole(text: str, *, least: int) -> int:
    if not text.isdecimal() or int(text) < least:
        raise argparse.ArgumentTypeError(_("{text!r}: expected a whole number from {least} on").format(text=text, least=least))
    return int(text)
