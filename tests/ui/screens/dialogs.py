"""What lies over the page: questions, one text, lists, the snack."""

from munin_app.library.models import InstalledModel
from munin_app.paths import data_folder
from tests.ui.screens.models import OTHER
from tests.ui.screens.stage import Scenes, Stage

scenes = Scenes()


async def _first(stage: Stage) -> None:
    await stage.open("Boat names from the sagas")


@scenes.add("rename", "Rename", "Cancel")
async def rename(stage: Stage) -> None:
    await _first(stage)
    conversation = stage.session.chat.state.conversation
    assert conversation
    stage.session.conversations.ask_rename(conversation)


@scenes.add("tags", "Tags", "Cancel")
async def tags(stage: Stage) -> None:
    await _first(stage)
    conversation = stage.session.chat.state.conversation
    assert conversation
    stage.session.conversations.ask_tags([conversation.id], conversation.tags)


@scenes.add("export", "Markdown")
async def export(stage: Stage) -> None:
    await _first(stage)
    conversation = stage.session.chat.state.conversation
    assert conversation
    stage.session.conversations.ask_export(conversation)


@scenes.add("link", "Open this address?", "tides.example")
async def link(stage: Stage) -> None:
    await _first(stage)
    await stage.session.messages.ask_link("https://tides.example/oslo")


@scenes.add("clear-chats", "Clear", "Cancel")
async def clear_chats(stage: Stage) -> None:
    stage.session.go("settings")
    await stage.session.shell.idle()
    stage.session.memory.ask_clear_chats()


@scenes.add("restore-preview", "Restore this backup?", "Merge")
async def restore_preview(stage: Stage) -> None:
    stage.session.go("data")
    await stage.session.shell.idle()
    file = data_folder().with_name("kept.zip")
    if not file.exists():
        stage.session.data.state._target = str(file)
        await stage.session.data.back_up()
        await stage.session.shell.end_snack()
    stage.session.data.state._source = str(file)
    await stage.session.data.preview()


@scenes.add("erase", "Erase everything?", "Models too")
async def erase(stage: Stage) -> None:
    stage.session.go("data")
    await stage.session.shell.idle()
    stage.session.data.ask_to_erase()


@scenes.add("shortcuts", "Keyboard shortcuts", "New chat")
async def shortcuts(stage: Stage) -> None:
    stage.session.show_shortcuts()


@scenes.add("snack", "Message deleted.", "Undo")
async def snack(stage: Stage) -> None:
    await _first(stage)
    await stage.session.messages.delete(stage.session.chat.state.messages[-1])


@scenes.add("retry-model-none", "is on this device", "Close")
async def retry_model_none(stage: Stage) -> None:
    await _first(stage)
    await stage.session.messages.ask_model(stage.session.chat.state.messages[-1])


@scenes.add("retry-model", "For this reply only.", "gemma-3-4b")
async def retry_model(stage: Stage) -> None:
    await _first(stage)
    listed = stage.munin.library.chat_models
    here = await listed()

    async def with_another(settings_path: str = "") -> list[InstalledModel]:
        return [*here, OTHER]

    stage.munin.library.chat_models = with_another  # type: ignore[method-assign]
    await stage.session.messages.ask_model(stage.session.chat.state.messages[-1])
    stage.munin.library.chat_models = listed  # type: ignore[method-assign]


@scenes.add("snack-chats", "Chat deleted.", "New chat", widths=("phone",))
async def snack_chats(stage: Stage) -> None:
    stage.session.go("conversations")
    await stage.session.shell.snack("Chat deleted.", "Undo")
