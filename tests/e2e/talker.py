"""Talks without end and prints what is acknowledged: the process that test_killed.py kills."""

import asyncio
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent.parent))

from munin_app.bootstrap import AppEvent, Munin
from munin_app.domain.events import FactsLearned, MessageSaved, ReplyDelta, TurnFinished


def show(event: AppEvent) -> None:
    if isinstance(event, MessageSaved):
        print("said", event.message.id, event.message.text, flush=True)
    elif isinstance(event, TurnFinished):
        print("finished", event.turn.reply.id, flush=True)
    elif isinstance(event, FactsLearned):
        for learned in event.learned:
            print("learned", learned.fact.text, flush=True)
    elif isinstance(event, ReplyDelta):
        print("delta", flush=True)


async def talk(run: int) -> None:
    munin = await Munin.start()
    munin.subscribe(show)
    conversation = await munin.controller.new_conversation()
    number = 1000 * run
    while True:
        number += 1
        await munin.controller.send(conversation.id, f"I like shade{number}. Say something about the sea.")
        await munin.controller.drain()


asyncio.run(talk(int(sys.argv[1])))
