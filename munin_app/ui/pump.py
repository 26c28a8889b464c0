"""Hands events from the services over to one page: subscribe → queue → drained about 15 times a second, deltas joined.

Knows nothing of controls. The listener may be called at any moment; `apply` runs on the page's own loop and context only.
"""

import asyncio
import contextlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from munin_app.bootstrap import AppEvent
from munin_app.domain.events import ReplyDelta, ThoughtDelta

INTERVAL = 1 / 15


@dataclass(frozen=True, slots=True)
class Burst:
    """Several deltas of one reply, joined."""

    conversation_id: str
    message_id: str
    text: str
    pieces: int
    reasoning: str = ""
    """Comes before the text."""


def coalesce(events: Iterable[AppEvent]) -> list[AppEvent | Burst]:
    """Neighbouring deltas of one reply become one Burst; everything else keeps its place."""
    joined: list[AppEvent | Burst] = []
    for event in events:
        if not isinstance(event, ReplyDelta | ThoughtDelta):
            joined.append(event)
            continue
        last = joined[-1] if joined else None
        text, thought = (event.text, "") if isinstance(event, ReplyDelta) else ("", event.text)
        if isinstance(last, Burst) and last.message_id == event.message_id:
            joined[-1] = replace(last, text=last.text + text, reasoning=last.reasoning + thought, pieces=last.pieces + 1)
        else:
            joined.append(Burst(event.conversation_id, event.message_id, text, 1, thought))
    return joined


class EventPump:
    def __init__(
        self,
        subscribe: Callable[[Callable[[AppEvent], None]], Callable[[], None]],
        apply: Callable[[AppEvent | Burst], None],
        after: Callable[[], None] = lambda: None,
        interval: float = INTERVAL,
    ) -> None:
        """`after` is called when a round of events was applied; `interval` in seconds."""
        self._subscribe = subscribe
        self._apply = apply
        self._after = after
        self._interval = interval
        self._queue: asyncio.Queue[AppEvent] = asyncio.Queue()
        self._unsubscribe: Callable[[], None] = lambda: None
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """To be called in the page's context: the task inherits it."""
        self._unsubscribe = self._subscribe(self._queue.put_nowait)
        self._task = asyncio.create_task(self._run(), name="munin-ui-pump")

    def flush(self) -> None:
        """Applies all that has arrived, at once."""
        events: list[AppEvent] = []
        while not self._queue.empty():
            events.append(self._queue.get_nowait())
        self._apply_all(events)

    def _apply_all(self, events: list[AppEvent]) -> None:
        for event in coalesce(events):
            self._apply(event)
        if events:
            self._after()

    async def _run(self) -> None:
        while True:
            events = [await self._queue.get()]
            while not self._queue.empty():
                events.append(self._queue.get_nowait())
            self._apply_all(events)
            await asyncio.sleep(self._interval)

    async def stop(self) -> None:
        """Idempotent."""
        unsubscribe, self._unsubscribe = self._unsubscribe, lambda: None
        unsubscribe()
        if self._task:
            self._task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._task
