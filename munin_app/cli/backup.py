"""`munin backup`, `munin restore`, `munin erase`: one file with everything, put back, and everything gone."""

import argparse
import asyncio
from pathlib import Path

from munin_app.backup.listing import installed_models
from munin_app.backup.manifest import Manifest
from munin_app.backup.pending import ask_to_erase, erase_if_asked, settle, stage
from munin_app.backup.reading import read_manifest, slot_of
from munin_app.backup.writing import write_backup
from munin_app.bootstrap import closed_data_folder, model_library
from munin_app.cli import passphrase
from munin_app.cli.output import day
from munin_app.cli.progress import progress_bar
from munin_app.config import load_settings
from munin_app.i18n import _
from munin_app.locking.opening import own_sealing
from munin_app.paths import data_folder, settings_file
from munin_app.storage.passphrase import Sealing, sealing_with, unwrap


def add_parser(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    backup = commands.add_parser("backup", help="write everything but models into one file; works beside an open app")
    backup.add_argument("file", type=Path, help="the file, or a folder to put it in")
    backup.add_argument(
        "--passphrase",
        action="store_true",
        help="seal it with a passphrase, which is asked for (or from MUNIN_BACKUP_PASSPHRASE, or a line of standard input)",
    )
    backup.add_argument(
        "--unsealed", action="store_true", help="of locked data, which is sealed with its own passphrase otherwise"
    )
    backup.set_defaults(run=_backup)
    restore = commands.add_parser("restore", help="put a backup in the place of what is here, or unite the two")
    restore.add_argument("file", type=Path)
    restore.add_argument("--merge", action="store_true", help="keep what is here, and add what the backup has beside it")
    restore.add_argument("--yes", action="store_true", help="do not ask")
    restore.set_defaults(run=_restore)
    erase = commands.add_parser("erase", help="erase everything: chats, memory, facts, settings, logs")
    erase.add_argument("--models", action="store_true", help="models too")
    erase.add_argument("--yes", action="store_true", help="do not ask")
    erase.set_defaults(run=_erase, works_locked=True)


async def _backup(options: argparse.Namespace) -> int:
    models = installed_models(await model_library().chat_models(load_settings(settings_file()).model_path))
    sealing = await asyncio.to_thread(_sealing, options)
    with progress_bar("Backing up") as progress:
        target, manifest = await asyncio.to_thread(write_backup, options.file, models, progress, sealing)
    print(f"Wrote {target} ({target.stat().st_size / 1e6:,.1f} MB): {contents(manifest)}.")
    if sealing:
        print(_("It opens with its passphrase only. Whoever loses that has lost the backup."))
    return 0


def _sealing(options: argparse.Namespace) -> Sealing | None:
    if options.passphrase:
        return sealing_with(passphrase.ask_new(_("Passphrase for the backup"), passphrase.BACKUP))
    return None if options.unsealed else own_sealing(data_folder())


async def _restore(options: argparse.Namespace) -> int:
    slot = slot_of(options.file)
    key = unwrap(slot, passphrase.ask(_("Passphrase of the backup"), passphrase.BACKUP)) if slot else None
    manifest = read_manifest(options.file, key=key)
    print(f"Backup of {day(manifest.created_at)}, written by Munin {manifest.program}: {contents(manifest)}.")
    with closed_data_folder() as folder:
        what = "Add it to what is here" if options.merge else f"Replace everything in {folder} with it"
        if not options.yes and not _confirmed(f"{what}?"):
            return 1
        with progress_bar("Restoring") as progress:
            await asyncio.to_thread(stage, options.file, folder, merge=options.merge, progress=progress, key=key)
            await asyncio.to_thread(settle, folder)
    print("Merged." if options.merge else "Restored.", "Memory is rebuilt when Munin is opened.")
    return 0


async def _erase(options: argparse.Namespace) -> int:
    what = "with all models" if options.models else "but not the models"
    if not options.yes and not _confirmed(f"Erase everything in {data_folder()}, {what}? This cannot be undone."):
        return 1
    with closed_data_folder(locked=True) as folder:
        ask_to_erase(folder, models=options.models)
        erase_if_asked(folder)
    print("Erased.")
    return 0


def contents(manifest: Manifest) -> str:
    counts = manifest.counts
    return f"chats {counts.conversations:,}, messages {counts.messages:,}, facts {counts.facts:,}, personas {counts.personas:,}"


def _confirmed(question: str) -> bool:
    try:
        return input(f"{question} Type yes: ").strip().lower() == "yes"
    except EOFError:
        return False
