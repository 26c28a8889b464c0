"""What a word shares with its inflected forms, in the languages that Munin knows: “vivía” and “vivo”, “gekauft” and “kaufe”.

Whatever changes a stem needs a migration that makes the word index anew: its rows are deleted by the stems they were put in by.
"""

import re
import unicodedata

from snowballstemmer.french_stemmer import FrenchStemmer
from snowballstemmer.spanish_stemmer import SpanishStemmer

from munin_app.memory.stop_words import Language

_ACCENTS = re.compile("[\u0300-\u036f]")
_UMLAUTS = str.maketrans("äöü", "aou")


class Stemmer:
    """Of one text, or of a run over many: knows the words it has met. For one thread; not kept, since words are the user's."""

    def __init__(self) -> None:
        self._stem = {
            Language.GERMAN: german,
            Language.SPANISH: SpanishStemmer().stemWord,
            Language.FRENCH: FrenchStemmer().stemWord,
        }
        self._known: dict[tuple[Language, str], str] = {}

    def stem(self, word: str, language: Language) -> str:
        """Of a lower-cased word; without accents, as the index keeps it. Not for English, which the tokenizer stems."""
        key = (language, word)
        if key not in self._known:
            self._known[key] = _plain(self._stem[language](unicodedata.normalize("NFC", word)))
        return self._known[key]


def german(word: str) -> str:
    """By the rules of CISTEM (Weissweiler and Fraser, 2017). Snowball leaves German participles as they are: “gekauft”."""
    word = word.translate(_UMLAUTS).replace("ß", "ss")
    if len(word) >= 6 and word.startswith("ge"):
        word = word[2:]
    # what sounds as one counts as one letter, and none of it is cut off
    word = word.replace("sch", "$").replace("ei", "%").replace("ie", "&")
    word = re.sub(r"(.)\1", r"\1*", word)
    while len(word) > 3:
        if len(word) > 5 and word.endswith(("em", "er", "nd")):
            word = word[:-2]
        elif word.endswith(("e", "s", "n", "t")):
            word = word[:-1]
        else:
            break
    word = re.sub(r"(.)\*", r"\1\1", word)
    return word.replace("&", "ie").replace("%", "ei").replace("$", "sch")


def _plain(stem: str) -> str:
    return unicodedata.normalize("NFC", _ACCENTS.sub("", unicodedata.normalize("NFD", stem)))
