"""The settings of one model, in a sheet: from the Models page and from the menu in a chat's header."""

from functools import partial

import flet as ft

from munin_app.config import INSTRUCTIONS_MAX
from munin_app.i18n import _
from munin_app.ui.actions.model_sheet import FIELDS, labels
from munin_app.ui.components.base import card, gap, headline, lines, padding, section, text
from munin_app.ui.components.buttons import button
from munin_app.ui.components.fields import bare_field, well
from munin_app.ui.session import PageSession
from munin_app.ui.state import ModelSheet
from munin_app.ui.tokens import S2, S3, S4, S5, Tokens

NUMBER_WIDTH = 96


def _field(t: Tokens, session: PageSession, sheet: ModelSheet, key: str) -> ft.Container:
    """The hint is what holds while nothing is typed."""
    actions = session.model_sheet
    hint, holds = sheet.hints[key]
    field = bare_field(t, hint, sheet._typed[key], partial(actions.type, key), on_submit=actions.save)
    said = _("Set by you · else {hint}").format(hint=hint) if sheet._typed[key] else holds
    words = lines([text(t, labels()[key], "label"), text(t, said, "small", t.text2)])
    box = ft.Container(well(t, field, label=labels()[key]), width=NUMBER_WIDTH)
    return ft.Container(ft.Row([words, box], spacing=S3), padding=padding(S4, S2, S2, S2))


@ft.component
def ModelSettingsSheet(t: Tokens, session: PageSession, sheet: ModelSheet) -> ft.Control:
    actions = session.model_sheet
    told = bare_field(
        t,
        _("Answer in short sentences, say"),
        sheet._typed["instructions"],
        partial(actions.type, "instructions"),
        lines=4,
        max_length=INSTRUCTIONS_MAX,
    )
    content: list[ft.Control] = [
        headline(text(t, sheet.name, "head")),
        gap(2),
        text(t, _("Set here for this model only. Empty: the model's own, or Munin's."), "small", t.text2),
        gap(S4),
        card(t, [_field(t, session, sheet, key) for key in FIELDS]),
        section(t, _("Instructions")),
        text(t, _("Told to it in chats that begin from now on."), "small", t.text2),
        gap(S2),
        well(t, told, height=None),
        gap(S4),
    ]
    body = ft.Column(
        content, scroll=ft.ScrollMode.AUTO, spacing=0, horizontal_alignment=ft.CrossAxisAlignment.STRETCH, key=sheet.version
    )
    below: list[ft.Control] = [text(t, sheet.error, "small", t.danger)] if sheet.error else []
    acts: list[ft.Control] = [
        button(t, _("Loading …") if sheet.saving else _("Save"), actions.save, "tint", disabled=sheet.saving)
    ]
    if sheet.is_set:
        acts.append(button(t, _("Reset to the model's own"), actions.reset, "text", disabled=sheet.saving))
    below.append(ft.Row(acts, spacing=S2))
    foot = ft.Container(ft.Column(below, spacing=S2, tight=True), padding=padding(top=S3, bottom=S5))
    return ft.Column(
        [ft.Container(body, expand=True, expand_loose=not t.wide), foot],
        spacing=0,
        expand=True,
        horizontal_alignment=ft.CrossAxisAlignment.STRETCH,
    )
