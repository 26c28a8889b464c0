"""Models that are on this device and not in the library yet, and a copy that is under way."""

import flet as ft

from munin_app.i18n import _
from munin_app.inference.fit import Judgement
from munin_app.library.found import FoundModel
from munin_app.ui.components.base import card, gap, memoised, padding, pill, progress_bar, section, stack, text
from munin_app.ui.components.buttons import button, icon_button, link, menu
from munin_app.ui.format import arrived, fit_reason, size, speed, time_left
from munin_app.ui.session import PageSession
from munin_app.ui.state import CopyView, ModelsPage
from munin_app.ui.tokens import S1, S2, S3, S4, Tokens
from munin_app.ui.views.downloads import fit_pill, model_row


def _found_row(t: Tokens, session: PageSession, model: FoundModel, judgement: Judgement | None) -> ft.Container:
    below: list[ft.Control | None] = [
        text(t, size(model.size_bytes), "small", t.text2),
        text(t, fit_reason(judgement), "small", t.text3) if judgement else None,
    ]
    add = button(
        t, _("Add"), lambda: session.adding.add_found(model), tip=_("Add {id} from {app}").format(id=model.id, app=model.app)
    )
    about = menu(
        t,
        _("More: {id}").format(id=model.id),
        [(_("About this file"), ft.Icons.INFO_OUTLINE, lambda: session.library.about(model))],
    )
    return model_row(t, model.id, [pill(t, model.app), *fit_pill(t, judgement)], below, [add, about])


def found_section(t: Tokens, session: PageSession, state: ModelsPage) -> list[ft.Control]:
    """Nothing where nothing was found."""
    found = state.found
    if not found.models:
        return []
    title = _("Found in other apps")
    back = link(t, _("Look again"), session.library.look, tip=_("Look again in other apps"))
    if state.found_in:
        title = _("Found in {app}").format(app=found.models[0].app)
        back = link(t, _("Close"), session.library.look, tip=_("Close this folder"))
    note = _("They stay where they are: Munin adds a link.") if not state.found_in else _("Each is added as a link or as a copy.")
    if not found.complete:
        note += _(" There was more than could be looked at: open a folder below.")
    rows = [_found_row(t, session, model, state.found_judgements.get(model.id)) for model in found.models]
    return [section(t, title, back), text(t, note, "small", t.text2), gap(S2), card(t, rows)]


@memoised
def CopyCard(t: Tokens, session: PageSession, view: CopyView, key: str | None = None) -> ft.Control:
    """Progress and the way out of it."""
    progress = view.progress
    bar = progress_bar(t, f"{view.name}: {arrived(progress)}", progress.share)
    cancel = icon_button(t, ft.Icons.CLOSE, _("Cancel copying {name}").format(name=view.name), session.adding.cancel_copy)
    words = stack([text(t, _("Copying {name}").format(name=view.name), "label"), text(t, arrived(progress), "small", t.text2)])
    below = ft.Row(
        [
            text(t, speed(progress.bytes_per_second), "small", t.text2, expand=True),
            text(t, time_left(progress.seconds_left), "small", t.text2, wrap=False),
        ]
    )
    head = ft.Row([ft.Container(words, expand=True), cancel], spacing=S1)
    return card(t, [ft.Container(stack([head, bar, below], S2), padding=padding(S4, S3, S3, S3))])


def copying(t: Tokens, session: PageSession, state: ModelsPage) -> list[ft.Control]:
    return [gap(S3), CopyCard(t, session, state.copying, key="copy")] if state.copying else []
