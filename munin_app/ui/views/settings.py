"""Settings: groups of rows, a field that finds them, and a way to each group. What each row lets one do: setting_controls."""

import flet as ft

from munin_app.i18n import _
from munin_app.ui.actions.setting_rows import SettingRow, found, groups
from munin_app.ui.components.base import (
    beside,
    card,
    described,
    edge,
    gap,
    memoised,
    padding,
    scrolled,
    section,
    sides,
    stack,
    text,
)
from munin_app.ui.components.buttons import link, tappable
from munin_app.ui.components.fields import search_field
from munin_app.ui.components.header import page_header
from munin_app.ui.session import PageSession
from munin_app.ui.state import ModelsPage, ModelView, Navigation, SettingsState
from munin_app.ui.tokens import CLEAR, COLUMN, RADIUS_PILL, S2, S3, S4, S8, Tokens
from munin_app.ui.views.setting_controls import Shown, shown


def _row(t: Tokens, session: PageSession, row: SettingRow, what: Shown, marked: bool) -> ft.Container:
    """What is wide stands below its words on a phone. The default is named where something else holds."""
    words: list[ft.Control] = [text(t, row.name, "label"), text(t, what.help or row.help, "small", t.text2)]
    if what.default:
        default = text(t, _("Default: {value}").format(value=what.default), "small", t.text3)
        tip = _("Reset: {name}").format(name=row.name)
        reset = link(t, _("Reset"), lambda: session.settings.reset(row.id), tip=tip)
        words.append(ft.Row([default, reset], spacing=S2, wrap=True, vertical_alignment=ft.CrossAxisAlignment.CENTER))
    return ft.Container(
        beside(t, words, what.control, below=what.below),
        padding=padding(S4 - 3, t.space(S2), S4, t.space(S2)),
        bgcolor=t.well if marked else None,
        border=edge(ft.BorderSide(3, t.seed if marked else CLEAR)),
        key=ft.ScrollKey(row.id),  # type: ignore[call-arg]  # its decorator hides them
    )


@ft.component
def Groups(
    t: Tokens, session: PageSession, state: SettingsState, model: ModelView, models: ModelsPage, navigation: Navigation
) -> ft.Control:
    """Every group that has what is looked for."""
    view: ft.Ref[ft.Column] = ft.use_memo(ft.Ref, [])

    async def go_there() -> None:
        if view.current and state.target:
            await view.current.scroll_to(scroll_key=state.target)

    ft.use_effect(go_there, [state.asked])
    body: list[ft.Control] = []
    rows = found(state.query)
    for group, name in groups().items():
        drawn = [
            _row(t, session, row, what, row.id == state.target)
            for row in rows
            if row.group == group and (what := shown(t, session, row, model, models, navigation.settings))
        ]
        if drawn:
            head = section(t, name, first=not body)
            head.key = ft.ScrollKey(group)  # type: ignore[call-arg]
            body += [head, card(t, drawn)]
    if not body:
        nothing = described(text(t, _("No setting has these words."), "body", t.text2), live_region=True)
        body = [ft.Container(nothing, padding=padding(top=S4))]
    return scrolled(body, S8 if t.wide else S4, ref=view)


def _field(t: Tokens, session: PageSession, version: int, key: str | None = None) -> ft.Control:
    return search_field(t, _("Search settings"), session.settings.state.query, session.settings.search)


Field = memoised(_field)


def _ways(t: Tokens, session: PageSession) -> ft.Control:
    """To each group; on a phone to be scrolled sideways."""

    def way(group: str, name: str) -> ft.Control:
        label = ft.Row([text(t, name, "smallb", t.text2, wrap=False)], tight=True)
        return tappable(
            label,
            lambda: session.settings.show(group),
            tip=_("Go to {group}").format(group=name),
            height=t.high(32),
            radius=RADIUS_PILL,
            background=t.well,
            pad=sides(S3),
        )

    return ft.Row([way(*entry) for entry in groups().items()], spacing=S2, scroll=ft.ScrollMode.HIDDEN)


@ft.component
def SettingsPage(t: Tokens, session: PageSession, state: SettingsState, model: ModelView, navigation: Navigation) -> ft.Control:
    side = S8 if t.wide else S4
    header = page_header(t, _("Settings"), _("Everything here stays on this device."), lambda: session.go("conversations"))
    field = Field(t, session, state.version, key=f"settings-{state.version}")
    above = ft.Container(stack([field, gap(S2), _ways(t, session)]), padding=padding(side, 0, side, S2))
    top: list[ft.Control] = [header, above]
    if t.wide:
        top = [ft.Container(control, width=COLUMN + 2 * S8, align=ft.Alignment.TOP_CENTER) for control in top]
    groups_ = Groups(t, session, state, model, session.settings.models, navigation)
    return stack([*top, groups_], expand=True)
