"""Locking the data of this device, and the window: on and off, the passphrase, the system's keyring. Knows no control."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from munin_app import paths
from munin_app.errors import LockError, MuninError
from munin_app.i18n import _
from munin_app.locking import system_keyring
from munin_app.locking.opening import change_passphrase, open_by_passphrase, use_keyring
from munin_app.locking.switching import Progress, ciphers_missing, turn_off, turn_on
from munin_app.storage.locks import read_lock
from munin_app.storage.passphrase import check_new
from munin_app.ui.actions.shell import Shell, telling
from munin_app.ui.components.dialogs import confirm
from munin_app.ui.components.passphrase import ask_passphrases
from munin_app.ui.state import LockPart


class Gate(Protocol):
    """What is needed of `munin_app.ui.gate.Gate`, which holds every page."""

    @property
    def can_lock(self) -> bool:
        """There is a passphrase to ask for."""

    def lock_now(self) -> None:
        """Every page asks for the passphrase, and shows nothing else."""

    def switch(self, name: str, work: Callable[[Path, Progress], None], done: str) -> None:
        """Munin closes, `work` is done with its data folder, and Munin starts again: `done` is told, or what went wrong.

        Raises LockError while a backup or a restore is running."""

    async def look(self) -> None:
        """What opens the data has changed."""


class LockActions:
    def __init__(self, gate: Gate | None, shell: Shell, state: LockPart) -> None:
        self.gate = gate
        self._shell = shell
        self.state = state

    @telling
    async def refresh(self) -> None:
        folder = paths.data_folder()
        self.state.missing = ciphers_missing()
        self.state.lock = await asyncio.to_thread(read_lock, folder)
        self.state.keyring = bool(self.state.lock) and await asyncio.to_thread(system_keyring.is_available)

    @property
    def can_lock_now(self) -> bool:
        return bool(self.gate and self.gate.can_lock)

    def now(self) -> None:
        if self.gate:
            self.gate.lock_now()

    # On and off

    def ask_on(self) -> None:
        async def typed(passphrase: str, again: str) -> None:
            _check_same(passphrase, again)
            if self.gate:
                work: Callable[[Path, Progress], None] = lambda folder, progress: turn_on(  # noqa: E731
                    folder, passphrase, keyring=False, progress=progress
                )
                self.gate.switch(_("Locking"), work, _("Your data is locked."))
            self._shell.close_dialog()

        self._ask(
            _("Lock your data?"),
            _(
                "Chats, memory, facts and settings are encrypted on this disk, and Munin asks for the passphrase when it starts. "
                "Whoever loses the passphrase has lost the data: nobody can open it without. A reply that is being written stops."
            ),
            _("Lock"),
            [_("Passphrase"), _("The same again")],
            typed,
        )

    def ask_off(self) -> None:
        async def off() -> None:
            self._shell.close_dialog()
            await self._shell.attempt(switched())

        async def switched() -> None:
            if self.gate:
                self.gate.switch(_("Unlocking"), turn_off, _("Your data is not locked any more."))

        sentence = _("Whoever can read this disk can read your data then. A reply that is being written stops.")
        self._shell.show_dialog(confirm(_("Unlock for good?"), sentence, _("Unlock"), off, self._shell.close_dialog))

    # What opens it

    def ask_change(self) -> None:
        folder = paths.data_folder()
        known = bool(self.state.lock and self.state.lock.slot)

        async def typed(*texts: str) -> None:
            *current, passphrase, again = texts
            _check_same(passphrase, again)
            if current:
                await asyncio.to_thread(open_by_passphrase, folder, current[0])
            await asyncio.to_thread(change_passphrase, folder, passphrase)
            self._shell.close_dialog()
            if self.gate:
                await self.gate.look()
            await self.refresh()
            await self._shell.tell(_("The passphrase is changed. Backups that were made before open with the old one."))

        hints = [_("New passphrase"), _("The same again")]
        self._ask(
            _("Change the passphrase"),
            _("Your data stays as it is; only what opens it changes."),
            _("Change"),
            [_("Passphrase now"), *hints] if known else hints,
            typed,
        )

    @telling
    async def use_keyring(self, on: bool) -> None:
        try:
            await asyncio.to_thread(use_keyring, paths.data_folder(), on)
        finally:
            await self.refresh()

    def _ask(self, title: str, sentence: str, label: str, hints: list[str], done: Callable[..., object]) -> None:
        """Until `done` takes it: what it refuses is said in the dialog, and what was typed stays."""
        close = self._shell.close_dialog

        async def taken(*texts: str) -> None:
            try:
                result = done(*texts)
                if asyncio.iscoroutine(result):
                    await result
            except MuninError as error:
                self._shell.show_dialog(dialog(str(error)))

        dialog = ask_passphrases(title, sentence, label, hints, taken, close)
        self._shell.show_dialog(dialog(""))


def _check_same(passphrase: str, again: str) -> None:
    check_new(passphrase)
    if passphrase != again:
        raise LockError(_("The two passphrases differ. Try again; nothing was changed."))
