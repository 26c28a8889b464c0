"""How fast memory finds in a store of a given size, beside the least that both arms could cost over the same rows.

The memories are made up: words as frequent as in chats (by Zipf's law), 34 of them on average, in conversations of some
twenty turns; vectors by hashing those words. A recall does the same work with them as with real ones.
"""

import json
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import median, quantiles
from typing import TYPE_CHECKING, Any

import apsw
import numpy as np
import psutil

from munin_app.domain.memories import SHARED
from munin_app.domain.messages import Message, Role
from munin_app.memory import EncoderManifest, MemoryService, store
from munin_app.memory.hashing import HashEmbedder
from munin_app.memory.opening import open_memory
from munin_app.memory.stop_words import Language, stop_words_of
from munin_app.memory.words import sought
from munin_app.storage.database import Database

if TYPE_CHECKING:
    from numpy.typing import NDArray

DIMENSION = 384
WORDS_EACH = 34
TURNS_EACH = 20
VOCABULARY = 30_000
STOP_WORDS = sorted(stop_words_of(Language.ENGLISH))
"""The most frequent words, as in chats: some 45 % of what is said. They also make the language plain."""
BATCH = 2_000
WARM_UP = 10
DAY_MS = 86_400_000

Progress = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Plan:
    memories: int = 100_000
    queries: int = 200
    remembered: int = 100


class TimedEmbedder(HashEmbedder):
    """Knows how long it took, so that remembering can be told from embedding."""

    spent_ms = 0.0

    def embed_documents(self, texts: Any) -> "NDArray[np.float32]":
        started = time.perf_counter()
        vectors = super().embed_documents(texts)
        self.spent_ms += (time.perf_counter() - started) * 1000
        return vectors


class Life:
    """Made-up messages and questions, the same in every run."""

    def __init__(self) -> None:
        self._random = np.random.default_rng(1)
        rank = np.arange(1, VOCABULARY + 1)
        self._cumulative = np.cumsum(1 / (rank + 2.7))
        self._cumulative /= self._cumulative[-1]
        syllables = [a + b for a in "bdfgklmnprstvz" for b in "aeiou"]
        self._words = STOP_WORDS + [
            "".join(syllables[n // 70**k % 70] for k in range(2 + n % 2)) + syllables[n % 70]
            for n in range(len(STOP_WORDS), VOCABULARY)
        ]

    def messages(self, count: int) -> Iterator[Message]:
        for n in range(count):
            role = Role.USER if n % 2 == 0 else Role.ASSISTANT
            text = self._sentence(max(3, int(self._random.gamma(3, WORDS_EACH / 3))))
            yield Message(f"m{n:07}", f"c{n // TURNS_EACH}", None, role, text, n * DAY_MS // 90)

    def question(self) -> str:
        """Six content words, rarer than in an average text, as in questions."""
        first = len(STOP_WORDS)
        return " ".join(self._words[first + n] for n in self._ranks(6) if first + n < VOCABULARY) + "?"

    def _sentence(self, words: int) -> str:
        return " ".join(self._words[n] for n in self._ranks(words))

    def _ranks(self, count: int) -> list[int]:
        found: list[int] = np.searchsorted(self._cumulative, self._random.random(count)).tolist()
        return found


def manifest_of_bench() -> EncoderManifest:
    return EncoderManifest("bench", Path("none"), DIMENSION)


async def measure(plan: Plan, progress: Progress) -> dict[str, Any]:
    """Times in milliseconds, memory in megabytes."""
    manifest = manifest_of_bench()
    encoder, life = TimedEmbedder(manifest), Life()
    with tempfile.TemporaryDirectory(prefix="munin-bench-") as folder:
        path = Path(folder) / "munin_memory.db"
        await fill(path, life, encoder, plan.memories, progress)
        memory = MemoryService(path, manifest, load_encoder=lambda _: encoder)
        try:
            before = psutil.Process().memory_info().rss
            started = time.perf_counter()
            await memory.recall(life.question())
            first = (time.perf_counter() - started) * 1000
            resident = psutil.Process().memory_info().rss
            progress("asking")
            ours, bare = await _ask(memory, path, life, encoder, plan)
            remember = await _remember(memory, life, encoder, plan)
        finally:
            await memory.close()
    return {
        "memories": plan.memories,
        "queries": plan.queries,
        "recall_ms": spread(ours),
        "bare_ms": spread(bare),
        "ratio_p95": spread(ours)["p95"] / spread(bare)["p95"],
        "first_recall_ms": first,
        "remember_beyond_embedding_ms": spread(remember),
        "process_mb": resident / 1e6,
        "rows_mb": (resident - before) / 1e6,
    }


async def fill(path: Path, life: Life, encoder: HashEmbedder, count: int, progress: Progress) -> None:
    """Straight into the database, many to a transaction: each `remember` would wait for the disk."""
    database = (await open_memory(path, read_only=False, extension=False)).database
    assert database is not None
    await database.write(lambda connection: store.adopt_encoder(connection, encoder.model_id, encoder.dimension))
    messages = list(life.messages(count))
    for start in range(0, count, BATCH):
        await _put(database, messages[start : start + BATCH], encoder)
        if start % 10_000 == 0:
            progress(f"{start} of {count} memories are there")
    await database.close()


async def _put(database: Database, messages: list[Message], encoder: HashEmbedder) -> None:
    def put(connection: apsw.Connection) -> None:
        for message in messages:
            chunks = store.put_document(connection, message, SHARED, [message.text])
            vectors = [(chunk_id, encoder.embed_query(text)) for chunk_id, text in chunks]
            store.set_embeddings(connection, vectors, (encoder.model_id, encoder.dimension))

    await database.write(put)


async def _ask(
    memory: MemoryService, path: Path, life: Life, encoder: HashEmbedder, plan: Plan
) -> tuple[list[float], list[float]]:
    """Ours and the bare one in turn, so that both see the same machine."""
    database = (await open_memory(path, read_only=True, extension=False)).database
    assert database is not None
    blobs = await database.read(lambda connection: b"".join(row[0] for row in connection.execute("SELECT embedding FROM chunk")))
    matrix = np.frombuffer(blobs, np.float32).reshape(-1, DIMENSION)
    ours, bare = [], []
    for n in range(plan.queries + WARM_UP):
        question = life.question()
        outcome = await memory.recall(question)
        vector = encoder.embed_query(question)
        spent = await database.read(lambda connection: _bare(connection, matrix, question, vector))  # noqa: B023  # called at once
        if n >= WARM_UP:
            ours.append(outcome.search_ms)
            bare.append(spent)
    await database.close()
    return ours, bare


def _bare(connection: apsw.Connection, matrix: "NDArray[np.float32]", question: str, vector: "NDArray[np.float32]") -> float:
    match = " OR ".join(json.dumps(stem) for stems in sought(connection, question).values() for stem in stems)
    started = time.perf_counter()
    connection.execute("SELECT rowid FROM word WHERE word MATCH ? ORDER BY bm25(word) LIMIT 50", (match,)).fetchall()
    matrix @ vector
    return (time.perf_counter() - started) * 1000


async def _remember(memory: MemoryService, life: Life, encoder: TimedEmbedder, plan: Plan) -> list[float]:
    spent = []
    for n, message in enumerate(life.messages(plan.remembered)):
        encoder.spent_ms = 0.0
        started = time.perf_counter()
        await memory.remember(Message(f"new{n}", "new", None, message.role, message.text, message.created_at))
        spent.append((time.perf_counter() - started) * 1000 - encoder.spent_ms)
    return spent


def spread(values: list[float]) -> dict[str, float]:
    return {"p50": median(values), "p95": quantiles(values, n=20, method="inclusive")[-1]}


def table(shown: dict[str, Any]) -> Iterator[str]:
    yield f"{shown['memories']:,} memories, {shown['queries']} questions, embedding left out"
    for name, label in (
        ("recall_ms", "recall"),
        ("bare_ms", "one FTS5 query + one matrix product"),
        ("remember_beyond_embedding_ms", "remember, durable"),
    ):
        yield f"  {label:36} p50 {shown[name]['p50']:7.1f} ms   p95 {shown[name]['p95']:7.1f} ms"
    yield f"  ratio at p95: {shown['ratio_p95']:.2f} (to be 2 at most)"
    yield f"  first recall, reading all rows: {shown['first_recall_ms']:.0f} ms"
    yield f"  process: {shown['process_mb']:.0f} MB, of which rows in memory {shown['rows_mb']:.0f} MB"
