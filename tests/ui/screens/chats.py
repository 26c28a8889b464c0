"""The list of chats, what filters it and acts on it, and the palette over everything."""

from tests.ui.screens.stage import Scenes, Stage

scenes = Scenes()


async def _list(stage: Stage) -> None:
    stage.session.go("conversations" if not stage.session.navigation.wide else "chat")
    await stage.session.conversations.show()


@scenes.add("chats", "Today", "Yesterday", "Bread that keeps for a week")
async def chats(stage: Stage) -> None:
    await _list(stage)
    await stage.open("Bread that keeps for a week")
    await _list(stage)


@scenes.add("chats-selecting", "2 selected", "Select all")
async def selecting(stage: Stage) -> None:
    await _list(stage)
    first, second = (await stage.munin.chats.list())[:2]
    stage.session.conversations.begin_selecting(first.id)
    stage.session.conversations.choose(second.id)


@scenes.add("chats-archive", "Archived · 1", "Norwegian for the ferry")
async def archive(stage: Stage) -> None:
    await stage.session.show_archive()


@scenes.add("chats-tag", "Boat names from the sagas")
async def tag(stage: Stage) -> None:
    await _list(stage)
    await stage.session.conversations.show(tag="boat")


@scenes.add("chats-panel-hidden", "stays on this device", widths=("wide",))
async def panel_hidden(stage: Stage) -> None:
    await stage.session.conversations.show()
    stage.session.navigation.panel = False


@scenes.add("palette", "Chats", "Actions")
async def palette(stage: Stage) -> None:
    stage.session.navigation.panel = True
    await stage.session.palette.toggle()


@scenes.add("palette-found", "Messages")
async def palette_found(stage: Stage) -> None:
    await stage.session.palette.toggle()
    await stage.session.palette.search("boat")


@scenes.add("palette-nothing", "Nothing has these words.")
async def palette_nothing(stage: Stage) -> None:
    await stage.session.palette.toggle()
    await stage.session.palette.search("zeppelin")
