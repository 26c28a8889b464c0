"""What users of other assistants complained about, one test each, named after the complaint (NOTES.md has the list)."""

import json
from pathlib import Path

import pytest

from munin_app.domain.facts import ACTIVE_FACTS_MAX, FACT_MAX_CHARACTERS, FactStatus
from munin_app.domain.messages import MemoryState
from munin_app.profile import MemoryProfileService
from munin_app.profile.extraction import INSTRUCTIONS
from munin_app.profile.rules import find_facts
from tests.unit.profile.conftest import AnsweringModel, reopened, said, texts

SET = Path(__file__).parents[2] / "data" / "facts"


async def test_deleted_memories_still_found(profile: MemoryProfileService, path: Path) -> None:
    """open-webui#24431, mem0#3695."""
    await profile.learn_from(said("I live in Trondheim"))
    await profile.remove(profile.facts[0].id)
    again = await reopened(path)
    assert (again.facts, again.candidates, again.history) == ((), (), ())
    assert b"rondheim" not in b"".join(file.read_bytes() for file in path.parent.iterdir())


async def test_memory_cap_cuts_alphabetically_and_mid_entry(profile: MemoryProfileService) -> None:
    """open-webui#30235: what goes is what was used least, whole, and it can be brought back."""
    await profile.learn_from(said("I like aardvarks"))
    await profile.learn_from(said("I like zebras"))
    zebras, aardvarks = profile.facts
    for number in range(ACTIVE_FACTS_MAX - 2):
        await profile.learn_from(said(f"I like colour{number}"))
    await profile.count_uses([fact.id for fact in profile.facts if fact.id != zebras.id])
    await profile.learn_from(said("I live in Oslo"))
    (gone,) = profile.history
    assert (gone.text, gone.status) == ("Likes zebras", FactStatus.DISPLACED)
    assert aardvarks.text in texts(profile.facts)
    assert (await profile.restore(gone.id)).text == "Likes zebras"


async def test_entries_are_never_cut_in_the_middle(profile: MemoryProfileService) -> None:
    """open-webui#30235."""
    text = "I love walking along the quiet northern shore, with two dogs and a flask of tea, whatever the weather may be"
    await profile.learn_from(said(text))
    (fact,) = profile.facts
    assert len(fact.text) <= FACT_MAX_CHARACTERS
    assert fact.text == "Loves walking along the quiet northern shore, with two dogs and a flask of tea"


async def test_recalled_text_is_learned_again(profile: MemoryProfileService) -> None:
    """mem0#4573: a forgotten fact, in fifty replies and in fifty snippets that quote its message, stays forgotten."""
    first = said("I live in Trondheim")
    await profile.learn_from(first)
    await profile.remove(profile.facts[0].id)
    for number in range(50):
        reply = f"As you said, you live in Trondheim. I live in Trondheim too, number {number}."
        await profile.learn_from(said(f"And what is the weather there on day {number}?", reply=reply))
        await profile.learn_from(first)
        await profile.learn_from(said("I live in Trondheim", memory=MemoryState.FORGOTTEN, reply=reply))
    assert profile.facts == profile.candidates == ()


async def test_most_memories_are_junk() -> None:
    """mem0#4573: where there is nothing to learn, nothing is learned."""
    rows = [json.loads(line) for line in (SET / "tuning.jsonl").read_text().splitlines()]
    nothing = [row["user"] for row in rows if not row["expect"]]
    false = [text for text in nothing if any(finding.description.certain for finding in find_facts(text))]
    assert len(nothing) > 100
    assert len(false) <= 0.01 * len(nothing), false


async def test_few_shot_examples_are_stored_as_facts(path: Path) -> None:
    """hindsight#4280."""
    (example,) = [line for line in INSTRUCTIONS.splitlines() if line.startswith("preference |")]
    service = await reopened(path, AnsweringModel(example))
    await service.learn_from(said("I usually feel cold in winter"))
    assert service.facts == service.candidates == ()


async def test_assistants_words_are_stored_as_the_users(profile: MemoryProfileService) -> None:
    """synaplan#438."""
    await profile.learn_from(said("Tell me about yourself", reply="I am a nurse, my name is Bob and I live in Rome."))
    assert profile.facts == profile.candidates == ()


@pytest.mark.parametrize("text", ["My brother Tom is a dentist in Leeds", "My wife is vegan", "My boss said I live in the past"])
async def test_other_peoples_facts_are_stored_as_the_users(profile: MemoryProfileService, text: str) -> None:
    """mem0#1528: at most who they are."""
    await profile.learn_from(said(text))
    assert set(texts(profile.facts)) <= {"Brother is called Tom"}


async def test_correction_strengthens_the_false_fact(profile: MemoryProfileService) -> None:
    """Hexis#65."""
    await profile.learn_from(said("I live in Boston"))
    await profile.learn_from(said("No, I don't live in Boston, I live in Denver"))
    assert texts(profile.facts) == ["Lives in Denver"]
    (old,) = profile.history
    assert (old.text, len(old.sources)) == ("Lives in Boston", 1)


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        ("我住在成都", "住在成都"),
        ("Ich wohne in Kiel", "Wohnt in Kiel"),
        ("Vivo en Lima", "Vive en Lima"),
        ("J'habite à Lyon", "Habite à Lyon"),
    ],
)
async def test_facts_are_stored_in_english_for_others(profile: MemoryProfileService, text: str, fact: str) -> None:
    """mem0#3707."""
    await profile.learn_from(said(text))
    assert texts(profile.facts) == [fact]


async def test_unrelated_facts_retire_each_other(profile: MemoryProfileService) -> None:
    """graphiti#1728."""
    for text in ("I work as a nurse", "I'm studying law", "I work at Equinor", "My wife is called Ada", "My dog is called Rex"):
        await profile.learn_from(said(text))
    assert len(profile.facts) == 5
    assert profile.history == ()
