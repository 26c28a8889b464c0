"""Settings: look, replies, model, memory, data, about. Each group is a card; help is one line at most."""

from collections.abc import Sequence
from pathlib import Path

import flet as ft

from munin_app import __version__
from munin_app.inference.machine import real_cores
from munin_app.ui.components.base import card, gap, lines, padding, scrolled, section, stack, text
from munin_app.ui.components.buttons import button, choice, icon_button, segmented, switch
from munin_app.ui.components.dialogs import listed
from munin_app.ui.components.header import model_name, page_header
from munin_app.ui.format import grouped_number, size
from munin_app.ui.session import PageSession
from munin_app.ui.state import ModelsPage, ModelView, Navigation
from munin_app.ui.tokens import COLUMN, S2, S3, S4, S8, Tokens

LENGTHS = (("256", "Short"), ("512", "Medium"), ("1024", "Long"))
CONTEXTS = ("2048", "4096", "8192")
AUTOMATIC = "0"
LEARNING = (("automatic", "By itself"), ("ask", "Ask first"), ("off", "Never"))
LICENCES = (
    ("Munin", "MIT"),
    ("Flet and Flutter", "Apache-2.0, BSD-3-Clause"),
    ("llama.cpp and llama-cpp-python", "MIT"),
    ("ONNX Runtime", "MIT"),
    ("SQLite, apsw, sqlite-vec", "public domain, any OSI licence, MIT or Apache-2.0"),
    ("Inter, EB Garamond, JetBrains Mono", "SIL Open Font License 1.1"),
    ("SmolLM2-135M-Instruct, all-MiniLM-L6-v2", "Apache-2.0"),
)


def _row(t: Tokens, label: str, detail: str, trailing: ft.Control, *, below: bool = False) -> ft.Container:
    """`below`: what is wide stands under its label on a phone."""
    words: list[ft.Control] = [text(t, label, "label")]
    if detail:
        words.append(text(t, detail, "small", t.text2))
    pad = padding(S4, S2, S4, S2)
    if below and not t.wide:
        return ft.Container(stack([*words, gap(S2), ft.Row([trailing])]), padding=pad)
    return ft.Container(ft.Row([lines(words), trailing], spacing=S3), padding=pad)


def _look(t: Tokens, session: PageSession, navigation: Navigation) -> ft.Control:
    themes = (("system", "System"), ("light", "Light"), ("dark", "Dark"))
    choice = segmented(t, "Theme", themes, navigation.settings.theme, lambda theme: session.settings.change(theme=theme))
    return card(t, [_row(t, "Theme", "", choice, below=True)])


def _nearest(choices: Sequence[str], value: int) -> str:
    return min(choices, key=lambda choice: abs(int(choice) - value))


def _replies(t: Tokens, session: PageSession, navigation: Navigation) -> ft.Control:
    settings = navigation.settings
    lengths = segmented(
        t,
        "Length",
        LENGTHS,
        _nearest([value for value, _ in LENGTHS], settings.max_reply_tokens),
        lambda value: session.settings.change(max_reply_tokens=int(value)),
    )
    contexts = segmented(
        t,
        "Context",
        [(AUTOMATIC, "Auto"), *((size, grouped_number(int(size))) for size in CONTEXTS)],
        _nearest(CONTEXTS, settings.context_tokens) if settings.context_tokens else AUTOMATIC,
        lambda value: session.settings.change(context_tokens=int(value)),
    )
    return card(
        t,
        [
            _row(t, "Length", "The longest that a reply may be", lengths, below=True),
            _row(t, "Context", "Tokens to look back on. Auto takes what fits", contexts, below=True),
        ],
    )


def _personas(t: Tokens, session: PageSession) -> ft.Control:
    see = icon_button(t, ft.Icons.CHEVRON_RIGHT, "Open Personas", lambda: session.go("personas"))
    return card(t, [_row(t, "Personas", "Who answers, how, and with which memory", see)])


def _memory(t: Tokens, session: PageSession, navigation: Navigation) -> ft.Control:
    settings = navigation.settings
    use = switch(t, settings.memory_on, "Use memory in replies", lambda on: session.settings.change(memory_on=on))
    learn = segmented(t, "Note new facts", LEARNING, settings.learn_facts, lambda mode: session.settings.change(learn_facts=mode))
    see = icon_button(t, ft.Icons.CHEVRON_RIGHT, "Open Memory", lambda: session.go("memory"))
    return card(
        t,
        [
            _row(t, "Use memory in replies", "Facts and past chats that fit", use),
            _row(t, "Note new facts", "When unsure, and when told to ask: in Review", learn, below=True),
            _row(t, "What Munin knows", "See, correct and forget it", see),
        ],
    )


@ft.component
def ModelCard(t: Tokens, session: PageSession, model: ModelView, models: ModelsPage, navigation: Navigation) -> ft.Control:
    """How the model runs stands behind a row of its own: hardly anyone needs it."""
    shown, show = ft.use_state(False)
    detail = {"failed": model.error, "loading": "Loading"}.get(model.phase, str(model.info.path) if model.info else "")
    change = button(t, "Change", lambda: session.go("models"), tip="Change model")
    symbol, tip = (ft.Icons.EXPAND_LESS, "Hide") if shown else (ft.Icons.EXPAND_MORE, "Show")
    more = icon_button(t, symbol, f"{tip} how it runs", lambda: show(not shown))
    rows = [
        _row(t, model_name(model), detail, change),
        _background_work(t, session, models, navigation),
        _row(t, "How it runs", "Memory and processor", more),
    ]
    return card(t, [*rows, *(_running(t, session, model, navigation) if shown else [])])


def _background_work(t: Tokens, session: PageSession, models: ModelsPage, navigation: Navigation) -> ft.Control:
    chosen = navigation.settings.background_model
    choices = [("", "Same as chat"), *((str(entry.path), entry.name) for entry in models.entries)]
    if all(path != chosen for path, _ in choices):
        choices.append((chosen, Path(chosen).stem))
    sizes = [entry.size_bytes for entry in models.entries if str(entry.path) == chosen]
    cost = f"takes about {size(sizes[0])} more memory" if sizes else "a model of its own takes memory beside the chat's"
    pick = choice(t, "Background work", choices, chosen, lambda path: session.settings.change(background_model=path))
    return _row(t, "Background work", f"Notes facts, sums up and names chats; {cost}", pick, below=True)


def _running(t: Tokens, session: PageSession, model: ModelView, navigation: Navigation) -> list[ft.Control]:
    settings, change = navigation.settings, session.settings.change
    compact = switch(t, settings.kv_type == "q8_0", "Compact context", lambda on: change(kv_type="q8_0" if on else "f16"))
    cores = real_cores()
    numbers = [*dict.fromkeys(("1", str(max(1, cores // 2)), str(cores)))]
    chosen = _nearest(numbers, settings.threads) if settings.threads else AUTOMATIC
    threads = segmented(
        t,
        "Threads",
        [(AUTOMATIC, "Auto"), *((number, number) for number in numbers)],
        chosen,
        lambda number: change(threads=int(number)),
    )
    rows: list[ft.Control] = [
        _row(t, "Compact context", "Half the memory for it, hardly less exact", compact),
        _row(t, "Threads", "Cores that write a reply. Auto takes all real ones", threads, below=True),
    ]
    if model.info and model.info.gpu:
        gpu = switch(t, settings.gpu_layers != 0, "Use the graphics processor", lambda on: change(gpu_layers=-1 if on else 0))
        rows.append(_row(t, "Graphics processor", "Much faster, if the model fits it", gpu))
    return rows


def _data(t: Tokens, session: PageSession) -> ft.Control:
    actions = session.settings
    folder = button(t, "Copy path", actions.copy_data_folder)
    if session.local_desktop:
        folder = button(t, "Open folder", actions.open_data_folder)
    clear = button(t, "Clear", session.memory.ask_clear_chats, "danger", tip="Clear all chats")
    see = icon_button(t, ft.Icons.CHEVRON_RIGHT, "Open Data", lambda: session.go("data"))
    return card(
        t,
        [
            _row(t, "Backup and space", "Back up, restore, erase everything", see),
            _row(t, "Data folder", actions.data_folder, folder, below=True),
            _row(t, "All chats", "Facts stay", clear),
        ],
    )


def _licences(t: Tokens) -> list[ft.Control]:
    return [stack([text(t, name, "smallb"), text(t, licence, "small", t.text2)]) for name, licence in LICENCES]


def _about(t: Tokens, session: PageSession) -> ft.Control:
    def show() -> None:
        close = session.shell.close_dialog
        session.shell.show_dialog(listed("Licences", "Munin is built from these.", _licences, [("Close", "plain", close)]))

    return card(t, [_row(t, f"Munin {__version__}", "Offline. Nothing leaves this device", button(t, "Licences", show))])


@ft.component
def SettingsPage(t: Tokens, session: PageSession, model: ModelView, navigation: Navigation) -> ft.Control:
    body = [
        section(t, "Look", first=True),
        _look(t, session, navigation),
        section(t, "Replies"),
        _replies(t, session, navigation),
        section(t, "Personas"),
        _personas(t, session),
        section(t, "Model"),
        ModelCard(t, session, model, session.settings.models, navigation),
        section(t, "Memory"),
        _memory(t, session, navigation),
        section(t, "Data"),
        _data(t, session),
        section(t, "About"),
        _about(t, session),
    ]
    header = page_header(t, "Settings", "Everything here stays on this device.", lambda: session.go("conversations"))
    if t.wide:
        header = ft.Container(header, width=COLUMN + 2 * S8, align=ft.Alignment.TOP_CENTER)
    return stack([header, scrolled(body, S8 if t.wide else S4)], expand=True)
