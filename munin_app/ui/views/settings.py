"""Settings: look, replies, model, memory, data, about. Each group is a card; help is one line at most."""

from collections.abc import Sequence
from pathlib import Path

import flet as ft

from munin_app import __version__
from munin_app.config import TEXT_SIZES
from munin_app.i18n import LANGUAGES, _
from munin_app.inference.machine import real_cores
from munin_app.ui.components.base import card, gap, hugging, lines, padding, scrolled, section, stack, text
from munin_app.ui.components.buttons import button, choice, icon_button, segmented, switch
from munin_app.ui.components.dialogs import listed
from munin_app.ui.components.header import model_name, page_header
from munin_app.ui.format import grouped_number, percent, size
from munin_app.ui.session import PageSession
from munin_app.ui.state import ModelsPage, ModelView, Navigation
from munin_app.ui.tokens import COLUMN, S2, S3, S4, S8, Tokens

LENGTHS = ("256", "512", "1024")
CONTEXTS = ("2048", "4096", "8192")
AUTOMATIC = "0"
LICENCES = (
    ("Munin", "MIT"),
    ("Flet and Flutter", "Apache-2.0, BSD-3-Clause"),
    ("llama.cpp and llama-cpp-python", "MIT"),
    ("ONNX Runtime", "MIT"),
    ("sqlite-vec", "MIT, Apache-2.0"),
    ("Inter, EB Garamond, JetBrains Mono", "SIL Open Font License 1.1"),
    ("SmolLM2-135M-Instruct, all-MiniLM-L6-v2", "Apache-2.0"),
)


def licences() -> tuple[tuple[str, str], ...]:
    return (
        *LICENCES,
        ("SQLite", _("public domain")),
        ("apsw", _("any OSI licence")),
    )


def _row(t: Tokens, label: str, detail: str, trailing: ft.Control, *, below: bool = False) -> ft.Container:
    """`below`: what is wide stands under its label on a phone."""
    words: list[ft.Control] = [text(t, label, "label")]
    if detail:
        words.append(text(t, detail, "small", t.text2))
    pad = padding(S4, t.space(S2), S4, t.space(S2))
    if below and not t.wide:
        return ft.Container(stack([*words, gap(S2), hugging(trailing)]), padding=pad)
    return ft.Container(ft.Row([lines(words), trailing], spacing=S3), padding=pad)


def _look(t: Tokens, session: PageSession, navigation: Navigation) -> ft.Control:
    settings, change = navigation.settings, session.settings.change
    themes = (("system", _("System")), ("light", _("Light")), ("dark", _("Dark")))
    theme = segmented(t, _("Theme"), themes, settings.theme, lambda theme: change(theme=theme))
    sizes = segmented(
        t,
        _("Text size"),
        [(str(size), percent(size / 100)) for size in TEXT_SIZES],
        _nearest([str(size) for size in TEXT_SIZES], settings.text_size),
        lambda size: change(text_size=int(size)),
    )
    densities = (("comfortable", _("Comfortable")), ("compact", _("Compact")))
    density = segmented(t, _("Density"), densities, settings.density, lambda density: change(density=density))
    contrasts = (("system", _("System")), ("normal", _("Normal")), ("high", _("High")))
    contrast = segmented(t, _("Contrast"), contrasts, settings.contrast, lambda contrast: change(contrast=contrast))
    motions = (("system", _("System")), ("full", _("Full")), ("reduced", _("Reduced")))
    motion = segmented(t, _("Motion"), motions, settings.motion, lambda motion: change(motion=motion))
    spoken = (("system", _("System")), *LANGUAGES.items())
    language = segmented(t, _("Language"), spoken, settings.language, lambda language: change(language=language))
    return card(
        t,
        [
            _row(t, _("Theme"), "", theme, below=True),
            _row(t, _("Text size"), _("Of everything, beside the size that the system sets"), sizes, below=True),
            _row(t, _("Density"), _("How much stands on one page"), density, below=True),
            _row(t, _("Contrast"), _("High: stronger colours, a border around everything"), contrast, below=True),
            _row(t, _("Motion"), _("Reduced: nothing moves by itself"), motion, below=True),
            _row(t, _("Language"), _("Of the app. Munin answers in yours"), language, below=True),
        ],
    )


def _nearest(choices: Sequence[str], value: int) -> str:
    return min(choices, key=lambda choice: abs(int(choice) - value))


def _replies(t: Tokens, session: PageSession, navigation: Navigation) -> ft.Control:
    settings = navigation.settings
    lengths = segmented(
        t,
        _("Length"),
        [*zip(LENGTHS, (_("Short"), _("Medium"), _("Long")), strict=True)],
        _nearest(LENGTHS, settings.max_reply_tokens),
        lambda value: session.settings.change(max_reply_tokens=int(value)),
    )
    contexts = segmented(
        t,
        _("Context"),
        [(AUTOMATIC, _("Auto")), *((size, grouped_number(int(size))) for size in CONTEXTS)],
        _nearest(CONTEXTS, settings.context_tokens) if settings.context_tokens else AUTOMATIC,
        lambda value: session.settings.change(context_tokens=int(value)),
    )
    return card(
        t,
        [
            _row(t, _("Length"), _("The longest that a reply may be"), lengths, below=True),
            _row(t, _("Context"), _("Tokens to look back on. Auto takes what fits"), contexts, below=True),
        ],
    )


def _personas(t: Tokens, session: PageSession) -> ft.Control:
    see = icon_button(t, ft.Icons.CHEVRON_RIGHT, _("Open Personas"), lambda: session.go("personas"))
    return card(t, [_row(t, _("Personas"), _("Who answers, how, and with which memory"), see)])


def _memory(t: Tokens, session: PageSession, navigation: Navigation) -> ft.Control:
    settings = navigation.settings
    use = switch(t, settings.memory_on, _("Use memory in replies"), lambda on: session.settings.change(memory_on=on))
    modes = (("automatic", _("By itself")), ("ask", _("Ask first")), ("off", _("Never")))
    learn = segmented(t, _("Note new facts"), modes, settings.learn_facts, lambda mode: session.settings.change(learn_facts=mode))
    see = icon_button(t, ft.Icons.CHEVRON_RIGHT, _("Open Memory"), lambda: session.go("memory"))
    return card(
        t,
        [
            _row(t, _("Use memory in replies"), _("Facts and past chats that fit"), use),
            _row(t, _("Note new facts"), _("When unsure, and when told to ask: in Review"), learn, below=True),
            _row(t, _("What Munin knows"), _("See, correct and forget it"), see),
        ],
    )


@ft.component
def ModelCard(t: Tokens, session: PageSession, model: ModelView, models: ModelsPage, navigation: Navigation) -> ft.Control:
    """How the model runs stands behind a row of its own: hardly anyone needs it."""
    shown, show = ft.use_state(False)
    detail = {"failed": model.error, "loading": _("Loading")}.get(model.phase, str(model.info.path) if model.info else "")
    change = button(t, _("Change"), lambda: session.go("models"), tip=_("Change model"))
    symbol, tip = ft.Icons.EXPAND_MORE, _("Show how it runs")
    if shown:
        symbol, tip = ft.Icons.EXPAND_LESS, _("Hide how it runs")
    more = icon_button(t, symbol, tip, lambda: show(not shown))
    rows = [
        _row(t, model_name(model), detail, change),
        _background_work(t, session, models, navigation),
        _row(t, _("How it runs"), _("Memory and processor"), more),
    ]
    return card(t, [*rows, *(_running(t, session, model, navigation) if shown else [])])


def _background_work(t: Tokens, session: PageSession, models: ModelsPage, navigation: Navigation) -> ft.Control:
    chosen = navigation.settings.background_model
    choices = [("", _("Same as chat")), *((str(entry.path), entry.name) for entry in models.entries)]
    if all(path != chosen for path, name in choices):
        choices.append((chosen, Path(chosen).stem))
    sizes = [entry.size_bytes for entry in models.entries if str(entry.path) == chosen]
    cost = (
        _("takes about {size} more memory").format(size=size(sizes[0]))
        if sizes
        else _("a model of its own takes memory beside the chat's")
    )
    pick = choice(t, _("Background work"), choices, chosen, lambda path: session.settings.change(background_model=path))
    return _row(t, _("Background work"), _("Notes facts, sums up and names chats; {cost}").format(cost=cost), pick, below=True)


def _running(t: Tokens, session: PageSession, model: ModelView, navigation: Navigation) -> list[ft.Control]:
    settings, change = navigation.settings, session.settings.change
    compact = switch(t, settings.kv_type == "q8_0", _("Compact context"), lambda on: change(kv_type="q8_0" if on else "f16"))
    cores = real_cores()
    numbers = [*dict.fromkeys(("1", str(max(1, cores // 2)), str(cores)))]
    chosen = _nearest(numbers, settings.threads) if settings.threads else AUTOMATIC
    threads = segmented(
        t,
        _("Threads"),
        [(AUTOMATIC, _("Auto")), *((number, number) for number in numbers)],
        chosen,
        lambda number: change(threads=int(number)),
    )
    rows: list[ft.Control] = [
        _row(t, _("Compact context"), _("Half the memory for it, hardly less exact"), compact),
        _row(t, _("Threads"), _("Cores that write a reply. Auto takes all real ones"), threads, below=True),
    ]
    if model.info and model.info.gpu:
        gpu = switch(t, settings.gpu_layers != 0, _("Use the graphics processor"), lambda on: change(gpu_layers=-1 if on else 0))
        rows.append(_row(t, _("Graphics processor"), _("Much faster, if the model fits it"), gpu))
    return rows


def _data(t: Tokens, session: PageSession) -> ft.Control:
    actions = session.settings
    folder = button(t, _("Copy path"), actions.copy_data_folder)
    if session.local_desktop:
        folder = button(t, _("Open folder"), actions.open_data_folder)
    clear = button(t, _("Clear"), session.memory.ask_clear_chats, "danger", tip=_("Clear all chats"))
    see = icon_button(t, ft.Icons.CHEVRON_RIGHT, _("Open Data"), lambda: session.go("data"))
    return card(
        t,
        [
            _row(t, _("Backup and space"), _("Back up, restore, erase everything"), see),
            _row(t, _("Data folder"), actions.data_folder, folder, below=True),
            _row(t, _("All chats"), _("Facts stay"), clear),
        ],
    )


def _licences(t: Tokens) -> list[ft.Control]:
    return [stack([text(t, name, "smallb"), text(t, licence, "small", t.text2)]) for name, licence in licences()]


def _about(t: Tokens, session: PageSession) -> ft.Control:
    def show() -> None:
        close = session.shell.close_dialog
        session.shell.show_dialog(
            listed(_("Licences"), _("Munin is built from these."), _licences, [(_("Close"), "plain", close)])
        )

    return card(t, [_row(t, f"Munin {__version__}", _("Offline. Nothing leaves this device"), button(t, _("Licences"), show))])


@ft.component
def SettingsPage(t: Tokens, session: PageSession, model: ModelView, navigation: Navigation) -> ft.Control:
    body = [
        section(t, _("Look"), first=True),
        _look(t, session, navigation),
        section(t, _("Replies")),
        _replies(t, session, navigation),
        section(t, _("Personas")),
        _personas(t, session),
        section(t, _("Model")),
        ModelCard(t, session, model, session.settings.models, navigation),
        section(t, _("Memory")),
        _memory(t, session, navigation),
        section(t, _("Data")),
        _data(t, session),
        section(t, _("About")),
        _about(t, session),
    ]
    header = page_header(t, _("Settings"), _("Everything here stays on this device."), lambda: session.go("conversations"))
    if t.wide:
        header = ft.Container(header, width=COLUMN + 2 * S8, align=ft.Alignment.TOP_CENTER)
    return stack([header, scrolled(body, S8 if t.wide else S4)], expand=True)
