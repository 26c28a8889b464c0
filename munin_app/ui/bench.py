"""What a page costs as chats grow: a chat of 20 messages beside one of 2,000, ten conversations beside 10,000.

On a data folder of its own, with a scripted model: a page's own work is measured, and the client's drawing is not.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import asdict, dataclass, field
from functools import partial
from statistics import median
from typing import Any

import apsw

from munin_app.bootstrap import Munin
from munin_app.chat import rows
from munin_app.config import Settings
from munin_app.domain.ids import new_id, now_ms
from munin_app.domain.messages import Conversation, MemoryState, Message, MessageStatus, Role
from munin_app.evaluation.speed.folder import throw_away_home
from munin_app.inference.scripted import ScriptedChatModel
from munin_app.memory import MemoryService
from munin_app.paths import memory_database
from munin_app.ui.headless import HeadlessPage

SHORT, FEW = 20, 10
"""Messages of the chat, and conversations in the list, that the others are compared with."""
UPDATES = 40
WORDS_EACH = 4
"""Of the reply in each update, as at 60 tokens/s and 15 updates/s."""
BEAT = 0.002
PARAGRAPH = "The **tide** turns at six, so leave by five; `make ready` first.\n\n- the lines\n- the lamp\n\n"

Progress = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Plan:
    messages: int = 2_000
    conversations: int = 10_000
    rounds: int = 15


@dataclass(frozen=True, slots=True)
class Chat:
    """Medians. Seconds are wall time for opening, the loop thread's own time for an update."""

    messages: int
    open_s: float
    update_s: float
    update_bytes: float


@dataclass(frozen=True, slots=True)
class List:
    """Medians, and for how long the loop was held at most meanwhile."""

    conversations: int
    open_s: float
    more_s: float
    search_s: float
    longest_hold_s: float


@dataclass
class Beat:
    """How late a task came that wanted to run every two milliseconds: so long was the loop held."""

    longest: float = 0.0
    _task: asyncio.Task[None] | None = field(default=None, repr=False)

    @contextmanager
    def listening(self) -> Iterator[None]:
        task = asyncio.create_task(self._listen())
        try:
            yield
        finally:
            task.cancel()

    async def _listen(self) -> None:
        while True:
            before = time.perf_counter()
            await asyncio.sleep(BEAT)
            self.longest = max(self.longest, time.perf_counter() - before - BEAT)


async def measure(plan: Plan, progress: Progress) -> dict[str, Any]:
    """Times in seconds; every ratio is that of the large to the small one in the same run."""
    progress(f"chats of {SHORT} and {plan.messages:,} messages")
    short, long = await _chats(plan)
    progress(f"lists of {FEW} and {plan.conversations:,} conversations")
    few, many = [await _list(count, plan.rounds) for count in (FEW, plan.conversations)]
    return {
        "chats": [asdict(short), asdict(long)],
        "lists": [asdict(few), asdict(many)],
        "ratio": {
            "chat_open": long.open_s / short.open_s,
            "chat_update": long.update_s / short.update_s,
            "chat_update_bytes": long.update_bytes / short.update_bytes,
            "list_open": many.open_s / few.open_s,
            "list_search": many.search_s / few.search_s,
        },
    }


def table(result: dict[str, Any]) -> list[str]:
    ratio = result["ratio"]
    lines = [
        f"{one['messages']:>7,} messages: opens in {one['open_s'] * 1e3:.1f} ms, an update of a reply takes "
        f"{one['update_s'] * 1e3:.2f} ms and {one['update_bytes']:,.0f} bytes"
        for one in result["chats"]
    ]
    lines += [
        f"{one['conversations']:>7,} conversations: the window opens in {one['open_s'] * 1e3:.0f} ms, 50 more rows in "
        f"{one['more_s'] * 1e3:.0f} ms, a search in {one['search_s'] * 1e3:.0f} ms; "
        f"the loop is held for {one['longest_hold_s'] * 1e3:.0f} ms at most"
        for one in result["lists"]
    ]
    return [
        *lines,
        f"ratios: open {ratio['chat_open']:.2f}, update {ratio['chat_update']:.2f}, bytes {ratio['chat_update_bytes']:.2f}; "
        f"list open {ratio['list_open']:.2f}, search {ratio['list_search']:.2f}",
    ]


@asynccontextmanager
async def _started(model: ScriptedChatModel) -> AsyncIterator[Munin]:
    with throw_away_home(Settings()):
        memory = MemoryService(memory_database(), None)
        async with await Munin.start(make_model=lambda path, size: model, memory=memory) as munin:
            await munin.load_model()
            yield munin


def write_conversation(connection: apsw.Connection, title: str, count: int, last: str = "") -> str:
    """One with as many messages, which memory leaves alone."""
    identity, now = new_id(), now_ms()
    rows.insert_conversation(connection, Conversation(identity, title, now, now, memory_on=False))
    parent: str | None = None
    for number in range(count):
        role = Role.USER if number % 2 == 0 else Role.ASSISTANT
        text = last if last and number == count - 1 else f"{title}, message {number}. {PARAGRAPH}"
        message = Message(new_id(), identity, parent, role, text, now, MessageStatus.COMPLETED, MemoryState.OFF)
        rows.insert_message(connection, message)
        parent = message.id
    connection.execute("UPDATE conversation SET leaf_id = ? WHERE id = ?", (parent, identity))
    return identity


async def _chats(plan: Plan) -> tuple[Chat, Chat]:
    words = [f"word{number:04} " + "\n\n" * (number % 40 == 39) for number in range(UPDATES * WORDS_EACH + 1)]
    model = ScriptedChatModel(["".join(words)])
    async with _started(model) as munin:
        sizes = (SHORT, plan.messages)
        write = munin.chats.database.write
        ids = [await write(partial(write_conversation, title="A chat", count=size, last=f"end of {size}")) for size in sizes]
        blank = await write(partial(write_conversation, title="Another", count=2, last="end of another"))
        async with HeadlessPage(munin) as page:
            opened: dict[int, list[float]] = {size: [] for size in sizes}
            for _ in range(plan.rounds):
                for size, identity in zip(sizes, ids, strict=True):
                    await _open(page, blank, "end of another")
                    opened[size].append(await _open(page, identity, f"end of {size}"))
            updates = []
            for size, identity in zip(sizes, ids, strict=True):
                await _open(page, identity, f"end of {size}")
                updates.append(await _stream(page, model, words))
                await munin.controller.drain()
    short, long = (
        Chat(size, median(opened[size]), median(one[0] for one in each), median(one[1] for one in each))
        for size, each in zip(sizes, updates, strict=True)
    )
    return short, long


async def _open(page: HeadlessPage, conversation_id: str, last: str) -> float:
    """Seconds until the client has the chat's last words; what is read after that is awaited, not counted."""
    sent = page.connection.expect(last)
    started = time.perf_counter()
    await page.session.chat.open(conversation_id)
    await sent.wait()
    seconds = time.perf_counter() - started
    await page.session.shell.idle()
    return seconds


async def _stream(page: HeadlessPage, model: ScriptedChatModel, words: list[str]) -> list[tuple[float, int]]:
    """For each update of a reply: seconds of this thread, bytes for the client."""
    model.pause(after_words=1)
    sent = page.connection.expect(words[0].strip())
    page.session.chat.fill("Go on.")
    await page.session.chat.send()
    await sent.wait()
    figures = []
    for update in range(1, UPDATES + 1):
        last = update * WORDS_EACH
        sent, before, bytes_before = page.connection.expect(words[last].strip()), time.thread_time(), page.connection.bytes_sent
        model.pause(after_words=last + 1)
        await sent.wait()
        await page.settle()
        figures.append((time.thread_time() - before, page.connection.bytes_sent - bytes_before))
    model.resume()
    return figures


async def _list(count: int, rounds: int) -> List:
    async with _started(ScriptedChatModel()) as munin:

        def fill(connection: apsw.Connection) -> None:
            for number in range(count):
                write_conversation(connection, f"Chat {number:05} about the harbour", 2)

        await munin.chats.database.write(fill)
        beat = Beat()
        opened, more, searched = [], [], []
        for _ in range(max(3, rounds // 3)):
            with beat.listening():
                started = time.perf_counter()
                async with HeadlessPage(munin) as page:
                    await page.session.shell.idle()
                    opened.append(time.perf_counter() - started)
                    for _ in range(3):
                        more.append(await _timed(page, page.session.conversations.more))
                    for number in (3, 7, 9):
                        searched.append(await _timed(page, partial(page.session.palette.search, f"{number:05} harb")))
        return List(count, median(opened), median(more), median(searched), beat.longest)


async def _timed(page: HeadlessPage, work: Callable[[], Any]) -> float:
    started = time.perf_counter()
    await work()
    await page.settle()
    return time.perf_counter() - started
