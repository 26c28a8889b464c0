"""What goes in comes out, and only then: the contract of MemoryService with everything working."""

import asyncio
import threading
from collections.abc import Sequence
from datetime import datetime

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from munin_app.domain.memories import MemoryFilter, conversation_scope, persona_scope
from munin_app.memory import EncoderManifest, MemoryService
from munin_app.memory.encoder import OnnxEmbedder
from munin_app.memory.hashing import HashEmbedder
from tests.model.memory.conftest import Build, said

LIFE = [
    "My dog Bruno is a beagle",
    "I'm allergic to peanuts",
    "I parked the car on level 3 of the garage",
    "My sister Marta plays the cello",
    "The dentist moved my appointment to Thursday",
    "We walked to Ryten above Kvalvika beach in Lofoten",
    "I work at the harbour office in Oslo",
]


async def texts(service: MemoryService, query: str, **options: object) -> list[str]:
    outcome = await service.recall(query, **options)  # type: ignore[arg-type]  # passed on as they are
    return [result.memory.text for result in outcome.results]


async def live(service: MemoryService) -> None:
    for number, text in enumerate(LIFE):
        assert await service.remember(said(text, id=f"m{number}", at=number))


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("What is my dog called?", "My dog Bruno is a beagle"),
        ("which allergy do I have", "I'm allergic to peanuts"),
        ("Where did I park?", "I parked the car on level 3 of the garage"),
        ("When is my dentist appointment?", "The dentist moved my appointment to Thursday"),
    ],
)
async def test_a_personal_question_finds_its_answer_first(real: MemoryService, question: str, answer: str) -> None:
    await live(real)
    assert (await texts(real, question))[0] == answer


@pytest.mark.parametrize(
    "question",
    [
        "Write a haiku about the sea",
        "What is the capital of France?",
        "Thanks, that helps!",
        "How do I reverse a list in Python?",
        "hello",
    ],
)
async def test_an_unrelated_question_finds_nothing(real: MemoryService, question: str) -> None:
    await live(real)
    assert await texts(real, question) == []


async def test_a_result_says_where_it_is_from_and_why(real: MemoryService) -> None:
    await live(real)
    outcome = await real.recall("What breed is my dog?")
    best = outcome.results[0]
    assert (best.memory.message_id, best.memory.conversation_id, best.memory.created_at) == ("m0", "c1", 0)
    assert best.why == "Close in meaning; shares “dog”"
    assert best.similarity is not None and 0.35 < best.similarity < 1
    assert outcome.embed_ms > 0 and outcome.search_ms > 0


async def test_the_extension_and_numpy_rank_alike(
    build: Build, manifest: EncoderManifest, encoder: OnnxEmbedder, real: MemoryService
) -> None:
    await live(real)
    scan = build(manifest, load_encoder=lambda _: encoder, use_extension=False)
    assert "sqlite-vec compares" in (await warmed_status(real))["vectors"]
    assert "NumPy compares" in (await warmed_status(scan))["vectors"]
    for question in [*LIFE, "What is my dog called?", "music", "the sea"]:
        one, other = [await service.recall(question, 20, -1.0) for service in (real, scan)]
        assert [result.memory for result in one.results] == [result.memory for result in other.results]
        for by_extension, by_numpy in zip(one.results, other.results, strict=True):
            assert by_extension.similarity == pytest.approx(by_numpy.similarity, abs=1e-5)
        assert len(one.results) == len(LIFE)


async def warmed_status(service: MemoryService) -> dict[str, str]:
    await service.warm_up()
    return {arm.name: arm.detail for arm in await service.status()}


async def test_a_question_asked_before_is_no_answer(real: MemoryService) -> None:
    await real.remember(said("What is my name?"))
    await real.remember(said("My name is Ada and I live in Oslo"))
    assert await texts(real, "what is  my name") == ["My name is Ada and I live in Oslo"]


async def test_a_plain_threshold_replaces_the_gate(real: MemoryService) -> None:
    await live(real)
    assert len(await texts(real, "music", threshold=-1.0)) == 6
    assert await texts(real, "music", threshold=0.99) == []
    assert (await texts(real, "My dog Bruno is a beagle", threshold=0.9)) == ["My dog Bruno is a beagle"]


async def test_the_same_said_twice_is_recalled_once(real: MemoryService) -> None:
    for text in ("I'm allergic to peanuts", "i'm  ALLERGIC to peanuts", "I'm allergic to peanuts!"):
        await real.remember(said(text))
    assert len(await texts(real, "what am I allergic to")) == 1


async def test_excluded_messages_do_not_take_the_place_of_others(build: Build) -> None:
    service = build()
    for number in range(80):
        await service.remember(said(f"kayak trip {number}", id=f"m{number}"))
    found = await texts(service, "kayak", exclude_messages=[f"m{number}" for number in range(79)])
    assert found == ["kayak trip 79"]


@pytest.mark.parametrize("options", [{}, {"use_extension": False}, {"manifest": None}])
@settings(max_examples=6, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(wanted=st.sets(st.sampled_from(["shared", persona_scope("p"), conversation_scope("c1"), "'; --"]), max_size=3))
def test_no_arm_shows_another_scope(build: Build, options: dict[str, object], wanted: set[str]) -> None:
    async def check() -> None:
        service = build(**options)
        for scope in ("shared", persona_scope("p"), conversation_scope("c1"), conversation_scope("c2")):
            await service.remember(said(f"kayak of {scope}", id=scope), scope=scope)
        for threshold in (None, -1.0):
            found = await service.recall("kayak", threshold=threshold, scopes=wanted)
            assert {result.memory.scope for result in found.results} == wanted - {"'; --"}
        await service.close()

    asyncio.run(check())


async def test_remembering_again_replaces(build: Build) -> None:
    service = build()
    await service.remember(said("kayak in May", id="m"))
    await service.remember(said("  sauna in June\n", id="m"))
    assert await service.count() == 1
    assert await texts(service, "kayak") == []
    assert await texts(service, "sauna") == ["sauna in June"]


@pytest.mark.parametrize("text", ["", "   \n\t"])
async def test_an_empty_message_is_not_remembered(build: Build, text: str) -> None:
    service = build()
    assert not await service.remember(said(text))
    assert await service.count() == 0
    assert await texts(service, text) == []


@pytest.mark.parametrize(("text", "query"), [("我的猫叫豆豆", "猫"), ("🐕🎂🎉", "🎂"), ("私は東京に住んでいます", "東京 住んで")])
@pytest.mark.parametrize("with_encoder", [True, False])
async def test_cjk_and_emoji_are_found(build: Build, real: MemoryService, text: str, query: str, with_encoder: bool) -> None:
    service = real if with_encoder else build(None)
    assert await service.remember(said(text))
    assert await texts(service, query) == [text]


@pytest.mark.parametrize("text", ["\x00", "a\x00b", "!!!", "\u200d\ufe0f", '"OR" NOT (x', "x" * 5000, "\ud800"])
async def test_odd_text_neither_raises_nor_disturbs_others(real: MemoryService, text: str) -> None:
    await real.remember(said(text))
    await real.recall(text)
    assert await real.remember(said("My dog Bruno is a beagle"))
    assert await texts(real, "What is my dog called?") == ["My dog Bruno is a beagle"]


async def test_every_part_of_a_long_message_is_found_once(real: MemoryService) -> None:
    filler = "The weather stayed grey and nothing of note happened on that day. " * 20
    facts = ["My dog Bruno is a beagle.", "I parked the car in the harbour garage.", "My sister Marta plays the cello."]
    await real.remember(said(filler.join(["", *facts, ""]), id="long"))
    await real.remember(said("I bought bread", id="other"))
    for question, word in [
        ("What is my dog called?", "Bruno"),
        ("Where is my car parked?", "garage"),
        ("Who plays the cello?", "Marta"),
    ]:
        results = (await real.recall(question)).results
        assert [result.memory.message_id for result in results] == ["long"]
        assert word in results[0].memory.text


class Signalling(HashEmbedder):
    """Says when it embeds a part of the long message."""

    begun = threading.Event()

    def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        if texts[0].startswith("lorem"):
            self.begun.set()
        return super().embed_documents(texts)


async def test_a_recall_comes_between_the_parts_of_a_200_kb_message(build: Build) -> None:
    service = build(load_encoder=Signalling)
    await service.remember(said("kayak trip in May"))
    huge = asyncio.create_task(service.remember(said("lorem ipsum dolor sit amet " * 7500, id="huge")))
    assert await asyncio.to_thread(Signalling.begun.wait, 10)
    assert await texts(service, "kayak") == ["kayak trip in May"]
    assert not huge.done()
    assert await huge


async def test_browsing_is_newest_first_and_pages(build: Build) -> None:
    service = build()
    for number in range(5):
        await service.remember(said(f"message {number}", id=f"m{number}", at=number))
    await service.remember(said("first " + "word " * 600, id="long", at=9))
    page = await service.browse(0, 2)
    assert [memory.message_id for memory in page] == ["long", "m4"]
    assert page[0].text.startswith("first word") and page[0].text.endswith(" …")
    assert [memory.message_id for memory in await service.browse(4, 10)] == ["m1", "m0"]
    assert await service.indexed_ids() == {"m0", "m1", "m2", "m3", "m4", "long"}


async def test_browsing_keeps_to_one_conversation_and_one_time(build: Build) -> None:
    service = build()
    for number in range(6):
        await service.remember(said(f"message {number}", id=f"m{number}", at=number, conversation=f"c{number % 2}"))
    meant = MemoryFilter("c1", since=1, before=5)
    assert [memory.message_id for memory in await service.browse(0, 10, meant)] == ["m3", "m1"]
    assert await service.indexed_ids(meant) == {"m1", "m3"}
    assert await service.indexed_ids(MemoryFilter(since=4)) == {"m4", "m5"}


async def test_concurrent_starts_share_one(build: Build, encoder: OnnxEmbedder, manifest: EncoderManifest) -> None:
    loads = []

    def load(_: EncoderManifest) -> OnnxEmbedder:
        loads.append(1)
        return encoder

    service = build(manifest, load_encoder=load)
    assert loads == []
    await asyncio.gather(service.warm_up(), service.recall("x"), service.remember(said("y")), service.warm_up())
    assert loads == [1]


async def test_emoji_that_the_encoder_cannot_read_are_not_all_the_same(real: MemoryService) -> None:
    for text in ("🚀", "👍", "🐕🎂"):
        await real.remember(said(text))
    assert await texts(real, "🎂") == ["🐕🎂"]
    assert await texts(real, "🎉") == []
    assert await texts(real, "🎉", threshold=0.3) == []


async def test_each_signal_says_what_it_added(real: MemoryService) -> None:
    await live(real)
    best = (await real.recall("What breed is my dog?")).results[0]
    signals = {signal.name: signal for signal in best.signals}
    assert signals["words"].rank == signals["meaning"].rank == 1
    assert sum(signal.points for signal in best.signals) == pytest.approx(best.score, abs=1e-3)
    assert best.sureness > 0


async def test_what_is_left_out_says_why(real: MemoryService) -> None:
    await live(real)
    outcome = await real.recall("What is the capital of France?")
    assert outcome.results == ()
    assert {result.why.split(";")[0] for result in outcome.left_out} == {"Not sure enough"}


async def test_a_question_about_a_time_prefers_what_was_said_or_happened_then(real: MemoryService) -> None:
    at = {month: int(datetime(2024, month, 10).timestamp() * 1000) for month in (3, 6, 9)}
    for month, told in at.items():
        await real.remember(said("We hiked in the mountains all day", id=f"hike {month}", conversation=f"c{month}", at=told))
        await real.remember(
            said(f"Diary page {month}: rain and some bread", id=f"page {month}", conversation=f"c{month}", at=told)
        )
    now = int(datetime(2024, 12, 1).timestamp() * 1000)
    for question, month in (("Where did we hike in June?", 6), ("Wo waren wir letzten März, mountains?", 3)):
        outcome = await real.recall(question, 2, -1.0, now=now)
        assert outcome.results[0].memory.message_id == f"hike {month}"
        assert "from the time you ask for" in outcome.results[0].why


async def test_who_is_named_comes_first(real: MemoryService) -> None:
    await real.remember(said("Anna: I adopted a puppy last week", id="anna", conversation="a"))
    await real.remember(said("Bert: I adopted a puppy last week", id="bert", conversation="b"))
    await real.remember(said("Anna: the weather is grey", conversation="c"))
    await real.remember(said("Bert: the weather is grey here", conversation="d"))
    assert (await real.recall("What did Bert adopt?", threshold=-1.0)).results[0].memory.message_id == "bert"


async def test_an_answer_is_found_by_the_question_before_it(build: Build) -> None:
    service = build()
    await service.remember(said("Where did you spend the holidays in kayaks?", id="question", at=1))
    await service.remember(said("On Lofoten, with Marta", id="answer", at=2))
    await service.remember(said("The bread was good", id="other", conversation="c2", at=3))
    found = (await service.recall("holidays kayaks", 3, -1.0)).results
    assert {result.memory.message_id for result in found[:2]} == {"question", "answer"}
    assert {result.why.split(" ")[0] for result in found[:2]} == {"Close", "Said"}
