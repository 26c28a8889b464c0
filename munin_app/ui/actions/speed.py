"""How fast the models are here: measuring them one after the other, stopping, copying the figures. Knows no control."""

import asyncio
from contextlib import aclosing
from datetime import date

from munin_app import __version__
from munin_app.bootstrap import Munin
from munin_app.errors import ModelError
from munin_app.evaluation.speed.machine import this_machine
from munin_app.evaluation.speed.models import as_text, measure_models
from munin_app.i18n import _, ngettext
from munin_app.inference.machine import real_cores
from munin_app.library.models import InstalledModel
from munin_app.ui.actions.shell import Shell
from munin_app.ui.format import counted
from munin_app.ui.state import ModelsPage, SpeedPage


class SpeedActions:
    def __init__(self, munin: Munin, shell: Shell, models: ModelsPage, state: SpeedPage) -> None:
        self._munin = munin
        self._shell = shell
        self._models = models
        self.state = state
        self._run: asyncio.Task[None] | None = None

    @property
    def chosen(self) -> list[InstalledModel]:
        return [model for model in self._models.entries if model.id not in self.state.left_out]

    def choose(self, model_id: str, on: bool) -> None:
        state = self.state
        state.left_out = state.left_out - {model_id} if on else state.left_out | {model_id}

    def measure(self) -> None:
        """Begins; the page need not stay open."""
        if not self.state.running:
            self.state.running = True
            self._shell.run(self._measure())

    async def _measure(self) -> None:
        self._run = asyncio.create_task(self._measured())
        try:
            await self._run
        except asyncio.CancelledError:
            self._run.cancel()  # the page is gone: what was in use comes back all the same
            if (task := asyncio.current_task()) and task.cancelling():
                raise
            await self._shell.tell(_("Stopped. The model in use is back."))
        finally:
            self.state.running, self.state.measuring, self._run = False, "", None

    async def _measured(self) -> None:
        state, chosen = self.state, self.chosen
        if not chosen:
            raise ModelError(_("No model is chosen. Choose one to be measured."))
        state.speeds = ()
        try:
            wait = _(
                "Munin is measuring how fast its models are. The reply comes when that is done; it can be stopped under Models."
            )
            async with self._munin.switch.set_aside(wait) as make, aclosing(measure_models(chosen, make)) as speeds:
                for model in chosen:
                    state.measuring = model.name
                    state.speeds = (*state.speeds, await anext(speeds))
                state.measuring = ""
        finally:
            state.measuring = ""

    def stop(self) -> None:
        if self._run:
            self.state.measuring = ""
            self._run.cancel()

    async def copy(self) -> None:
        await self._shell.copy(self.text(), _("Figures"))

    def text(self) -> str:
        system, today = this_machine().system, date.today().isoformat()
        cores = counted(real_cores(), ngettext("{n} core", "{n} cores", real_cores()))
        head = _("Munin {version} on {system}, {cores}, {today}").format(
            version=__version__, system=system, cores=cores, today=today
        )
        return as_text(self.state.speeds, head)
