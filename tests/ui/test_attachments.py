"""Files in the window: picked, read, removed, sent, read again, and named under the reply. Real reading, no client."""

import asyncio
from pathlib import Path

import flet as ft
import pytest

from munin_app.bootstrap import Munin
from munin_app.inference.scripted import ScriptedChatModel
from munin_app.ui.uploads import UPLOADS
from tests.chat.attached.conftest import ASKED, KEY, LONG
from tests.chat.attached.test_files import made_pdf
from tests.conftest import StartMunin
from tests.ui.harness import OpenPage


@pytest.fixture
async def munin(start_munin: StartMunin) -> Munin:
    return await start_munin(ScriptedChatModel(["It hangs there."], context_size=2048))


@pytest.fixture
def picked(monkeypatch: pytest.MonkeyPatch) -> list[ft.FilePickerFile]:
    """What the user picks."""
    files: list[ft.FilePickerFile] = []

    async def pick(self: ft.FilePicker, **_: object) -> list[ft.FilePickerFile]:
        return files

    monkeypatch.setattr(ft.FilePicker, "pick_files", pick)
    return files


def pick(picked: list[ft.FilePickerFile], *paths: Path) -> None:
    picked[:] = [ft.FilePickerFile(n, path.name, path.stat().st_size, str(path)) for n, path in enumerate(paths)]


async def test_pick_send_read_and_see_what_was_quoted(
    munin: Munin, page: OpenPage, picked: list[ft.FilePickerFile], tmp_path: Path
) -> None:
    (tmp_path / "report.pdf").write_bytes(made_pdf(["Nothing here.", KEY, "Nor here."]))
    (tmp_path / "photo.png").write_bytes(b"\x89PNG\0")
    pick(picked, tmp_path / "report.pdf", tmp_path / "photo.png")
    await page.click("Attach files")
    await page.until(lambda: page.has("3 pages") and page.has("photo.png is a PNG picture."))
    await page.click("Read report.pdf")
    await page.until(lambda: page.has("Page 1 of 3") and page.has("Nothing here."))
    await page.click("Forward")
    await page.until(lambda: page.has("Page 2 of 3") and page.has(KEY))
    await page.press("Close")

    await page.say(ASKED)
    await page.until(lambda: page.has("It hangs there."))
    await munin.controller.drain()
    await page.until(lambda: page.has("From report.pdf"))
    assert not page.has("photo.png") and page.session.attachments.state.chips == ()
    await page.until(lambda: any(message.files for message in page.session.chat.state.messages))
    (files,) = [message.files for message in page.session.chat.state.messages if message.files]
    assert [one.name for one in files] == ["report.pdf"]
    await page.click("What was quoted of the files")
    await page.until(lambda: page.has("Quoted from your files"))
    await page.click("Read report.pdf")
    await page.until(lambda: page.has("this text is what Munin reads"))


async def test_a_chip_is_part_of_the_draft(munin: Munin, page: OpenPage, tmp_path: Path) -> None:
    (tmp_path / "notes.md").write_text(LONG, encoding="utf-8")
    await page.say(f"/attach {tmp_path / 'notes.md'}")
    await page.until(lambda: page.has("notes.md"))
    first = await munin.controller.new_conversation()
    await munin.controller.send(first.id, "hello")
    await munin.controller.drain()
    await page.session.chat.open(first.id)
    await page.until(lambda: not page.session.attachments.state.chips)
    async with OpenPage(munin) as other:  # as after a restart
        await other.until(lambda: other.has("notes.md"))
        await other.click("Remove notes.md")
        await other.until(lambda: not other.has("notes.md"))
    assert await munin.controller.attachments.in_composer("") == ()


async def test_what_is_being_read_is_not_sent_without(munin: Munin, page: OpenPage, tmp_path: Path) -> None:
    go_on = asyncio.Event()

    async def slow(progress: object) -> object:
        await go_on.wait()
        raise OSError

    page.session.attachments._begin("slow.pdf", slow)  # type: ignore[arg-type]
    await page.say("And?")
    await page.until(lambda: page.has("slow.pdf is still being read."))
    assert await munin.chats.counts() == (0, 0)
    go_on.set()
    await page.until(lambda: page.has("Something went wrong in Munin (OSError)"))


async def test_a_file_can_be_sent_alone(munin: Munin, page: OpenPage, tmp_path: Path) -> None:
    (tmp_path / "notes.md").write_text(KEY, encoding="utf-8")
    await page.session.chat.send()
    assert not page.session.chat.flag.filled and await munin.chats.counts() == (0, 0)
    await page.session.attachments.attach(str(tmp_path / "notes.md"))
    await page.until(lambda: page.session.chat.flag.filled)
    await page.click("Send")
    await page.until(lambda: page.has("What is in this file?") and page.has("It hangs there."))
    await munin.controller.drain()
    await page.until(lambda: page.session.chat.state.messages[0].files and not page.session.chat.flag.filled)


async def test_an_edited_message_shows_what_it_keeps(munin: Munin, page: OpenPage, tmp_path: Path) -> None:
    (tmp_path / "notes.md").write_text(KEY, encoding="utf-8")
    await page.session.attachments.attach(str(tmp_path / "notes.md"))
    await page.say(ASKED)
    await munin.controller.drain()
    await page.until(lambda: page.session.chat.state.messages and page.session.chat.state.messages[0].files)
    page.session.chat.edit(page.session.chat.state.messages[0])
    await page.until(lambda: page.session.attachments.state.fixed)
    assert [chip.name for chip in page.session.attachments.state.chips] == ["notes.md"]
    await page.say(ASKED + " Please.")
    await munin.controller.drain()
    await page.until(lambda: not page.session.attachments.state.chips)
    assert len(await munin.controller.attachments.of(page.session.chat.conversation_id)) == 2


async def test_what_a_browser_sends_comes_in_once_and_within_the_limit() -> None:
    async def put(path: str, *parts: bytes, method: str = "PUT") -> int:
        waiting, sent = list(parts), []

        async def receive() -> dict[str, object]:
            return {"type": "http.request", "body": waiting.pop(0), "more_body": bool(waiting)}

        async def send(message: object) -> None:
            sent.append(message)

        await UPLOADS({"type": "http", "method": method, "path": path}, receive, send)
        status: int = sent[0]["status"]  # type: ignore[index]
        return status

    address, arriving = UPLOADS.expect()
    assert await put("/attach/other", b"x") == 404 and await put(address, b"x", method="POST") == 404
    address, arriving = UPLOADS.expect()
    assert await put(address, b"one ", b"file") == 204 and await arriving == b"one file"
    assert await put(address, b"again") == 404
    address, arriving = UPLOADS.expect()
    assert await put(address, b"x" * 20_000_000, b"x" * 20) == 413 and arriving.cancelled()
