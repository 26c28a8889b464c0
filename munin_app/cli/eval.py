"""`munin eval …`: quality figures on a labelled file."""

import argparse

from munin_app.cli import eval_facts, eval_recall
from munin_app.i18n import _


def add_parser(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    command = commands.add_parser("eval", help=_("quality figures on a labelled file"))
    what = command.add_subparsers(dest="what", metavar="what", required=True)
    for module in (eval_recall, eval_facts):
        module.add_parser(what)
