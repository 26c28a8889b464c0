"""What stands at the end of each row of the settings: a switch, a choice, or the way to a screen of its own."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import flet as ft

from munin_app import __version__
from munin_app.config import TEXT_SIZES, Settings
from munin_app.i18n import LANGUAGES, _
from munin_app.inference.machine import real_cores
from munin_app.ui.actions.setting_rows import SettingRow
from munin_app.ui.components.base import Action, text
from munin_app.ui.components.buttons import button, choice, icon_button, segmented, switch
from munin_app.ui.components.header import model_name
from munin_app.ui.format import grouped_number, percent, size
from munin_app.ui.session import PageSession
from munin_app.ui.state import ModelsPage, ModelView
from munin_app.ui.tokens import Tokens

DEFAULTS = Settings()
SWITCHES: dict[str, tuple[object, object]] = {
    "memory_on": (True, False),
    "kv_type": ("q8_0", "f16"),
    "gpu_layers": (-1, 0),
    "load_anyway": (True, False),
}
"""What on and off mean; of the graphics processor any number of layers but none is on."""


@dataclass(frozen=True)
class Shown:
    control: ft.Control
    below: bool = False
    """On a phone it stands below its words."""
    help: str = ""
    """In place of the row's own."""
    default: str = ""
    """In words, where something else is set."""


def options(identity: str, models: ModelsPage) -> Sequence[tuple[str, str]]:
    """The values of a setting that are offered, each with its label. Empty: it is no choice of a few."""
    match identity:
        case "theme":
            return (("system", _("System")), ("light", _("Light")), ("dark", _("Dark")))
        case "text_size":
            return [(str(one), percent(one / 100)) for one in TEXT_SIZES]
        case "density":
            return (("comfortable", _("Comfortable")), ("compact", _("Compact")))
        case "contrast":
            return (("system", _("System")), ("normal", _("Normal")), ("high", _("High")))
        case "motion":
            return (("system", _("System")), ("full", _("Full")), ("reduced", _("Reduced")))
        case "language":
            return (("system", _("System")), *LANGUAGES.items())
        case "context_tokens":
            return (("0", _("Auto")), *((str(one), grouped_number(one)) for one in (2048, 4096, 8192)))
        case "max_reply_tokens":
            return (("256", _("Short")), ("512", _("Medium")), ("1024", _("Long")))
        case "max_thought_tokens":
            return (("512", _("Short")), ("1024", _("Medium")), ("4096", _("Long")))
        case "temperature":
            return (("0.2", _("Exact")), ("0.4", _("Balanced")), ("0.8", _("Lively")))
        case "threads":
            cores = real_cores()
            numbers = dict.fromkeys((1, max(1, cores // 2), cores))
            return (("0", _("Auto")), *((str(one), str(one)) for one in numbers))
        case "learn_facts":
            return (("automatic", _("By itself")), ("ask", _("Ask first")), ("off", _("Never")))
        case "recall_timeout_ms":
            return [(str(one), _("{number} ms").format(number=grouped_number(one))) for one in (150, 300, 1000)]
        case "copies_kept":
            return [(str(one), str(one)) for one in (3, 7, 30)]
        case "background_model":
            return (("", _("Same as chat")), *((str(entry.path), entry.name) for entry in models.entries))
        case _:
            return ()


def _with(value: Any, offered: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """What is set by hand in the file is shown too."""
    if any(str(value) == one for one, label in offered):
        return [*offered]
    return [*offered, (str(value), Path(value).stem if isinstance(value, str) else str(value))]


def _default(identity: str, settings: Settings, models: ModelsPage) -> str:
    value = getattr(DEFAULTS, identity)
    if getattr(settings, identity) == value:
        return ""
    if identity in SWITCHES:
        return _("On") if value == SWITCHES[identity][0] else _("Off")
    return dict(options(identity, models)).get(str(value), str(value))


def _switch(t: Tokens, session: PageSession, identity: str, label: str, settings: Settings) -> ft.Control:
    on, off = SWITCHES[identity]
    value = getattr(settings, identity)
    is_on = value != off if identity == "gpu_layers" else value == on
    return switch(t, is_on, label, lambda now: session.settings.change(**{identity: on if now else off}))


def _choice(t: Tokens, session: PageSession, identity: str, label: str, settings: Settings, models: ModelsPage) -> ft.Control:
    value = getattr(settings, identity)
    kind, offered = type(getattr(DEFAULTS, identity)), _with(value, options(identity, models))
    draw = choice if identity == "background_model" else segmented
    return draw(t, label, offered, str(value), lambda new: session.settings.change(**{identity: kind(new)}))


def shown(
    t: Tokens, session: PageSession, row: SettingRow, model: ModelView, models: ModelsPage, settings: Settings
) -> Shown | None:
    """None: it makes no sense here."""
    identity, label = row.id, row.name
    if identity == "gpu_layers" and not (model.info and model.info.gpu):
        return None
    if identity in SWITCHES:
        control = _switch(t, session, identity, label, settings)
        return Shown(control, default=_default(identity, settings, models))
    if options(identity, models):
        help_ = _background_help(settings, models) if identity == "background_model" else ""
        control = _choice(t, session, identity, label, settings, models)
        return Shown(control, below=True, help=help_, default=_default(identity, settings, models))
    return _way(t, session, identity, model, settings)


def _background_help(settings: Settings, models: ModelsPage) -> str:
    sizes = [entry.size_bytes for entry in models.entries if str(entry.path) == settings.background_model]
    cost = (
        _("takes about {size} more memory").format(size=size(sizes[0]))
        if sizes
        else _("a model of its own takes memory beside the chat's")
    )
    return _("Notes facts, sums up and names chats; {cost}").format(cost=cost)


def _way(t: Tokens, session: PageSession, identity: str, model: ModelView, settings: Settings) -> Shown | None:
    """To a screen, a sheet or a dialog."""

    def arrow(tip: str, action: Action) -> ft.Control:
        return icon_button(t, ft.Icons.CHEVRON_RIGHT, tip, action)

    actions, about = session.settings, session.about
    match identity:
        case "model_path":
            where = {"failed": model.error, "loading": _("Loading")}.get(model.phase, str(model.info.path) if model.info else "")
            change = button(t, _("Change"), lambda: session.go("models"), tip=_("Change model"))
            return Shown(change, help=f"{model_name(model)}: {where}" if where else model_name(model))
        case "model_sheet":
            path = model.info.path if model.info else None
            return Shown(arrow(_("Open the settings of this model"), lambda: session.model_sheet.open(path))) if path else None
        case "personas":
            return Shown(arrow(_("Open Personas"), lambda: session.go("personas")))
        case "encoder":
            return Shown(arrow(_("Change encoder"), lambda: session.go("models")))
        case "memory":
            return Shown(arrow(_("Open Memory"), lambda: session.go("memory")))
        case "backup":
            return Shown(arrow(_("Open Data"), lambda: session.go("data")))
        case "auto_lock_minutes":
            return Shown(arrow(_("Lock or unlock"), lambda: session.go("data")))
        case "copies_folder":
            return Shown(arrow(_("Set up the daily copy"), lambda: session.go("data")), help=settings.copies_folder)
        case "data_folder":
            folder = button(t, _("Copy path"), actions.copy_data_folder)
            if session.local_desktop:
                folder = button(t, _("Open folder"), actions.open_data_folder)
            return Shown(folder, below=True, help=actions.data_folder)
        case "clear_chats":
            return Shown(button(t, _("Clear"), session.memory.ask_clear_chats, "danger", tip=_("Clear all chats")))
        case "version":
            return Shown(text(t, __version__, "smallb", t.text2, wrap=False))
        case "parts":
            return Shown(arrow(_("Show versions"), about.show_versions))
        case "licences":
            return Shown(arrow(_("Show licences"), about.show_licences))
        case "doctor":
            return Shown(arrow(_("Show the report"), about.show_report))
        case _:
            return None
