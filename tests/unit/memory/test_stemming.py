"""Forms of a word share a stem. A stem that changes here needs a migration: rows are deleted from the index by their stems."""

import pytest

from munin_app.memory.stemming import Stemmer
from munin_app.memory.stop_words import Language


@pytest.mark.parametrize(
    ("language", "stem", "forms"),
    [
        (Language.GERMAN, "woh", "gewohnt wohne wohnen wohnt"),
        (Language.GERMAN, "kauf", "gekauft kaufe kaufst"),
        (Language.GERMAN, "hau", "haus häuser hauses"),
        (Language.GERMAN, "freu", "freue gefreut"),
        (Language.GERMAN, "arbei", "gearbeitet arbeite"),
        (Language.GERMAN, "see", "see"),
        (Language.SPANISH, "habl", "hablaba hablo habló hablo\u0301"),
        (Language.SPANISH, "cancion", "canción canciones"),
        (Language.FRENCH, "parl", "parlé parle parlais"),
        (Language.FRENCH, "cheval", "cheval chevaux"),
    ],
)
def test_forms_of_a_word_share_a_stem(language: Language, stem: str, forms: str) -> None:
    stemmer = Stemmer()
    assert {stemmer.stem(form, language) for form in forms.split()} == {stem}


@pytest.mark.parametrize("language", [Language.GERMAN, Language.SPANISH, Language.FRENCH])
@pytest.mark.parametrize("word", ["猫", "が", "가", "🎉", "42", "x"])
def test_what_has_no_forms_stays(word: str, language: Language) -> None:
    assert Stemmer().stem(word, language) == word
