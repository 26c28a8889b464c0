"""Files that go with a message: in the composer, in the chat, as what was read, as what was quoted."""

import asyncio
from collections.abc import Callable

from munin_app.chat.attached.files import read_content
from munin_app.domain.attachments import PAGE_BREAK, Attachment, FileKind, ReadFile
from tests.ui.screens.stage import Scenes, Stage

scenes = Scenes()
PAGES = tuple(
    f"Oslo, page {number}. High water at 04:{number:02} and 16:{number + 20}. The moorings at the north pier dry out for an hour "
    "on either side of low water, and the ferry keeps to the south channel then."
    for number in range(1, 13)
)
TABLES = ReadFile("tide-tables-of-the-inner-oslofjord-2026.pdf", FileKind.PDF, 482_000, PAGE_BREAK.join(PAGES), len(PAGES))
CODE = ReadFile("tide.py", FileKind.CODE, 210, "import math\n\n\ndef tide(hours: float) -> float:\n    return math.cos(hours)\n")
LOG = ReadFile("log.txt", FileKind.TEXT, 40_000_000, "Day one: calm.\n" * 300, cut=True)


async def _attach(stage: Stage, *files: ReadFile) -> list[Attachment]:
    key = stage.session.chat.attaching_to
    attached = [await stage.munin.controller.attachments.add(key, one) for one in files]
    await stage.session.attachments.load()
    return attached


@scenes.add("file-reading", "Reading 7 of 48", "Reading")
async def reading(stage: Stage) -> None:
    async def half(progress: Callable[[int, int], object]) -> ReadFile:
        progress(7, 48)
        return await asyncio.Future[ReadFile]()

    async def begun(progress: object) -> ReadFile:
        return await asyncio.Future[ReadFile]()

    stage.session.attachments._begin(TABLES.name, half)
    stage.session.attachments._begin("notes.md", begun)
    await asyncio.sleep(0)


@scenes.add("files", "12 pages", "its beginning")
async def files(stage: Stage) -> None:
    await _attach(stage, TABLES, CODE, LOG)
    stage.session.chat.fill("When can I leave the north pier tomorrow?")


@scenes.add("file-refused", "photo.png is a PNG picture", "12 pages")
async def refused(stage: Stage) -> None:
    await _attach(stage, TABLES)
    chip = stage.session.attachments._begin("photo.png", lambda progress: read_content("photo.png", b"\x89PNG\r\n\x1a\n\0"))
    await stage.until(lambda: chip.error)


@scenes.add("file-sent", "12 pages", "From tide-tables")
async def sent(stage: Stage) -> None:
    await _attach(stage, TABLES, CODE)
    await stage.say("When can I leave the north pier?", "An hour after low water: the moorings dry out until then.")
    await stage.until(lambda: stage.session.chat.state.messages[0].files)


@scenes.add("file-shown", "Page 1 of 12", "this text is what Munin reads")
async def shown(stage: Stage) -> None:
    (attachment,) = await _attach(stage, TABLES)
    await stage.session.attachments.show(attachment)


@scenes.add("file-shown-code", "def tide")
async def shown_code(stage: Stage) -> None:
    (attachment,) = await _attach(stage, CODE)
    await stage.session.attachments.show(attachment)


@scenes.add("file-quoted", "Quoted from your files")
async def quoted(stage: Stage) -> None:
    await _attach(stage, TABLES)
    await stage.say("When does the north pier dry out?", "For an hour on either side of low water.")
    await stage.until(lambda: stage.session.chat.state.messages[-1].used)
    await stage.session.messages.show_used(stage.session.chat.state.messages[-1])
