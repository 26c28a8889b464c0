"""The `munin` command: argument parsing, printing and exit codes, thin over the services.

Exit codes: 0 done, 1 an error the user can act on (one line on standard error), 2 wrong usage.

What is large is imported within `main`, which Ctrl+C ends without a traceback.
"""

import argparse
import asyncio
import logging
import sys
from collections.abc import Sequence
from contextlib import suppress

from munin_app import __version__, paths
from munin_app.cli import argparse_words
from munin_app.cli.output import printable
from munin_app.config import load_settings
from munin_app.errors import MuninError
from munin_app.i18n import _, use_language


def port(text: str) -> int:
    """An argument's type: 1 to 65535."""
    number = int(text)
    if not 1 <= number <= 65_535:
        raise argparse.ArgumentTypeError(_("{number} is no port; expected 1 to 65535").format(number=number))
    return number


def parser() -> argparse.ArgumentParser:
    from munin_app.cli import backup, bench, chat, doctor, eval, export, imports, lock, memory, models

    top = argparse.ArgumentParser(prog="munin", description=_("A private assistant that runs on this device and remembers you."))
    top.add_argument("--version", action="version", version=f"Munin {__version__}", help=_("show the version and exit"))
    top.add_argument("--debug", action="store_true", help=_("show tracebacks"))
    top.add_argument(
        "--web", action="store_true", help=_("serve the app to a browser on this machine instead of opening a window")
    )
    top.add_argument("--port", type=port, default=None, help=_("with --web: the port on 127.0.0.1"))
    commands = top.add_subparsers(dest="command", metavar="command")
    for module in (chat, memory, models, backup, imports, export, lock, doctor, eval, bench):
        module.add_parser(commands)
    return top


def _speak() -> None:
    with suppress(MuninError):  # whoever needs the settings will say what is wrong with them
        use_language(load_settings(paths.settings_file()).language)
    argparse_words.speak()


def _open_data() -> None:
    from munin_app.cli.lock import open_data
    from munin_app.locking.opening import is_open

    if not is_open(paths.data_folder()):
        open_data()
        _speak()


def main(arguments: Sequence[str] | None = None) -> int:
    logging.getLogger("munin_app").addHandler(logging.NullHandler())  # what matters is printed; the app has a log file
    debug = False
    try:
        _speak()
        options = parser().parse_args(arguments)
        debug = options.debug
        works_locked = options.command is None or getattr(options, "works_locked", False)  # the window asks by itself
        if not works_locked:
            _open_data()
        if options.command is None:
            from munin_app.main import run

            run(web=options.web, port=options.port)
            return 0
        return int(asyncio.run(options.run(options)))
    except MuninError as error:
        if debug:
            raise
        print(f"munin: {printable(str(error))}", file=sys.stderr)
        return 1
    except BrokenPipeError:
        sys.stderr.close()  # the reader of a pipe went away: nothing to say, and nobody to say it to
        return 1
    except OSError as error:
        if debug:
            raise
        print(
            _("munin: Output could not be written or a file not be read ({strerror}).").format(strerror=error.strerror),
            file=sys.stderr,
        )
        return 1
    except KeyboardInterrupt:
        return 130
