"""`munin models background ID`: which model does the background work."""

import argparse

from munin_app.bootstrap import model_library
from munin_app.cli.started import started
from munin_app.i18n import _

SAME = "same"


def add_background_parser(actions: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    background = actions.add_parser(
        "background", help=_("which model notes facts, sums up and names chats; its memory comes on top")
    )
    background.add_argument("id", help=_("as `munin models list` shows it; {same}: the chat model does it").format(same=SAME))
    background.set_defaults(run=_background)


async def _background(options: argparse.Namespace) -> int:
    path = "" if options.id == SAME else str((await model_library().find(options.id)).path)
    async with started() as munin:
        await munin.change_settings(background_model=path)
    print(_("{id} does the background work.").format(id=options.id) if path else _("The chat model does the background work."))
    return 0
