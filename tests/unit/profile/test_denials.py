"""What one cannot or never does, in words that no rule knows, goes to review, so that no negation is lost."""

from munin_app.profile.rules import find_facts

DENIED = [
    # said of oneself, with its own subject or the one before
    ("I have a peanut allergy, so I cannot touch anything with nuts.", "Cannot touch anything with nuts"),
    ("I have a fear of the sea and can't go near the water.", "Cannot go near the water"),
    ("I love hiking but I never go above 3,000 metres.", "Never goes above 3,000 metres"),
    ("I have two cats and will not stay anywhere that isn't pet friendly.", "Will not stay anywhere that isn't pet friendly"),
    ("I'm diabetic and I'm not allowed sweet drinks.", "Is not allowed sweet drinks"),
    ("I avoid dairy, as my stomach does not tolerate lactose.", "Stomach does not tolerate lactose"),
    # ruled out
    ("I'm allergic to cats. Places with animals are a strict no-go for me.", "Places with animals are a strict no-go for them"),
    ("I'm a pescatarian. Chicken and beef are off limits.", "Chicken and beef are off limits"),
    # of what was just said
    ("I avoid period dramas because they don't appeal to me.", "Period dramas don't appeal to them"),
    ("I avoid dining at chain restaurants as they do not use fresh food.", "Chain restaurants do not use fresh food"),
    ("I prefer trains over planes because they don't make me sick.", "Trains don't make them sick"),
    ("I dislike soft cheese since it does not agree with me.", "Soft cheese does not agree with them"),
    # the rest of a clause that a rule knows
    (
        "I avoid dining at restaurants that use nuts in any of their many kitchens, even in dishes that don't contain nuts.",
        "Avoids dining at restaurants that use nuts, even in dishes that don't contain nuts",
    ),
]
NOT_DENIED = [
    # nobody tells of themselves: it is the task at hand
    "I can't open the file and it doesn't print.", "I never go there.", "My printer does not work.",
    # of the moment
    "I'm a nurse and I can't open the attachment.", "I live in Rome but I don't know where to eat.",
    "I work as a baker and I don't understand this form.", "I'm 30 and I haven't slept well.", "I'm Ada and I can't do that.",
    # somebody else's
    "I'm a nurse. My wife can't eat nuts.", "I love my dog and it doesn't bite.", "I'm a nurse. Nuts are a no-go for my sister.",
    # not in earnest
    "I'm a nurse. If I had a cold I could not work.", 'I\'m a nurse. She said "I cannot touch nuts".',
    # no taste: a denial of a second place or age is no fact of its own
    "I live in Oslo, not in Bergen.", "At 52 I'm not exactly young anymore.",
]  # fmt: skip


def denied_in(text: str) -> list[str]:
    return [one.description.text for one in find_facts(text) if one.extractor == "rule:en.denial"]


def test_what_is_denied_goes_to_review() -> None:
    assert {text: found for text, expected in DENIED if (found := denied_in(text)) != [expected]} == {}
    assert not any(one.description.certain for text, _ in DENIED for one in find_facts(text) if one.extractor == "rule:en.denial")


def test_what_is_of_the_moment_or_of_others_is_not() -> None:
    assert {text: found for text in NOT_DENIED if (found := denied_in(text))} == {}


def test_a_relative_clause_keeps_what_its_subject_does_not_do() -> None:
    """Not the speaker does not cater to children."""
    (found,) = find_facts("I prefer hotels that are adult-only and do not cater to children.")
    assert found.description.text == "Prefers hotels that are adult-only and do not cater to children"
    kept = find_facts("I love films that are long and don't eat popcorn.")
    assert [one.description.text for one in kept] == ["Loves films that are long", "Does not eat popcorn"]


def test_what_something_avoided_may_do_is_no_doubt() -> None:
    (found,) = find_facts("I avoid dishes that may contain peanuts.")
    assert found.description.text == "Avoids dishes that may contain peanuts"
