"""After each kind of forgetting, every file of the data folder is read byte by byte: no text, no token ids, no vector.

Real model, real encoder. Messages stay in munin.db where only a memory is forgotten: there each copy is accounted for.
"""

import asyncio
import shutil
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from llama_cpp import Llama

from munin_app.bootstrap import Munin, encoder_manifest, model_library
from munin_app.domain.memories import MemoryFilter
from munin_app.domain.messages import Role
from munin_app.memory.encoder import OnnxEmbedder

pytestmark = [pytest.mark.model, pytest.mark.slow]

SECRET = "The zanzibarite password of the boathouse is quokkafish seventeen"
TERMS = ("zanzibarit", "quokkafish")
"""As the word index spells them."""
ASKED = "What was the password of my boathouse?"
OTHER = "The neighbour repaired the north bridge before the storm. " * 14
"""Long enough for the model's state to be kept on disk."""
RUN = 4
"""Tokens in a row that give a text away."""


@dataclass(frozen=True)
class Told:
    """Where the secret is."""

    message_id: str
    created_at: int
    conversation_id: str
    asked_in: str
    """A conversation in whose prompt it was recalled."""


Erase = Callable[[Munin, Told], Awaitable[object]]


async def forget_one(munin: Munin, told: Told) -> object:
    return await munin.forgetting.forget_memories([told.message_id])


async def forget_a_conversation(munin: Munin, told: Told) -> object:
    return await munin.forgetting.forget_memories(await munin.memory.indexed_ids(MemoryFilter(told.conversation_id)))


async def forget_a_time(munin: Munin, told: Told) -> object:
    meant = MemoryFilter(since=told.created_at, before=told.created_at + 1)
    ids = await munin.memory.indexed_ids(meant)
    assert told.message_id in ids and len(ids) <= 2  # its reply may have begun in the same millisecond
    return await munin.forgetting.forget_memories(ids)


async def forget_everything(munin: Munin, told: Told) -> object:
    return await munin.forgetting.forget_all_memories()


async def delete_the_message(munin: Munin, told: Told) -> object:
    """“Delete these too”: with the replies that repeat it, here and in the other chat."""
    outcome = await munin.forgetting.forget_memories([told.message_id])
    return await munin.forgetting.delete_messages([message.id for message in (*outcome.sources, *outcome.replies)])


async def delete_the_conversation(munin: Munin, told: Told) -> object:
    await delete_the_message(munin, told)  # else the reply in the other chat repeats it
    await munin.forgetting.hide_conversation(told.conversation_id)
    return await munin.forgetting.erase_hidden()


async def clear_chats(munin: Munin, told: Told) -> object:
    return await munin.forgetting.clear_chats()


async def say(munin: Munin, text: str, conversation_id: str) -> None:
    await munin.controller.send(conversation_id, text)
    await munin.controller.drain()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("told") / "home"


@pytest.fixture(scope="module")
def told(folder: Path) -> Told:
    """A data folder after some turns in three conversations, closed."""

    async def tell() -> Told:
        async with await Munin.start() as munin:
            await munin.change_settings(max_reply_tokens=16, temperature=0.0, recall_timeout_ms=10_000)
            await munin.warm_up()
            first, second, third = [(await munin.controller.new_conversation()).id for _ in range(3)]
            await say(munin, OTHER, first)
            await say(munin, SECRET, first)
            await say(munin, OTHER, second)
            await say(munin, ASKED, second)
            await say(munin, OTHER, third)
            (source,) = [message for message in await munin.chats.messages(first) if message.text == SECRET]
            asked = [message for message in await munin.chats.messages(second) if message.role is Role.ASSISTANT][-1]
            assert source.id in {snippet.message_id for snippet in (await munin.chats.used_by(asked.id)).snippets}
            return Told(source.id, source.created_at, first, second)

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MUNIN_HOME", str(folder))
        return asyncio.run(tell())


@pytest.fixture(scope="module")
def traces(model_path: Path) -> dict[str, list[bytes]]:
    """What would give the secret away, by kind."""
    vocabulary = Llama(str(model_path), vocab_only=True, verbose=False)
    tokens, asked, other = (vocabulary.tokenize(text.encode(), add_bos=False, special=False) for text in (SECRET, ASKED, OTHER))
    vocabulary.close()
    secret = runs(tokens) - runs(asked) - runs(other)
    manifest = asyncio.run(encoder_manifest(model_library()))
    assert manifest is not None
    vector = OnnxEmbedder(manifest).embed_documents([SECRET])[0]
    quantised = np.rint(vector / (np.abs(vector).max() / 127)).astype(np.int8)
    return {
        "text": [SECRET.encode(), SECRET[4:-4].encode()],
        "text as utf-16": [SECRET.encode("utf-16-le"), SECRET.encode("utf-16-be")],
        "terms": [term.encode() for term in TERMS],
        "tokens": [", ".join(map(str, run)).encode() for run in secret],  # as in the headers of saved sessions
        "tokens as int32": [np.array(run, "<i4").tobytes() for run in secret],
        "vector": [vector.tobytes()[start : start + 64] for start in range(0, vector.nbytes, 64)],
        "quantised vector": [quantised.tobytes()[start : start + 32] for start in range(0, len(quantised), 32)],
    }


def runs(tokens: list[int]) -> set[tuple[int, ...]]:
    return {tuple(tokens[start : start + RUN]) for start in range(len(tokens) - RUN + 1)}


def holding(home: Path, traces: dict[str, list[bytes]]) -> set[tuple[str, str]]:
    """(file, kind of trace)"""
    found = set()
    for file in home.rglob("*"):
        if file.is_file():
            content = file.read_bytes()
            found |= {
                (str(file.relative_to(home)), kind) for kind, wanted in traces.items() if any(one in content for one in wanted)
            }
    return found


@pytest.fixture
def home(told: Told, folder: Path, home: Path) -> Path:
    shutil.copytree(folder, home)
    return home


EVERY_TRACE = {
    *((file, kind) for file in ("munin.db", "asked in", "told in") for kind in ("text", "terms")),
    *((file, "tokens") for file in ("asked in", "told in")),
    *(("munin_memory.db", kind) for kind in ("text", "terms", "vector")),
}
CHATS = {("munin.db", "text"), ("munin.db", "terms"), ("munin.db-wal", "text"), ("munin.db-wal", "terms")}
"""Where only a memory is forgotten, the message stays; its words too."""
STATES = {("told in", kind) for kind in ("text", "terms", "tokens")} | {("asked in", kind) for kind in ("terms", "tokens")}
"""Of the chats that still hold the message and the reply that repeats it."""

ERASING: list[tuple[Erase, set[tuple[str, str]]]] = [
    (forget_one, CHATS),
    (forget_a_conversation, CHATS),
    (forget_a_time, CHATS),
    (forget_everything, CHATS | STATES),
    (delete_the_message, set()),
    (delete_the_conversation, set()),
    (clear_chats, set()),
]


def test_before_it_is_all_there(home: Path, told: Told, traces: dict[str, list[bytes]]) -> None:
    assert named(holding(home, traces), home, told) >= EVERY_TRACE
    for kind, wanted in traces.items():  # those too that are on no disk in the first place
        (home / "copy").write_bytes(b"before" + wanted[-1] + b"after")
        assert ("copy", kind) in holding(home, traces)


@pytest.mark.parametrize(("erase", "may_stay"), ERASING, ids=[erase.__name__ for erase, _ in ERASING])
async def test_no_byte_stays(
    home: Path, told: Told, traces: dict[str, list[bytes]], erase: Erase, may_stay: set[tuple[str, str]]
) -> None:
    async with await Munin.start() as munin:
        await munin.warm_up()
        await munin.controller.open_conversation(told.conversation_id)  # its state lies in memory again
        await munin.controller.drain()
        await erase(munin, told)
        left = named(holding(home, traces), home, told)
        assert left <= may_stay
        assert not any(file == "asked in" for file, _ in left)
        if told.asked_in in await munin.chats.all_ids():
            await munin.controller.open_conversation(told.asked_in)  # its prompt is evaluated anew
            await munin.controller.drain()
        said = [message.text for chat in await munin.chats.all_ids() for message in await munin.chats.messages(chat)]
    assert named(holding(home, traces), home, told) <= may_stay
    assert (home / "munin.db").read_bytes().count(SECRET.encode()) == sum(text.count(SECRET) for text in said)


def named(found: set[tuple[str, str]], home: Path, told: Told) -> set[tuple[str, str]]:
    """Saved states by what they are the state of."""
    states = {"told in": told.conversation_id, "asked in": told.asked_in}

    def name(file: str) -> str:
        content = (home / file).read_bytes() if file.endswith(".kv") else b""
        return next((name for name, conversation in states.items() if conversation.encode() in content), file)

    return {(name(file), kind) for file, kind in found}
