"""Rules for what the speaker likes, avoids, prefers and does for pleasure. English."""

import re

from munin_app.profile.english.notes import conjugate
from munin_app.profile.english.patterns import END, WE, WE_ARE
from munin_app.profile.english.values import lasting, liking, third_person, tidy
from munin_app.profile.english.vocabulary import OF_THIS_CHAT
from munin_app.profile.findings import Description
from munin_app.profile.rule import Rule, rule, said

_THIRD = {
    "can't stand": "Cannot stand", "cannot stand": "Cannot stand", "can not stand": "Cannot stand", "can't bear": "Cannot bear",
    "cant stand": "Cannot stand", "can't handle": "Cannot handle", "cannot handle": "Cannot handle",
    "can't tolerate": "Cannot tolerate", "cannot tolerate": "Cannot tolerate", "don't mind": "Does not mind",
}  # fmt: skip
_VERBS = (
    r"(?:love|like|enjoy|adore|hate|dislike|prefer|detest|loathe|despise|avoid|favou?r|prioriti[sz]e|value|appreciate|admire|fear"
    r"|can't stand|cant stand|cannot stand|can not stand|can't bear|can't tolerate|cannot tolerate|can't handle|cannot handle)"
)
_OPTIONAL = r"(?:really |particularly |even |much |especially |actually |usually )?"
_MEASURE = (
    r"(?:very |extremely |severely |deeply |strongly |incredibly |really |quite |rather |so |pretty |totally |a bit "
    r"|too |super )*"
)
_FEELING = (
    r"(?:aversion|dislike|distaste|disdain|preference|fear|phobia|objection|objections|interest|passion|love|soft spot"
    r"|weakness|hatred"
    r"|sensitivity|fondness|sweet tooth|obsession|thing|allergy)"
)
_JUDGED = (
    r"(?:boring|annoying|relaxing|exciting|fascinating|disgusting|gross|overrated|underrated|uncomfortable|disorienting"
    r"|unsettling"
    r"|stressful|exhausting|soothing|calming|depressing|distracting|overwhelming|tedious|fun|funny|beautiful|ugly|delicious"
    r"|terrifying"
    r"|scary|pretentious|therapeutic|off-putting|unappealing|tacky|too \w+|claustrophobic|nauseating|demotivating|disturbing"
    r"|pointless)"
)
_GAMES = (
    r"(?:piano|guitar|violin|cello|viola|drums|bass|double bass|flute|clarinet|oboe|trumpet|trombone|saxophone|sax|harp|banjo"
    r"|ukulele"
    r"|accordion|organ|keyboard|harmonica|tennis|football|soccer|basketball|volleyball|badminton|hockey|ice hockey|rugby"
    r"|cricket|golf"
    r"|squash|chess|poker|go|bridge|baseball|softball|handball|table tennis|ping pong|padel|darts|pool|bowls|dungeons and "
    r"dragons|d&d"
    r"|board games|video games|videogames|lacrosse|water polo|frisbee|pickleball|mahjong|scrabble)"
)
_PASTIMES = (
    r"(?:hiking|climbing|swimming|running|jogging|cycling|skiing|surfing|sailing|fishing|hunting|camping|dancing|bouldering"
    r"|kayaking"
    r"|birdwatching|birding|diving|snowboarding|skating|rowing|riding|yoga|pilates|karate|judo|crossfit|gardening|knitting)"
)
_HABITS = (
    r"(?:use|wear|eat|drink|buy|watch|listen to|read|consume|drive|stay (?:at|in)|follow|adopt|consider|shop|travel|fly"
    r"|date|play|want|dine|choose|book|work with|trust|cook|own|keep|purchase|get|take)"
)


def _liking(match: re.Match[str]) -> Description | None:
    value = liking(match["value"])
    if not value or re.match(r"(?i)(?:it|that|this|your|the (?:answer|way|fact|idea))\b", match["value"]):
        return None
    verb = match["verb"].lower()
    return Description(f"{_THIRD.get(verb) or conjugate(verb).capitalize()} {value}", "preference", value)


def _not_liking(match: re.Match[str]) -> Description | None:
    value = liking(match["value"])
    return Description(f"Does not {match['verb'].lower()} {value}", "preference", value) if value else None


def _favourite(match: re.Match[str]) -> Description | None:
    kind, value = match["kind"].lower(), tidy(match["value"])
    vague = not value or value.split()[0].lower() in {
        "when", "that", "this", "the", "probably", "not", "how", "what", "it", "those", "these",
    }  # fmt: skip
    if kind.split()[0] in {"part", "thing", "bit", "one", "of", "answer"} or (
        vague and not (value[:4].lower() == "the " and value[4:5].isupper())
    ):
        return None
    spelling = match["favourite"].lower()
    return Description(f"{spelling.capitalize()} {kind} is {third_person(value)}", "preference", third_person(value))


def _rather(match: re.Match[str]) -> Description | None:
    value = lasting(match["value"])
    refused = not value or " than " not in value or value.split()[0] in {"not", "be", "you", "have"}
    return None if refused or not value else Description(f"Would rather {value}", "preference", value)


def _habit(match: re.Match[str]) -> Description | None:
    """ "I only wear wool" is "Only wears wool"; "I don't use plastic bags" is "Does not use plastic bags"."""
    value = liking(match["value"])
    if not value:
        return None
    how, verb = re.sub(r"(?i)^will ", "", match["how"].lower().strip()), match["verb"].lower()
    if how in ("don't", "dont", "do not", "won't", "will not", "not"):
        return Description(f"Does not {verb} {value}", "preference", f"{verb} {value}", certain=verb in _PERSONAL)
    first, _, rest = verb.partition(" ")
    conjugated = " ".join(filter(None, (conjugate(first), rest)))
    return Description(
        f"{how.capitalize()} {conjugated} {value}", "preference", f"{conjugated} {value}", certain=verb in _PERSONAL
    )


_PERSONAL = {"wear", "eat", "drink", "listen to", "watch", "drive", "date", "shop", "fly", "dine", "consume", "read"}


def _judging(match: re.Match[str]) -> Description | None:
    value = liking(match["value"])
    if not value or value.split()[0].lower() in {"the", "it", "myself", "themselves", "most", "a"}:
        return None
    return Description(f"Finds {value} {match['judgement'].lower()}", "preference", f"{value} {match['judgement'].lower()}")


def _feeling(match: re.Match[str]) -> Description | None:
    value = liking(match["value"])
    what = match["feeling"].lower()
    return Description(f"Has {what} {value}", "preference", value) if value else None


def _state(match: re.Match[str]) -> Description | None:
    value = liking(match["value"])
    state = match["state"].lower()
    return Description(f"Is {state} {value}", "preference", value) if value else None


def _verb(match: re.Match[str]) -> Description | None:
    """A lasting attitude in other words than liking: for review."""
    value = lasting(match["value"])
    if not value or OF_THIS_CHAT & set(value.lower().split()):
        return None
    first, _, rest = match["verb"].lower().partition(" ")
    verb = " ".join(filter(None, (conjugate(first), rest)))
    return Description(f"{verb[:1].upper()}{verb[1:]} {value}", "preference", value, certain=False)


def _consuming(match: re.Match[str]) -> Description | None:
    """Only what is a habit by its wording: "mostly", "a lot of"."""
    value = liking(match["value"])
    habitual = re.search(r"(?i)\b(?:mostly|mainly|always|usually|often|a lot of|lots of|tons of)\b", match.group())
    first, _, rest = match["verb"].lower().partition(" ")
    verb = " ".join(filter(None, (conjugate(first), rest)))
    return Description(f"{verb.capitalize()} {value}", "preference", value) if value and habitual else None


def _always(match: re.Match[str]) -> Description | None:
    value = liking(match["value"])
    return Description(f"Has always {match['verb'].lower()} {value}", "preference", value) if value else None


def _played(match: re.Match[str]) -> Description:
    value = " ".join(match["value"].split())
    return Description(f"Plays {value}", "preference", value)


RULES: tuple[Rule, ...] = (
    rule(
        "favourite",
        r"(?P<value>(?!it\b|this|that|which|what|he|she|they|you|there|here)[\w' -]+?) (?:is|are) my (?:all[- ]time |absolute )?"
        r"(?P<favourite>favou?rite) (?P<kind>[\w' -]+)$",
        _favourite,
    ),
    rule(
        "dislikes",
        r"(?:definitely |really )?not (?:really |much of )?(?:an? (?:\w+ )?fan of|into|keen on) (?P<value>.+)",
        said("preference", "Does not like {}", liking),
    ),
    rule(
        "likes",
        rf"{WE}(?:can't|cannot|cant) (?:live without|get enough of) (?P<value>.+)",
        said("preference", "Likes {}", liking),
    ),
    rule("likes", rf"{WE_ARE}(?:big on|a sucker for|huge on|in love with) (?P<value>.+)", said("preference", "Likes {}", liking)),
    rule(
        "favourite",
        r"my (?:all[- ]time |absolute |personal )?(?P<favourite>favou?rite) (?P<kind>[\w' -]+?)(?:'s| is| are|:) (?P<value>.+)",
        _favourite,
    ),
    rule("hobby", r"my (?:main )?hobby is (?P<value>.+)", said("preference", "Hobby is {}", liking)),
    rule("hobby", r"my (?:main )?hobbies (?:are|include) (?P<value>.+)", said("preference", "Hobbies are {}", liking)),
    rule("dislikes", rf"{WE}(?:would )?prefer not to (?P<value>.+)", said("preference", "Prefers not to {}", lasting)),
    rule("dislikes", rf"{WE}prefer not (?P<value>\w+ing .+)", said("preference", "Prefers not {}", lasting)),
    rule("dislikes", rf"{WE}(?:would )?prefer to avoid (?P<value>.+)", said("preference", "Prefers to avoid {}", liking)),
    rule("likes", rf"{WE}prefer to (?P<value>.+)", said("preference", "Prefers to {}", lasting)),
    rule(
        "dislikes",
        rf"{WE}(?:try to|tend to|must|need to|have to|has to) avoid (?P<value>.+)",
        said("preference", "Avoids {}", liking),
    ),
    rule(
        "dislikes", rf"{WE_ARE}trying to (?:avoid|cut out|stay away from) (?P<value>.+)", said("preference", "Avoids {}", liking)
    ),
    rule("dislikes", rf"{WE}refuse to (?P<value>.+)", said("preference", "Refuses to {}", lasting)),
    rule("rather", r"(?:i'd|i would|id) rather (?P<value>.+)", _rather),
    rule("likes", rf"{WE}(?P<verb>{_VERBS}) (?P<value>.+)", _liking),
    rule(
        "dislikes",
        rf"{WE}(?:don't|dont|do not|never|didn't) {_OPTIONAL}(?P<verb>like|enjoy|love|want(?! to\b)|care for) (?P<value>.+)",
        _not_liking,
    ),
    rule(
        "likes",
        rf"{WE_ARE}(?:a (?:\w+ )?(?:fan|lover) of|into|fond of|keen on|passionate about|crazy about|obsessed with|addicted to"
        rf"|interested in(?! \w+ing\b)|mad about|hooked on|partial to) (?P<value>.+)",
        said("preference", "Likes {}", liking),
    ),
    rule(
        "dislikes",
        rf"{WE_ARE}not (?:(?:really |much of )?(?:an? (?:\w+ )?fan of|into|fond of|keen on|crazy about)) (?P<value>.+)",
        said("preference", "Does not like {}", liking),
    ),
    rule(
        "dislikes",
        rf"{WE_ARE}not (?:at all |really )?interested in (?P<value>.+)",
        said("preference", "Is not interested in {}", liking),
    ),
    rule(
        "person",
        rf"{WE_ARE}(?:more of )?an? (?P<value>(?:(?:total|real|bit of a|huge|big|massive) )?(?:morning|night|cat|dog|tea"
        rf"|coffee|people|beach"
        rf"|mountain|city|outdoors?y?) person|night owl|early bird|homebody|bookworm|foodie|introvert|extrovert|minimalist"
        rf"|environmentalist"
        rf"|early riser){END}",
        said("preference", "Is a {}", tidy),
    ),
    rule(
        "likes",
        rf"{WE_ARE}an? (?:\w+ )?(?P<value>[\w' -]+?) (?:fan|lover|enthusiast|nerd|geek|buff|addict|aficionado|junkie){END}",
        said("preference", "Likes {}", liking),
    ),
    rule(
        "likes",
        r"as an? (?P<value>[\w' -]+?) (?:fan|lover|enthusiast|nerd|geek|buff|addict)\b",
        said("preference", "Likes {}", liking),
    ),
    rule(
        "feeling",
        rf"(?:i have|i've got|i've|i've always had) (?P<feeling>(?:an?|no|the|zero|absolutely no) (?:[\w-]+ "
        rf"){{0,3}}?{_FEELING} (?:of|to|for|in"
        rf"|towards?|against|about|with)) (?P<value>.+)",
        _feeling,
    ),
    rule(
        "attitude",
        rf"{WE_ARE}(?P<state>{_MEASURE}(?:opposed to|against|uncomfortable (?:with|around|in)|afraid of|scared of|terrified "
        rf"of|sensitive to"
        rf"|intolerant of|picky about|an? (?:\w+ )?advocate for|only interested in|only comfortable (?:in|with)|not "
        rf"comfortable with"
        rf"|claustrophobic|committed to|drawn to)) (?P<value>.+)",
        _state,
    ),
    rule(
        "habit",
        rf"(?:i|i'll|we) (?P<how>(?:will |would )?(?:only|exclusively|never|always)) (?P<verb>{_HABITS}) (?P<value>.+)",
        _habit,
    ),
    rule(
        "habit",
        rf"(?:i|we) {_OPTIONAL}(?P<how>don't|dont|do not|won't|will not) (?!want to\b)(?P<verb>{_HABITS}) "
        rf"(?P<value>.+)",
        _habit,
    ),
    rule("judges", rf"{WE}find (?P<value>.+?) (?P<judgement>{_MEASURE}{_JUDGED})\b", _judging),
    rule("plays", rf"{WE}play (?P<value>(?:the )?{_GAMES}(?:(?:,| and) (?:the )?{_GAMES})*)\b", _played),
    rule("collects", rf"{WE}collect (?P<value>.+)", said("preference", "Collects {}", lasting)),
    rule(
        "pastime",
        rf"{WE}(?:go|do|practi[sc]e) (?P<value>(?:\w+ )?{_PASTIMES}(?: and {_PASTIMES})?)\b",
        said("preference", "Goes in for {}", tidy),
    ),
    rule(
        "attitude",
        rf"{WE}(?P<verb>find it|struggle with|struggle to|thrive in|thrive on|learn best|believe in|believe that|support"
        rf"|oppose|tend to"
        r"|adhere to|follow|get \w+ uncomfortable|get uncomfortable|feel uncomfortable|try to|rely on|stick to|cannot have"
        r"|have trouble"
        r"|work best|sleep best|do best|have bad experiences|need to avoid|listen to|lean towards?) (?P<value>.+)",
        _verb,
    ),
    rule(
        "reads",
        rf"{WE}(?P<verb>read|watch|listen to|follow) (?P<value>(?:mostly |a lot of |lots of |tons of )?(?!this|that|your|the "
        rf"|it|you|a |an |up|out|through|my|about).+)",
        _consuming,
    ),
    rule(
        "likes",
        r"(?:i've|i have) always (?P<verb>loved|liked|enjoyed|hated|disliked|preferred) (?P<value>.+)",
        lambda match: _always(match),
    ),
    rule("likes", rf"{WE}support (?P<value>[A-Z][\w' -]+)$", said("preference", "Supports {}", liking), cased=True),
    rule("likes", rf"{WE_ARE}an? (?P<value>[\w' -]+?) supporter{END}", said("preference", "Supports {}", liking)),
    rule(
        "likes",
        r"(?:i'd|i would|id) prefer (?P<value>.+? (?:over|to|rather than|instead of) .+)",
        said("preference", "Would prefer {}", liking),
    ),
    rule(
        "pastime",
        rf"{WE}spend (?:my|most of my|all my) (?:weekends?|free time|evenings|time|spare time|sundays|saturdays) "
        rf"(?P<value>\w+ing\b.*)",
        said("preference", "Spends free time {}", lasting),
    ),
    rule(
        "likes",
        r"(?P<value>(?!this|that|it\b|he|she|they|you|what|your|there)[\w' ]+?) is (?:my (?:guilty pleasure|weakness|passion"
        r"|thing|jam|comfort food|favou?rite|obsession)|what i love)$",
        said("preference", "Likes {}", liking),
    ),
    rule(
        "likes",
        r"(?:i have|i've got) a (?:real |total |massive |huge |bit of a )?(?P<value>sweet tooth|green thumb|soft spot for .+"
        r"|weakness for .+)",
        said("preference", "Has a {}", liking),
    ),
    rule(
        "likes",
        r"i (?:drink|take|like|eat) my (?P<value>(?:coffee|tea|steak|eggs|pizza) .+)",
        said("preference", "Takes {}", liking),
    ),
    rule("dislikes", rf"{WE_ARE}not much of an? (?P<value>[\w -]+?){END}", said("preference", "Is not much of a {}", liking)),
    rule("likes", rf"{WE_ARE}more into (?P<value>.+)", said("preference", "Is more into {}", liking)),
    rule(
        "likes",
        r"(?:i|we) (?:usually|mostly|mainly|always|often) (?:listen to|read|watch) (?P<value>.+)",
        said("preference", "Usually goes for {}", liking),
    ),
    rule("plays", rf"(?:i've|i have) (?:played|been playing) (?P<value>(?:the )?{_GAMES})\b", _played),
)
