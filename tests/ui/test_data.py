"""The Data page: space, a backup, a restore with its preview, and erasing; Munin closes for the last two."""

import signal
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import flet as ft
import pytest
from flet.messaging.protocol import MessageAction

from munin_app.backup.copies import copies
from munin_app.backup.pending import ERASE, MERGE, READY
from munin_app.backup.reading import read_manifest
from munin_app.bootstrap import Munin
from munin_app.chat.attached.files import read_content
from munin_app.inference.scripted import ScriptedChatModel
from munin_app.storage import passphrase
from munin_app.ui import farewell
from tests.ui.harness import OpenPage


@pytest.fixture
async def munin() -> AsyncIterator[Munin]:
    async with await Munin.start(make_model=lambda path, settings: ScriptedChatModel()) as munin:
        await munin.load_model()
        yield munin


@pytest.fixture
async def page(munin: Munin, request: pytest.FixtureRequest) -> AsyncIterator[OpenPage]:
    async with OpenPage(munin, *getattr(request, "param", (1280, 800))) as page:
        await page.say("The boathouse key hangs behind the green door.")
        await munin.controller.drain()
        page.session.go("settings")
        await page.click("Open Data")
        await page.until(lambda: page.has("Chats") and page.has("Data folder"))
        yield page


@pytest.fixture
def closed(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The signals that would have closed Munin."""
    signals: list[int] = []
    monkeypatch.setattr(signal, "raise_signal", signals.append)
    monkeypatch.setattr(farewell, "FETCH_SECONDS", 0.01)
    return signals


async def type_path(page: OpenPage, hint: str, path: Path) -> None:
    field = page.one(ft.TextField, hint_text=hint)
    await page.fire(field, "change", str(path), value=str(path))


async def back_up(page: OpenPage, file: Path) -> None:
    await type_path(page, "Folder, or a new file", file)
    await page.press("Back up")
    await page.until(lambda: page.has("Backed up to"))


@pytest.mark.parametrize("page", [(1280, 800), (390, 844)], indirect=True, ids=["desktop", "phone"])
async def test_a_backup_is_written_and_previewed_and_staged(
    page: OpenPage, home: Path, tmp_path: Path, closed: list[int]
) -> None:
    await back_up(page, tmp_path / "kept.zip")
    assert read_manifest(tmp_path / "kept.zip").counts.messages == 2
    await type_path(page, "Path of a backup", tmp_path / "kept.zip")
    await page.press("Look into it")
    await page.until(lambda: page.has("1 chat, 2 messages, 0 facts, 0 personas"))
    await page.press("Replace")
    await page.until(lambda: page.has("The backup is checked"))
    assert (home / READY).exists()
    await page.press("Cancel")
    await page.until(lambda: page.has("Nothing was restored."))
    assert not (home / READY).exists()
    await page.press("Look into it")
    await page.until(lambda: page.has("Restore this backup?"))
    await page.press("Merge")
    await page.until(lambda: (home / MERGE).exists() and page.has("The backup is checked"))
    await page.press("Close Munin")
    await page.until(lambda: closed)
    assert closed == [signal.SIGINT]


async def test_a_sealed_backup_asks_for_its_passphrase(
    page: OpenPage, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(passphrase, "LOG2_N", 8)

    async def type_passphrase(hint: str, typed: str) -> None:
        await page.until(lambda: [field for field in page.all(ft.TextField) if field.hint_text == hint])
        field = [field for field in page.all(ft.TextField) if field.hint_text == hint][-1]
        assert field.password
        await page.fire(field, "change", typed, value=typed)

    await type_passphrase("Passphrase for the backup; empty: not sealed", "short")
    await type_path(page, "Folder, or a new file", tmp_path / "sealed.munin")
    await page.press("Back up")
    await page.until(lambda: page.has("expected at least 8"))
    await type_passphrase("Passphrase for the backup; empty: not sealed", "raven on a stone")
    await back_up(page, tmp_path / "sealed.munin")
    assert page.session.data.state._passphrase == ""
    await type_path(page, "Path of a backup", tmp_path / "sealed.munin")
    await page.press("Look into it")
    await page.until(lambda: page.has("This backup is sealed"))
    await type_passphrase("Passphrase of the backup", "something else")
    await page.press("Open")
    await page.until(lambda: page.has("The passphrase is another one"))
    await type_passphrase("Passphrase of the backup", "raven on a stone")
    await page.press("Open")
    await page.until(lambda: page.has("1 chat, 2 messages, 0 facts, 0 personas"))
    await page.press("Replace")
    await page.until(lambda: page.has("The backup is checked"))
    assert (home / READY).exists()


async def test_what_is_refused_is_said_on_the_page(page: OpenPage, tmp_path: Path) -> None:
    await back_up(page, tmp_path / "kept.zip")
    await page.press("Back up")
    await page.until(lambda: page.has("kept.zip is there already"))
    (tmp_path / "kept.zip").write_bytes(b"no")
    await type_path(page, "Path of a backup", tmp_path / "kept.zip")
    await page.press("Look into it")
    await page.until(lambda: page.has("damaged, cut short or no backup of Munin"))


async def test_everything_is_erased_when_it_closes(page: OpenPage, munin: Munin, home: Path, closed: list[int]) -> None:
    await page.click("Erase everything")
    await page.press("Models too")
    await page.until(lambda: closed)
    asked = [message.body for message in page.connection.sent if message.action is MessageAction.INVOKE_METHOD]
    assert [one.args["url"] for one in asked if one.name == "launch_url"] == [farewell.PATH]
    assert (home / ERASE).exists() and (home / "munin.db").exists()
    await munin.close()
    assert list(home.iterdir()) == []


@pytest.mark.parametrize(
    ("kind", "name", "begins"),
    [("Markdown", "md", b"# The boathouse"), ("HTML", "html", b"<!DOCTYPE html>"), ("JSON", "json", b'{\n "format"')],
)
async def test_a_chat_is_exported(
    page: OpenPage, munin: Munin, monkeypatch: pytest.MonkeyPatch, kind: str, name: str, begins: bytes
) -> None:
    saved: list[dict[str, Any]] = []

    async def save_file(picker: ft.FilePicker, **arguments: Any) -> None:
        saved.append(arguments)

    monkeypatch.setattr(ft.FilePicker, "save_file", save_file)
    (conversation,) = await munin.chats.list()
    file = await munin.controller.attachments.add(conversation.id, await read_content("keys.md", b"Behind the green door."))
    await munin.controller.send(conversation.id, "Keep this.", [file.id])
    await munin.controller.drain()
    page.session.conversations.ask_export(conversation)
    await page.until(lambda: page.has("Export this chat"))
    await page.press(kind)
    await page.until(lambda: saved)
    assert saved[0]["file_name"].endswith(f".{name}") and saved[0]["src_bytes"].startswith(begins)
    assert b"Behind the green door." in saved[0]["src_bytes"]


async def test_a_copy_each_day(page: OpenPage, munin: Munin, tmp_path: Path) -> None:
    await type_path(page, "Folder, or a new file", tmp_path / "nowhere")
    await page.fire(page.one(ft.Switch, tooltip="A copy each day"), "change", value=True)
    await page.until(lambda: page.has("needs a folder that is there"))
    await type_path(page, "Folder, or a new file", tmp_path)
    await page.fire(page.one(ft.Switch, tooltip="A copy each day"), "change", value=True)
    await page.until(lambda: len(copies(tmp_path)) == 1)
    await page.until(lambda: page.has("Copies to keep"))
    await page.click("Copies to keep: 30")
    await page.until(lambda: munin.settings.copies_kept == 30)
    await page.fire(page.one(ft.Switch, tooltip="A copy each day"), "change", value=False)
    await page.until(lambda: not munin.settings.copies_folder)
