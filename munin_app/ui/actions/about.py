"""What "About" shows: versions, licences with their texts, and the doctor's report. Knows no control."""

import asyncio
import platform
from collections.abc import Sequence
from pathlib import Path

from munin_app import __version__, about
from munin_app.about import Licensed
from munin_app.bootstrap import Munin
from munin_app.doctor import examine
from munin_app.domain.memories import ArmStatus
from munin_app.errors import MuninError
from munin_app.i18n import _
from munin_app.inference.about import about_file
from munin_app.ui.actions.shell import Shell, telling
from munin_app.ui.components.about import licence_list
from munin_app.ui.components.dialogs import Choice, facts, listed, reading


def report(parts: Sequence[ArmStatus]) -> str:
    """What `munin doctor` says, to be copied into a report of a problem."""
    lines = [f"Munin {__version__} · {platform.system()} {platform.machine()} · Python {platform.python_version()}"]
    for part in parts:
        lines.append(f"[{part.state}] {part.name}: {part.detail} {part.remedy}".rstrip())
    return "\n\n".join(lines)


class AboutActions:
    def __init__(self, munin: Munin, shell: Shell) -> None:
        self._munin = munin
        self._shell = shell

    def _close(self) -> Choice:
        return (_("Close"), "plain", self._shell.close_dialog)

    def show_versions(self) -> None:
        self._shell.show_dialog(facts(_("What Munin is built on"), about.versions(), self._shell.close_dialog))

    @telling
    async def show_licences(self) -> None:
        """Each opens its text, as it came with what it is of."""
        packages, fonts = await asyncio.gather(asyncio.to_thread(about.packages), asyncio.to_thread(about.fonts))
        groups = (
            ("Munin", (Licensed("Munin", __version__, "MIT", ""),)),
            (_("Models in use"), await self._models()),
            (_("Fonts"), fonts),
            (_("Packages"), packages),
        )
        rows = licence_list(groups, self.show_text)
        sentence = _("Munin is built from these. Press one to read its licence.")
        self._shell.show_dialog(listed(_("Licences"), sentence, rows, [self._close()]))

    async def _models(self) -> tuple[Licensed, ...]:
        """The chat model and the encoder that are in use."""
        found: list[Licensed] = []
        if info := self._munin.model.info:
            here = await self._munin.library.chat_models(self._munin.settings.model_path)
            entry = next((one.entry for one in here if one.path == info.path), None)
            licence = entry.licence if entry else await self._licence_of_file(info.path)
            found.append(Licensed(entry.name if entry else info.name, "", licence, ""))
        if encoder := await self._munin.library.find_encoder(self._munin.settings.encoder):
            found.append(Licensed(encoder.entry.name, "", encoder.entry.licence, ""))
        return tuple(found)

    async def _licence_of_file(self, path: Path) -> str:
        try:
            return (await asyncio.to_thread(about_file, path)).licence
        except (MuninError, OSError):
            return ""

    async def show_text(self, one: Licensed) -> None:
        back: Choice = (_("Back"), "plain", self.show_licences)
        self._shell.show_dialog(reading(f"{one.name} {one.version}".strip(), one.text, [back]))

    @telling
    async def show_report(self) -> None:
        """The doctor looks at everything beside the open app; that takes some seconds."""
        self._shell.show_dialog(reading(_("Report"), _("Looking at every part …"), [self._close()]))
        found = await asyncio.to_thread(lambda: asyncio.run(examine()))  # it reads files, and loads libraries
        text = report(found)
        copy: Choice = (_("Copy"), "tint", lambda: self._shell.copy(text, _("Report")))
        if self._shell.overlay.dialog:  # else it was closed meanwhile
            self._shell.show_dialog(reading(_("Report"), text, [copy, self._close()]))
