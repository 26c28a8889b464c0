"""A sentence that the user asked to remember, turned into the third person: "my car is red" is "Car is red". English."""

import re

from munin_app.domain.facts import FACT_MAX_CHARACTERS
from munin_app.profile.english.values import third_person
from munin_app.profile.sentences import HIDDEN

_AUXILIARIES = (
    (r"(?:i'm|im|i am)", "Is"), (r"(?:i have|i've got)", "Has"), (r"i've", "Has"), (r"i was", "Was"), (r"i do", "Does"),
    (r"(?:i don't|i dont|i do not)", "Does not"), (r"(?:i can't|i cant|i cannot)", "Cannot"), (r"i can", "Can"),
     (r"(?:i will|i'll)", "Will"),
    (r"(?:i won't|i will not)", "Will not"), (r"(?:i haven't|i have not)", "Has not"), (r"i never", "Never"),
    (r"(?:i must not|i mustn't)", "Must not"), (r"(?:i should not|i shouldn't)", "Should not"),
    (r"(?:i didn't|i did not)", "Did not"), (r"i (?P<adverb>always|usually|often|sometimes|only)", ""),
)  # fmt: skip
_AUXILIARY = tuple((re.compile(rf"(?i)^{pattern}\s+"), by) for pattern, by in _AUXILIARIES)
_I_VERB = re.compile(r"(?i)^(?P<adverb>i (?:always |usually |often |sometimes |only |never )?)(?P<verb>[a-z]+)\b")
_PAST = re.compile(
    r"(?i)(?:ed|went|got|made|took|saw|came|had|found|gave|told|left|bought|built|lost|met|read|wrote|grew|won|broke"
    r"|said|sold|kept)$"
)
_REFUSED = re.compile(
    r"(?i)^(?:you|your|to|when|how|what|why|where|who|this|that|it|i said|i told|i want you|i need you|i would|i'd)\b"
    r"|\byou (?:are|must|should|will)\b"
)


def conjugate(verb: str) -> str:
    """The third person singular of a regular verb; a past form stays."""
    verb = verb.lower()
    if _PAST.search(verb):
        return verb
    if verb in ("go", "do"):
        return verb + "es"
    if re.search(r"(?:s|x|z|ch|sh)$", verb):
        return verb + "es"
    return verb[:-1] + "ies" if re.search(r"[^aeiou]y$", verb) else verb + "s"


def third_person_note(sentence: str) -> str | None:
    """None for what is about the assistant, an errand, or longer than a fact may be."""
    sentence = " ".join(sentence.split())
    if HIDDEN in sentence or _REFUSED.search(sentence) or len(sentence.split()) < 2:
        return None
    note = third_person(re.sub(r"(?i)^my\s+", "", _without_subject(sentence)))
    note = note[:1].upper() + note[1:]
    return note if len(note) <= FACT_MAX_CHARACTERS else None


def _without_subject(sentence: str) -> str:
    for pattern, by in _AUXILIARY:
        if by and pattern.match(sentence):
            rest = pattern.sub("", sentence, count=1)
            if by == "Never":
                first, _, others = rest.partition(" ")
                return f"Never {conjugate(first)} {others}"
            return f"{by} {rest}"
    found = _I_VERB.match(sentence)
    if not found:
        return sentence
    return f"{found['adverb'][2:]}{conjugate(found['verb'])}{sentence[found.end() :]}"
