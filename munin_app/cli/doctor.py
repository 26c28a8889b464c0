"""`munin doctor`: what works on this machine and what does not, arm by arm, and what to do about it. Changes nothing."""

import argparse
from contextlib import suppress
from dataclasses import asdict

from munin_app.cli.lock import open_data
from munin_app.cli.output import print_json
from munin_app.doctor import examine
from munin_app.errors import LockError
from munin_app.i18n import _


def add_parser(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    command = commands.add_parser("doctor", help=_("what works here and what does not, and what to do"))
    command.add_argument("--json", action="store_true", help=_("print one JSON object for each part"))
    command.set_defaults(run=run, works_locked=True)


async def run(options: argparse.Namespace) -> int:
    """0 when everything works, 1 when something does not."""
    with suppress(LockError):  # what could not be opened is said below
        open_data()
    marks = {"ready": _("ok"), "behind": _("behind"), "not loaded": "-", "off": _("OFF")}
    names = {
        "data folder": _("data folder"),
        "settings": _("settings"),
        "lock": _("lock"),
        "model": _("model"),
        "fits": _("fits"),
        "chats": _("chats"),
        "facts": _("facts"),
        "memory": _("memory"),
        "encoder": _("encoder"),
        "vectors": _("vectors"),
        "words": _("words"),
        "database": _("database"),
        "set aside": _("set aside"),
    }
    parts = await examine()
    for part in parts:
        if options.json:
            print_json(asdict(part))
        else:
            print(f"{marks[part.state]:7} {names.get(part.name, part.name):12} {part.detail}")
            if part.remedy:
                print(f"{'':20} {part.remedy}")
    return 0 if all(part.state == "ready" for part in parts) else 1
