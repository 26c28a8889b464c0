"""Asking for a passphrase: never on the command line, where other programs and the shell's history can read it."""

import getpass
import os
import sys

from munin_app.errors import LockError, MuninError
from munin_app.i18n import _
from munin_app.storage.passphrase import check_new

BACKUP = "MUNIN_BACKUP_PASSPHRASE"
DATA = "MUNIN_PASSPHRASE"
NEW = "MUNIN_NEW_PASSPHRASE"


def ask(question: str, variable: str) -> str:
    """Of the environment, else typed unseen, else a line of standard input. Raises LockError: there is none."""
    if given := os.environ.get(variable):
        return given
    if sys.stdin.isatty():
        try:
            return getpass.getpass(f"{question}: ")
        except EOFError:
            pass
    elif line := sys.stdin.readline().rstrip("\r\n"):
        return line
    raise LockError(
        _(
            "A passphrase is needed, and none was given. Run this in a terminal, set {variable}, or give it on standard input."
        ).format(variable=variable)
    )


def ask_new(question: str, variable: str) -> str:
    """Typed twice where it is typed. Raises LockError when it is too short, and MuninError when the two differ."""
    first = ask(question, variable)
    check_new(first)
    typed = not os.environ.get(variable) and sys.stdin.isatty()
    if typed and ask(_("The same again"), variable) != first:
        raise MuninError(_("The two passphrases differ. Try again; nothing was changed."))
    return first
