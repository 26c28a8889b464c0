"""The screen that asks for the passphrase, with nothing of the app in it; and the card in Settings → Data."""

import flet as ft

from munin_app.i18n import _
from munin_app.storage.locks import Lock
from munin_app.ui.components.base import card, failure, gap, headline, icon, labelled, progress_line, stack, text
from munin_app.ui.components.buttons import button, segmented, switch
from munin_app.ui.components.fields import bare_field, well
from munin_app.ui.session import PageSession
from munin_app.ui.state import DoorState, LockPart, Navigation
from munin_app.ui.tokens import S2, S3, S4, S5, Tokens

WIDTH = 400
MINUTES = ("0", "1", "5", "15", "60")


@ft.component
def LockScreen(t: Tokens, state: DoorState) -> ft.Control:
    typed, set_typed = ft.use_state("")
    body: list[ft.Control] = [ft.Row([icon(t, "raven", 40, t.text)], alignment=ft.MainAxisAlignment.CENTER), gap(S4)]
    body += _working(t, state) if state.work else _asking(t, state, typed, set_typed)
    inside = ft.Container(stack(body, tight=True), width=WIDTH)
    return ft.SafeArea(ft.Container(inside, bgcolor=t.bg, padding=S5, expand=True, alignment=ft.Alignment.CENTER), expand=True)


def _working(t: Tokens, state: DoorState) -> list[ft.Control]:
    bar = progress_line(t, state.work, state.share)
    return [_title(t, f"{state.work} …"), gap(S2), _middle(t, _("Munin opens again by itself.")), gap(S4), bar]


def _asking(t: Tokens, state: DoorState, typed: str, set_typed: object) -> list[ft.Control]:
    open_ = lambda: state.unlock(typed)  # noqa: E731
    field = bare_field(t, _("Passphrase"), typed, set_typed, on_submit=open_, autofocus=True, secret=True)  # type: ignore[arg-type]
    label = _("Checking …") if state.checking else _("Open")
    body: list[ft.Control] = [
        _title(t, _("Munin is locked")),
        gap(S2),
        _middle(t, _("Your data is encrypted on this device.")),
        gap(S4),
        well(t, field, ft.Icons.KEY_OUTLINED),
        gap(S3),
        button(t, label, open_, "fill", disabled=state.checking),
    ]
    if state.error:
        body += [gap(S3), failure(t, state.error)]
    return body


def _title(t: Tokens, words: str) -> ft.Control:
    return ft.Row([headline(text(t, words, "title", wrap=False))], alignment=ft.MainAxisAlignment.CENTER)


def _middle(t: Tokens, words: str) -> ft.Control:
    return ft.Row([text(t, words, "body", t.text2, wrap=False)], alignment=ft.MainAxisAlignment.CENTER)


# Settings → Data


@ft.component
def LockCard(t: Tokens, session: PageSession, state: LockPart, navigation: Navigation) -> ft.Control:
    actions = session.lock
    if state.missing:
        return card(t, [labelled(t, _("Lock"), state.missing)])
    if state.lock is None:
        on = button(t, _("Lock"), actions.ask_on, tip=_("Lock your data"))
        return card(t, [labelled(t, _("Not locked"), _("Whoever can read this disk can read your data"), on)])
    return card(t, _locked(t, session, state, state.lock, navigation))


def _locked(t: Tokens, session: PageSession, state: LockPart, lock: Lock, navigation: Navigation) -> list[ft.Control]:
    actions = session.lock
    off = button(t, _("Unlock"), actions.ask_off, "danger", tip=_("Unlock for good"))
    change = button(t, _("Change") if lock.slot else _("Set"), actions.ask_change, tip=_("Change the passphrase"))
    rows: list[ft.Control] = [
        labelled(t, _("Locked"), _("Encrypted on this disk"), off),
        labelled(t, _("Passphrase"), _("Who loses it has lost the data") if lock.slot else _("None is set"), change),
    ]
    if state.keyring and lock.slot:
        unasked = switch(t, lock.keyring, _("Open without asking"), actions.use_keyring)
        rows.append(labelled(t, _("Open without asking"), _("The system's keyring has the key too"), unasked))
    if actions.can_lock_now:
        never, *minutes = MINUTES
        after = segmented(
            t,
            _("Lock by itself"),
            [(never, _("Never")), *((number, number) for number in minutes)],
            str(navigation.settings.auto_lock_minutes),
            lambda value: session.settings.change(auto_lock_minutes=int(value)),
        )
        rows.append(labelled(t, _("Lock by itself"), _("After so many minutes without use"), after, below=True))
        rows.append(
            labelled(t, _("Lock now"), _("Asks for the passphrase, and shows nothing"), button(t, _("Lock now"), actions.now))
        )
    return rows
