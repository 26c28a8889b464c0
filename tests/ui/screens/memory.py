"""The Memory page and its tabs, and its dialogs."""

from munin_app.domain.memories import ArmState, ArmStatus
from tests.ui.screens.stage import Scenes, Stage

scenes = Scenes()


async def _open(stage: Stage, tab: str = "facts") -> None:
    state = stage.session.memory.state
    state.fact_query, state.memory_query, state.found = "", "", None
    stage.session.memory.select(False)
    stage.session.go("memory")
    stage.session.memory.show(tab)  # type: ignore[arg-type]
    await stage.session.shell.idle()


@scenes.add("facts", "Name is Ada", "Lives in Oslo", "Search facts")
async def facts(stage: Stage) -> None:
    for fact in ("Prefers tea to coffee", "Works as a boat builder", "Speaks Norwegian and a little German"):
        await stage.munin.profile.add(fact)
    await stage.munin.profile.set_pinned(stage.munin.profile.facts[0].id, True)
    await stage.munin.profile.add("Lives in Bergen")
    lives = next(fact for fact in stage.munin.profile.facts if fact.attribute == "home" or "Bergen" in fact.text)
    await stage.munin.profile.edit(lives.id, "Lives in Oslo")
    await _open(stage)


@scenes.add("facts-search-nothing", "No fact has these words.")
async def facts_nothing(stage: Stage) -> None:
    await _open(stage)
    stage.session.memory.filter_facts("zeppelin")


@scenes.add("fact-adding", "Add a fact", "Cancel")
async def adding(stage: Stage) -> None:
    await _open(stage)
    stage.session.memory.ask_add()


@scenes.add("fact-forgetting", "Forget")
async def forgetting(stage: Stage) -> None:
    await _open(stage)
    stage.session.memory.ask_remove(stage.munin.profile.facts[0])


@scenes.add("review", "Munin was not sure about these", "Accept")
async def review(stage: Stage) -> None:
    await stage.munin.change_settings(learn_facts="ask")
    await stage.say("I am allergic to peanuts and I work as a nurse", "I keep that in mind.")
    await stage.munin.change_settings(learn_facts="automatic")
    await _open(stage, "review")


@scenes.add("review-empty", "Nothing to review.")
async def review_empty(stage: Stage) -> None:
    for fact in stage.munin.profile.candidates:
        await stage.munin.profile.remove(fact.id)
    await _open(stage, "review")


@scenes.add("memories", "newest first", "Select")
async def memories(stage: Stage) -> None:
    await _open(stage, "memories")


@scenes.add("memories-selecting", "1 selected", "Forget")
async def memories_selecting(stage: Stage) -> None:
    await _open(stage, "memories")
    stage.session.memory.select(True)
    stage.session.memory.toggle_selected(stage.session.memory.state.memories[0].message_id)


@scenes.add("memories-found", "nearest first")
async def memories_found(stage: Stage) -> None:
    await _open(stage, "memories")
    await stage.session.memory.search("wooden boat")


@scenes.add("memories-nothing", "Nothing comes close to that.")
async def memories_nothing(stage: Stage) -> None:
    await _open(stage, "memories")
    await stage.session.memory.search("zeppelin")
    stage.session.memory.state.found = ()


@scenes.add("memory-status", "How recall works right now", "Start over")
async def status(stage: Stage) -> None:
    await _open(stage, "status")


@scenes.add("memory-encoder-missing", "Off", "words only")
async def encoder_missing(stage: Stage) -> None:
    await _open(stage, "status")
    remedy = "Run `make setup` again, or add an encoder on the Models page."
    stage.session.memory.state.arms = (
        ArmStatus("encoder", ArmState.OFF, "The encoder's files are not here: recall goes by words only.", remedy),
        ArmStatus("vectors", ArmState.BEHIND, "7 of 19 messages have no vector yet."),
        ArmStatus("words", ArmState.READY, "Every message is found by its words."),
    )


@scenes.add("forget-all", "This cannot be undone.")
async def forget_all(stage: Stage) -> None:
    await _open(stage, "status")
    stage.session.memory.ask_forget_memories()


@scenes.add("memory-off-everywhere", "Use memory in every chat")
async def off(stage: Stage) -> None:
    await stage.munin.change_settings(memory_on=False)
    await stage.until(lambda: not stage.session.navigation.settings.memory_on)
    await _open(stage)
