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
from munin_app.cli.output import day, said_yes
from munin_app.cli.progress import progress_bar
from munin_app.config import load_settings
from munin_app.i18n import _, decimal
from munin_app.locking.opening import own_sealing
from munin_app.paths import data_folder, settings_file
from munin_app.storage.passphrase import Sealing, sealing_with, unwrap


def add_parser(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    backup = commands.add_parser("backup", help=_("write everything but models into one file; works beside an open app"))
    backup.add_argument("file", type=Path, help=_("the file, or a folder to put it in"))
    backup.add_argument(
        "--passphrase",
        action="store_true",
        help=_("seal it with a passphrase, which is asked for (or from MUNIN_BACKUP_PASSPHRASE, or a line of standard input)"),
    )
    backup.add_argument(
        "--unsealed", action="store_true", help=_("of locked data, which is sealed with its own passphrase otherwise")
    )
    backup.set_defaults(run=_backup)
    restore = commands.add_parser("restore", help=_("put a backup in the place of what is here, or unite the two"))
    restore.add_argument("file", type=Path)
    restore.add_argument("--merge", action="store_true", help=_("keep what is here, and add what the backup has beside it"))
    restore.add_argument("--yes", action="store_true", help=_("do not ask"))
    restore.set_defaults(run=_restore)
    erase = commands.add_parser("erase", help=_("erase everything: chats, memory, facts, settings, logs"))
    erase.add_argument("--models", action="store_true", help=_("models too"))
    erase.add_argument("--yes", action="store_true", help=_("do not ask"))
    erase.set_defaults(run=_erase, works_locked=True)


async def _backup(options: argparse.Namespace) -> int:
    models = installed_models(await model_library().chat_models(load_settings(settings_file()).model_path))
    sealing = await asyncio.to_thread(_sealing, options)
    with progress_bar(_("Backing up")) as progress:
        target, manifest = await asyncio.to_thread(write_backup, options.file, models, progress, sealing)
    print(
        _("Wrote {target} ({number} MB): {contents}.").format(
            target=target, number=decimal(target.stat().st_size / 1000000.0, 1), contents=contents(manifest)
        )
    )
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
    print(
        _("Backup of {day}, written by Munin {program}: {contents}.").format(
            day=day(manifest.created_at), program=manifest.program, contents=contents(manifest)
        )
    )
    with closed_data_folder() as folder:
        what = _("Add it to what is here") if options.merge else _("Replace everything in {folder} with it").format(folder=folder)
        if not options.yes and not _confirmed(f"{what}?"):
            return 1
        with progress_bar(_("Restoring")) as progress:
            await asyncio.to_thread(stage, options.file, folder, merge=options.merge, progress=progress, key=key)
            await asyncio.to_thread(settle, folder)
    print(_("Merged.") if options.merge else _("Restored."), _("Memory is rebuilt when Munin is opened."))
    return 0


async def _erase(options: argparse.Namespace) -> int:
    what = _("with all models") if options.models else _("but not the models")
    if not options.yes and not _confirmed(
        _("Erase everything that Munin keeps in {data_folder}, {what}? Other files stay. This cannot be undone.").format(
            data_folder=data_folder(), what=what
        )
    ):
        return 1
    with closed_data_folder(locked=True) as folder:
        ask_to_erase(folder, models=options.models)
        erase_if_asked(folder)
    print(_("Erased."))
    return 0


def contents(manifest: Manifest) -> str:
    counts = manifest.counts
    return _("chats {chats}, messages {messages}, facts {facts}, personas {personas}").format(
        chats=decimal(counts.conversations),
        messages=decimal(counts.messages),
        facts=decimal(counts.facts),
        personas=decimal(counts.personas),
    )


def _confirmed(question: str) -> bool:
    try:
        return said_yes(input(_("{question} Type yes: ").format(question=question)))
    except EOFError:
        return False
