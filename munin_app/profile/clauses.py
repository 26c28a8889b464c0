"""Splits what a user asserts into clauses that begin with their subject, so that rules can be anchored at the beginning.

"I live in Oslo and work as a nurse" is "I live in Oslo" and "I work as a nurse"; "my friend lives in Oslo" stays whole and
begins with somebody else.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from munin_app.profile.sentences import HIDDEN, Statement

ADVERBS = (
    r"(?:(?:really|also|just|currently|now|actually|still|absolutely|truly|particularly|especially|always|usually"
    r"|mostly|mainly|generally"
    r"|strongly|personally|honestly|definitely|recently|originally|both|simply|quite|deeply|totally|genuinely|very much"
    r"|only|kind of|sort of"
    r"|presently|proudly|officially|lately|normally|typically|often)\s+)*"
)
_REMEMBER = (
    r"(?:(?:can you |could you |would you |i want you to |i'd like you to )?(?:please )?(?:remember|note|keep in mind"
    r"|bear in mind|don't forget|do not forget))"
)
REMEMBER = re.compile(rf"(?i)\b{_REMEMBER}(?:\s+that\b|\s*:|,)\s*(?!to\b|when\b|how\b|what\b|you\b|your\b)")
LEAD = re.compile(
    r"(?i)\s*(?:(?:hi|hello|hey|hei|greetings|good (?:morning|evening|afternoon|day)|yes|yeah|yep|no|nope|nah|ok|okay"
    r"|well|so|also|oh|ah|and|but|plus"
    r"|actually|btw|by the way|fyi|for the record|(?:just )?so (?:that )?you know|for your information|as you (?:may "
    r"|might )?know|because|since"
    r"|as(?!\s+an?\b)|though|although|while|for context|some context|context|a bit about me|a little about me|about me"
    r"|please|thanks|thank you|sorry|munin"
    r"|there|everyone|all|anyway|honestly|personally|in fact|first(?: of all)?|firstly|secondly|second|currently"
    r"|these days|nowadays|lately"
    r"|at the moment|you should know|you (?:may|can|need to) know|you can|i think you should know"
    r"|i should (?:also )?(?:say|mention|add)|that"
    r"|i(?: just)? want(?:ed)? you to know|let me tell you|in general|generally|as for me|correction|update"
    r"|unfortunately|luckily|sadly"
    rf"|given|like i said|as i said|to be honest|as a rule|{_REMEMBER})\b[\s,:;!.\x00-]*(?:that\b[\s,:]*)?)*"
)
_BREAK = (
    r"(?:\s*[,;:()–—!]\s*|\s+-{1,2}\s+|\s+(?=(?:and|but|so|because|since|plus|though|although|while|as)\b))(?:(?:and"
    r"|but|so|because|since|plus|though|although|while|as)\s+)?(?:that\s+)?"
)
_SUBJECT = (
    r"(?:also\s+)?(?:i|i'm|im|i've|i'd|i'll|my|mine|we|we're|we've|our|call me|you|your|he|she|they|please|can|could"
    r"|would|what|how|where|who|when|why|do|does|it's|it|this)\b"
)
_VERB = (
    rf"{ADVERBS}(?:am|live|work|love|like|hate|enjoy|prefer|dislike|adore|speak|have|study|teach|moved|come|grew"
    rf"|was born|don't|do not|can't"
    r"|cannot|never|run|own|drive|play|avoid|refuse|detest|despise)\b"
)
_COMPLEMENT = (
    r"(?:an?\s|from\s|originally from\s|\d{1,3}(?:\s+years|\s*$|\s*,|\s+and\b)|allergic\b|vegetarian\b|vegan\b"
    r"|married\b|based in\b|living in\b|working\b)"
)
_NEXT = re.compile(rf"(?i){_BREAK}(?:(?P<subject>(?={_SUBJECT}))|(?P<verb>(?={_VERB}))|(?P<complement>(?={_COMPLEMENT})))")
_SUBJECT_I = re.compile(r"(?i)(?:i|we)\b")
_I_AM = re.compile(r"(?i)(?:i'?m|i am|my name is|my name's|call me)\s")
_UNREAL = re.compile(
    r"(?i)(?:i|we)\b[^,]*?\b(?:want|wanted|hope|plan|planning|like to|love to|would|used to|don't|didn't|do not|decided"
    r"|need|try|trying|going to"
    r"|hate|never|not|about to|thinking|considering|dream)\b"
)
_TASTE = re.compile(r"(?i)i (?:hate|do(?:n't| not) (?:like|eat|drink)|(?:like|love) to)\b")


@dataclass(frozen=True, slots=True)
class Clause:
    text: str
    """Begins with its subject, which may be supplied: "I work as a nurse"."""
    start: int
    """Where it begins in the message."""
    supplied: int = 0
    """Characters at the beginning of `text` that are not in the message."""
    to_remember: bool = False
    """The user asked to remember it."""

    def position(self, at: int) -> int:
        """Of a character of `text` in the message."""
        return self.start + max(0, at - self.supplied)


_SUPPLIED = {"subject": "", "verb": "I ", "complement": "I'm ", "dangling": ""}


def clauses(statement: Statement) -> Iterator[Clause]:
    """Left to right. A part without a subject gets the one before it, if that was real ("I want to …" is not)."""
    remember = REMEMBER.search(statement.text)
    for start, end, kind in _parts(statement.text):
        lead = LEAD.match(statement.text, start, end)
        begin = lead.end() if lead else start
        supplied = _SUPPLIED[kind]
        text = (supplied + statement.text[begin:end]).rstrip(" \n" + HIDDEN)
        if statement.text[begin:end].strip(" .\n" + HIDDEN):
            yield Clause(text, statement.start + begin, len(supplied), bool(remember and remember.end() <= begin))


def _parts(text: str) -> Iterator[tuple[int, int, str]]:
    """Start, end and kind of each part."""
    lead = LEAD.match(text)
    start, kind, subject_at = 0, "subject", lead.end() if lead else 0
    for found in _NEXT.finditer(text, subject_at):
        wanted = _kind(str(found.lastgroup), text[subject_at : found.start()])
        if not wanted:
            continue
        yield start, found.start(), kind
        start, kind = found.end(), wanted
        subject_at = found.end() if wanted == "subject" else subject_at
    yield start, len(text), kind


def _kind(wanted: str, before: str) -> str:
    """Empty where there is no break: ", a cat" goes on with a list unless the subject just said what it is."""
    if wanted == "complement":
        return wanted if _I_AM.match(before) and not _UNREAL.match(before) else ""
    if wanted == "verb":
        return wanted if _SUBJECT_I.match(before) and (_TASTE.match(before) or not _UNREAL.match(before)) else "dangling"
    return wanted
