"""The sheet with the settings of one model: what is typed, checked and kept. Knows no control."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from munin_app.bootstrap import Munin
from munin_app.chat.sampling import NAMES, sampled
from munin_app.config import UNSET, ModelSettings
from munin_app.domain.inference import SamplingAdvice
from munin_app.errors import ModelTooLarge, MuninError, SettingsError
from munin_app.i18n import _, translated
from munin_app.inference.advice import advice_of
from munin_app.inference.gguf_header import read_header
from munin_app.ui.actions.shell import Shell
from munin_app.ui.components.dialogs import confirm
from munin_app.ui.format import plain_number
from munin_app.ui.state import ModelSheet

WHOLE_NUMBERS = ("top_k", "context_tokens", "max_reply_tokens", "max_thought_tokens")
FIELDS = ("temperature", "max_reply_tokens", "max_thought_tokens", "context_tokens", "top_p", "top_k", "min_p", "repeat_penalty")


def labels() -> dict[str, str]:
    return {
        "temperature": _("Temperature"),
        "max_reply_tokens": _("Longest reply"),
        "max_thought_tokens": _("Longest thought"),
        "context_tokens": _("Context"),
        "top_p": "Top-p",
        "top_k": "Top-k",
        "min_p": "Min-p",
        "repeat_penalty": _("Repeat penalty"),
    }


class ModelSheetActions:
    def __init__(self, munin: Munin, shell: Shell, name_of: Callable[[Path], str], state: ModelSheet) -> None:
        self._munin = munin
        self._shell = shell
        self._name_of = name_of
        self.state = state

    async def open(self, path: Path) -> None:
        await self._read(path)
        self._shell.show_sheet(model=str(path))

    async def _read(self, path: Path) -> None:
        """What is set, and what holds where nothing is."""
        settings, state, advice = self._munin.settings, self.state, SamplingAdvice()
        with suppress(MuninError):  # a file that cannot be read recommends nothing
            advice = advice_of(await asyncio.to_thread(read_header, path))
        own = settings.set_for(path)
        state.name, state.error = self._name_of(path), ""
        state.is_set = own != ModelSettings(load_anyway=own.load_anyway)
        state._typed = {key: _text(getattr(own, key)) for key in FIELDS} | {"instructions": own.instructions}
        for name in FIELDS:
            value = plain_number(getattr(settings, name, 0))
            state.hints[name] = (value, _("{value} tokens, as for every model").format(value=value))
        if not settings.context_tokens:
            state.hints["context_tokens"] = (_("Auto"), _("Auto, as for every model"))
        for name in NAMES:
            found = sampled(name, settings, UNSET, advice)
            state.hints[name] = (plain_number(found.value), f"{plain_number(found.value)}, {translated(found.source)}")
        state.version += 1

    def type(self, key: str, text: str) -> None:
        self.state._typed[key] = text

    async def save(self, *, load_anyway: bool = False) -> None:
        """What is refused is said in the sheet, and nothing changes."""
        path, state = Path(self._shell.navigation.model_sheet), self.state
        if state.saving:
            return
        state.saving, state.error = True, ""
        try:
            typed: dict[str, Any] = {key: _number(key, state._typed[key]) for key in FIELDS}
            before = self._munin.settings.set_for(path)
            own = ModelSettings(
                **typed, instructions=state._typed["instructions"].strip(), load_anyway=load_anyway or before.load_anyway
            )
            await self._munin.switch.set_for_model(path, own)
        except ModelTooLarge as error:
            self._ask_anyway(str(error))
        except MuninError as error:
            state.error = str(error).removeprefix(_("Settings: "))
        else:
            self._shell.close_sheet()
            await self._shell.tell(_("Kept for {name}.").format(name=state.name))
        finally:
            state.saving = False

    def _ask_anyway(self, error: str) -> None:
        async def confirmed() -> None:
            self._shell.close_dialog()
            await self.save(load_anyway=True)

        close = self._shell.close_dialog
        self._shell.show_dialog(confirm(_("Memory is short"), error, _("Load anyway"), confirmed, close, kind="tint"))

    async def reset(self) -> None:
        """To the model's own, and Munin's."""
        path = Path(self._shell.navigation.model_sheet)
        try:
            own = ModelSettings(load_anyway=self._munin.settings.set_for(path).load_anyway)
            await self._munin.switch.set_for_model(path, own)
        except MuninError as error:
            self.state.error = str(error)
            return
        await self._read(path)


def _text(value: float | None) -> str:
    return "" if value is None else plain_number(value)


def _number(key: str, text: str) -> float | None:
    """Empty: not set. Raises SettingsError."""
    clean = text.strip().replace(",", ".")
    if not clean:
        return None
    with suppress(ValueError):
        return int(clean) if key in WHOLE_NUMBERS else float(clean)
    kind = _("a whole number") if key in WHOLE_NUMBERS else _("a number")
    raise SettingsError(
        _("{label} is {text!r}; expected {kind}, or nothing.").format(label=labels()[key], text=text.strip(), kind=kind)
    )
