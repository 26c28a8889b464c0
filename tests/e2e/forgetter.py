"""Learns, edits, forgets and wipes without end, and says before and after each: the process that test_profile_killed.py kills."""

import asyncio
import random
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent.parent))

from munin_app.domain.ids import new_id
from munin_app.domain.messages import Exchange, Message, Role
from munin_app.profile import MemoryProfileService


async def forget(path: Path, seed: int) -> None:
    """Lines: `begin add TEXT`, `begin edit OLD|NEW`, `begin remove TEXT`, `begin wipe`; after each, `done`."""
    chance = random.Random(seed)
    profile = MemoryProfileService(path, None)
    await profile.open()
    number = seed * 1_000_000
    while True:
        number += 1
        what = chance.choices(("learn", "edit", "remove", "wipe"), (8, 4, 3, 1))[0]
        fact = chance.choice(profile.facts) if profile.facts else None
        if what == "learn" or fact is None:
            print(f"begin add Likes colour{number}", flush=True)
            user = Message(new_id(), "conversation", None, Role.USER, f"I like colour{number}", created_at=1)
            await profile.learn_from(Exchange(user))
        elif what == "edit":
            print(f"begin edit {fact.text}|Likes shade{number}", flush=True)
            await profile.edit(fact.id, f"Likes shade{number}")
        elif what == "remove":
            print(f"begin remove {fact.text}", flush=True)
            await profile.remove(fact.id)
        else:
            print("begin wipe", flush=True)
            await profile.forget_all()
        if len(profile.facts) > 30:
            print("begin wipe", flush=True)
            await profile.forget_all()
        print("done", flush=True)


asyncio.run(forget(Path(sys.argv[1]), int(sys.argv[2])))
