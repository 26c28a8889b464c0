"""Two imports at once, one that is cancelled, and how far is read ahead."""

import asyncio
import threading
from collections.abc import Iterator
from pathlib import Path

import apsw
import pytest

from munin_app.chat.conversations import ConversationRepository
from munin_app.imports import importing
from munin_app.imports.importing import preview
from munin_app.imports.shaping import ShapedConversation
from munin_app.imports.writing import Wish, Written, write
from tests.imports.conftest import Import
from tests.imports.exports import as_json, chatgpt


class Gate:
    """The writing of the first chat stands here, on the store's thread."""

    def __init__(self) -> None:
        self.reached, self.open = threading.Event(), threading.Event()

    def write(self, connection: apsw.Connection, one: ShapedConversation, wish: Wish, chats: dict[str, str]) -> Written:
        self.reached.set()
        assert self.open.wait(60)
        return write(connection, one, wish, chats)


@pytest.fixture
def gate(monkeypatch: pytest.MonkeyPatch) -> Iterator[Gate]:
    gate = Gate()
    monkeypatch.setattr(importing, "write", gate.write)
    yield gate
    gate.open.set()


async def test_one_export_imported_in_two_windows_at_once(
    chats: ConversationRepository, tmp_path: Path, bring: Import, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = as_json(tmp_path, [chatgpt()])
    monkeypatch.setattr(importing, "known_chats", lambda connection: {})  # the other one has read what is here, too
    first, second = await asyncio.gather(bring(file), bring(file))
    assert sorted([first.chats, second.chats]) == [0, 1] and sorted([first.messages, second.messages]) == [0, 5]
    assert len(await chats.list()) == 1


async def test_cancelled_while_writing_counts_what_is_written(
    chats: ConversationRepository, tmp_path: Path, bring: Import, gate: Gate
) -> None:
    reported: list[int] = []
    file = as_json(tmp_path, [chatgpt(f"c-{number}") for number in range(3)])
    work = asyncio.create_task(bring(file, report=reported.append))
    assert await asyncio.to_thread(gate.reached.wait, 60)
    work.cancel()
    gate.open.set()
    with pytest.raises(asyncio.CancelledError):
        await work
    assert reported == [3] and len(await chats.list()) == 3


async def test_file_is_read_piece_by_piece(
    chats: ConversationRepository, tmp_path: Path, bring: Import, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between two pieces an import can be cancelled."""
    file = as_json(tmp_path, [chatgpt(f"c-{number}", title=str(number)) for number in range(9)])
    (last,) = (chat.mark for chat in (await preview(chats, file)).chats if chat.title == "8")
    monkeypatch.setattr(importing, "BATCH_MESSAGES", 10)
    assert [len(batch) for batch in importing._batches(file)] == [2, 2, 2, 2, 1]
    assert (await bring(file, marks={last})).chats == 1
