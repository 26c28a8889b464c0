"""`munin models …`: the model library in the terminal."""

import argparse
from pathlib import Path

from munin_app.bootstrap import OWN_TEMPLATE, model_library
from munin_app.cli.output import print_json
from munin_app.cli.started import started
from munin_app.config import load_settings
from munin_app.errors import ModelError
from munin_app.inference.known_templates import KNOWN_TEMPLATES
from munin_app.library.models import InstalledModel
from munin_app.paths import settings_file


def add_parser(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    command = commands.add_parser("models", help="list, add, use and remove chat models")
    actions = command.add_subparsers(dest="action", metavar="action", required=True)
    listing = actions.add_parser("list", help="the chat models on this device")
    listing.add_argument("--json", action="store_true")
    listing.set_defaults(run=_list)
    add = actions.add_parser("add", help="bring a GGUF file into Munin's own folder")
    add.add_argument("file", type=Path)
    add.add_argument("--link", action="store_true", help="link it instead of copying")
    add.set_defaults(run=_add)
    use = actions.add_parser("use", help="use this model from now on")
    use.add_argument("file", help="a GGUF file, or an id as `munin models list` shows it")
    use.add_argument("--load-anyway", action="store_true", help="although memory seems too short for it")
    use.add_argument(
        "--template",
        choices=[*KNOWN_TEMPLATES, OWN_TEMPLATE],
        default="",
        help="the chat template to use with it, remembered for this file; own: the one in the file",
    )
    use.set_defaults(run=_use)
    remove = actions.add_parser("remove", help="remove a model from Munin's own folder")
    remove.add_argument("id")
    remove.set_defaults(run=_remove)


async def _list(options: argparse.Namespace) -> int:
    settings_path, library = load_settings(settings_file()).model_path, model_library()
    try:
        in_use: InstalledModel | None = await library.chat_model(settings_path)
    except ModelError:
        in_use = None
    for model in await library.chat_models(settings_path):
        if options.json:
            shown = {"id": model.id, "path": str(model.path), "size_bytes": model.size_bytes, "tiny": model.tiny}
            print_json({**shown, "in_use": model == in_use})
        else:
            notes = ", ".join(note for note in ("in use" if model == in_use else "", "starter" if model.tiny else "") if note)
            print(f"{model.id}  {model.size_bytes / 1e6:,.0f} MB  {model.path}" + (f"  ({notes})" if notes else ""))
    return 0


async def _add(options: argparse.Namespace) -> int:
    async with started() as munin:
        model = await munin.library.add(options.file, copy=not options.link)
    print(f"Added {model.id}. Use it with: munin models use {model.id}")
    return 0


async def _use(options: argparse.Namespace) -> int:
    models = await model_library().chat_models()
    path = next((model.path for model in models if model.id == options.file), Path(options.file))
    async with started() as munin:
        info = await munin.use_model_file(str(path), template=options.template, load_anyway=options.load_anyway)
    print(f"Using {info.name} ({info.context_size:,} tokens of context).")
    return 0


async def _remove(options: argparse.Namespace) -> int:
    async with started() as munin:
        await munin.library.remove(options.id)
    print(f"Removed {options.id}.")
    return 0
