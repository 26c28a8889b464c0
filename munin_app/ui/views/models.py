"""Models: downloads, those on this device, those that can be downloaded, and opening a GGUF file."""

import flet as ft

from munin_app.chat.model_state import TemplateOffer
from munin_app.i18n import _, translated
from munin_app.inference.fit import Fit, Judgement
from munin_app.library.catalog import ChatModelEntry, EncoderEntry
from munin_app.library.models import InstalledModel, ModelOrigin
from munin_app.ui.components.base import card, failure, gap, icon, pill, scrolled, section, stack, text
from munin_app.ui.components.buttons import Kind, MenuItem, button, menu
from munin_app.ui.components.fields import bare_field, well
from munin_app.ui.components.header import page_header
from munin_app.ui.format import fit_reason, grouped_number, languages, size
from munin_app.ui.session import PageSession
from munin_app.ui.state import ModelsPage as ModelsState
from munin_app.ui.state import ModelView
from munin_app.ui.tokens import CLEAR, COLUMN, S2, S3, S4, S8, Tokens
from munin_app.ui.views.downloads import DownloadCard, download_card, entry_pills, fit_pill, model_row, offer_row, online_note
from munin_app.ui.views.encoders import EncoderSection
from munin_app.ui.views.found import copying, found_section


def load_anyway(t: Tokens, session: PageSession, model: ModelView) -> list[ft.Control]:
    """Offered where memory alone speaks against the model: the estimate may be wrong."""
    return [button(t, _("Load anyway"), session.settings.load_anyway)] if model.too_large else []


def offer_button(t: Tokens, session: PageSession, offer: TemplateOffer) -> ft.Control:
    """Uses a known chat template for a file whose own is missing, and remembers that."""
    return button(
        t,
        _("Use {name}").format(name=offer.name),
        lambda: session.settings.use_offer(offer),
        "tint",
        tip=_("Use the chat template {name} for {name2}").format(name=offer.name, name2=offer.path.name),
    )


def _facts(model: ModelView) -> str:
    """What the header of the loaded file says."""
    if not model.info:
        return ""
    info = model.info
    context = _("{number} tokens of context, as memory is short") if info.squeezed else _("{number} tokens of context")
    context = context.format(number=grouped_number(info.context_size))
    memory = _("about {size} of memory").format(size=size(info.memory_bytes))
    return f"{info.quantisation} · {info.architecture} · {context} · {memory}"


def _about(model: InstalledModel) -> str:
    """What the catalogue says of a file, as far as it knows it."""
    entry = model.entry
    parts = [size(model.size_bytes), *([entry.licence, languages(entry.languages)] if entry else [])]
    return " · ".join([*parts, *([_("quick, often wrong")] if model.tiny else []), *([_("linked")] if model.linked else [])])


def _entry(t: Tokens, session: PageSession, entry: InstalledModel, model: ModelView, state: ModelsState) -> ft.Container:
    in_use = bool(model.info and model.info.path == entry.path)
    judgement = state.judgements.get(entry.id)
    badges: list[ft.Control] = [pill(t, _("Starter"))] if entry.tiny else []
    if in_use:
        badges.append(pill(t, _("In use"), name=ft.Icons.CHECK, colour=t.seed, background=CLEAR, line=t.seed))
    else:
        badges += [pill(t, _("Default"))] if entry.path == model.default else []
        badges += fit_pill(t, judgement)
    badges += entry_pills(t, entry.entry) if entry.entry else []
    reason = _facts(model) if in_use else fit_reason(judgement) if judgement else ""
    below: list[ft.Control | None] = [
        text(t, _about(entry), "small", t.text2),
        text(t, translated(entry.entry.good_for), "small", t.text2) if entry.entry and not entry.tiny else None,
        text(t, reason, "small", t.text3) if reason else None,
    ]
    trailing: list[ft.Control] = []
    if not in_use:
        trailing.append(_use_button(t, session, entry, judgement, state))
    items: list[MenuItem] = [
        (_("Settings"), ft.Icons.TUNE, lambda: session.model_sheet.open(entry.path)),
        (_("About this file"), ft.Icons.INFO_OUTLINE, lambda: session.library.about(entry)),
    ]
    if entry.origin is ModelOrigin.USER:
        items.append((_("Remove"), ft.Icons.DELETE_OUTLINE, lambda: session.library.remove(entry, in_use)))
    trailing.append(menu(t, _("More: {name}").format(name=entry.name), items))
    return model_row(t, entry.name, badges, below, trailing)


def _use_button(
    t: Tokens, session: PageSession, entry: InstalledModel, judgement: Judgement | None, state: ModelsState
) -> ft.Control:
    path = str(entry.path)
    if state.loading == path:
        return button(t, _("Loading …"), lambda: None, disabled=True)
    if judgement and judgement.fit is Fit.TOO_BIG:
        anyway = _("Use {name} anyway").format(name=entry.name)
        return button(
            t, _("Try anyway"), lambda: session.settings.use(path, load_anyway=True), "text", tip=anyway, disabled=state.busy
        )
    return button(
        t, _("Use"), lambda: session.settings.use(path), tip=_("Use {name}").format(name=entry.name), disabled=state.busy
    )


def _refusal(t: Tokens, session: PageSession, state: ModelsState) -> list[ft.Control]:
    """Why the file that was asked for is not in use, and what would mend that."""
    rows: list[ft.Control] = [failure(t, state.error)]
    if state.too_large:
        rows.append(ft.Row([button(t, _("Load anyway"), session.settings.use_anyway, disabled=state.busy)]))
    if state.offer:
        rows.append(ft.Row([offer_button(t, session, state.offer)]))
    return [gap(S2), stack(rows, S2)]


def open_file(t: Tokens, session: PageSession, state: ModelsState) -> list[ft.Control]:
    """Pickers where files have paths, and a path field everywhere."""
    hint = _("Path of a GGUF file or a folder")
    field = bare_field(t, hint, state.path, session.settings.set_path, on_submit=session.settings.use_typed)
    acts: list[ft.Control] = [
        button(t, _("Use this file"), session.settings.use_typed, "tint", disabled=state.busy),
        button(t, _("Add to the list"), session.adding.add_typed, tip=_("Link or copy the file, so that it stays in the list")),
    ]
    if session.local_desktop:
        acts.append(button(t, _("Choose a file"), session.adding.pick_file, name=ft.Icons.ADD))
        acts.append(button(t, _("Choose a folder"), session.adding.pick_folder, name=ft.Icons.FOLDER_OPEN_OUTLINED))
    rows: list[ft.Control] = [well(t, field, ft.Icons.FOLDER_OPEN_OUTLINED), ft.Row(acts, spacing=S2, run_spacing=S2, wrap=True)]
    return [stack(rows, S2), *copying(t, session, state)]


def _failed(t: Tokens, session: PageSession, model: ModelView) -> list[ft.Control]:
    kind: Kind = "plain" if model.offer else "tint"
    acts: list[ft.Control] = [button(t, _("Try again"), session.settings.load_again, kind, name=ft.Icons.REFRESH)]
    if model.offer:
        acts.insert(0, offer_button(t, session, model.offer))
    return [
        section(t, _("The model could not be loaded"), first=True),
        text(t, model.error, "small", t.danger),
        gap(S2),
        ft.Row([*acts, *load_anyway(t, session, model)], spacing=S2, wrap=True),
    ]


def _downloads(t: Tokens, session: PageSession, state: ModelsState, model: ModelView, first: bool) -> list[ft.Control]:
    shown = [view.download.entry.id for view in state.downloads]
    cards: list[ft.Control] = [DownloadCard(t, session, view, key=view.download.entry.id) for view in state.downloads]
    cards += [download_card(t, session, download) for download in session.library.unfinished(shown)]
    if not cards:
        return []
    return [section(t, _("Downloads"), online_note(t) if model.downloading else None, first=first), card(t, cards)]


def _space(t: Tokens, state: ModelsState) -> ft.Control | None:
    """What the models take on this disk."""
    if not state.taken_bytes:
        return None
    words = [_("{size} in all").format(size=size(state.taken_bytes))]
    if state.free_disk is not None:
        words.append(_("{size} free on the disk").format(size=size(state.free_disk)))
    return text(t, " · ".join(words), "small", t.text2, wrap=t.narrow)


@ft.component
def ModelsPage(t: Tokens, session: PageSession, state: ModelsState, model: ModelView) -> ft.Control:
    paths = {str(entry.path) for entry in state.entries}
    body: list[ft.Control] = _failed(t, session, model) if model.phase == "failed" else []
    body += _downloads(t, session, state, model, first=not body)
    body.append(section(t, _("On this device"), _space(t, state), first=not body))
    if state.entries:
        body.append(card(t, [_entry(t, session, entry, model, state) for entry in state.entries]))
        speed = button(t, _("How fast is it here?"), lambda: session.go("speed"), "text", name=ft.Icons.SPEED)
        body.append(ft.Row([speed]))
    else:
        body.append(text(t, _("No model yet. Download one below, or open a GGUF file."), "body", t.text2))
    if state.error and state.error_path in paths:
        body += _refusal(t, session, state)
    body += found_section(t, session, state)
    running = {view.download.entry.id for view in state.downloads}
    offers = [offer for offer in state.offers if not offer.arrived_bytes and offer.entry.id not in running]
    rows = [
        offer_row(t, session, offer.entry, state.judgements.get(offer.entry.id))
        for offer in offers
        if isinstance(offer.entry, ChatModelEntry)
    ]
    if rows:
        body += [section(t, _("Worth a try")), card(t, rows)]
    body += [section(t, _("Open a GGUF file")), *open_file(t, session, state)]
    if state.error and state.error_path not in paths:
        body += _refusal(t, session, state)
    encoder_offers = [offer.entry for offer in offers if isinstance(offer.entry, EncoderEntry)]
    body.append(EncoderSection(t, session, session.encoders.state, encoder_offers, state.judgements))
    header = page_header(
        t, _("Models"), _("Files that run here, on your own processor."), lambda: session.go("conversations"), _memory(t, state)
    )
    if t.wide:
        header = ft.Container(header, width=COLUMN + 2 * S8, align=ft.Alignment.TOP_CENTER)
    return stack([header, scrolled(body, S8 if t.wide else S4)], expand=True)


def _memory(t: Tokens, state: ModelsState) -> list[ft.Control]:
    if state.free_memory is None:
        return []
    if not t.wide:
        return [
            text(t, _("{size} of memory").format(size=size(state.free_memory)), "micro", t.text2, wrap=False),
            ft.Container(width=S3),
        ]
    words = text(t, _("{size} of memory for a model").format(size=size(state.free_memory)), "small", t.text2, wrap=False)
    return [ft.Row([icon(t, ft.Icons.MEMORY, 16), words], spacing=S2, tight=True)]
