"""The same screens, drawn otherwise: large text, compact, high contrast, without motion, German, from right to left."""

from munin_app.config import Settings
from tests.ui.screens.chat import ADA, TIDES
from tests.ui.screens.stage import Scenes, Stage

scenes = Scenes()
LARGE = Settings(text_size=160)
COMPACT = Settings(density="compact")
HIGH = Settings(contrast="high")
GERMAN = Settings(language="de")
ARABIC = "لماذا يحدث المد مرتين في اليوم؟"
MOON = "لأن القمر يجذب **الجانب القريب** أكثر من البعيد."


async def _go(stage: Stage, view: str) -> None:
    stage.session.go(view)  # type: ignore[arg-type]
    await stage.session.shell.idle()


async def _memory(stage: Stage, tab: str) -> None:
    await _go(stage, "memory")
    stage.session.memory.show(tab)  # type: ignore[arg-type]
    await stage.session.shell.idle()


async def _ask_to_erase(stage: Stage) -> None:
    await _go(stage, "data")
    stage.session.data.ask_to_erase()


async def _chat(stage: Stage) -> None:
    await stage.say("Why does the tide come twice a day?", TIDES)


@scenes.add("large-chat", "two bulges")
async def large_chat(stage: Stage) -> None:
    await stage.look(LARGE)
    await _chat(stage)
    stage.session.chat.state.following = False


@scenes.add("large-new", "stays on this device", widths=("phone",))
async def large_new(stage: Stage) -> None:
    await stage.look(LARGE)


@scenes.add("large-chats", "Why the tide comes twice", widths=("phone",))
async def large_chats(stage: Stage) -> None:
    await stage.look(LARGE)
    await _go(stage, "conversations")


@scenes.add("large-memory", "Facts", "How recall works", widths=("phone",))
async def large_memory(stage: Stage) -> None:
    await stage.look(LARGE)
    await _memory(stage, "status")


@scenes.add("large-models", "Models", widths=("phone",))
async def large_models(stage: Stage) -> None:
    await stage.look(LARGE)
    await _go(stage, "models")


@scenes.add("large-settings", "Text size", below=True, widths=("phone",))
async def large_settings(stage: Stage) -> None:
    await stage.look(LARGE)
    stage.session.open_setting("text_size")
    await stage.session.shell.idle()


@scenes.add("large-dialog", "Erase everything?", widths=("phone",))
async def large_dialog(stage: Stage) -> None:
    await stage.look(LARGE)
    await _ask_to_erase(stage)


@scenes.add("compact-chat", "two bulges")
async def compact_chat(stage: Stage) -> None:
    await stage.look(COMPACT)
    await _chat(stage)
    stage.session.chat.state.following = False


@scenes.add("compact-settings", "Theme", widths=("wide",))
async def compact_settings(stage: Stage) -> None:
    await stage.look(COMPACT)
    await _go(stage, "settings")


@scenes.add("contrast-chat", "Good to meet you")
async def contrast_chat(stage: Stage) -> None:
    await stage.look(HIGH)
    await stage.say(ADA, "Good to meet you, Ada. Oslo has ferries to every island in the fjord.")


@scenes.add("contrast-memory", "Search facts")
async def contrast_memory(stage: Stage) -> None:
    await stage.look(HIGH)
    await _memory(stage, "facts")


@scenes.add("contrast-dialog", "Erase everything?", widths=("wide",))
async def contrast_dialog(stage: Stage) -> None:
    await stage.look(HIGH)
    await _ask_to_erase(stage)


@scenes.add("still", "Loading the model", widths=("wide",))
async def still(stage: Stage) -> None:
    await stage.look(Settings(motion="reduced"))
    stage.session.model.phase = "loading"


@scenes.add("german-new", "Gerät", "Neuer Chat", widths=("phone",))
async def german_new(stage: Stage) -> None:
    await stage.look(GERMAN)
    await stage.session.chat.new()


@scenes.add("german-chat", "two bulges", widths=("phone",))
async def german_chat(stage: Stage) -> None:
    await stage.look(GERMAN)
    await _chat(stage)


@scenes.add("german-memory", "Fakten", "Prüfen", widths=("phone",))
async def german_memory(stage: Stage) -> None:
    await stage.look(GERMAN)
    await _go(stage, "memory")


@scenes.add("german-settings", "Aussehen", widths=("wide",))
async def german_settings(stage: Stage) -> None:
    await stage.look(GERMAN)
    await _go(stage, "settings")


@scenes.add("german-data", "Sichern", widths=("wide",))
async def german_data(stage: Stage) -> None:
    await stage.look(GERMAN)
    await _go(stage, "data")


@scenes.add("mirrored-chat", ARABIC)
async def mirrored_chat(stage: Stage) -> None:
    await stage.look(Settings(), "ar")
    await stage.say(ARABIC, MOON)


@scenes.add("mirrored-memory", "Facts", widths=("phone",))
async def mirrored_memory(stage: Stage) -> None:
    await stage.look(Settings(), "ar")
    await _go(stage, "memory")


@scenes.add("mirrored-settings", "Appearance", widths=("wide",))
async def mirrored_settings(stage: Stage) -> None:
    await stage.look(Settings(), "ar")
    await _go(stage, "settings")
