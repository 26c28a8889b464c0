"""The encoder's line: the most urgent job first, and nobody waits for ever."""

import asyncio
import threading

import pytest

from munin_app.errors import EncoderError
from munin_app.memory.encoder_thread import EncoderThread, Priority


async def test_recall_runs_before_remember_and_remember_before_back_fill() -> None:
    thread, ran = EncoderThread(), []
    blocked, begun = threading.Event(), asyncio.Event()
    loop = asyncio.get_running_loop()

    def block() -> None:
        loop.call_soon_threadsafe(begun.set)
        blocked.wait(60)

    jobs = [asyncio.create_task(thread.run(Priority.BACK_FILL, block))]
    await begun.wait()
    order = [Priority.BACK_FILL, Priority.REMEMBER, Priority.REMEMBER, Priority.RECALL]
    jobs += [asyncio.create_task(thread.run(priority, lambda priority=priority: ran.append(priority))) for priority in order]
    await asyncio.sleep(0)
    blocked.set()
    await asyncio.gather(*jobs)
    assert ran == sorted(order)
    await thread.close()


async def test_a_cancelled_job_does_not_run() -> None:
    thread, ran = EncoderThread(), []
    blocked = threading.Event()
    first = asyncio.create_task(thread.run(Priority.RECALL, lambda: blocked.wait(60)))
    await asyncio.sleep(0)
    second = asyncio.create_task(thread.run(Priority.RECALL, lambda: ran.append("second")))
    await asyncio.sleep(0)
    second.cancel()
    await asyncio.wait([second])
    blocked.set()
    await first
    await thread.close()
    assert ran == []


async def test_closing_refuses_what_waits_and_what_comes_later() -> None:
    thread = EncoderThread()
    blocked = threading.Event()
    first = asyncio.create_task(thread.run(Priority.RECALL, lambda: blocked.wait(60)))
    await asyncio.sleep(0)
    waiting = asyncio.create_task(thread.run(Priority.REMEMBER, lambda: None))
    await asyncio.sleep(0)
    closing = asyncio.create_task(thread.close())
    await asyncio.sleep(0)
    blocked.set()
    await asyncio.gather(first, closing)
    with pytest.raises(EncoderError):
        await waiting
    with pytest.raises(EncoderError):
        await thread.run(Priority.RECALL, lambda: None)


async def test_what_a_job_raises_reaches_its_caller() -> None:
    thread = EncoderThread()
    with pytest.raises(ZeroDivisionError):
        await thread.run(Priority.RECALL, lambda: 1 / 0)
    assert await thread.run(Priority.RECALL, lambda: 7) == 7
    await thread.close()
