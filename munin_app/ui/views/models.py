"""Models: the one in use, those on this device, and opening a GGUF file."""

import flet as ft

from munin_app.bootstrap import TemplateOffer
from munin_app.library.models import InstalledModel
from munin_app.ui.components.base import card, described, gap, lines, padding, pill, scrolled, section, stack, text
from munin_app.ui.components.buttons import Kind, button
from munin_app.ui.components.fields import bare_field, well
from munin_app.ui.components.header import page_header
from munin_app.ui.format import grouped_number, size
from munin_app.ui.session import PageSession
from munin_app.ui.state import ModelsPage as ModelsState
from munin_app.ui.state import ModelView
from munin_app.ui.tokens import CLEAR, COLUMN, S2, S3, S4, S8, Tokens


def load_anyway(t: Tokens, session: PageSession, model: ModelView) -> list[ft.Control]:
    """Offered where memory alone speaks against the model: the estimate may be wrong."""
    return [button(t, "Load anyway", session.settings.load_anyway)] if model.too_large else []


def offer_button(t: Tokens, session: PageSession, offer: TemplateOffer) -> ft.Control:
    """Uses a known chat template for a file whose own is missing, and remembers that."""
    return button(
        t,
        f"Use {offer.name}",
        lambda: session.settings.use_offer(offer),
        "tint",
        tip=f"Use the chat template {offer.name} for {offer.path.name}",
    )


def _facts(model: ModelView) -> str:
    """What the header of the loaded file says."""
    if not model.info:
        return ""
    info = model.info
    context = f"{grouped_number(info.context_size)} tokens of context" + (", as memory is short" if info.squeezed else "")
    memory = f"about {size(info.memory_bytes)} of memory"
    return f"{size(info.size_bytes)} · {info.quantisation} · {info.architecture} · {context} · {memory}"


def _row(t: Tokens, name: str, detail: str, badges: list[ft.Control], trailing: list[ft.Control]) -> ft.Container:
    head = ft.Row([text(t, name, "label"), *badges], spacing=S2, wrap=True)
    return ft.Container(
        ft.Row([lines([head, text(t, detail, "small", t.text2)], 2), *trailing], spacing=S3), padding=padding(S4, S3, S3, S3)
    )


def _entry(t: Tokens, session: PageSession, entry: InstalledModel, model: ModelView, busy: bool) -> ft.Container:
    in_use = bool(model.info and model.info.path == entry.path)
    badges: list[ft.Control] = []
    if entry.tiny:
        badges.append(pill(t, "Starter"))
    if in_use:
        badges.append(pill(t, "In use", name=ft.Icons.CHECK, colour=t.seed, background=CLEAR, line=t.seed))
    detail = _facts(model) if in_use else size(entry.size_bytes)
    if entry.tiny:
        detail += " · quick, often wrong"
    use: list[ft.Control] = []
    if not in_use:
        use = [button(t, "Use", lambda: session.settings.use(str(entry.path)), tip=f"Use {entry.name}", disabled=busy)]
    return _row(t, entry.name, detail, badges, use)


def open_file(t: Tokens, session: PageSession, state: ModelsState) -> list[ft.Control]:
    """A picker where files have paths, and a path field everywhere."""
    field = bare_field(t, "Path of a GGUF file", state.path, session.settings.set_path, on_submit=session.settings.use_typed)
    busy = button(t, "Loading …" if state.busy else "Use this file", session.settings.use_typed, "tint", disabled=state.busy)
    row = ft.Row([well(t, field, ft.Icons.FOLDER_OPEN_OUTLINED, expand=True), busy], spacing=S2)
    rows: list[ft.Control] = [row]
    if state.error:
        rows.append(described(text(t, state.error, "small", t.danger), live_region=True))
    if state.too_large:
        rows.append(ft.Row([button(t, "Load anyway", session.settings.use_anyway, disabled=state.busy)]))
    if state.offer:
        rows.append(ft.Row([offer_button(t, session, state.offer)]))
    if session.local_desktop:
        rows.append(ft.Row([button(t, "Choose a file", session.settings.pick, name=ft.Icons.ADD)]))
    return [stack(rows, S2)]


@ft.component
def ModelsPage(t: Tokens, session: PageSession, state: ModelsState, model: ModelView) -> ft.Control:
    entries = [_entry(t, session, entry, model, state.busy) for entry in state.entries]
    body: list[ft.Control] = []
    if model.phase == "failed":
        kind: Kind = "plain" if model.offer else "tint"
        acts: list[ft.Control] = [button(t, "Try again", session.settings.load_again, kind, name=ft.Icons.REFRESH)]
        if model.offer:
            acts.insert(0, offer_button(t, session, model.offer))
        body += [
            section(t, "The model could not be loaded", first=True),
            text(t, model.error, "small", t.danger),
            gap(S2),
            ft.Row([*acts, *load_anyway(t, session, model)], spacing=S2, wrap=True),
        ]
    if entries:
        body += [section(t, "On this device", first=not body), card(t, entries)]
    else:
        body += [section(t, "On this device", first=not body), text(t, "No model yet. Open a GGUF file below.", "body", t.text2)]
    body += [section(t, "Open a GGUF file"), *open_file(t, session, state)]
    header = page_header(t, "Models", "Files that run here, on your own processor.", lambda: session.go("conversations"))
    if t.wide:
        header = ft.Container(header, width=COLUMN + 2 * S8, align=ft.Alignment.TOP_CENTER)
    return stack([header, scrolled(body, S8 if t.wide else S4)], expand=True)
