"""The parts of a message in which a user speaks in earnest: no code, quotation, pasted text, question, hypothesis or role-play.

English triggers. Positions stay those of the message: what is hidden is overwritten, never cut out.
"""

import re
from dataclasses import dataclass

HIDDEN = "\x00"
_LONG_MESSAGE = 2000
"""Characters. What is longer was mostly pasted: only its first paragraph is looked at."""

_HIDE = (
    re.compile(r"(?ms)^[ \t]*(```|~~~).*?(?:^[ \t]*\1[^\n]*$|\Z)"),
    re.compile(r"```.*?(?:```|\Z)", re.S),
    re.compile(r"`[^`\n]+`"),
    re.compile(r"(?m)^[ \t]*>.*$"),
    re.compile(r'"[^"]{1,2000}(?:"|\Z)'),
    re.compile(r"[“„«][^”“»]{1,2000}(?:[”“»]|\Z)"),
    re.compile(r"(?<!\w)'(?:[^'\n]|(?<=\w)'(?=\w))+'(?!\w)"),
    re.compile(r"<[^<>\n]{1,200}>|https?://\S+|\S+@\S+\.\S+"),
)
_PASTED = re.compile(
    r"(?im)^[ \t]*[*#]{0,3}[ \t]*(?:(?:user|assistant|human|ai|bot|system|munin|chatgpt|me|you|from|subject)[*]{0,2}[ \t]*:"
    r"|dear [\w ]{1,30},)|\[/?INST\]|<\|"
)
_INVENTED = re.compile(
    r"(?i)\b(?:pretend|role-?play|act(?:ing)? (?:as|like)|imagine|suppose|supposing|hypothetical\w*|what if"
    r"|let's (?:say|play|pretend)"
    r"|you(?:'re| are) (?:now )?(?:an? |the |my )|from now on|in character|as if|picture this|in (?:my|the|this"
    r"|a) (?:dream|game|story|novel|book)"
    r"|my character|(?:the|this) (?:main )?character)\b"
)
_ABOUT_A_TEXT = re.compile(
    r"(?i)\b(?:translat\w+|summari[sz]\w+|proof-?read\w*|rewrite|rephrase|paraphrase|correct (?:this|the|my)"
    r"|fix (?:this|the|my) (?:text|grammar)"
    r"|(?:polish|improve|edit|check|shorten) (?:this|the|my) \w+|grammar"
    r"|(?:here(?:'s| is)|this is|below is|in) (?:my|the|a|this) (?:following )?(?:text|essay|letter|e-?mail|paragraph"
    r"|draft|sentence|transcript))\b"
)
_MADE_UP = re.compile(
    r"(?i)\b(?:write|tell|compose|create|continue|finish|generate|give|make)\b[^.?!\n]{0,40}\b(?:story|stories|poem"
    r"|song|lyrics|scene|script"
    r"|dialogue|novel|screenplay|joke|limerick|haiku|rap|monologue|fan ?fiction|tale|sketch|example sentences?|sample"
    r"|persona|bio)\b"
)
_COMPOSING = re.compile(
    r"(?i)^\W*(?:(?:please|can you|could you|would you|will you|munin|hey|now|ok(?:ay)?)[\s,]+)*"
    r"(?:write|draft|compose|generate|create|make|say|repeat|print|output|reply|respond|answer|add|save|store|append"
    r"|insert|type|echo|complete"
    r"|finish|continue|act|play|ignore|call yourself|start|begin)\b"
)
_QUESTION_WORD = (
    r"(?:what|who|whom|whose|where|when|why|how|which|do|does|did|is|are|am i|can|could|would|should|will|shall|may i"
    r"|have you|has"
    r"|isn't|aren't|don't you|won't|any (?:ideas?|tips?|suggestions?|advice|recommendations?|thoughts?))"
)
_QUESTION_START = re.compile(rf"(?i)^\W*(?:(?:hi|hey|hello|so|and|but|ok(?:ay)?|well|please|munin)[\s,]+)*{_QUESTION_WORD}\b")
_QUESTION_WITHIN = re.compile(
    rf"(?i)(?:[,;:–—]|\s-)\s*(?:(?:and|but|so)\s+)?{_QUESTION_WORD}\b|\b(?:and|but|so)\s+{_QUESTION_WORD}\b"
)
_CONDITION = re.compile(
    r"(?i)\b(?:if|unless|wish|whether|as though|would(?! (?:like|love) to\b)|could have|should have|might|maybe|perhaps"
    r"|assuming|in case|someday"
    r"|(?:he|she|they|you|people|everyone|everybody|someone|somebody|friends?|doctor|boss|mother|mom|mum|father|dad"
    r"|wife|husband|partner"
    r"|teacher|sister|brother|colleagues?)(?: always| often)? (?:says?|said|tells?|told|thinks?|thought|believes?"
    r"|claims?|keeps? saying)"
    r"|kidding|joking|just a joke|sarcas\w+|for example|e\.g\.|such as i)\b"
)
_CLAUSE_END = re.compile(r"[,;:()–—]|\s-\s|\b(?:and|but|so)\b", re.I)
_ABBREVIATION = re.compile(r"(?i)(?:\b(?:st|dr|mr|mrs|ms|prof|jr|sr|vs|e\.g|i\.e|approx|mt|ft)|\b[A-Z])\.$")
_END = re.compile(r"[.!?…]+(?=[\s\x00)\]]|\Z)|\n+|[。！？]+")


@dataclass(frozen=True, slots=True)
class Statement:
    """Part of one sentence that the user asserts; `text` is `masked[start:end]`."""

    text: str
    start: int
    end: int


def masked(text: str) -> str:
    """The message with everything that is not the user's own speech overwritten, character for character."""
    own = text.replace("’", "'").replace("‘", "'").replace("\t", " ").replace("\r", "\n")
    if len(own) > _LONG_MESSAGE:
        first = own[:_LONG_MESSAGE].split("\n\n")[0]
        own = first if len(first) < _LONG_MESSAGE else ""
    pasted = _PASTED.search(own)
    if pasted:
        own = own[: pasted.start()]
    for pattern in _HIDE:
        own = pattern.sub(lambda found: HIDDEN * len(found.group()), own)
    return own


def statements(text: str) -> tuple[Statement, ...]:
    """What the user asserts, in order; empty for a message that asks to work on a text or to make one up."""
    own = masked(text)
    if _ABOUT_A_TEXT.search(own):
        return ()
    begins = [found.start() for found in (_INVENTED.search(own), _MADE_UP.search(own)) if found]
    invented_from = min(begins, default=len(own) + 1)
    found: list[Statement] = []
    for start, end in _sentences(own):
        if end > invented_from:
            break
        asserted = _asserted(own[start:end])
        if asserted.strip(" \n" + HIDDEN):
            found.append(Statement(asserted, start, start + len(asserted)))
    return tuple(found)


def _sentences(own: str) -> list[tuple[int, int]]:
    spans, start = [], 0
    for end in _END.finditer(own):
        if end.group() == "." and _ABBREVIATION.search(own[start : end.end()]):
            continue
        spans.append((start, end.end()))
        start = end.end()
    return [*spans, (start, len(own))] if own[start:].strip() else spans


def _asserted(sentence: str) -> str:
    """The beginning of the sentence up to a question or a condition; empty when it starts with one."""
    if _COMPOSING.search(sentence) or _QUESTION_START.search(sentence):
        return ""
    if sentence.rstrip().endswith(("?", "？")):
        question = _QUESTION_WITHIN.search(sentence)
        if not question:
            return ""
        sentence = sentence[: question.start()]
    condition = _CONDITION.search(sentence)
    if not condition:
        return sentence
    ends = [end.start() for end in _CLAUSE_END.finditer(sentence, 0, condition.start())]
    return sentence[: ends[-1]] if ends else ""
