"""Personas in the flow of a chat: who answers, what its prompts hold, and that no memory passes from one scope to another."""

import asyncio
from pathlib import Path

import pytest

from munin_app.bootstrap import Munin
from munin_app.chat import prefix
from munin_app.chat.shipped_personas import MUNIN
from munin_app.domain.inference import Purpose
from munin_app.domain.memories import SHARED, persona_scope
from munin_app.domain.messages import MemoryState
from munin_app.domain.personas import Persona
from munin_app.errors import NotFound, PersonaError
from munin_app.inference.scripted import ScriptedChatModel
from tests.chat.conftest import Talk
from tests.conftest import StartMunin

COACH = persona_scope("coach")
KEY = "The boathouse key hangs behind the green door."
WHERE = "Where does the boathouse key hang, behind the green door?"


async def chat_with(munin: Munin, persona_id: str) -> str:
    return (await munin.controller.new_conversation(persona_id=persona_id)).id


async def persona(munin: Munin, persona_id: str) -> Persona:
    return await munin.controller.personas.get(persona_id)


def last_prompt(model: ScriptedChatModel) -> str:
    replies = [request for request in model.requests if request.purpose is Purpose.REPLY]
    return "\n".join(message.text for message in replies[-1].messages)


async def test_a_persona_answers_with_its_own_instructions_and_sampling(
    munin: Munin, talk: Talk, model: ScriptedChatModel
) -> None:
    await talk("Improve this: me and him goes home", await chat_with(munin, "editor"))
    editor = await persona(munin, "editor")
    assert last_prompt(model).startswith(editor.prompt)
    request = [request for request in model.requests if request.purpose is Purpose.REPLY][-1]
    assert request.sampling.temperature == editor.temperature != munin.settings.temperature
    await talk("Hello there", await chat_with(munin, "default"))
    assert last_prompt(model).startswith(MUNIN.prompt)


async def test_changing_the_persona_reads_the_chat_again_and_says_why(munin: Munin, talk: Talk, model: ScriptedChatModel) -> None:
    await munin.profile.add("Name is Ada")
    told = await talk("Tell me about the sea.")
    await munin.controller.choose_persona(told.conversation.id, "tutor")
    turn = await talk("And the lake?")
    assert turn.prompt_reset == prefix.PERSONA_CHANGED
    tutor, prompt = await persona(munin, "tutor"), last_prompt(model)
    assert tutor.prompt in prompt and MUNIN.prompt not in prompt
    assert prompt.count("Name is Ada") == 1 and "Tell me about the sea." in prompt
    assert [fact.text for fact in turn.used.facts] == ["Name is Ada"]
    assert (await talk("And the river?")).prompt_reset == ""


async def test_edited_instructions_hold_from_the_next_message_on(munin: Munin, talk: Talk, model: ScriptedChatModel) -> None:
    await talk("Tell me about the sea.")
    await munin.controller.personas.save(Persona("default", "Munin", "raven", "Speak like a sailor."))
    assert (await talk("And the lake?")).prompt_reset == prefix.PERSONA_CHANGED
    assert last_prompt(model).startswith("Speak like a sailor.")
    assert (await munin.controller.personas.reset("default")) == MUNIN


async def test_facts_of_two_personas_never_meet_in_a_prompt(munin: Munin, talk: Talk, model: ScriptedChatModel) -> None:
    ours, theirs = await chat_with(munin, "default"), await chat_with(munin, "coach")
    await talk("My name is Ada. I live in Oslo.", ours)
    await talk("My name is Grace. I live in Oslo.", theirs)
    assert {(fact.text, fact.scope) for fact in munin.profile.facts} == {
        ("Name is Ada", SHARED),
        ("Lives in Oslo", SHARED),
        ("Name is Grace", COACH),
        ("Lives in Oslo", COACH),
    }
    for where, own, other in ((ours, "Ada", "Grace"), (theirs, "Grace", "Ada")):
        for chat in (where, await chat_with(munin, "default" if where == ours else "coach")):
            turn = await talk("What is my name, and where do I live?", chat)
            assert f"Name is {own}" in last_prompt(model) and other not in last_prompt(model)
            assert turn.used.left_out == 0


async def test_personas_with_a_memory_of_their_own_recall_only_from_it(munin: Munin, talk: Talk) -> None:
    await talk(KEY, await chat_with(munin, "coach"))
    assert (await talk(WHERE, await chat_with(munin, "default"))).used.snippets == ()
    assert KEY not in {snippet.text for snippet in (await talk(WHERE, await chat_with(munin, "editor"))).used.snippets}
    found = (await talk(WHERE, await chat_with(munin, "coach"))).used.snippets
    assert KEY in {snippet.text for snippet in found}
    await talk("The sauna is heated on Fridays, by the lake.", await chat_with(munin, "tutor"))
    question = "When is the sauna by the lake heated, on Fridays?"
    assert all("sauna" not in one.text for one in (await talk(question, await chat_with(munin, "coach"))).used.snippets)
    assert any("heated on" in one.text for one in (await talk(question, await chat_with(munin, "editor"))).used.snippets)


async def scopes(munin: Munin) -> dict[str, str]:
    return {memory.message_id: memory.scope for memory in await munin.memory.browse()}


async def test_a_rebuilt_index_has_the_same_scopes(munin: Munin, talk: Talk, start_munin: StartMunin, home: Path) -> None:
    await talk(KEY, await chat_with(munin, "coach"))
    await talk("The sauna is heated on Fridays.", await chat_with(munin, "default"))
    before = await scopes(munin)
    assert set(before.values()) == {COACH, SHARED}
    await munin.close()
    (home / "munin_memory.db").unlink()
    again = await start_munin()
    await again.controller.catch_up()
    assert await scopes(again) == before


async def test_a_begun_chat_does_not_change_hands(munin: Munin, talk: Talk) -> None:
    told = await talk(KEY, await chat_with(munin, "coach"))
    with pytest.raises(PersonaError, match=r"stays with Coach.*new chat with Tutor"):
        await munin.controller.choose_persona(told.conversation.id, "tutor")
    shared = await talk("Hello there", await chat_with(munin, "default"))
    with pytest.raises(PersonaError, match="Coach has a memory of its own"):
        await munin.controller.choose_persona(shared.conversation.id, "coach")
    await munin.controller.choose_persona(shared.conversation.id, "editor")
    empty = await chat_with(munin, "default")
    await munin.controller.choose_persona(empty, "coach")
    assert (await munin.chats.get(empty)).persona_id == "coach"


async def test_a_temporary_chat_may_change_hands(munin: Munin, talk: Talk) -> None:
    conversation = await munin.controller.new_conversation(temporary=True)
    await talk(KEY, conversation.id)
    await munin.controller.choose_persona(conversation.id, "coach")
    assert (await munin.controller.personas.of(conversation.id)).id == "coach"


async def test_the_memory_of_a_used_persona_stays_as_it_is(munin: Munin, talk: Talk) -> None:
    personas = munin.controller.personas
    coach = await persona(munin, "coach")
    shared = Persona(coach.id, coach.name, coach.icon, coach.prompt)
    assert (await personas.save(shared)).scope == SHARED
    await talk("Hello there", await chat_with(munin, "coach"))
    with pytest.raises(PersonaError, match="has chats or facts already"):
        await personas.save(coach)
    with pytest.raises(PersonaError, match="has chats or facts already"):
        await personas.reset("coach")
    copy = await personas.copy("coach")
    assert copy.name == "Coach 2"
    assert (await personas.save(Persona(copy.id, copy.name, copy.icon, copy.prompt, own_memory=True))).own_memory


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        (Persona("", " ", "edit", "Help."), "name has 0"),
        (Persona("", "MUNIN", "edit", "Help."), "already"),
        (Persona("", "Chef", "edit", " "), "instructions have 0"),
        (Persona("", "Chef", "edit", "Cook.", temperature=3), "expected 0 to 2"),
        (Persona("", "Chef", "edit", "Cook.", top_p=0), "more than 0"),
        (Persona("", "Chef", "edit", "Cook.", starters=("a",) * 5), "At most 4"),
    ],
)
async def test_what_cannot_be_saved_says_why(munin: Munin, wrong: Persona, why: str) -> None:
    before = await munin.controller.personas.list()
    with pytest.raises(PersonaError, match=why):
        await munin.controller.personas.save(wrong)
    assert await munin.controller.personas.list() == before


async def test_moved_fact_leaves_the_prompts_it_was_in(munin: Munin, talk: Talk, model: ScriptedChatModel) -> None:
    ours, theirs = await chat_with(munin, "default"), await chat_with(munin, "coach")
    await munin.profile.add("Plays the cello")
    told = await talk("Good morning.", ours)
    assert "cello" in last_prompt(model)
    moved = await munin.forgetting.move_fact(munin.profile.facts[0].id, COACH)
    assert moved.scope == COACH and told.conversation.id in model.forgotten
    await talk("Good evening.", ours)
    assert "cello" not in last_prompt(model)
    await talk("Good evening.", theirs)
    assert "cello" in last_prompt(model)


async def test_deleted_persona_leaves_all_to_everyone(munin: Munin, talk: Talk) -> None:
    told = await talk("I live in Bergen. " + KEY, await chat_with(munin, "coach"))
    outcome = await munin.forgetting.delete_persona(await persona(munin, "coach"), keep=True)
    await munin.controller.drain()
    assert outcome.failures == () and outcome.sources == ()
    assert [(fact.text, fact.scope) for fact in munin.profile.facts] == [("Lives in Bergen", SHARED)]
    assert set((await scopes(munin)).values()) == {SHARED}
    assert (await munin.chats.get(told.conversation.id)).persona_id == "default"
    assert "Coach" not in {one.name for one in await munin.controller.personas.list()}
    turn = await talk(WHERE, await chat_with(munin, "default"))
    assert any(KEY in snippet.text for snippet in turn.used.snippets)
    assert [one.name for one in await munin.controller.personas.missing()] == ["Coach"]
    await munin.controller.personas.reset("coach")
    assert await munin.controller.personas.missing() == ()


async def test_deleted_persona_takes_all_along(munin: Munin, talk: Talk, model: ScriptedChatModel) -> None:
    told = await talk("I live in Bergen. " + KEY, await chat_with(munin, "coach"))
    await munin.profile.add("Plays the cello", COACH)
    await munin.profile.add("Lives in Bergen")
    outcome = await munin.forgetting.delete_persona(await persona(munin, "coach"), keep=False)
    await munin.controller.drain()
    assert told.user.id in {message.id for message in outcome.sources}
    assert [(fact.text, fact.scope) for fact in munin.profile.facts] == [("Lives in Bergen", SHARED)]
    assert await munin.memory.count() == 0 and told.conversation.id in model.forgotten
    assert (await munin.chats.message(told.user.id)).memory is MemoryState.FORGOTTEN
    assert (await talk(WHERE, await chat_with(munin, "default"))).used.snippets == ()
    await talk("Good morning.", told.conversation.id)
    assert "boathouse" not in last_prompt(model) and "cello" not in last_prompt(model)


async def test_a_persona_that_shares_its_memory_goes_without_its_chats(munin: Munin, talk: Talk) -> None:
    told = await talk(KEY, await chat_with(munin, "tutor"))
    await munin.forgetting.delete_persona(await persona(munin, "tutor"), keep=False)
    await munin.controller.drain()
    assert (await munin.chats.message(told.user.id)).memory is MemoryState.INDEXED
    with pytest.raises(PersonaError, match="Munin itself stays"):
        await munin.forgetting.delete_persona(await persona(munin, "default"), keep=True)
    with pytest.raises(NotFound):
        await munin.controller.choose_persona(told.conversation.id, "tutor")


async def test_what_is_learned_while_its_persona_is_deleted_stays_nobodys(
    munin: Munin, talk: Talk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Learning was under way when the persona was deleted and all of it forgotten."""
    coach, began, goes_on = await persona(munin, "coach"), asyncio.Event(), asyncio.Event()
    learn_from = munin.profile.learn_from

    async def late(*arguments: object, **options: object) -> object:
        began.set()
        await goes_on.wait()
        return await learn_from(*arguments, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(munin.profile, "learn_from", late)
    await munin.controller.send(await chat_with(munin, "coach"), "I live in Bergen.")
    await began.wait()
    await munin.forgetting.delete_persona(coach, keep=False)
    goes_on.set()
    await munin.controller.drain()
    assert munin.profile.facts == () and munin.profile.candidates == ()


async def test_nothing_is_learned_in_a_chat_whose_memory_was_switched_off(munin: Munin, talk: Talk) -> None:
    told = await talk("Tell me about the sea.")
    await munin.chats.set_memory_on(told.conversation.id, False)
    await talk("My name is Ada and I live in Oslo.")
    assert (munin.profile.facts, munin.profile.candidates) == ((), ())
    await munin.chats.set_memory_on(told.conversation.id, True)
    await munin.controller.catch_up()
    assert munin.profile.facts == ()
    await talk("I love sailing.")
    assert [fact.text for fact in munin.profile.facts] == ["Loves sailing"]
