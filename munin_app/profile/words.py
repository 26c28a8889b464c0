"""Folded, lightly stemmed words and their polarity: how two facts, or a fact and a quote, are compared.

English suffixes; negations of every language that the rules know; a word of another script stands for itself.
"""

import re
import unicodedata

HAN = re.compile(r"[\u3400-\u9fff]")
"""A character of Chinese, which is written without spaces and capitals."""
_TOKEN = re.compile(r"\w+(?:'\w+)*")


def word_set(text: str) -> frozenset[str]:
    return frozenset(text.split())


STOP_WORDS = word_set(
    """
    a an the and or of in on at to for from with by as is are am be been being was were do does did has have had i me
    my mine myself we us our ours he him his she her hers it its they them their theirs themselves you your this that
    these those there here so very really also just user called name named i'm i've i'd i'll we're we've it's that's
    too
    """
)
_NEGATIONS = word_set(
    """
    not no never none cannot nothing neither nor without hates hate hated dislike dislikes disliked avoid avoids detest detests
    loathe loathes nicht kein keine keinen keinem keiner nie niemals ohne hasse hasst vermeidet meidet nunca jamás odia odio
    detesta evita pas jamais aucun aucune sans déteste évite
    """
)
_CHINESE_NEGATION = re.compile(r"[不没沒]|讨厌|討厭|受不了|恨")
_LIKING = word_set(
    "like likes liked love loves loved enjoy enjoys adore adores hate hates hated dislike dislikes disliked detest"
    " detests loathe loathes stand"
)


def fold(text: str) -> str:
    """NFKC, case-folded, one apostrophe, single spaces."""
    return " ".join(unicodedata.normalize("NFKC", text).replace("’", "'").casefold().split())


def tokens(text: str) -> list[str]:
    return _TOKEN.findall(fold(text))


def stem(word: str) -> str:
    """A crude common form: "living", "lives" and "live" are one word. Not a dictionary form."""
    word = word.removesuffix("'s")
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    for suffix in ("ing", "ed", "es", "s"):
        rest = word.removesuffix(suffix)
        if rest != word and len(rest) >= 3 and not word.endswith("ss"):
            return _bare(rest)
    return _bare(word)


def _bare(word: str) -> str:
    """ "runn" is "run", "live" is "liv"; numbers stay."""
    if len(word) > 3 and word[-1] == word[-2] and word[-1] in "bdgmnprt":
        return word[:-1]
    return word[:-1] if len(word) > 3 and word.endswith("e") else word


def is_negation(word: str) -> bool:
    return word in _NEGATIONS or word.endswith("n't")


def count_negations(text: str) -> int:
    return sum(map(is_negation, tokens(text))) + len(_CHINESE_NEGATION.findall(text))


def is_negative(text: str) -> bool:
    """True for "does not like", "hates", "cannot stand"; two negations cancel each other."""
    return count_negations(text) % 2 == 1


def significant(text: str) -> frozenset[str]:
    """The stems that carry the meaning, without polarity: "Hates coffee" and "Likes coffee" have the same ones."""
    found = (word for word in tokens(text) if word not in STOP_WORDS)
    return frozenset("like" if word in _LIKING else stem(word) for word in found if word in _LIKING or not is_negation(word))
