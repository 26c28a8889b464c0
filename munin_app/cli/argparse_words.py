"""The words that argparse itself prints, in the user's language: it asks the system's catalogues, which have none for it."""

import argparse

from munin_app import i18n
from munin_app.i18n import N_

WORDS = (
    N_("usage: "),
    N_("positional arguments"),
    N_("options"),
    N_("show this help message and exit"),
    N_("%(prog)s: error: %(message)s\n"),
    N_("argument %(argument_name)s: %(message)s"),
    N_("invalid choice: %(value)r (choose from %(choices)s)"),
    N_("invalid %(type)s value: %(value)r"),
    N_("the following arguments are required: %s"),
    N_("unrecognized arguments: %s"),
    N_("not allowed with argument %s"),
    N_("expected one argument"),
    N_("expected at least one argument"),
)
"""As argparse has them; one that a newer Python words otherwise stays in English."""


def speak() -> None:
    """From now on. argparse looks its words up with the `_` of its module when they are printed."""
    argparse._ = i18n.translated  # type: ignore[attr-defined]
