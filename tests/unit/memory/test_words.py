"""What of a question is sought: its content words, in the language it is asked in."""

import apsw
import pytest

from munin_app.memory.words import stems


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
def test_stop_words_are_those_of_the_language(question: str, content: set[str]) -> None:
    assert set(stems(apsw.Connection(":memory:"), question).values()) == content
