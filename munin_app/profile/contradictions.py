"""Facts that cannot both be true although they are of different kinds: "is vegetarian" and "loves steak". English."""

import re

from munin_app.domain.facts import Fact
from munin_app.profile.words import is_negative, significant, tokens, word_set

_MEAT = word_set(
    "meat steak steaks beef pork bacon ham chicken turkey lamb veal sausage sausages burger burgers ribs brisket salami "
    "prosciutto"
    " venison duck meatballs bbq barbecue"
)
_FISH = word_set("fish salmon tuna sushi shrimp prawns lobster crab oysters mussels cod herring anchovies seafood")
_ANIMAL = word_set("milk cheese butter cream yogurt yoghurt eggs egg honey omelette omelettes parmesan mozzarella ice-cream")
_ALCOHOL = word_set("wine beer whisky whiskey vodka gin rum tequila cocktails champagne cider ale ales sake bourbon")
_GLUTEN = word_set("bread pasta pizza wheat bagels croissants baguettes")
_EXCLUDES = (
    (re.compile(r"(?i)\bvegan\b"), _MEAT | _FISH | _ANIMAL),
    (re.compile(r"(?i)\bvegetarian\b|\b(?:not|never|cannot) eats? (?:any )?meat\b"), _MEAT | _FISH),
    (re.compile(r"(?i)\bpescatarian\b"), _MEAT),
    (re.compile(r"(?i)\b(?:not drink|never drinks)(?: alcohol)?$|\bteetotal|\bgiven up (?:alcohol|drinking)"), _ALCOHOL),
    (re.compile(r"(?i)\b(?:coeliac|celiac|gluten[- ]intolerant)\b|\b(?:not|never|cannot) (?:eats?|have) gluten\b"), _GLUTEN),
)
_LIKING = re.compile(r"(?i)(?:likes|loves|enjoys|adores|prefers|favou?rite .* is|has always (?:loved|liked)|eats|drinks)\b")
_REFUSING = re.compile(r"(?i)(?:is allergic to|(?:does not|cannot|never) (?:eats?|drinks?|have|tolerate)|does not tolerate)\b")
_FREE_OF_IT = re.compile(
    r"(?i)\b(?:vegan|vegetarian|veggie|plant[- ]based|meatless|(?:alcohol|gluten)[- ]free|fake|cooking for)\b"
)


def contradict(one: Fact, other: Fact) -> bool:
    """In either order. Opposites of one kind ("likes" and "hates coffee") are `merge`'s own affair."""
    return _excludes(one, other) or _excludes(other, one)


def _excludes(diet: Fact, taste: Fact) -> bool:
    """Diet and taste, in this order."""
    if diet.attribute != "diet" or taste.attribute not in ("preference", "diet") or not _LIKING.match(taste.text):
        return False
    if is_negative(taste.text) or _FREE_OF_IT.search(taste.text):
        return False
    foods = set(tokens(taste.value))
    if any(pattern.search(diet.text) and foods & excluded for pattern, excluded in _EXCLUDES):
        return True
    refused = significant(diet.value)
    return bool(_REFUSING.match(diet.text) and refused and refused <= significant(taste.value))
