"""Each arm of memory taken away in turn: a whole turn of chat works, the other arms recall, status and doctor name the one that
is missing and what to do. Real encoder, scripted chat model."""

import dataclasses
import sys
from collections.abc import Callable
from pathlib import Path

import apsw
import pytest

from munin_app import doctor, paths
from munin_app.bootstrap import AppEvent, Munin, services
from munin_app.domain.events import Turn, TurnFinished
from munin_app.domain.memories import ArmState, ArmStatus, MemoryFilter
from munin_app.domain.messages import MemoryState, MessageStatus
from munin_app.inference.scripted import ScriptedChatModel
from munin_app.memory import EncoderManifest

TOLD = "My dog Bruno is a beagle"
ASKED = "What breed is my dog Bruno?"
UNSAID = "Which puppy do I own?"
"""Shares no word with what was told."""

KnockOut = Callable[[pytest.MonkeyPatch, EncoderManifest], None]


async def start() -> Munin:
    munin = await Munin.start(make_model=lambda path, size: ScriptedChatModel(["All right."]))
    await munin.change_settings(recall_timeout_ms=10_000)
    await munin.warm_up()
    await munin.controller.drain()
    return munin


async def turn(munin: Munin, text: str) -> Turn:
    """In a conversation of its own."""
    turns: list[Turn] = []

    def listen(event: AppEvent) -> None:
        if isinstance(event, TurnFinished):
            turns.append(event.turn)

    stop = munin.subscribe(listen)
    await munin.controller.send((await munin.controller.new_conversation()).id, text)
    await munin.controller.drain()
    stop()
    assert turns[-1].reply.status is MessageStatus.COMPLETED and turns[-1].reply.text == "All right."
    return turns[-1]


async def recalled(munin: Munin, text: str) -> list[tuple[str, bool]]:
    """Through a turn: what it was given, and whether a vector took part."""
    return [(snippet.text, snippet.similarity is not None) for snippet in (await turn(munin, text)).used.snippets]


def arm(statuses: tuple[ArmStatus, ...], name: str) -> ArmStatus:
    return next(status for status in statuses if status.name == name)


@pytest.fixture
async def told(home: Path) -> None:
    async with await start() as munin:
        await turn(munin, TOLD)
        await turn(munin, "I parked the car in the harbour garage")


def without_extension(patch: pytest.MonkeyPatch, manifest: EncoderManifest) -> None:
    patch.setitem(sys.modules, "sqlite_vec", None)


def without_encoder(patch: pytest.MonkeyPatch, manifest: EncoderManifest) -> None:
    async def empty_folder(*_: object) -> EncoderManifest:
        return dataclasses.replace(manifest, folder=paths.data_folder() / "nothing here")

    patch.setattr(services, "encoder_manifest", empty_folder)


def without_database(patch: pytest.MonkeyPatch, manifest: EncoderManifest) -> None:
    paths.memory_database().unlink()
    paths.memory_database().mkdir()


def without_words(patch: pytest.MonkeyPatch, manifest: EncoderManifest) -> None:
    execute("DROP TABLE word_data")


def execute(statement: str) -> None:
    connection = apsw.Connection(str(paths.memory_database()))
    connection.execute(statement)
    connection.close()


@pytest.mark.usefixtures("told")
@pytest.mark.parametrize(
    ("knock_out", "name", "state", "found", "found_unsaid"),
    [
        (without_extension, "vectors", ArmState.READY, [(TOLD, True)], [(TOLD, True)]),
        (without_encoder, "encoder", ArmState.OFF, [(TOLD, False)], []),
        (without_database, "database", ArmState.OFF, [], []),
    ],
)
async def test_chat_goes_on_and_the_other_arms_recall(
    monkeypatch: pytest.MonkeyPatch,
    manifest: EncoderManifest,
    knock_out: KnockOut,
    name: str,
    state: ArmState,
    found: list[tuple[str, bool]],
    found_unsaid: list[tuple[str, bool]],
) -> None:
    knock_out(monkeypatch, manifest)
    async with await start() as munin:
        assert (await recalled(munin, UNSAID))[:1] == found_unsaid
        assert (await recalled(munin, ASKED))[:1] == found
        for statuses in (await munin.memory.status(), await doctor.examine()):
            status = arm(statuses, name)
            assert status.state is state and status.detail and status.remedy


@pytest.mark.usefixtures("told")
async def test_a_lost_word_index_is_named_by_doctor_and_made_again_by_the_next_start(
    monkeypatch: pytest.MonkeyPatch, manifest: EncoderManifest
) -> None:
    without_words(monkeypatch, manifest)
    lost = arm(await doctor.examine(), "words")
    assert (lost.state, bool(lost.remedy)) == (ArmState.OFF, True)
    async with await start() as munin:
        assert (arm(await munin.memory.status(), "words")).state is ArmState.READY
        assert "shares" in (await munin.memory.recall(ASKED)).results[0].why


@pytest.mark.usefixtures("told")
async def test_a_word_index_that_is_lost_while_chat_runs_leaves_meaning(
    monkeypatch: pytest.MonkeyPatch, manifest: EncoderManifest
) -> None:
    async with await start() as munin:
        without_words(monkeypatch, manifest)
        status = arm(await munin.memory.status(), "words")
        assert status.state is ArmState.OFF and status.remedy
        (best, *_) = (await munin.memory.recall(ASKED)).results
        assert (best.memory.text, "shares" in best.why) == (TOLD, False)
        assert (await recalled(munin, UNSAID))[:1] == [(TOLD, True)]
        # what was said in that turn is remembered: the write that failed has made the index again
        assert (arm(await munin.memory.status(), "words")).state is ArmState.READY
        assert UNSAID in {memory.text for memory in await munin.memory.browse()}


@pytest.mark.usefixtures("told")
@pytest.mark.parametrize("way", ["message", "conversation", "time"])
async def test_a_deleted_database_is_made_again_without_what_was_forgotten(way: str) -> None:
    async with await start() as munin:
        secret = (await turn(munin, "The boathouse password is quokkafish seventeen")).user
        ids = {
            "message": {secret.id},
            "conversation": await munin.memory.indexed_ids(MemoryFilter(secret.conversation_id)),
            "time": await munin.memory.indexed_ids(MemoryFilter(since=secret.created_at)),
        }[way]
        assert secret.id in ids
        await munin.forgetting.forget_memories(ids)
        left = await munin.memory.indexed_ids()
    for file in paths.data_folder().glob("munin_memory.db*"):
        file.unlink()
    async with await start() as munin:
        await munin.memory.back_filled()
        assert await munin.memory.indexed_ids() == left and left
        assert (await munin.chats.message(secret.id)).memory is MemoryState.FORGOTTEN
        assert await recalled(munin, "What is the quokkafish boathouse password?") == []
        assert (await recalled(munin, ASKED))[:1] == [(TOLD, True)]
    held = b"".join(file.read_bytes() for file in paths.data_folder().glob("munin_memory.db*"))
    assert secret.text.encode() not in held
