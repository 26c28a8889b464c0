"""The story of the first page, in the terminal: said in one process, known in the next, forgotten for good."""

from itertools import pairwise
from pathlib import Path

import pytest

from munin_app.chat.schema import MIGRATIONS
from munin_app.storage.database import Database
from tests.e2e.terminal import lines, munin, refused, turn, turns

pytestmark = pytest.mark.model

LONG_ASIDE = "The ferry was late again, the harbour smelled of tar, and nobody had seen the old lighthouse keeper. " * 8
"""Long enough for the state of the chat to be worth keeping on disk."""


def test_what_was_said_is_known_in_a_new_process_and_a_new_conversation_without_any_network(home: Path) -> None:
    told = turn(home, "My name is Ada and I live in Oslo")
    assert told["status"] == "completed" and told["reply"]
    assert {one["quote"] for one in told["learned"]} and told["recalled"] == []

    asked = turn(home, "What is my name?", "--new")
    assert asked["conversation"] != told["conversation"]
    facts = {fact["text"]: fact["message"] for fact in asked["facts"]}
    assert any("Ada" in text for text in facts) and any("Oslo" in text for text in facts)
    assert set(facts.values()) == {told["message"]}
    assert refused(home) == []


def test_something_said_thirty_messages_ago_elsewhere_is_recalled_and_the_unsaid_is_not(home: Path) -> None:
    said = turn(home, "The spare key to the boathouse is hidden under the blue flowerpot.")
    since = turns(
        home, [f"Say something about the number {number + 3}." for number in range(15)], "--conversation", said["conversation"]
    )
    assert 2 * len(since) == 30

    asked = turn(home, "Where is the spare boathouse key hidden?", "--new")
    (snippet,) = [one for one in asked["recalled"] if one["message"] == said["message"]]
    assert "flowerpot" in snippet["text"] and snippet["conversation"] == said["conversation"]
    assert 0.3 < snippet["similarity"] <= 1 and snippet["why"]
    assert len(asked["recalled"]) <= 3

    assert turn(home, "What is the boiling point of tungsten?", "--new")["recalled"] == []


def test_the_memories_of_one_conversation_are_forgotten_together(home: Path) -> None:
    boat = turn(home, "The boat is called Wren")["conversation"]
    dog = turn(home, "The dog sleeps at noon", "--new")["conversation"]
    munin(home, "memory", "forget", expect=2)
    munin(home, "memory", "forget", "--conversation", boat, "--since", "2020-01-31", "--yes")
    left = lines(munin(home, "memory", "list", "--json"))
    assert left and {memory["conversation_id"] for memory in left} == {dog}


def test_a_forgotten_fact_leaves_every_file_but_its_chat_message_and_does_not_come_back(home: Path) -> None:
    told = turn(home, f"My name is Zebulonia and I live in Oslo. {LONG_ASIDE}")
    turn(home, "What is my name?")
    assert saved_sessions(home)  # the model's state of the chat, which holds the name as token ids
    fact = next(fact for fact in lines(munin(home, "memory", "facts", "--json")) if "Zebulonia" in fact["text"])
    (forgotten,) = lines(munin(home, "memory", "forget", fact["id"], "--json"))
    assert forgotten["failures"] == [] and told["message"] in forgotten["sources"]

    assert files_that_hold(home, b"zebulonia") <= {"munin.db"} and saved_sessions(home) == []
    for text in ("What is my name?", "Do you remember who I am?", "Tell me about Oslo."):
        again = turn(home, text)
        assert not any("Zebulonia" in fact["text"] for fact in again["facts"])
        assert not any("Zebulonia" in one["text"] for one in (*again["recalled"], *again["learned"]))
        assert "zebulonia" not in again["reply"].lower()
    assert not any("Zebulonia" in fact["text"] for fact in lines(munin(home, "memory", "facts", "--json")))
    assert files_that_hold(home, b"zebulonia") <= {"munin.db"}


async def test_in_the_chat_database_too_only_chat_messages_hold_what_was_forgotten(home: Path) -> None:
    turn(home, "My name is Zebulonia and I live in Oslo")
    turn(home, "What is my name?", "--new")
    fact = next(fact for fact in lines(munin(home, "memory", "facts", "--json")) if "Zebulonia" in fact["text"])
    munin(home, "memory", "forget", fact["id"])
    database = Database(home / "munin.db", MIGRATIONS, read_only=True)
    await database.open()
    parts = await database.read(lambda connection: connection.execute("SELECT text FROM prompt_part").fetchall())
    titles = await database.read(lambda connection: connection.execute("SELECT title FROM conversation").fetchall())
    await database.close()
    assert parts and not any("zebulonia" in text.lower() for (text,) in (*parts, *titles))


def test_thirty_turns_with_memory_and_learning_on_evaluate_only_their_own_tokens(home: Path) -> None:
    turn(home, "The boathouse key hangs behind the green door. I like rowing.")
    said = [
        "My name is Ada.",
        "I live in Oslo.",
        "I work as a nurse.",
        "I moved to Bergen.",
        "Where does the boathouse key hang?",
    ]
    texts = [said[number] if number < len(said) else f"Say one thing about the number {number}." for number in range(30)]
    told = turns(home, texts, "--new")
    assert len(told) == 30 and any(one["recalled"] for one in told) and any(one["learned"] for one in told)
    for earlier, later in pairwise(one["tokens"] for one in told):
        before = earlier["evaluated"] + earlier["reused"] + earlier["generated"]
        assert 0 <= before - later["reused"] <= 1  # the last token of a reply that ran into its limit is not evaluated yet
        assert later["evaluated"] < 200


def saved_sessions(home: Path) -> list[str]:
    return [path.name for path in (home / "sessions").iterdir()]


def files_that_hold(home: Path, wanted: bytes) -> set[str]:
    return {path.name for path in home.rglob("*") if path.is_file() and wanted in path.read_bytes().lower()}
