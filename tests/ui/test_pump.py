"""Events on their way to a page: joined, in order, on the page's own loop, until it is gone."""

import asyncio
from collections.abc import Callable

from munin_app.bootstrap import AppEvent, ProfileChanged
from munin_app.domain.events import ReplyDelta, ThoughtDelta
from munin_app.ui.pump import Burst, EventPump, coalesce


class Source:
    def __init__(self) -> None:
        self.listeners: list[Callable[[AppEvent], None]] = []

    def subscribe(self, listener: Callable[[AppEvent], None]) -> Callable[[], None]:
        self.listeners.append(listener)
        return lambda: self.listeners.remove(listener)

    def emit(self, event: AppEvent) -> None:
        for listener in self.listeners:
            listener(event)


def delta(text: str, message: str = "m") -> ReplyDelta:
    return ReplyDelta("c", message, text)


def test_neighbouring_deltas_are_joined_and_everything_keeps_its_place() -> None:
    events = [delta("a"), delta("b"), ProfileChanged(), delta("c"), delta("d", "other")]
    assert coalesce(events) == [
        Burst("c", "m", "ab", 2),
        ProfileChanged(),
        Burst("c", "m", "c", 1),
        Burst("c", "other", "d", 1),
    ]


def test_thoughts_and_words_of_one_reply_share_a_burst() -> None:
    events = [ThoughtDelta("c", "m", "Hm"), ThoughtDelta("c", "m", "m."), delta("Yes"), delta(".")]
    assert coalesce(events) == [Burst("c", "m", "Yes.", 4, "Hmm.")]


async def test_a_hundred_deltas_reach_the_page_in_a_few_rounds_and_whole() -> None:
    source, seen, rounds = Source(), [], []
    pump = EventPump(source.subscribe, seen.append, lambda: rounds.append(1), interval=0.01)
    pump.start()
    for number in range(100):
        source.emit(delta(str(number % 10)))
        if number % 25 == 0:
            await asyncio.sleep(0.012)
    pump.flush()
    assert "".join(burst.text for burst in seen) == "".join(str(number % 10) for number in range(100))
    assert 2 <= len(rounds) <= 6
    await pump.stop()


async def test_flush_applies_at_once_and_nothing_twice() -> None:
    source, seen = Source(), []
    pump = EventPump(source.subscribe, seen.append, interval=0.01)
    pump.start()
    source.emit(delta("a"))
    pump.flush()
    assert [burst.text for burst in seen] == ["a"]
    await asyncio.sleep(0.03)
    assert len(seen) == 1
    await pump.stop()


async def test_a_page_that_is_gone_is_not_called_any_more() -> None:
    source, seen = Source(), []
    pump = EventPump(source.subscribe, seen.append, interval=0.01)
    pump.start()
    await pump.stop()
    await pump.stop()
    source.emit(delta("a"))
    pump.flush()
    assert seen == [] and source.listeners == []
