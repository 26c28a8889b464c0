"""The app of one page: which screen, what lies over it, and the page's own events. Knows the session, no service."""

from typing import cast

import flet as ft

from munin_app.config import Theme
from munin_app.i18n import right_to_left
from munin_app.ui.components.base import described, padding, readable, stack, text
from munin_app.ui.components.buttons import link
from munin_app.ui.components.completion import list_height
from munin_app.ui.components.sheet import side_frame
from munin_app.ui.session import PageSession
from munin_app.ui.state import ChatState, Completion, DialogBuilder, MessageState, Navigation, Overlay, ProfileState
from munin_app.ui.tokens import FONTS, NO_MOTION, RADIUS_BUBBLE, RADIUS_CARD, S2, S4, S5, Tokens, theme, tokens
from munin_app.ui.views.chat import ChatPage, SideSheet, used_sheet
from munin_app.ui.views.conversations import ConversationsPage, Panel, Rail, new_chat_height
from munin_app.ui.views.data import DataPage
from munin_app.ui.views.memory import MemoryPage
from munin_app.ui.views.model_sheet import ModelSettingsSheet
from munin_app.ui.views.models import ModelsPage
from munin_app.ui.views.palette import palette_dialog
from munin_app.ui.views.personas import PersonasPage
from munin_app.ui.views.settings import SettingsPage
from munin_app.ui.views.shortcuts import shortcuts_dialog
from munin_app.ui.views.speed import SpeedScreen

SHEET_SHARE = 0.85
"""Of the page's height, at most: the chat behind stays in sight."""


def _screen(t: Tokens, session: PageSession, navigation: Navigation) -> ft.Control:
    match navigation.view:
        case "memory":
            return MemoryPage(t, session, session.memory.state, session.profile, navigation)
        case "models":
            return ModelsPage(t, session, session.settings.models, session.model)
        case "personas":
            return PersonasPage(t, session, session.personas.state)
        case "speed":
            return SpeedScreen(t, session, session.speed.state, session.settings.models)
        case "data":
            return DataPage(t, session, session.data.state, session.lock.state, navigation)
        case "settings":
            return SettingsPage(t, session, session.settings.state, session.model, navigation)
        case "conversations" if not t.wide:
            return ConversationsPage(t, session, session.conversations.state, session.chat.state, session.profile, session.model)
        case _:
            return ChatPage(t, session, session.chat.state, session.model, session.profile, navigation)


def _sheet_message(session: PageSession, navigation: Navigation) -> MessageState | None:
    shown = navigation.sheet if navigation.view == "chat" else None
    return session.chat.find(shown) if shown else None


def _nothing() -> ft.Container:
    """Placed like its siblings: a child of a Stack that is not would set the Stack's size."""
    return ft.Container(width=0, height=0, left=0, top=0)


def _dialog(t: Tokens, session: PageSession, builder: DialogBuilder, number: int) -> ft.AlertDialog:
    """Its own dismissal closes it and no other: the news of it may come when the next dialog is shown already."""
    dialog = builder(t)
    dialog.on_dismiss = lambda: session.shell.dismissed(number)
    return dialog


@ft.component
def Dialogs(t: Tokens, session: PageSession, overlay: Overlay) -> ft.Control:
    ft.use_dialog(_dialog(t, session, overlay.dialog, overlay.shown) if overlay.dialog else None)
    return _nothing()


@ft.component
def BottomSheet(t: Tokens, session: PageSession, navigation: Navigation, profile: ProfileState) -> ft.Control:
    """On a phone: what a reply used, or the settings of a model."""
    message = None if t.wide else _sheet_message(session, navigation)
    content: ft.Control | None = stack(used_sheet(t, session, message), tight=True) if message else None
    if navigation.model_sheet and not t.wide:
        content = ModelSettingsSheet(t, session, session.model_sheet.state)

    number, sheet = navigation.sheets, None
    if content:
        sheet = ft.BottomSheet(
            ft.Container(content, padding=padding(left=S5, right=S5)),
            bgcolor=t.panel,
            size_constraints=ft.BoxConstraints(max_height=SHEET_SHARE * (session.page.height or 800)),
            draggable=True,
            show_drag_handle=True,
            scrollable=True,
            animation_style=NO_MOTION if t.still else None,
            shape=ft.RoundedRectangleBorder(radius=ft.BorderRadius.only(top_left=RADIUS_BUBBLE, top_right=RADIUS_BUBBLE)),
            on_dismiss=lambda: session.shell.sheet_dismissed(number),
        )
    ft.use_dialog(sheet)
    return _nothing()


def _said_above_composer(t: Tokens, chat: ChatState, completion: Completion) -> float:
    """Its height, about, in pixels: the list of commands, or the sentence that says why a text was refused."""
    return list_height(t, completion) or (chat.refused and (48 if t.wide else 88)) or 0


@ft.component
def SnackBar(
    t: Tokens, session: PageSession, overlay: Overlay, navigation: Navigation, chat: ChatState, completion: Completion
) -> ft.Control:
    """Floats above the page's foot, and what the composer says there; one at a time."""
    snack = overlay.snack
    if snack is None:
        return _nothing()
    on_list = navigation.view == "conversations" and not t.wide
    said = _said_above_composer(t, chat, completion) if navigation.view == "chat" else 0
    row: list[ft.Control] = [ft.Container(text(t, snack.text, "body", t.on_snack, lines=3), expand=True, expand_loose=True)]
    if snack.action:
        width = None if " " in snack.action else 64
        row.append(link(t, snack.action, session.shell.take_snack, colour=t.snack_link, width=width))
    bar = ft.Container(
        ft.Row(row, spacing=S2, tight=True),
        bgcolor=t.snack,
        border_radius=RADIUS_CARD,
        padding=padding(S4, S2, S4 if not snack.action else S2, S2),
        shadow=ft.BoxShadow(blur_radius=24, offset=ft.Offset(0, 6), color=t.shadow),
        expand=True,
        expand_loose=True,  # as wide as its words, and no wider than the page
    )
    return ft.Container(
        described(ft.Row([bar], alignment=ft.MainAxisAlignment.CENTER), live_region=True),
        left=S4,
        right=S4,
        bottom=max(112, new_chat_height(t) if on_list else 0) + said,
    )


@ft.component
def App(session: PageSession, navigation: Navigation) -> ft.Control:
    t = session.tokens
    screen = ft.Container(_screen(t, session, navigation), expand=True)
    row: list[ft.Control] = [screen]
    if t.wide:
        panel = Panel(t, session, session.conversations.state, session.chat.state, session.profile, navigation)
        row = [panel if navigation.panel else Rail(t, session), screen]
        if navigation.model_sheet:
            settings = ModelSettingsSheet(t, session, session.model_sheet.state)
            row.append(side_frame(t, [settings], session.shell.close_sheet))
        elif message := _sheet_message(session, navigation):
            row.append(SideSheet(t, session, message, session.profile))
    body = ft.Row(row, spacing=0, vertical_alignment=ft.CrossAxisAlignment.STRETCH)
    layers: list[ft.Control] = [
        ft.Container(body, bgcolor=t.bg, left=0, right=0, top=0, bottom=0),
        SnackBar(t, session, session.overlay, navigation, session.chat.state, session.slash.state),
        Dialogs(t, session, session.overlay),
        BottomSheet(t, session, navigation, session.profile),
    ]
    return ft.SafeArea(ft.Stack(layers, expand=True), expand=True)


def dress(page: ft.Page, t: Tokens, chosen: Theme) -> None:
    """What belongs to the page and not to a component: fonts, theme, the window's colour."""
    modes = {"system": ft.ThemeMode.SYSTEM, "dark": ft.ThemeMode.DARK, "light": ft.ThemeMode.LIGHT}
    page.title, page.padding, page.spacing = "Munin", 0, 0
    page.rtl = t.rtl
    page.locale_configuration = ft.LocaleConfiguration([ft.Locale(t.language)], ft.Locale(t.language))  # Flutter's own words
    page.fonts = FONTS
    page.theme = page.dark_theme = theme(t)
    page.theme_animation_style = NO_MOTION if t.still else None
    page.theme_mode = modes[chosen]
    page.bgcolor = t.bg


async def open_page(page: ft.Page, session: PageSession) -> None:
    """Shows the app on a page of its own."""
    page.on_close = session.stop
    await enter_page(page, session)
    page.render(App, session, session.navigation)
    session.shell.run(session.ask_system())  # a page that is not drawn yet gets no answer


async def enter_page(page: ft.Page, session: PageSession) -> None:
    """Before the app is drawn: reads what it shows, and keeps it in step with the page's size, brightness and keyboard."""

    def measured() -> None:
        session.measure()
        session.chat.scroll_to_end()

    def changed_its_look() -> None:
        measured()
        session.shell.run(session.ask_system())

    def shown_again(event: ft.AppLifecycleStateChangeEvent) -> None:
        session.lifecycle.changed(event)
        if event.state is ft.AppLifecycleState.RESUME:
            session.shell.run(session.ask_system())

    def redress(_sender: object, field: str | None) -> None:
        if field in ("settings", "system_dark", "system_contrast", "system_still"):
            dress(page, session.tokens, session.navigation.settings.theme)
            page.update()

    session.redress = redress
    session.palette.view = lambda t: palette_dialog(t, session)
    session.shortcuts_view = shortcuts_dialog(session)
    cast(ft.Observable, session.navigation).subscribe(redress)
    page.on_resize = measured
    page.on_platform_brightness_change = changed_its_look
    page.on_keyboard_event = session.on_key
    page.on_app_lifecycle_state_change = shown_again
    await session.start()
    dress(page, session.tokens, session.navigation.settings.theme)


def show_refusal(page: ft.Page, sentence: str) -> None:
    """A page that says why Munin cannot start, and nothing else."""
    page.title, page.fonts, page.rtl = "Munin", FONTS, right_to_left()
    t = tokens(page.platform_brightness == ft.Brightness.DARK, True, rtl=right_to_left())
    page.theme = page.dark_theme = theme(t)
    page.bgcolor = t.bg
    page.add(ft.SafeArea(ft.Container(readable(text(t, sentence, "chat", selectable=True)), padding=S5)))
