"""The chat screen: a new chat, the model's states, a reply in all its states, what is said around the composer."""

from dataclasses import replace
from pathlib import Path

from munin_app.chat.model_state import ModelOf
from munin_app.domain.messages import MemoryState, MessageStatus, Role
from tests.ui.screens.stage import Scenes, Stage, furnish

scenes = Scenes()
ADA = "My name is Ada and I live in Oslo"
TIDES = """The moon pulls the near side of the sea *more* than the middle, and the far side **less**: two bulges, so two tides.

| Place | Range | Tides a day |
| --- | ---: | ---: |
| Oslo | 0.3 m | 2 |
| Saint-Malo | 12.2 m | 2 |

1. The bulges stay under the moon.
2. The earth turns below them.

```python
def tide(hours: float) -> float:
    return math.cos(2 * math.pi * hours / 12.42)  # the moon is 50 minutes later each day
```

More is in [the tables](https://tides.example/oslo)."""
LONG = " ".join(f"The old harbour has a wall, and word {number} of it is stone." for number in range(40))
THOUGHT = "<think>\nThe user asks for names. Short ones are easier to call over water.\n</think>\nWren, Skua and Tern."


@scenes.add("first-run", "stays on this device", "You are on the small starter model")
async def first_run(stage: Stage) -> None:
    stage.session.model.tiny = True


@scenes.add("chats-none", "Your chats will be here")
async def chats_none(stage: Stage) -> None:
    stage.session.go("conversations")


@scenes.add("model-loading", "Loading the model")
async def model_loading(stage: Stage) -> None:
    stage.session.model.phase = "loading"


@scenes.add("model-missing", "The model could not be loaded", "Choose a file")
async def model_missing(stage: Stage) -> None:
    model = stage.session.model
    model.phase, model.info = "failed", None
    model.error = "There is no model yet. Download one on the Models page, or open a GGUF file."


@scenes.add("model-too-large", "Load anyway")
async def model_too_large(stage: Stage) -> None:
    model = stage.session.model
    model.phase, model.info, model.too_large = "failed", None, True
    model.error = "Qwen3 32B needs about 21.4 GB of memory, and 7.9 GB are free. Close other programs, or choose a smaller model."


@scenes.add("empty", "stays on this device", "Explain something")
async def empty(stage: Stage) -> None:
    await furnish(stage.munin)
    await stage.session.conversations.refresh()


@scenes.add("persona-chosen", "What you tell Coach stays with it")
async def persona_chosen(stage: Stage) -> None:
    coach = next(one for one in stage.session.personas.state.items if one.name == "Coach")
    await stage.session.personas.choose(coach)


@scenes.add("commands", "Choose who answers here")
async def commands(stage: Stage) -> None:
    stage.session.chat.fill("/")


@scenes.add("reading", "Reading")
async def reading(stage: Stage) -> None:
    stage.model.pause()
    await stage.ask("Which names would fit a small wooden boat?")
    await stage.until(lambda: stage.session.chat.state.waiting or stage.session.chat.state.messages)


@scenes.add("writing", "Writing", "The old harbour")
async def writing(stage: Stage) -> None:
    stage.model.pause(after_words=60)
    await stage.ask("Tell me of the harbour", LONG)
    await stage.model.wait_until_standing()
    await stage.until(lambda: any("old harbour" in one.text for one in stage.session.chat.state.messages))


@scenes.add("thinking", "Thinking …")
async def thinking(stage: Stage) -> None:
    stage.model.pause(after_words=8)
    await stage.ask("Which names would fit a small wooden boat?", THOUGHT)
    await stage.model.wait_until_standing()
    await stage.until(lambda: any(one.reasoning for one in stage.session.chat.state.messages))


@scenes.add("thought", "Wren, Skua and Tern.", "Short ones are easier")
async def thought(stage: Stage) -> None:
    await stage.say("Which names would fit a small wooden boat?", THOUGHT)
    stage.session.chat.state.messages[-1].thought_open = True


@scenes.add("stopped", "Stopped", "Continue")
async def stopped(stage: Stage) -> None:
    stage.model.pause(after_words=30)
    await stage.ask("Tell me of the harbour", LONG)
    await stage.model.wait_until_standing()
    stage.session.chat.stop()
    await stage.until(lambda: not stage.session.chat.state.busy)
    await stage.munin.controller.drain()


@scenes.add("failed", "Retry", "The unfinished reply is kept above.")
async def failed(stage: Stage) -> None:
    stage.model.fail_next(
        "The model stopped: its process ended by itself. It is loaded again with your next message.", after_words=14
    )
    await stage.say("Tell me of the harbour", LONG)


@scenes.add("reply", "two bulges", "Saint-Malo", "the tables")
async def reply(stage: Stage) -> None:
    await stage.say("Why does the tide come twice a day?", TIDES)
    stage.session.chat.state.following = False


@scenes.add("noted", "Munin noted: ", "Name is Ada", "Undo")
async def noted(stage: Stage) -> None:
    await stage.say(ADA, "Good to meet you, Ada. Oslo has ferries to every island in the fjord.")
    await stage.until(lambda: stage.session.chat.state.messages[-1].noted)


@scenes.add("used", "What this reply used", "Always sent")
async def used(stage: Stage) -> None:
    await stage.say("What fits a small wooden boat as a name?", "Wren, after the small bird. You asked for short ones before.")
    await stage.session.messages.show_used(stage.session.chat.state.messages[-1])


@scenes.add("details", "How it was made")
async def details(stage: Stage) -> None:
    stage.session.chat.state.model_of = ModelOf(stage.model.info.path if stage.model.info else None)
    await stage.say("And in winter?", "Fulmar, or Auk.")
    await stage.session.messages.show_used(stage.session.chat.state.messages[-1])


@scenes.add("editing", "Editing. The old version is kept.")
async def editing(stage: Stage) -> None:
    await stage.say("Which rope for the mooring?", "Nylon stretches, and so takes the pull out of a wave.")
    stage.session.messages.edit_last()


@scenes.add("versions", "2/2", "Polyester")
async def versions(stage: Stage) -> None:
    await stage.say("Which rope for the mooring?", "Nylon stretches, and so takes the pull out of a wave.")
    stage.session.messages.edit_last()
    await stage.say("Which rope for the halyard?", "Polyester: it hardly stretches.")


@scenes.add("bookmarks", "Bookmarks", "Tern is the shortest")
async def bookmarks(stage: Stage) -> None:
    await stage.say("Which of them is the shortest?", "Tern is the shortest, with Wren as close a second as there can be.")
    await stage.session.messages.toggle_bookmark(stage.session.chat.state.messages[-1])
    await stage.session.shell.end_snack()
    await stage.session.messages.show_bookmarks()


@scenes.add("temporary-new", "Temporary chat.", "gone when you leave it")
async def temporary_new(stage: Stage) -> None:
    await stage.session.chat.new(temporary=True)


@scenes.add("temporary", "Nothing is remembered", "Keep")
async def temporary(stage: Stage) -> None:
    await stage.session.chat.new(temporary=True)
    await stage.say("A present for Tom that he must not find", "A compass, engraved on the inside of its lid.")


@scenes.add("memory-off", "Memory is off in this chat.", "Turn on")
async def memory_off(stage: Stage) -> None:
    await stage.session.chat.set_memory(False)
    await stage.say("Is this kept?", "Not by memory: only the chat itself stays.")


@scenes.add("disk-full", "The disk is full")
async def disk_full(stage: Stage) -> None:
    await stage.say("Is there room?", "There is.")
    stage.session.chat.fill("The long story of how the boat came to us")
    stage.session.chat.state.refused = "The disk is full: munin.db could not be written. Free some space and try again."


@scenes.add("notice", "found damaged")
async def notice(stage: Stage) -> None:
    stage.session.navigation.notices = (
        "munin_memory.db was found damaged and is made again from your chats. Until then recall goes by words.",
    )


@scenes.add("notices", "profile.json was damaged", "Deleted chats")
async def notices(stage: Stage) -> None:
    stage.session.navigation.notices = (
        "profile.json was damaged and is kept as profile.json.damaged-1. Facts start empty; chats are untouched.",
        "Deleted chats could not be erased yet: the disk is full. Free some space, then open Munin again.",
    )


@scenes.add("other-model", "It is loaded when you send.", "no longer here")
async def other_model(stage: Stage) -> None:
    await stage.say("Is another model here?", "One that is loaded when you send.")
    await stage.session.shell.idle()
    stage.session.chat.state.model_of = replace(ModelOf(Path("gemma-3-4b.gguf"), in_use=False), missing="Phi-4 Mini")


@scenes.add("earlier", "Show earlier messages", "To the end")
async def earlier(stage: Stage) -> None:
    made = await stage.munin.chats.create()
    parent = None
    for number in range(40):
        role, words = (Role.ASSISTANT, f"Day {number}: calm.") if number % 2 else (Role.USER, f"The log of day {number}, please")
        added = await stage.munin.chats.append(
            made.id, role, words, parent_id=parent, memory=MemoryState.OFF, status=MessageStatus.COMPLETED
        )
        parent = added.id
    await stage.munin.chats.rename(made.id, "The log")
    await stage.session.chat.open(made.id, parent or "")
    stage.session.chat.state.following = False
