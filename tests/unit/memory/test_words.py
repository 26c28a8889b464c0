"""What of a question is sought: its content words, in the language it is asked in; and what of a text can be found."""

from collections.abc import Iterator

import apsw
import pytest
from hypothesis import given
from hypothesis import strategies as st

from munin_app.domain.messages import Message, Role
from munin_app.memory import store, word_index, words
from munin_app.memory.schema import MIGRATIONS
from munin_app.storage.migrations import migrate
from tests.unit.memory.inflections import PAIRS


@pytest.fixture(scope="module")
def connection() -> Iterator[apsw.Connection]:
    connection = _empty()
    yield connection
    connection.close()


def _empty() -> apsw.Connection:
    connection = apsw.Connection(":memory:")
    connection.pragma("foreign_keys", True)
    migrate(connection, MIGRATIONS, name="test")
    words.prepare(connection)
    return connection


def _index(connection: apsw.Connection) -> list[tuple[object, ...]]:
    return connection.execute("SELECT * FROM temp.word_place").fetchall()


def _put(connection: apsw.Connection, text: str, id: str = "m") -> None:
    store.put_document(connection, Message(id, "c", None, Role.USER, text, 0), "shared", [text])


@pytest.mark.parametrize(
    ("question", "content"),
    [
        ("What is my dog called?", {"dog"}),
        ("When did my son go to war?", {"son", "war"}),
        ("Wie heißt mein Hund?", {"heisst", "hund"}),
        ("Wann war die Hochzeit meiner Schwester?", {"hochzeit", "schwester"}),
        ("¿Dónde vive mi hermana?", {"vive", "hermana"}),
        ("Où est-ce que j'ai garé la voiture ?", {"garé", "voiture"}),
        ("我的猫", {"我", "的", "猫"}),
        ("the of and", set()),
    ],
)
def test_stop_words_are_those_of_the_language(question: str, content: set[str], connection: apsw.Connection) -> None:
    assert set(words.sought(connection, question)) == content


def test_several_forms_of_a_word_are_sought_once(connection: apsw.Connection) -> None:
    assert list(words.sought(connection, "Wo wohne ich, wo habe ich gewohnt?")) == ["wohne"]


@pytest.mark.parametrize(("language", "least"), [("de", 24), ("es", 25), ("fr", 23), ("en", 8)])
def test_a_question_shares_a_word_with_its_text_in_another_form(language: str, least: int, connection: apsw.Connection) -> None:
    found = 0
    for question, text in PAIRS[language]:
        held = set(words.index_form(connection, text).split())
        found += any(stems & held for stems in words.sought(connection, question).values())
    assert found >= least


@given(st.text(max_size=60))
def test_each_word_of_any_text_is_found_and_goes_with_it(text: str) -> None:
    connection = _empty()
    _put(connection, text)
    terms = {row[0] for row in _index(connection)}
    assert all(stems & terms for stems in words.sought(connection, text).values())
    store.delete_documents(connection, ["m"])
    assert _index(connection) == []
    connection.close()


@pytest.mark.parametrize(
    ("question", "text"), [("Was I in München with Jonas?", "Ich war mit Jonas in München."), ("Rechnungen", "Rechnung bezahlen")]
)
def test_what_is_spelled_alike_meets_across_languages(question: str, text: str, connection: apsw.Connection) -> None:
    held = set(words.index_form(connection, text).split())
    assert any(stems & held for stems in words.sought(connection, question).values())


def test_an_index_of_english_stems_is_made_anew() -> None:
    connection = apsw.Connection(":memory:")
    migrate(connection, MIGRATIONS[:1], name="test")
    connection.execute("INSERT INTO document VALUES ('m', 'c', 'user', 0, 'shared')")
    text = "Ich habe gewohnt"
    connection.execute("INSERT INTO chunk (message_id, n, text, words, question) VALUES ('m', 0, ?, 3, 0)", (text,))
    connection.execute("INSERT INTO word (rowid, text) VALUES (1, ?)", (text,))
    migrate(connection, MIGRATIONS, name="test")
    words.prepare(connection)
    assert {row[0] for row in _index(connection)} >= {"gewohnt", "woh"}


def test_a_rebuilt_index_is_the_one_that_grew() -> None:
    connection = _empty()
    for number, (_, text) in enumerate(pair for pairs in PAIRS.values() for pair in pairs):
        _put(connection, text, str(number))
    before = _index(connection)
    connection.execute("INSERT INTO word (word) VALUES ('delete-all')")
    word_index.fill(connection)
    assert _index(connection) == before
    connection.close()
