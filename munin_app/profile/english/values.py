"""The value part of a fact: trimmed at clause boundaries, checked, and turned from the first to the third person. English."""

import re

from munin_app.profile.english.vocabulary import LIKABLE_THE, NO_LIKING, NO_PLACE, OF_THIS_CHAT, SENSED
from munin_app.profile.sentences import HIDDEN
from munin_app.profile.words import word_set

_THIS_SEASON = re.compile(r"\bthis (?:year|summer|winter|spring|autumn|fall|decade)\b")
VALUE_WORDS_MAX = 25
"""Words; `limits` shortens what is longer than a fact may be."""

_CUT = re.compile(
    rf"\s*[;:()!?{HIDDEN}]|\s+-{{1,2}}\s|\s*[–—]|\s*(?<!\bSt)(?<!\bMt)(?<!\bDr)\.(?:\s|$)|\s*,?\s*\b(?:because|since|but"
    rf"|although|though|whereas|while|which|who|whom|unless|until"
    r"|so(?! much| many)|as (?:i|it|a result)|even|except|and (?:i|it|he|she|they|we|you|that|then|so|would|will|can"
    r"|my)|thanks|thank you|please|lol|haha+)\b",
    re.I,
)
_TRAILING = re.compile(
    r"(?i)[\s,]+(?:now|currently|right now|at the moment|these days|nowadays|too|as well|any ?more|though|actually|btw"
    r"|by the way|a lot|very much|so much"
    r"|myself|instead|again|already|and|or|for now|at present|in general|overall|anyway|and all that|and so on|etc)[\s.,]*$"
)
_LIST = re.compile(
    r"(?i)^(?!.*,\s*(?:especially|particularly|mostly|honestly|usually|like"
    r"|including)\b)[\w' -]{1,40}(?:,\s*[\w' -]{1,40})*,?\s+(?:and|or)\s+[\w' -]{1,40}$"
)
_SMALL = word_set("of the and de la le van von der den du di da al el upon on in near st")
_PLACE_CUT = re.compile(
    r"(?i)(?<!town)(?<!village)(?<!city)(?<!suburb)(?<!island)\s+(?:with|for|where|when|after|before|and|or|as|at|from"
    r"|in (?:\d+|the (?:spring|summer|autumn|fall|winter))|about|to|by|last|this|next|now|alone|together|during|again|all"
    r"|most|right|ago|then|until|if|is|was|since"
    r"|currently|near)\b.*$"
)
_PLACE = re.compile(
    r"^(?:the |a (?:small |tiny |big |little |quiet |large )*(?:town|village|city|suburb|island|farm) (?:near|in"
    r"|outside|of|north of|south of|called) )?[^\W\d_][\w'.-]*(?:,? [^\W\d_][\w'.-]*){0,5}$"
)
_THIRD = (
    (r"\bI'?m\b|\bI am\b", "they are"),
    (r"\bI've\b|\bI have\b", "they have"),
    (r"\bI'll\b", "they will"),
    (r"\bI'd\b", "they would"),
    (r"\bI was\b", "they were"),
    (r"\bI\b|\b[Ww]e\b", "they"),
    (r"(?i)\b(?:myself|ourselves)\b", "themselves"),
    (r"(?i)\b(?:my|our)\b", "their"),
    (r"(?i)\b(?:mine|ours)\b", "theirs"),
    (r"\b[Mm]e\b|\bus\b", "them"),
)
_THIRD_PERSON = tuple((re.compile(pattern), by) for pattern, by in _THIRD)


def tidy(value: str) -> str:
    """Up to the end of its clause, without trailing adverbs; a list ("hiking, skiing and cooking") stays whole."""
    cut = _CUT.search(value)
    value = value[: cut.start()] if cut else value
    value = value.strip(" ,.'\"*_\n")
    if "," in value and not _LIST.match(value):
        value = _up_to_comma(value)
    while (shorter := _TRAILING.sub("", value)) != value:
        value = shorter
    return " ".join(value.strip(" ,.'\"*_").split())


def _up_to_comma(value: str) -> str:
    """The comma in "small, quiet hotels" or "a vintage, retro look" ends nothing."""
    head, _, rest = value.partition(",")
    goes_on = re.fullmatch(r"(?:.+ an? )?[a-z-]+", head) and len(rest.split()) > 1
    return f"{head},{rest.split(',')[0]}" if goes_on else head


def third_person(text: str) -> str:
    """ "my coffee black" is "their coffee black"."""
    for pattern, by in _THIRD_PERSON:
        text = pattern.sub(by, text)
    return text


def liking(value: str) -> str | None:
    """What a lasting liking may be about; None for "it", "this answer", "the second one"."""
    value = tidy(value)
    words = value.lower().split()
    if (
        not words
        or len(words) > VALUE_WORDS_MAX
        or (words[0] in NO_LIKING and not (words[0] == "all" and len(words) > 1))
        or OF_THIS_CHAT & set(_THIS_SEASON.sub("", value.lower()).split())
    ):
        return None
    if words[0] == "the" and not _is_likable_the(value.split()):
        return None
    if words[0] == "to" and (
        len(words) < 2
        or words[1]
        in {
            "know",
            "hear",
            "see",
            "ask",
            "say",
            "think",
            "point",
            "thank",
            "have",
            "get",
            "be",
            "believe",
            "imagine",
            "call",
            "add",
            "start",
            "make",
            "use",
            "do",
        }
    ):
        return None
    return third_person(value)


def _is_likable_the(words: list[str]) -> bool:
    """ "the sea", "the Beatles", "the smell of rain"; not "the idea of it", "the second one"."""
    if len(words) < 2:
        return False
    sensed = len(words) > 3 and bool(SENSED & {words[1].lower(), words[2].lower()})
    return words[1].lower() in LIKABLE_THE or words[1][0].isupper() or sensed or (words[1].lower() in ("color", "colour"))


def lasting(value: str) -> str | None:
    """A project, a goal, a habit: anything that is not about today or the task at hand."""
    value = tidy(value)
    words = value.lower().split()
    if (
        not words
        or len(words) > VALUE_WORDS_MAX
        or OF_THIS_CHAT & set(_THIS_SEASON.sub("", value.lower()).split())
        or words[0] in {"it", "something", "some", "how", "what"}
    ):
        return None
    return third_person(value)


def place(value: str) -> str | None:
    """ "oslo with my wife" is "Oslo"; None for "fear", "an apartment" and the like."""
    value = _CUT.sub("", value) if _CUT.match(value) else value[: found.start()] if (found := _CUT.search(value)) else value
    value = _join_region(_PLACE_CUT.sub("", value.strip(" ,.'\"\n")))
    words = value.split()
    if not words or len(words) > 8 or not _PLACE.match(value) or _is_no_place(words):
        return None
    if words[0].lower() in ("a", "an", "the"):
        return value if any(word[0].isupper() for word in words[1:]) else None
    if words[0][0].isupper():
        return value
    return " ".join(word if word in _SMALL else word[:1].upper() + word[1:] for word in words) if len(words) < 4 else None


def _is_no_place(words: list[str]) -> bool:
    first, last = words[0].lower(), words[-1].lower()
    return (first in NO_PLACE - {"a", "an", "the", "new"}) or last in NO_PLACE


def _join_region(value: str) -> str:
    """ "Oslo, Norway" stays; "Oslo, great city" is "Oslo"."""
    head, *rest = (part.strip() for part in value.split(","))
    for part in rest[:2]:
        if not part or not all(word[0].isupper() or word in _SMALL for word in part.split()) or len(part.split()) > 3:
            break
        head = f"{head}, {part}"
    return head
