"""`munin lock`: the data encrypted at rest, or not any more, and what opens it. And opening it for a command."""

import argparse
import asyncio
from pathlib import Path

from munin_app import paths
from munin_app.bootstrap import closed_data_folder
from munin_app.cli import passphrase
from munin_app.cli.progress import progress_bar
from munin_app.i18n import _
from munin_app.locking.opening import change_passphrase, open_by_keyring, open_by_passphrase, use_keyring
from munin_app.locking.switching import ciphers_missing, turn_off, turn_on
from munin_app.storage.locks import read_lock


def add_parser(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    command = commands.add_parser("lock", help=_("encrypt the data on this disk, with a passphrase or the system's keyring"))
    actions = command.add_subparsers(dest="action", metavar="action", required=True)
    on = actions.add_parser("on", help=_("encrypt everything; the passphrase is asked for (or from MUNIN_PASSPHRASE)"))
    on.add_argument("--keyring", action="store_true", help=_("the system's keyring has the key too: nothing is asked at start"))
    on.add_argument("--keyring-only", action="store_true", help=_("without a passphrase; what the keyring loses is lost"))
    on.set_defaults(run=_on)
    actions.add_parser("off", help=_("decrypt everything")).set_defaults(run=_off)
    changed = actions.add_parser(
        "passphrase", help=_("another passphrase (or from MUNIN_NEW_PASSPHRASE); the data stays as it is")
    )
    changed.set_defaults(run=_passphrase)
    keyring = actions.add_parser("keyring", help=_("whether the system's keyring has the key too"))
    keyring.add_argument("switch", choices=("on", "off"))
    keyring.set_defaults(run=_keyring)
    status = actions.add_parser("status", help=_("whether the data is locked, and what opens it"))
    status.set_defaults(run=_status, works_locked=True)


def open_data() -> None:
    """For a command: by the system's keyring, else by the passphrase. Raises LockError. Nothing where nothing is locked."""
    folder = paths.data_folder()
    if not open_by_keyring(folder):
        open_by_passphrase(folder, passphrase.ask(_("Passphrase of your data"), passphrase.DATA))


async def _on(options: argparse.Namespace) -> int:
    with closed_data_folder() as folder:
        typed = "" if options.keyring_only else passphrase.ask_new(_("Passphrase for your data"), passphrase.DATA)
        with progress_bar(_("Locking")) as progress:
            keyring = options.keyring or options.keyring_only
            await asyncio.to_thread(lambda: turn_on(folder, typed, keyring=keyring, progress=progress))
    print(_("Locked: {how}.").format(how=_how(folder)))
    print(_("A lost key is lost data: nobody can open it without. Deleted files may stay readable on the disk for a while."))
    return 0


async def _off(options: argparse.Namespace) -> int:
    with closed_data_folder() as folder, progress_bar(_("Unlocking")) as progress:
        await asyncio.to_thread(turn_off, folder, progress)
    print(_("Not locked any more: whoever can read this disk can read your data."))
    return 0


async def _passphrase(options: argparse.Namespace) -> int:
    typed = passphrase.ask_new(_("New passphrase"), passphrase.NEW)
    await asyncio.to_thread(change_passphrase, paths.data_folder(), typed)
    print(_("The passphrase is changed. Backups that were made before open with the old one."))
    return 0


async def _keyring(options: argparse.Namespace) -> int:
    await asyncio.to_thread(use_keyring, paths.data_folder(), options.switch == "on")
    return await _status(options)


async def _status(options: argparse.Namespace) -> int:
    folder = paths.data_folder()
    if missing := ciphers_missing():
        print(missing)
    elif read_lock(folder) is None:
        print(_("Not locked: whoever can read this disk can read your data. Lock it with: munin lock on"))
    else:
        print(_("Locked: {how}.").format(how=_how(folder)))
    return 0


def _how(folder: Path) -> str:
    lock = read_lock(folder)
    if lock is None or not lock.keyring:
        return _("the passphrase opens it")
    if lock.slot is None:
        return _("the system's keyring opens it")
    return _("the system's keyring opens it, or the passphrase")
