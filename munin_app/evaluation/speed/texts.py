"""The words of the bench: a person who asks about old crafts and places. The same in every run, no two texts alike.

After a plain question learning has nothing to ask the utility model; after a personal one it always has, and finds no fact.
"""

TOPICS = (
    "lighthouses", "paper boats", "harbour walls", "tide tables", "sea glass", "rope making", "fog signals", "cargo bells",
    "stone bridges", "water mills", "salt roads", "ferry lines", "glass bottles", "copper roofs", "clock towers", "city gates",
    "wild honey", "apple presses", "bread ovens", "herb gardens", "beech woods", "mountain huts", "snow fences", "reed roofs",
    "hand looms", "felt boots", "wool dyes", "ink recipes", "wood blocks", "letter presses", "star maps", "sun dials",
    "brass horns", "church organs", "puppet plays", "street fairs", "night trains", "post coaches", "kite flying", "ice skates",
)  # fmt: skip
_QUESTIONS = (
    "Page {n} of the guide is about {topic}. Tell a long story in which {topic} come up.",
    "What would a good guide say about {topic}, at stop number {n} of the tour?",
    "Describe {topic} to a curious child, at length, in {n} minutes.",
)
_PERSONAL_QUESTIONS = (
    "On page {n} I was reading about {topic} again. Tell me a long story in which {topic} come up.",
    "Today I walked past a sign about {topic}, number {n}. What would a good guide say about {topic}?",
    "I heard a talk about {topic} at {n} minutes past noon. Describe {topic} to a curious child, at length.",
)
_ANSWERS = (
    "People have cared for {topic} for a very long time, and each generation left {n} small marks on them.",
    "The oldest records of {topic} name {n} places, most of them close to a river or to the sea.",
    "Those who worked with {topic} began before dawn and told {n} different tales of how it all started.",
)
_PLACES = ("northern", "western", "old", "new", "smaller", "ruined", "white")
_DUTIES = ("the wind and the tide", "the price of lamp oil", "the height of the waves", "the colour of the sky", "the visitors")

FACTS = (
    "Lives in Bergen",
    "Works as a carpenter",
    "Is vegetarian",
    "Likes short answers with an example",
    "Is building a small wooden boat",
)


def question(n: int) -> str:
    return _QUESTIONS[n % len(_QUESTIONS)].format(n=n + 1, topic=TOPICS[n % len(TOPICS)])


def personal_question(n: int) -> str:
    return _PERSONAL_QUESTIONS[n % len(_PERSONAL_QUESTIONS)].format(n=n + 1, topic=TOPICS[n % len(TOPICS)])


def answer(n: int) -> str:
    return _ANSWERS[n % len(_ANSWERS)].format(n=n + 2, topic=TOPICS[n % len(TOPICS)])


def earlier_message(topic: str) -> str:
    """Said in another conversation: what recall finds."""
    return f"Last spring we compared {topic} of the north and the south."


def sentence(day: int) -> str:
    """About 25 tokens of a pasted document."""
    place, duty = _PLACES[day % len(_PLACES)], _DUTIES[day % len(_DUTIES)]
    return f"On day {day} the keeper of the {place} tower wrote down {duty}, and counted {day * 7 % 31 + 2} ships."


def document(sentences: int, first_day: int = 1) -> str:
    return " ".join(sentence(day) for day in range(first_day, first_day + sentences))
