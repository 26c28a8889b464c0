"""What the page of settings holds, row by row: for the page, its search and the palette. Knows no control."""

from collections.abc import Sequence
from dataclasses import dataclass

from munin_app.chat.search import holds, words_of
from munin_app.i18n import _


@dataclass(frozen=True, slots=True)
class SettingRow:
    id: str
    """Its name in Settings, where it is a setting and not a way to somewhere."""
    group: str
    name: str
    help: str
    """One line."""
    others: str
    """Words that find it too."""

    def has(self, words: Sequence[str]) -> bool:
        return holds(f"{self.name} {self.help} {self.others} {groups()[self.group]}", words)


def groups() -> dict[str, str]:
    """In the order of the page."""
    return {
        "model": _("Model"),
        "generation": _("Generation"),
        "memory": _("Memory"),
        "appearance": _("Appearance"),
        "data": _("Data"),
        "about": _("About"),
    }


def found(query: str) -> tuple[SettingRow, ...]:
    """Every row, where nothing is looked for."""
    words = words_of(query)
    return tuple(row for row in rows() if row.has(words))


def rows() -> tuple[SettingRow, ...]:
    return (*_model(), *_generation(), *_memory(), *_appearance(), *_data(), *_about())


def _in(group: str, *entries: tuple[str, str, str, str]) -> tuple[SettingRow, ...]:
    return tuple(SettingRow(identity, group, name, help_, others) for identity, name, help_, others in entries)


def _model() -> tuple[SettingRow, ...]:
    return _in(
        "model",
        ("model_path", _("Model"), _("Answers in every chat that has none of its own"), _("language model llm gguf file change")),
        (
            "model_sheet",
            _("Settings of this model"),
            _("For it alone; they come before what is set here"),
            _("top p top k penalty instructions sampling"),
        ),
        (
            "background_model",
            _("Background work"),
            _("Notes facts, sums up and names chats"),
            _("second model titles summaries"),
        ),
        (
            "context_tokens",
            _("Context"),
            _("Tokens to look back on. Auto takes what fits"),
            _("window length memory tokens remembers"),
        ),
        ("kv_type", _("Compact context"), _("Half the memory for it, hardly less exact"), _("kv cache quantised memory ram")),
        ("threads", _("Threads"), _("Cores that write a reply. Auto takes all real ones"), _("processor cpu speed fast slow")),
        ("gpu_layers", _("Graphics processor"), _("Much faster, if the model fits it"), _("gpu layers speed fast video card")),
        (
            "load_anyway",
            _("Load although memory is short"),
            _("This model only; the device may become slow"),
            _("too large big ram force"),
        ),
    )


def _generation() -> tuple[SettingRow, ...]:
    return _in(
        "generation",
        ("personas", _("Personas"), _("Who answers, how, and with which memory"), _("character role prompt instructions")),
        ("max_reply_tokens", _("Length of replies"), _("The longest that a reply may be"), _("tokens long short cut off limit")),
        (
            "max_thought_tokens",
            _("Length of thoughts"),
            _("Of models that think before they answer"),
            _("reasoning thinking tokens limit"),
        ),
        (
            "temperature",
            _("Temperature"),
            _("Exact keeps to what is likely, lively is more varied"),
            _("creative random sampling exact lively"),
        ),
    )


def _memory() -> tuple[SettingRow, ...]:
    return _in(
        "memory",
        ("memory_on", _("Use memory in replies"), _("Facts and past chats that fit"), _("remember recall on off")),
        (
            "learn_facts",
            _("Note new facts"),
            _("When unsure, and when told to ask: in Review"),
            _("learn profile automatic ask never"),
        ),
        (
            "recall_timeout_ms",
            _("Time to look back"),
            _("A reply waits no longer than this for memories"),
            _("recall timeout slow wait milliseconds"),
        ),
        ("encoder", _("Encoder"), _("Finds memories by their meaning"), _("embedding vectors search model")),
        ("memory", _("What Munin knows"), _("See, correct and forget it"), _("facts memories review forget delete")),
    )


def _appearance() -> tuple[SettingRow, ...]:
    return _in(
        "appearance",
        ("theme", _("Theme"), _("System follows the device"), _("dark light night mode look colours")),
        (
            "text_size",
            _("Text size"),
            _("Of everything, beside the size that the system sets"),
            _("font large big small zoom letters"),
        ),
        ("density", _("Density"), _("How much stands on one page"), _("compact comfortable spacing rows")),
        ("contrast", _("Contrast"), _("High: stronger colours, a border around everything"), _("accessibility readable borders")),
        ("motion", _("Motion"), _("Reduced: nothing moves by itself"), _("animation accessibility still reduce")),
        ("language", _("Language"), _("Of the app. Munin answers in yours"), _("translation English German Deutsch")),
    )


def _data() -> tuple[SettingRow, ...]:
    return _in(
        "data",
        (
            "backup",
            _("Backup and space"),
            _("Back up, restore, import, erase everything"),
            _("export restore import passphrase disk"),
        ),
        (
            "auto_lock_minutes",
            _("Lock"),
            _("Encrypts what Munin keeps; the window asks for a passphrase"),
            _("passphrase password encrypted privacy keyring minutes"),
        ),
        (
            "copies_folder",
            _("A copy each day"),
            _("In a folder that you choose, when Munin opens"),
            _("backup automatic daily"),
        ),
        ("copies_kept", _("Copies that are kept"), _("Older ones are deleted"), _("backup automatic number")),
        ("data_folder", _("Data folder"), _("All that Munin keeps is in it"), _("files path where stored")),
        ("clear_chats", _("Clear all chats"), _("Facts stay"), _("delete erase conversations history")),
    )


def _about() -> tuple[SettingRow, ...]:
    return _in(
        "about",
        (
            "version",
            _("About Munin"),
            _("Works offline. Nothing leaves this device unless you download a model"),
            _("version privacy offline promise"),
        ),
        (
            "parts",
            _("Versions"),
            _("Of what Munin is built on"),
            _("version llama.cpp sqlite flet onnx python"),
        ),
        ("licences", _("Licences"), _("Of the models, packages and fonts in use"), _("license open source mit apache fonts")),
        (
            "doctor",
            _("Report"),
            _("What works here and what does not; none of your words"),
            _("doctor problem help debug"),
        ),
    )
