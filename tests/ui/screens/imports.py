"""Chats of other apps, on the Data page: looked into, chosen from, imported, remembered."""

from pathlib import Path

from munin_app.imports.importing import FoundChat, Preview, Refused
from munin_app.imports.remembering import ImportsRemembered
from tests.ui.screens.stage import DAY_MS, Scenes, Stage

scenes = Scenes()
BEGUN = 1_760_000_000_000
TITLES = (
    "Varnish for the hull",
    "A week in Lofoten without a car",
    "Sourdough",
    "How the fjord freezes",
    "Letter to the harbour",
)
CHATS = tuple(
    FoundChat(
        mark=f"{title}-{number}",
        app="ChatGPT",
        title=title,
        created_at=BEGUN - number * DAY_MS,
        updated_at=BEGUN - number * DAY_MS,
        messages=4 + 3 * number,
        new=0 if number == 3 else 4 + 3 * number - 2 * (number == 1),
        here=number in (1, 3),
    )
    for number, title in enumerate(TITLES * 3)
)
EXPORT = Preview(
    Path("/home/ada/export.zip"), ("ChatGPT",), CHATS, (Refused("Old one", "its messages are in a loop"),), {"media": 3}
)


async def _open(stage: Stage, found: Preview | None) -> None:
    stage.session.go("data")
    await stage.session.shell.idle()
    state = stage.session.imports.state
    state.error, state.importing, state.looking = "", False, False
    state.found, state.drawn = found, 5
    state.chosen = frozenset(chat.mark for chat in CHATS if chat.new)
    state.remember = state.facts = False
    state.remembered = ImportsRemembered()


@scenes.add("import", "Bring chats from another app", "See what is in it", below=True)
async def nothing(stage: Stage) -> None:
    await _open(stage, None)


@scenes.add("import-looking", "Reading the file …", below=True)
async def looking(stage: Stage) -> None:
    await _open(stage, None)
    stage.session.imports.state.looking = True


@scenes.add("import-refused", "cut short or no JSON", below=True)
async def refused(stage: Stage) -> None:
    await _open(stage, None)
    stage.session.imports.state.error = "export.json is cut short or no JSON. Export your chats again, then open the new file."


@scenes.add("import-preview", "Show more (10 left)", "Varnish for the hull", "all here already", below=True)
async def preview(stage: Stage) -> None:
    await _open(stage, EXPORT)


@scenes.add("import-chosen", "Import 14 chats", "Look for facts about you", below=True)
async def chosen(stage: Stage) -> None:
    await _open(stage, EXPORT)
    stage.session.imports.state.remember = True


@scenes.add("import-running", "Importing: 6 of 14", below=True)
async def running(stage: Stage) -> None:
    await _open(stage, EXPORT)
    stage.session.imports.state.importing, stage.session.imports.state.done = True, 6


@scenes.add("import-done", "Imported: 14 chats, 310 messages.")
async def done(stage: Stage) -> None:
    await _open(stage, None)
    await stage.session.shell.tell("Imported: 14 chats, 310 messages.")


@scenes.add("import-remembering", "Remembering imported chats: 120 of 310", "Pause", below=True)
async def remembering(stage: Stage) -> None:
    await _open(stage, None)
    stage.session.imports.state.remembered = ImportsRemembered(120, 310, paused=False)


@scenes.add("import-paused", "Paused: 120 of 310", "Resume", below=True)
async def paused(stage: Stage) -> None:
    await _open(stage, None)
    stage.session.imports.state.remembered = ImportsRemembered(120, 310, paused=True)
