"""Settings → Data: what takes how much space, back up, restore, erase everything."""

from collections.abc import Callable, Sequence

import flet as ft

from munin_app.i18n import _, translated
from munin_app.ui.components.base import card, failure, gap, labelled, progress_line, scrolled, section, stack, text
from munin_app.ui.components.buttons import button, segmented, switch
from munin_app.ui.components.fields import bare_field, well
from munin_app.ui.components.header import page_header
from munin_app.ui.format import exact_size
from munin_app.ui.session import PageSession
from munin_app.ui.state import DataPage as DataState
from munin_app.ui.state import LockPart, Navigation
from munin_app.ui.tokens import COLUMN, S2, S3, S4, S8, Tokens
from munin_app.ui.views.imports import ImportSection
from munin_app.ui.views.lock import LockCard

KEPT = (("3", "3"), ("7", "7"), ("30", "30"))


def _space(t: Tokens, session: PageSession, state: DataState) -> ft.Control:
    rows: list[ft.Control] = []
    for one in state.spaces:
        rows.append(labelled(t, translated(one.name), "", text(t, exact_size(one.size_bytes), "small", t.text2, wrap=False)))
    folder = button(t, _("Copy path"), session.settings.copy_data_folder)
    if session.local_desktop:
        folder = button(t, _("Open folder"), session.settings.open_data_folder)
    rows.append(labelled(t, _("Data folder"), session.settings.data_folder, folder))
    return card(t, rows)


def _path(
    t: Tokens,
    hint: str,
    value: str,
    set_path: Callable[[str], object],
    done: Callable[[], object],
    acts: list[ft.Control],
    more: Sequence[ft.Control] = (),
) -> ft.Control:
    field = bare_field(t, hint, value, set_path, on_submit=done)
    return stack([well(t, field, ft.Icons.FOLDER_OPEN_OUTLINED), *more, ft.Row(acts, spacing=S2, wrap=True)], S2)


def _passphrase(t: Tokens, state: DataState, lock: LockPart, set_passphrase: Callable[[str], object]) -> ft.TextField:
    hint = _("Passphrase for the backup; empty: not sealed")
    if lock.lock:
        hint = _("Passphrase for the backup; empty: that of your data")
    return bare_field(t, hint, state._passphrase, set_passphrase, secret=True)


def _failed(t: Tokens, error: str) -> list[ft.Control]:
    return [gap(S2), failure(t, error)] if error else []


def _daily(t: Tokens, session: PageSession, navigation: Navigation) -> ft.Control:
    settings, actions = navigation.settings, session.data
    on = bool(settings.copies_folder)
    detail = (
        _("In {copies_folder}, when Munin is opened").format(copies_folder=settings.copies_folder)
        if on
        else _("In the folder above, when Munin is opened")
    )
    rows = [labelled(t, _("A copy each day"), detail, switch(t, on, _("A copy each day"), actions.copy_daily))]
    if on:
        kept = segmented(t, _("Copies to keep"), KEPT, str(settings.copies_kept), actions.keep_copies)
        rows.append(labelled(t, _("Copies to keep"), "", kept))
    return card(t, rows)


@ft.component
def Progress(t: Tokens, state: DataState) -> ft.Control:
    """Only this is drawn again while something goes on."""
    if not state.busy:
        return gap(0)
    bar = progress_line(t, state.busy, state.share)
    return stack([gap(S3), text(t, f"{state.busy} …", "small", t.text2), gap(S2), bar])


@ft.component
def DataPage(t: Tokens, session: PageSession, state: DataState, lock: LockPart, navigation: Navigation) -> ft.Control:
    actions, busy = session.data, bool(state.busy)

    def to(field: str) -> Callable[[str], object]:
        return lambda typed: setattr(state, field, typed)

    back_up: list[ft.Control] = [button(t, _("Back up"), actions.back_up, "tint", disabled=busy)]
    look: list[ft.Control] = [button(t, _("Look into it"), actions.preview, disabled=busy)]
    if session.local_desktop:
        back_up.append(button(t, _("Choose a folder"), actions.choose_folder, disabled=busy))
        look.append(button(t, _("Choose a file"), actions.choose_file, disabled=busy))
    sealed = [
        well(t, _passphrase(t, state, lock, to("_passphrase")), ft.Icons.KEY_OUTLINED),
        text(t, _("Whoever loses the passphrase has lost the backup: nobody can open it without."), "small", t.text2),
    ]
    erase = button(t, _("Erase"), actions.ask_to_erase, "danger", tip=_("Erase everything"), disabled=busy)
    body: list[ft.Control] = [
        section(t, _("Space"), first=True),
        _space(t, session, state),
        section(t, _("Back up")),
        text(
            t,
            _(
                "Chats, facts, personas and settings go into one file. With a passphrase it is sealed; without one, whoever has "
                "the file can read it. Models are named in it, not included; deleted and temporary chats stay out."
            ),
            "body",
            t.text2,
        ),
        gap(S3),
        _path(t, _("Folder, or a new file"), state._target, to("_target"), actions.back_up, back_up, sealed),
        *_failed(t, state.backup_error),
        gap(S3),
        _daily(t, session, navigation),
        section(t, _("Lock")),
        LockCard(t, session, lock, navigation),
        section(t, _("Restore")),
        text(
            t, _("You see first what is in the backup, and choose whether it replaces what is here or is added."), "body", t.text2
        ),
        gap(S3),
        _path(t, _("Path of a backup"), state._source, to("_source"), actions.preview, look),
        *_failed(t, state.restore_error),
        Progress(t, state),
        ImportSection(t, session, session.imports.state),
        section(t, _("Erase")),
        card(t, [labelled(t, _("Everything"), _("Chats, memory, facts, settings, logs; with or without models"), erase)]),
    ]
    header = page_header(t, _("Data"), _("All of it is in one folder on this device."), lambda: session.go("settings"))
    if t.wide:
        header = ft.Container(header, width=COLUMN + 2 * S8, align=ft.Alignment.TOP_CENTER)
    return stack([header, scrolled(body, S8 if t.wide else S4)], expand=True)
